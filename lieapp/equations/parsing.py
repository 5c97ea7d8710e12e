"""Typed equations: a whitelist over Python's `ast`, never `eval` or `sympify`.

Jet notation: `u_t + u*u_x + u_xxx`, letters of a derivative in any order, ` = rhs` optional. Derivatives of more
than an unknown are total ones: `(k(u)*u_x)_x`, `D_x(k(u)*u_x)`, `Derivative(k(u)*u_x, x)`. Numbers are exact (0.1
is 1/10). Errors are ParseError with a caret under the column.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, mul, sub, truediv
from typing import Any, NoReturn

import sympy as sp

from lieapp.equations import declarations, limits, notation
from lieapp.equations.arbitrary import Composed, child, composed
from lieapp.equations.declarations import FUNCTIONS, NUMBERS, SPECIAL, fail
from lieapp.equations.equation import System
from lieapp.equations.factors import named
from lieapp.equations.jets import AmbiguousError, JetSpace, directions, multi_index
from lieapp.equations.latex import LatexError, is_latex
from lieapp.errors import ParseError

NOT_LOCAL = ("Integral", "integrate", "int", "Sum", "sum", "Subs", "Limit", "limit")
DERIVATIVES = ("Derivative", "diff", "Diff", "D")
"""Names of derivatives with the variables as further arguments."""
COMPLEX = ("I", "conj", "conjugate", "re", "im", "abs", "Abs", "sign", "Max", "Min", "Piecewise", "Heaviside")

EXAMPLE = "For example u_t + u*u_x + u_xxx."
LOCAL = "Derivatives are written u_x; the integral of u becomes an unknown v with the equation v_x - u."
SMOOTH = "Equations are real and smooth: write u = v + i w as two unknowns, |u|**2 as v**2 + w**2."
SYSTEM = "Give each equation of a system by itself."
APART = "Write u_x_y with _ between the variables, or give them other names."
"""Next steps that several errors share."""

OPERATIONS: dict[type[ast.operator], Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv, ast.Pow: pow,
}  # fmt: skip

Resolver = Callable[[str], sp.Expr | None]


def parse_expression(
    text: str,
    names: Mapping[str, sp.Expr],
    functions: Mapping[str, sp.Expr] | None = None,
    integrals: bool = False,
    typed: bool = False,
) -> sp.Expr:
    """An expression in the given names, as the JSON contract writes fields: `2*sqrt(t + 1)`.

    `names` has what each name stands for, usually the coordinate symbols, `functions` k(u) for each declared
    function k. With `integrals` antiderivatives that aren't elementary are read, `Integral(exp(sin(t)), t)`,
    which derived fields have and typed equations have not. What somebody `typed` is bounded in size (`limits.py`)
    before it is read.
    """
    return _Reader(text, 0, text, names.get, functions or {}, integrals, typed).read()


def _spelled(names: Sequence[str]) -> list[str]:
    return list(map(notation.greek, names))


def parse_system(
    equations: Sequence[str],
    independent: Sequence[str],
    dependent: Sequence[str],
    parameters: Sequence[str] = (),
    functions: Sequence[str] = (),
    typed: bool = True,
    outputs: Sequence[str] = (),
) -> System:
    """The system of typed equations, with what is measured of its solutions: `c*x`.

    Raises ParseError for what the grammar has not, and for declarations that contradict one another.

    Equations are `u_t + u*u_x + u_xxx`, with `= 0` understood, or `u_t = u_xx`. Parameters are `nu`,
    `nu:positive`, or `g:positive, g != 3`. Arbitrary functions have their arguments, `k:u`, `k:x,u` or `f:u_x`, or
    a letter of their own for any argument, `F:s` for F(x - t), and conditions, `f:u; f_uu != 0`. `typed` is as for
    `parse_expression`; else lieapp wrote it.
    """
    if typed:
        declarations.check_sizes(equations, independent, dependent, (*parameters, *functions, *outputs))
    independent, dependent = _spelled(independent), _spelled(dependent)
    parameters, functions = _spelled(parameters), _spelled(functions)
    jets = JetSpace(tuple(sp.Symbol(n, real=True) for n in independent), tuple(dependent))
    constants, conditions = declarations.parameters_of(parameters)
    taken = [*independent, *dependent, *(str(c) for c in constants)]
    declared, others = declarations.functions_of(functions, jets)
    declarations.check_names([*taken, *declared])
    nonzero = []
    for condition in conditions:
        declarations.check_declared(condition, constants)
        own = {str(c): c for c in constants}
        left, right = (parse_expression(side, own, typed=True) for side in (condition.left, condition.right))
        nonzero.append(left - right)
        declarations.check_condition(condition, nonzero[-1], constants)
    values: dict[str, sp.Expr] = {str(s): s for s in (*jets.coordinates, *constants)}
    resolve = _jet_resolver(jets, values, declared)
    for condition in others:
        difference = _equation(f"{condition.left} = {condition.right}", resolve, declared, True, jets)
        declarations.check_condition(condition, difference, ())
        # as results write it
        nonzero.append(named(difference)[0])
    residuals = tuple(_equation(text, resolve, declared, typed, jets) for text in equations)
    declarations.check_equations(equations, residuals, jets)
    measured = tuple(_output(text, values, declared, typed) for text in outputs)
    declarations.check_used(constants, declared, (*residuals, *measured))
    arguments = {k: tuple(str(a) for a in f.args) for k, f in declared.items()}
    return System(jets, residuals, constants, functions=arguments, nonzero=tuple(nonzero), outputs=measured)


def _output(text: str, values: dict[str, sp.Expr], functions: Mapping[str, sp.Expr], typed: bool) -> sp.Expr:
    try:
        return parse_expression(text, values, functions, typed=typed)
    except ParseError as error:
        if "is not declared" in error.message:
            error.hint = "Write outputs in unknowns and declared parameters, without derivatives."
        raise


def _equation(
    text: str, resolve: Resolver, functions: Mapping[str, sp.Expr], typed: bool, jets: JetSpace
) -> sp.Expr:
    sides = text.split("=")
    if len(sides) > 2:
        second = text.index("=", len(sides[0]) + 1)
        fail(text, second, "an equation has one '=' at most", f"{SYSTEM} Comparisons aren't equations.")
    left = _Reader(text, 0, sides[0], resolve, functions, typed=typed, jets=jets).read()
    if len(sides) == 1:
        return left
    return left - _Reader(text, len(sides[0]) + 1, sides[1], resolve, functions, typed=typed, jets=jets).read()


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
                function = functions[base]
                K = multi_index(letters, [str(a) for a in function.args])
                return None if K is None or isinstance(function, Composed) else child(function, K)
            base, _, more = base.rpartition("_")
            letters = f"{more}_{letters}"
        return None

    return resolve


@dataclass
class _Reader:
    """Reads one side of an equation: `part`, which begins at an offset in the `whole` text that errors show.

    `resolve` has the expression of a name, None if unknown, `functions` k(u) for each declared function k.
    Derivatives are taken in `jets`. The rest is as for `parse_expression`.
    """

    whole: str
    offset: int
    part: str
    resolve: Resolver
    functions: Mapping[str, sp.Expr]
    integrals: bool = False
    typed: bool = False
    jets: JetSpace | None = None
    places: list[int] = field(default_factory=list)

    def read(self) -> sp.Expr:
        """The expression."""
        if self.typed:
            declarations.check_length(self.part)
        as_latex = is_latex(self.whole)
        for place, character in enumerate(self.part):
            if (found := limits.SIGNS.get(character)) is not None and not (as_latex and character in "^\\"):
                fail(self.whole, self.offset + place, *found)
        lead = len(self.part) - len(self.part.lstrip())
        self.offset += lead
        self.part = self.part.strip()
        if not self.part:
            fail(self.whole, self.offset, "an expression is missing here", EXAMPLE)
        try:
            self.part, self.places = notation.readable(self.part, as_latex)
        except LatexError as error:
            fail(self.whole, self.offset + error.place, error.problem, error.hint)
        try:
            tree = ast.parse(self.part, mode="eval")
        except SyntaxError as error:
            if self.part.endswith((*limits.OPERATORS, "(")):
                fail(self.whole, self.offset + self.places[-1], "an expression is missing here", EXAMPLE)
            column = min(max((error.offset or 1) - 1, 0), len(self.part))
            hint = SYSTEM if ";" in self.part else limits.hint_of(self.part, column)
            fail(self.whole, self.offset + self.places[column], "this can't be read", hint)
        except (ValueError, RecursionError, MemoryError):
            fail(self.whole, self.offset, "this can't be read", EXAMPLE)
        if self.typed and (much := limits.excess(tree.body)) is not None:
            self._fail(*much)
        try:
            result = self._visit(tree.body)
        except RecursionError:
            fail(self.whole, self.offset, "this is nested too deeply", limits.DEEP)
        if limits.levels(result) > limits.MAX_LEVELS:
            fail(self.whole, self.offset, "this is nested too deeply", limits.DEEP)
        if limits.terms(result) > limits.MAX_TERMS:
            fail(self.whole, self.offset, *limits.MANY)
        return result

    def _fail(self, node: ast.AST, problem: str, hint: str) -> NoReturn:
        # ast counts bytes and lines
        line = self.part.splitlines()[getattr(node, "lineno", 1) - 1]
        before = sum(len(s) + 1 for s in self.part.splitlines()[: getattr(node, "lineno", 1) - 1])
        column = len(line.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
        fail(self.whole, self.offset + self.places[before + column], problem, hint)

    def _visit(self, node: ast.AST) -> sp.Expr:
        """The value of a node."""
        try:
            return self._checked(node, self._value(node))
        except ArithmeticError:
            # numbers so near a pole that they can't be told from it
            self._fail(node, *limits.UNREAL)

    def _checked(self, node: ast.AST, value: sp.Expr) -> sp.Expr:
        """A value; what is infinite, complex or too large is refused where it arises."""
        if (problem := limits.number_problem(value)) is not None:
            self._fail(node, *problem)
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
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            return self._derivative(node, node.value, node.attr[1:])
        self._fail(node, "only names, numbers, + - * / **, parentheses and functions are allowed here", EXAMPLE)

    def _binary(self, node: ast.BinOp) -> sp.Expr:
        """A sum or product of many, from left to right, without recursion."""
        chain: list[ast.BinOp] = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        value = self._visit(chain[-1].left)
        for link in reversed(chain):
            value = self._checked(link, self._combined(link, value, self._visit(link.right)))
        return value

    def _combined(self, node: ast.BinOp, left: sp.Expr, right: sp.Expr) -> sp.Expr:
        if type(node.op) not in OPERATIONS:
            self._fail(node, "this operator is not allowed", "Use + - * / and **.")
        if isinstance(node.op, ast.Div) and right == 0:
            self._fail(node.right, *limits.ZERO)
        if isinstance(node.op, ast.Pow) and (found := limits.power_problem(left, right)) is not None:
            places = {"base": node.left, "exponent": node.right, "power": node}
            self._fail(places[found[0]], *found[1])
        return OPERATIONS[type(node.op)](left, right)

    def _number(self, node: ast.Constant) -> sp.Expr:
        value: Any = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._fail(node, f"{value!r} is not a real number", "Write numbers as 3, 0.1 or Rational(1, 3).")
        # the digits themselves: a double would round them
        line = self.part.splitlines()[node.lineno - 1].encode()
        number = limits.exact_number(line[node.col_offset : node.end_col_offset].decode())
        if number is None:
            self._fail(node, *limits.LONG)
        return number

    def _name(self, node: ast.Name) -> sp.Expr:
        name = notation.greek(node.id)
        try:
            value = self.resolve(name)
        except AmbiguousError as error:
            self._fail(node, str(error), APART)
        if value is not None:
            return value
        if name in self.functions:
            if isinstance(self.functions[name], Composed):
                self._fail(node, f"{name} needs its argument in parentheses", f"For example {name}(x - t).")
            return self.functions[name]
        if name == "pi":
            return sp.pi
        if name in FUNCTIONS:
            self._fail(node, f"{name} needs an argument in parentheses", f"For example {name}(x).")
        other = "Declare it as a variable, an unknown, a parameter or a function; derivatives are written u_x."
        self._fail(node, f"{node.id!r} is not declared", SMOOTH if node.id == "I" else other)

    def _call(self, node: ast.Call) -> sp.Expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            self._fail(node, "this call is not allowed", f"Functions are {', '.join(FUNCTIONS)}, as sin(x).")
        name = notation.greek(node.func.id)
        if self.jets is not None and name not in self.functions:
            if name.startswith("D_") and len(node.args) == 1:
                return self._derivative(node, node.args[0], name[2:])
            if name in DERIVATIVES and node.args:
                return self._derivative(node, node.args[0], "_".join(self._variables(node.args[1:])))
            if name in self.jets.dependent and tuple(map(self._visit, node.args)) == self.jets.independent:
                return self.jets.symbol(self.jets.dependent.index(name), self.jets.zero)
        if self.integrals and name == "Integral" and len(node.args) == 2 and isinstance(node.args[1], ast.Name):
            return sp.Integral(*(self._visit(a) for a in node.args))
        if (function := self._composed(name)) is not None:
            if len(node.args) != 1:
                self._fail(node, f"{name} takes one argument", f"For example {name}(x - t).")
            return function(self._visit(node.args[0]))
        # equations go into plugin files, in SymPy's own functions
        if name not in (*FUNCTIONS, *SPECIAL, *self.functions, *(NUMBERS if self.jets is None else ["Rational"])):
            known = ", ".join([*FUNCTIONS, *SPECIAL, *self.functions])
            hints = {**dict.fromkeys(NOT_LOCAL, LOCAL), **dict.fromkeys(COMPLEX, SMOOTH)}
            hint = hints.get(name, f"Known are {known}; write * for products.")
            self._fail(node, f"{name!r} is not a known function", hint)
        arguments = [self._visit(a) for a in node.args]
        if name in NUMBERS:
            try:
                return NUMBERS[name](*arguments)
            except ValueError as error:
                self._fail(node, *error.args)
        if (declared := self.functions.get(name)) is not None:
            if tuple(arguments) != declared.args:
                hint = f"Write {declared}, or {name} alone; for other arguments declare {name}:s."
                self._fail(node, f"{name} is declared as {declared}", hint)
            return declared
        if name in SPECIAL:
            return self._special(node, name, arguments)
        if len(arguments) != 1:
            self._fail(node, f"{name} takes one argument", f"For example {name}(x).")
        if name == "sqrt" and (found := limits.power_problem(arguments[0], sp.S.Half)) is not None:
            self._fail(node, *found[1])
        if limits.too_large(FUNCTIONS[name], arguments[0]):
            self._fail(node, *limits.LARGE)
        return FUNCTIONS[name](arguments[0])

    def _composed(self, name: str) -> Any:
        """The function F, or F_s for its derivative, that is declared for any argument."""
        base, _, letters = name.partition("_")
        function = self.functions.get(base)
        if not isinstance(function, Composed):
            return None
        order = len(letters) // len(function.letter)
        return composed(base, function.letter, order) if letters == function.letter * order else None

    def _special(self, node: ast.Call, name: str, arguments: Sequence[sp.Expr]) -> sp.Expr:
        function, count = SPECIAL[name]
        example = f"{name}({', '.join(['n', 'x'][-count:])})"
        if len(arguments) != count:
            self._fail(node, f"{name} takes {count} argument{'s' * (count > 1)}", f"For example {example}.")
        if arguments[-1].is_number:
            # its value, with many digits, is computed slowly
            self._fail(node, f"{name} of a number is not read", "Put a parameter, such as a, in its place.")
        return function(*arguments)

    def _variables(self, nodes: Sequence[ast.expr]) -> list[str]:
        """The names in `x, x`, `x, 2` or `(x, 2)`, each as often as it is differentiated by."""
        names: list[str] = []
        for node in nodes:
            if isinstance(node, ast.Tuple):
                names += self._variables(node.elts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, int) and names:
                if not 0 < node.value <= limits.MAX_NESTING:
                    self._fail(node, f"derivatives are taken 1 to {limits.MAX_NESTING} times at once", EXAMPLE)
                names += names[-1:] * (node.value - 1)
            elif isinstance(node, ast.Name):
                names.append(notation.greek(node.id))
            else:
                self._fail(node, "this is no variable to differentiate by", "For example Derivative(u**2, x, 2).")
        return names

    def _derivative(self, node: ast.AST, inner: ast.AST, letters: str) -> sp.Expr:
        """The total derivative of what stands inside."""
        jets = self.jets
        try:
            J = multi_index(letters, [str(x) for x in jets.independent]) if jets else None
        except AmbiguousError as error:
            self._fail(node, str(error), APART)
        if jets is None or J is None:
            known = f"The variables are {', '.join(map(str, jets.independent))}." if jets else EXAMPLE
            self._fail(node, f"{letters!r} names no variable to differentiate by", known)
        value = self._visit(inner)
        for i in directions(J):
            value = self._checked(node, jets.total_derivative(value, i))
            if limits.terms(value) > limits.MAX_TERMS:
                self._fail(node, *limits.MANY)
            value = sp.expand_mul(value)
        return value
