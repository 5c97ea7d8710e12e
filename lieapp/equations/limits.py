"""How long, how deep and how large what is typed may be, and what people type in place of the grammar's signs.

Size is counted on the syntax tree before SymPy builds anything of it. SymPy asks every function and power for its
sign, and so for that of all inside it: each level more takes several times as long, so that a line of text can take
hours. Measured on expressions drawn at random, those within these bounds are read in less than a second.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from decimal import Decimal
from math import comb, prod

import sympy as sp

from lieapp.equations.algebraic import RealRoot

MAX_LENGTH = 4000
"""Characters of one equation, declaration or output."""
MAX_TOTAL = 32_000
"""Characters of all of them together."""
MAX_NAMES = 200
"""Variables; unknowns."""
MAX_NAME = 100
"""Characters of a name, with the letters of a derivative."""
MAX_SHOWN = 40
"""Characters that errors show of a text that is too long."""
MAX_PARTS = 500
"""Names and numbers."""
MAX_DEPTH = 40
"""Parentheses, signs, functions and powers inside one another."""
MAX_NESTING = 8
"""What functions, powers and quotients inside one another add up to, each by its `_rank`."""
MAX_WORK = 200
"""The sum of 2**(n - 1) over all of them, where n is what they and those inside add up to."""

RANKS = "functions, roots and derivatives count 2, each more letter of a derivative, powers and quotients 1"
DEEP = "Write it with fewer parentheses inside one another."
APART = "Give each equation of a system by itself; a plugin file holds longer ones."
SHORTER = f"Names have at most {MAX_NAME} characters."
INSIDE = "Put a parameter, such as a, or an arbitrary function, such as k(u), in place of what stands inside."


def cut(text: str) -> str:
    """The beginning of a text that is too long to be shown."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def excess(tree: ast.expr) -> tuple[ast.AST, str, str] | None:
    """What of an expression is too large: the node that errors point to, the problem, and the next step.

    None if nothing is.
    """
    depth: dict[ast.AST, int] = {}
    nesting: dict[ast.AST, int] = {}
    parts, work = 0, 0
    for node in _inside_out(tree):
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        # a sum or product of many is one level: it is read from left to right
        depth[node] = max((depth[c] + (c is not getattr(node, "left", None)) for c in inner), default=0)
        rank = _rank(node)
        # a quotient's numerator isn't inside it
        above = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
        own = rank + max((nesting[c] for c in inner if c is not above), default=0)
        nesting[node] = max(own, nesting[above] if above else 0)
        work += 2 ** (own - 1) if rank else 0
        parts += isinstance(node, (ast.Name, ast.Constant))
        if depth[node] > MAX_DEPTH:
            return (node, f"this is nested too deeply; {MAX_DEPTH} levels are the most", DEEP)
        if nesting[node] > MAX_NESTING:
            words = f"this is nested too deeply: it counts {nesting[node]}, and {MAX_NESTING} is the most"
            return (node, f"{words}; {RANKS}", INSIDE)
        if work > MAX_WORK:
            words = f"this is nested too deeply or too often: it counts {work} up to here, {MAX_WORK} is the most"
            return (node, words, INSIDE)
        if isinstance(node, ast.Name) and len(node.id) > MAX_NAME:
            return (node, f"{cut(node.id)!r} is too long for a name", SHORTER)
        if parts > MAX_PARTS:
            return (node, f"more than {MAX_PARTS} names and numbers stand up to here", APART)
    return None


