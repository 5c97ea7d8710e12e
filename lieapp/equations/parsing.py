"""Typed equations: a whitelist over Python's `ast`, never `eval` or `sympify`.

Jet notation: `u_t + u*u_x + u_xxx`, letters of a derivative in any order, ` = rhs` optional. Numbers are
exact (0.1 is 1/10). Errors are ParseError with a caret under the column.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any, NoReturn

import sympy as sp

from lieapp.equations.declarations import (
    FUNCTIONS,
    check_condition,
    check_declared,
    check_equations,
    check_names,
    check_used,
    fail,
    functions_of,
    parameters_of,
)
from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.equations.literals import exact_number, is_impossible, too_large
from lieapp.equations.readings import AmbiguousError, multi_index
from lieapp.equations.spelling import hint_of, misspelt, unfinished
from lieapp.errors import ParseError

MAX_LENGTH = 4000
MAX_EXPONENT = 64
"""Largest numeric exponent: powers are expanded, so a larger one only eats memory."""
MAX_BITS = 256
MAX_TERMS = 1000
"""Terms that an expression may have when it is multiplied out, as the derivation does."""
MAX_NESTING = 40
"""Functions and powers inside one another: each is differentiated through all that it contains."""

NOT_LOCAL = ("Integral", "integrate", "int", "Sum", "sum", "Derivative", "diff", "Subs", "Limit", "limit")
COMPLEX = ("I", "conj", "conjugate", "re", "im", "abs", "Abs", "sign", "Max", "Min", "Piecewise", "Heaviside")

EXAMPLE = "For example u_t + u*u_x + u_xxx."
LOCAL = "Derivatives are written u_x; the integral of u becomes an unknown v with the equation v_x - u."
SMOOTH = "Equations are real and smooth: write u = v + i w as two unknowns, |u|**2 as v**2 + w**2."
SYSTEM = "Give each equation of a system by itself."
NONZERO = "Write an equation whose denominators don't vanish identically."
DEEP = "Write it with fewer parentheses inside one another."
PARAMETER = "Put a parameter, such as a, in place of the number."
LARGE = "Use lower powers, or put a parameter or function in place of what is raised."
POWER = "Lower the exponent, or put a parameter, such as n, in its place."
REAL = "Look for a division by zero, or a root or logarithm of a negative number."
"""Next steps that several errors share."""

Resolver = Callable[[str], sp.Expr | None]


def parse_expression(
    text: str,
    names: Mapping[str, sp.Expr],
    functions: Mapping[str, sp.Expr] | None = None,
    integrals: bool = False,
) -> sp.Expr:
    """An expression in the given names, as the JSON contract writes fields: `2*sqrt(t + 1)`.

    Args:
        text: SymPy syntax.
        names: what each name stands for, usually the coordinate symbols.
        functions: k(u) for each declared function k.
        integrals: whether antiderivatives that aren't elementary are read, `Integral(exp(sin(t)), t)`, which
            derived fields have and typed equations have not.
    """
    return _Reader(text, 0, text, names.get, functions or {}, integrals).read()


def parse_system(
    equations: Sequence[str],
    independent: Sequence[str],
    dependent: Sequence[str],
    parameters: Sequence[str] = (),
    functions: Sequence[str] = (),
) -> System:
    """The system of typed equations.

    Raises ParseError for what the grammar has not, and for declarations that contradict one another.

    Args:
        equations: `u_t + u*u_x + u_xxx`, with `= 0` understood, or `u_t = u_xx`.
        independent: names of the variables.
        dependent: names of the unknowns.
        parameters: `nu`, `nu:positive`, or `g:positive, g != 3`.
        functions: arbitrary functions and their argument, `k:u`.
    """
    jets = JetSpace(tuple(sp.Symbol(n, real=True) for n in independent), tuple(dependent))
    constants, conditions = parameters_of(parameters)
    taken = [*independent, *dependent, *(str(c) for c in constants)]
    declared = functions_of(functions, jets)
    check_names([*taken, *declared])
    nonzero = []
    for condition in conditions:
        check_declared(condition, constants)
        own = {str(c): c for c in constants}
        nonzero.append(parse_expression(condition.left, own) - parse_expression(condition.right, own))
        check_condition(condition, nonzero[-1], constants)
    values: dict[str, sp.Expr] = {str(s): s for s in (*jets.coordinates, *constants)}
    resolve = _jet_resolver(jets, values, declared)
    residuals = tuple(_equation(text, resolve, declared) for text in equations)
    check_equations(equations, residuals, jets)
    check_used(constants, declared, residuals)
    arguments = {k: tuple(str(a) for a in f.args) for k, f in declared.items()}
    return System(jets, residuals, constants, functions=arguments, nonzero=tuple(nonzero))


def _equation(text: str, resolve: Resolver, functions: Mapping[str, sp.Expr]) -> sp.Expr:
    sides = text.split("=")
    if len(sides) > 2:
        fail(
            text,
            text.index("=", len(sides[0]) + 1),
            "an equation has one '=' at most",
            f"{SYSTEM} Comparisons aren't equations.",
        )
    left = _Reader(text, 0, sides[0], resolve, functions).read()
    if len(sides) == 1:
        return left
    return left - _Reader(text, len(sides[0]) + 1, sides[1], resolve, functions).read()


def _jet_resolver(jets: JetSpace, values: Mapping[str, sp.Expr], functions: Mapping[str, sp.Expr]) -> Resolver:
    """Names, jets u_tx, and derivatives k_u of declared functions."""

    def resolve(name: str) -> sp.Expr | None:
        if name in values:
            return values[name]
        base, _, letters = name.rpartition("_")
        while base:
            if base in jets.dependent:
                J = multi_index(letters, [str(x) for x in jets.independent])
                return None if J is None else jets.symbol(jets.dependent.index(base), J)
            if base in functions:
                (argument,) = functions[base].args
                count = letters.replace("_", "").count(str(argument))
                if count and str(argument) * count == letters.replace("_", ""):
                    return sp.Derivative(functions[base], (argument, count))
            base, _, more = base.rpartition("_")
            letters = f"{more}_{letters}"
        return None

    return resolve


def _depth(expression: sp.Expr) -> int:
    """How many functions, powers and sums stand inside one another."""
    depth, layer = 0, [expression]
    while layer and depth <= MAX_NESTING:
        depth += 1
        layer = list({a for e in layer for a in e.args if a.args})
    return depth


def _terms(expression: sp.Expr) -> int:
    """An upper bound of the terms when multiplied out; any number above MAX_TERMS if it is more."""
    if expression.is_Add:
        return sum(_terms(a) for a in expression.args)
    if expression.is_Mul:
        return min(prod(_terms(a) for a in expression.args), MAX_TERMS + 1)
    if expression.is_Pow and expression.exp.is_Integer:
        inner = min(_terms(expression.base), MAX_TERMS + 1)
        return min(comb(inner + abs(int(expression.exp)) - 1, inner - 1), MAX_TERMS + 1)
    return max((_terms(a) for a in expression.args), default=1)


@dataclass
class _Reader:
    """Reads one side of an equation.

    Args:
        whole: the text that errors show.
        offset: where `part` begins in it.
        part: what is read.
        resolve: the expression of a name, None if unknown.
        functions: k(u) for each declared function k.
        integrals: whether `Integral(f, t)` is read.
    """

    whole: str
    offset: int
    part: str
    resolve: Resolver
    functions: Mapping[str, sp.Expr]
    integrals: bool = False

    def read(self) -> sp.Expr:
        """The expression."""
        if len(self.part) > MAX_LENGTH:
            raise ParseError(
                f"The expression has {len(self.part)} characters; {MAX_LENGTH} are the most.",
                hint=f"{SYSTEM} A plugin file holds longer ones.",
            )
        for place, character in enumerate(self.part):
            if (found := misspelt(character)) is not None:
                fail(self.whole, self.offset + place, *found)
        lead = len(self.part) - len(self.part.lstrip())
        self.offset += lead
        self.part = self.part.strip()
        if not self.part:
            fail(self.whole, self.offset, "an expression is missing here", EXAMPLE)
        try:
            tree = ast.parse(self.part, mode="eval")
        except SyntaxError as error:
            if unfinished(self.part):
                fail(self.whole, self.offset + len(self.part), "an expression is missing here", EXAMPLE)
            column = min(max((error.offset or 1) - 1, 0), len(self.part))
            hint = SYSTEM if ";" in self.part else hint_of(self.part, column)
            fail(self.whole, self.offset + column, "this can't be read", hint)
        except (ValueError, RecursionError, MemoryError):
            fail(self.whole, self.offset, "this can't be read", EXAMPLE)
        try:
            result = self._visit(tree.body)
        except RecursionError:
            fail(self.whole, self.offset, "this is nested too deeply", DEEP)
        if _depth(result) > MAX_NESTING:
            fail(self.whole, self.offset, "this is nested too deeply", DEEP)
        if _terms(result) > MAX_TERMS:
            fail(self.whole, self.offset, f"this has more than {MAX_TERMS} terms when multiplied out", LARGE)
        return result

    def _fail(self, node: ast.AST, problem: str, hint: str) -> NoReturn:
        # ast counts bytes and lines
        line = self.part.splitlines()[getattr(node, "lineno", 1) - 1]
        before = sum(len(s) + 1 for s in self.part.splitlines()[: getattr(node, "lineno", 1) - 1])
        column = len(line.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
        fail(self.whole, self.offset + before + column, problem, hint)

    def _visit(self, node: ast.AST) -> sp.Expr:
        """The value of a node; what is infinite or complex is refused where it arises."""
        value = self._value(node)
        if is_impossible(value):
            self._fail(node, "this is not a finite real expression", REAL)
        return value

    def _value(self, node: ast.AST) -> sp.Expr:
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            value = self._visit(node.operand)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        self._fail(node, "only names, numbers, + - * / **, parentheses and functions are allowed here", EXAMPLE)

    def _binary(self, node: ast.BinOp) -> sp.Expr:
        left, right = self._visit(node.left), self._visit(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            if right == 0:
                self._fail(node.right, "division by zero", NONZERO)
            return left / right
        if isinstance(node.op, ast.Pow):
            # nested powers multiply their exponents
            inner = left.exp if left.is_Pow and left.exp.is_number else 1
            if right.is_number and not abs(inner * right) <= MAX_EXPONENT:
                self._fail(node.right, f"exponents above {MAX_EXPONENT} are not supported", POWER)
            if left.is_Rational and max(abs(left.p), left.q).bit_length() > MAX_BITS:
                self._fail(node.left, "this number is too long", PARAMETER)
            if left == 0 and not right.is_positive:
                self._fail(node.right, "division by zero", NONZERO)
            return left**right
        self._fail(node, "this operator is not allowed", "Use + - * / and **.")

    def _number(self, node: ast.Constant) -> sp.Expr:
        value: Any = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._fail(node, f"{value!r} is not a real number", "Write numbers as 3, 0.1 or Rational(1, 3).")
        # the digits themselves: a double would round them
        number = exact_number(ast.get_source_segment(self.part, node) or repr(value))
        if number is None:
            self._fail(node, "this number is too long", PARAMETER)
        return number

    def _name(self, node: ast.Name) -> sp.Expr:
        try:
            value = self.resolve(node.id)
        except AmbiguousError as error:
            self._fail(node, str(error), "Write u_x_y with _ between the variables, or give them other names.")
        if value is not None:
            return value
        if node.id in self.functions:
            return self.functions[node.id]
        if node.id == "pi":
            return sp.pi
        if node.id in FUNCTIONS:
            self._fail(node, f"{node.id} needs an argument in parentheses", f"For example {node.id}(x).")
        self._fail(
            node,
            f"{node.id!r} is not declared",
            SMOOTH
            if node.id == "I"
            else "Declare it as a variable, an unknown, a parameter or a function; derivatives are written u_x.",
        )

    def _call(self, node: ast.Call) -> sp.Expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            self._fail(node, "this call is not allowed", f"Functions are {', '.join(FUNCTIONS)}, as sin(x).")
        name = node.func.id
        if self.integrals and name == "Integral" and len(node.args) == 2 and isinstance(node.args[1], ast.Name):
            return sp.Integral(*(self._visit(a) for a in node.args))
        if name not in (*FUNCTIONS, *self.functions, "Rational"):
            known = ", ".join([*FUNCTIONS, *self.functions])
            hints = {**dict.fromkeys(NOT_LOCAL, LOCAL), **dict.fromkeys(COMPLEX, SMOOTH)}
            hint = hints.get(name, f"Known are {known}; write * for products.")
            self._fail(node, f"{name!r} is not a known function", hint)
        arguments = [self._visit(a) for a in node.args]
        if name == "Rational":
            if not 1 <= len(arguments) <= 2 or not all(a.is_Rational for a in arguments):
                self._fail(node, "Rational takes one or two numbers", "Write Rational(1, 3).")
            if arguments[1:] == [0]:
                self._fail(node, "division by zero", NONZERO)
            return arguments[0] / (arguments[1] if len(arguments) == 2 else 1)
        if name in self.functions:
            if tuple(arguments) != self.functions[name].args:
                declared = self.functions[name]
                self._fail(node, f"{name} is declared as {declared}", f"Write {declared}, or {name} alone.")
            return self.functions[name]
        if len(arguments) != 1:
            self._fail(node, f"{name} takes one argument", f"For example {name}(x).")
        if too_large(FUNCTIONS[name], arguments[0]):
            self._fail(node, "this number is too large to be meant", PARAMETER)
        return FUNCTIONS[name](arguments[0])