def _inside_out(tree: ast.expr) -> Iterator[ast.expr]:
    """Every expression after those inside it, from left to right; without recursion, as sums may be long."""
    waiting: list[tuple[ast.expr, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            yield node
            continue
        waiting.append((node, True))
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        waiting.extend((child, False) for child in reversed(inner))


def _rank(node: ast.expr) -> int:
    """2 for a function or root, 1 for a power or quotient of more than names and numbers, 0 for all else.

    One more than its order for a derivative that is written with letters.
    """
    if isinstance(node, ast.Attribute):
        return len(node.attr)
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return 0 if name in ("Rational", "RealRoot") else max(2, len(name) - 1) if name.startswith("D_") else 2
    if not isinstance(node, ast.BinOp):
        return 0
    if isinstance(node.op, ast.Pow):
        exponent = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        if not (isinstance(exponent, ast.Constant) and isinstance(exponent.value, int)):
            return 2
        return 0 if isinstance(node.left, (ast.Name, ast.Constant)) else 1
    below = node.right
    power = isinstance(below, ast.BinOp) and isinstance(below.op, ast.Pow)
    return int(isinstance(node.op, ast.Div) and not power and not isinstance(below, (ast.Name, ast.Constant)))


MAX_TERMS = 1000
"""Terms that an expression may have when it is multiplied out, as the derivation does."""
MAX_LEVELS = 40
"""Functions, powers and sums inside one another: each is differentiated through all that it contains."""


def levels(expression: sp.Expr) -> int:
    """How many functions, powers and sums stand inside one another."""
    depth, layer = 0, [expression]
    while layer and depth <= MAX_LEVELS:
        depth += 1
        layer = list({a for e in layer for a in e.args if a.args})
    return depth


def terms(expression: sp.Expr) -> int:
    """An upper bound of the terms when multiplied out; any number above MAX_TERMS if it is more."""
    if expression.is_Add:
        return sum(terms(a) for a in expression.args)
    if expression.is_Mul:
        return min(prod(terms(a) for a in expression.args), MAX_TERMS + 1)
    if expression.is_Pow and expression.exp.is_Integer:
        inner = min(terms(expression.base), MAX_TERMS + 1)
        return min(comb(inner + abs(int(expression.exp)) - 1, inner - 1), MAX_TERMS + 1)
    return max((terms(a) for a in expression.args), default=1)


MAX_DIGITS = 60
MAX_POWER_OF_TEN = 100
"""Largest power of ten of a number as it is typed, in either direction."""
MAX_GROWTH = 10**4
"""Largest argument of exp, sinh, cosh and their like: their values have four thousand digits there."""
MAX_BITS = 2**13
"""Of the numerator and denominator of a number that comes out, and of the whole part of any other."""
MAX_EXPONENT = 64
"""Largest numeric exponent: powers are expanded, so a larger one only eats memory."""
MAX_DENOMINATOR = 1000
"""Of an exponent: what stands below it is raised to its numerator."""
MAX_RAISED, MAX_FACTORED, MAX_ROOTED = 256, 64, 1024
"""Bits of a number that is raised to a power; to one that isn't an integer, for which it is factorised; of what
stands under a root after roots were multiplied."""

GROWING = (sp.exp, sp.sinh, sp.cosh, sp.coth, sp.sech, sp.csch)

PARAMETER = "Put a parameter, such as a, in place of the number."
LOWER = "Use lower powers, or put a parameter or function in place of what is raised."
NONZERO = "Write an equation whose denominators don't vanish identically."
POWER = "Lower the exponent, or put a parameter, such as n, in its place."
REAL = "Look for a division by zero, or a root or logarithm of a negative number."
"""Next steps."""

LARGE = ("this number is too large to be meant", PARAMETER)
LONG = ("this number is too long", PARAMETER)
MANY = (f"this has more than {MAX_TERMS} terms when multiplied out", LOWER)
ZERO = ("division by zero", NONZERO)
UNREAL = ("this is not a finite real expression", REAL)
"""Problems with their next steps."""


def exact_number(text: str) -> sp.Rational | None:
    """The number that the digits of `12`, `0.1` or `1.5e-3` say; None if they or the exponent are too long."""
    digits = text.replace("_", "").lower()
    if digits.startswith(("0x", "0o", "0b")):
        value = Decimal(int(digits, 0))
    else:
        mantissa, _, power = digits.partition("e")
        if len(mantissa) > MAX_DIGITS or len(power) > len(str(MAX_POWER_OF_TEN)) + 1:
            return None
        value = Decimal(digits)
    if len(value.as_tuple().digits) > MAX_DIGITS or (value and abs(value.adjusted()) > MAX_POWER_OF_TEN):
        return None
    return sp.Rational(*value.as_integer_ratio())


def rational(*arguments: sp.Expr) -> sp.Expr:
    """A fraction. Raises ValueError with the problem and the next step."""
    if not 1 <= len(arguments) <= 2 or not all(a.is_Rational for a in arguments):
        raise ValueError("Rational takes one or two numbers", "Write Rational(1, 3).")
    if arguments[1:] == (0,):
        raise ValueError(*ZERO)
    return sp.Mul(arguments[0], *(1 / a for a in arguments[1:]))


MAX_ROOT_DEGREE = 6
"""Of a polynomial with its root as a number."""


def real_root(*arguments: sp.Expr) -> sp.Expr:
    """A real root of a polynomial. Raises ValueError with the problem and the next step."""
    example = "RealRoot(0, 1, 0, 1, 1) is the lowest real root of z**3 + z + 1."
    if len(arguments) > MAX_ROOT_DEGREE + 2:
        raise ValueError(f"a polynomial of degree {MAX_ROOT_DEGREE} is the largest here", example)
    try:
        return RealRoot(*arguments)
    except ValueError as error:
        raise ValueError(str(error), example) from None


def too_large(function: object, argument: sp.Expr) -> bool:
    """Whether exp or its like would make a number beyond all that is measured, or counted, anywhere.

    Asked from the innermost function outwards, so that the argument itself can be evaluated.
    """
    if function not in GROWING or not argument.is_number:
        return False
    size = abs(sp.N(argument))
    return bool(size.is_finite) and not bool(size <= MAX_GROWTH)


def number_problem(value: sp.Expr) -> tuple[str, str] | None:
    """What is wrong with a number: infinite, undefined, complex, or with more digits than anything needs.

    Expressions become so by the numbers in them. None for all else.
    """
    # SymPy puts roots under one sign, and factorises what stands there anew with each factor
    roots = (a for a in sp.Mul.make_args(value) if a.is_Pow and a.base.is_Rational and not a.exp.is_integer)
    if any(_bits(root.base) > MAX_ROOTED for root in roots):
        return LONG
    if not value.is_number:
        return None
    if value.is_Rational:
        return LARGE if _bits(value) > MAX_BITS else None
    if value.has(sp.zoo, sp.oo, -sp.oo, sp.nan, sp.I) or value.is_extended_real is False:
        return UNREAL
    size = abs(sp.N(value, 2))
    return LARGE if size.is_finite and not bool(size <= sp.Integer(2) ** MAX_BITS) else None


def power_problem(base: sp.Expr, exponent: sp.Expr) -> tuple[str, tuple[str, str]] | None:
    """What is wrong with a power before it is made: which part of it, the problem and the next step; else None."""
    # a constant part of an exponent becomes a factor, and nested powers multiply their exponents
    constant = exponent if exponent.is_number else exponent.as_coeff_Add()[0] if base.is_number else sp.S.Zero
    inner = base.exp if base.is_Pow and base.exp.is_number else 1
    if base.is_number and base.is_negative and exponent.is_number and not exponent.is_integer:
        return "power", UNREAL
    # a comparison that can't be decided stays a relation
    if (abs(inner * constant) <= MAX_EXPONENT) != True:  # noqa: E712
        return "exponent", (f"exponents above {MAX_EXPONENT} are not supported", POWER)
    if constant.is_Rational and constant.q > MAX_DENOMINATOR:
        return "exponent", (f"exponents with denominators above {MAX_DENOMINATOR} are not supported", POWER)
    below = base.atoms(sp.Rational) if constant.is_number and not constant.is_integer else {base}
    most = MAX_RAISED if constant.is_integer else MAX_FACTORED
    if any(number.is_Rational and _bits(number) > most for number in below):
        return "base", LONG
    if base == 0 and not exponent.is_positive:
        return "exponent", ZERO
    return None


def _bits(number: sp.Rational) -> int:
    return int(max(abs(number.p), number.q).bit_length())


PLAIN = "Write plain text: derivatives as u_x."

SIGNS = {
    "^": ("'^' is not a power", "Write ** for powers."),
    **dict.fromkeys("−–—", ("this sign is no minus of the keyboard", "Write - for minus.")),
    **dict.fromkeys("×·⋅∙", ("this sign is not read", "Write * for products.")),
    **dict.fromkeys("÷∕", ("this sign is not read", "Write / for quotients.")),
    **dict.fromkeys("²³⁴⁵⁶⁷⁸⁹", ("this sign is not read", "Write ** for powers, as u**2.")),
    "\\": ("LaTeX is not read", PLAIN),
    "√": ("this sign is not read", "Write sqrt(u)."),
    "∂": ("this sign is not read", "Write derivatives as u_x."),
    "$": ("this sign is not read", PLAIN),
    "#": ("comments are not read", "Leave out # and what follows it."),
    "≠": ("this sign is not read", "Write !=, and only with parameters: 'g, g != 3'."),
}
"""The problem and the next step for each sign."""

OPERATORS = "+-*/"


def hint_of(text: str, column: int) -> str:
    """The next step for a text that breaks off being readable at a column."""
    if "'" in text or "’" in text:
        return "Write derivatives as u_x, not with a prime."
    if "{" in text:
        return "Write derivatives as u_x and indices of names as u_1, without braces."
    # the sign before, or the one at the column, shows what was meant
    if any(c in OPERATORS for c in text[column : column + 1]) and text[:column].rstrip()[-1:] in OPERATORS:
        return "Two operators follow each other; is a name missing between them?"
    return "Did you forget a '*' or a ')'?"
