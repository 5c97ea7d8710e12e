"""What is declared beside typed equations: names, parameters with their assumptions, arbitrary functions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import sympy as sp
from sympy.core.facts import InconsistentAssumptions
from sympy.core.function import AppliedUndef

from lieapp.equations.jets import JetSpace
from lieapp.equations.notation import greek
from lieapp.errors import ParseError

FUNCTIONS: dict[str, Callable[..., sp.Expr]] = {
    name: getattr(sp, name)
    for name in (
        "sqrt", "exp", "log", "ln", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth",
        "sech", "csch", "asin", "acos", "atan",
    )
}  # fmt: skip
FUNCTIONS |= {f"arc{name[1:]}": FUNCTIONS[name] for name in ("asin", "acos", "atan")}
FUNCTIONS |= {
    "asinh": lambda z: sp.log(z + sp.sqrt(z**2 + 1)),
    "acosh": lambda z: sp.log(z + sp.sqrt(z**2 - 1)),
    "atanh": lambda z: sp.log((1 + z) / (1 - z)) / 2,
}
SPECIAL: dict[str, tuple[Callable[..., sp.Expr], int]] = {
    **{name: (getattr(sp, name), 2) for name in ("besselj", "bessely", "besseli", "besselk")},
    **{name: (getattr(sp, name), 1) for name in ("airyai", "airybi", "airyaiprime", "airybiprime")},
}
"""Functions that no other ones express, with the number of their arguments."""
TWICE = "Every variable, unknown and constant needs its own name."
ASSUMPTIONS = ("positive", "negative", "nonzero", "real", "integer")
RESERVED = ("Rational", "pi")


@dataclass(frozen=True)
class Condition:
    """`left != right`, as it stands in the `part` of a declaration's `text`."""

    text: str
    part: str
    left: str
    right: str


def parameters_of(texts: Sequence[str]) -> tuple[tuple[sp.Symbol, ...], list[Condition]]:
    """Symbols with their assumptions, and the conditions `g != 3` on them."""
    assumed: dict[str, list[str]] = {}
    conditions: list[Condition] = []
    for text in texts:
        last = ""
        # what commas outside of parentheses separate
        for part in map(str.strip, re.split(r",(?![^(]*\))", text)):
            if "!=" in part:
                left, _, right = part.partition("!=")
                conditions.append(Condition(text, part, left.strip(), right.strip()))
                continue
            name, colon, what = (piece.strip() for piece in part.partition(":"))
            if last and name in ASSUMPTIONS and not colon:
                # g:positive, integer
                assumed[last].append(name)
                continue
            if colon and what not in ASSUMPTIONS:
                problem = f"{what!r} is not one of {', '.join(ASSUMPTIONS)}"
                place = text.find(part) + part.find(":") + 1
                fail(text, place, problem, "For example nu, nu:positive or 'g:positive, g != 3'.")
            _check_name(name)
            if name in assumed:
                raise ParseError(f"{name!r} is declared twice.", hint=TWICE)
            last = name
            assumed[name] = [what] if what else []
    symbols = []
    for name, known in assumed.items():
        try:
            symbols.append(sp.Symbol(name, **{"real": True, **dict.fromkeys(known, True)}))
        except InconsistentAssumptions:
            raise ParseError(
                f"{name} can't be {' and '.join(known)}.", hint="Keep what is known of it: for example nu:positive."
            ) from None
    return tuple(symbols), conditions


def check_declared(condition: Condition, constants: Sequence[sp.Symbol]) -> None:
    """Raises ParseError for a condition on something that is no parameter."""
    known = {*map(str, constants), *FUNCTIONS, *SPECIAL, *RESERVED}
    for found in re.finditer(r"[^\W\d]\w*", condition.part):
        if greek(found[0]) not in known:
            place = condition.text.find(condition.part) + found.start()
            hint = f"Declare {found[0]} first: '{found[0]}, {condition.part}'."
            fail(condition.text, place, f"{found[0]!r} is no parameter that is declared", hint)


def check_condition(condition: Condition, difference: sp.Expr, constants: Sequence[sp.Symbol]) -> None:
    """Raises ParseError for a condition that says nothing about a parameter, or that nothing fulfils."""
    if sp.expand(difference) == 0:
        problem, hint = "no number fulfils this", "Compare a parameter with another value: 'g, g != 3'."
    elif not difference.free_symbols & set(constants):
        problem, hint = "this says nothing about a parameter", "Name one: 'g, g != 3'."
    else:
        return
    fail(condition.text, condition.text.find(condition.part), problem, hint)


def functions_of(texts: Sequence[str], jets: JetSpace) -> dict[str, sp.Expr]:
    """k(u) for each declared `k:u`."""
    coordinates = {str(s): s for s in jets.coordinates}
    declared = {}
    for text in texts:
        name, _, argument = (piece.strip() for piece in text.partition(":"))
        if argument not in coordinates:
            problem = f"{name} must be given one argument of {', '.join(coordinates)}"
            fail(text, text.find(":") + 1, problem, f"For example {name or 'k'}:{jets.dependent[0]}.")
        declared[name] = sp.Function(name, real=True)(coordinates[argument])
    return declared


def check_names(names: Sequence[str]) -> None:
    """Raises ParseError for what can't be a name, and for a name declared twice."""
    for k, name in enumerate(names):
        _check_name(name)
        if name in names[:k]:
            raise ParseError(f"{name!r} is declared twice.", hint=TWICE)


def _check_name(name: str) -> None:
    taken = name in {*FUNCTIONS, *SPECIAL, *RESERVED} or (keyword.iskeyword(name) and name != "lambda")
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[0-9]+)?", name) and not taken:
        return
    hint = "Names are letters and digits, and neither a function, pi nor a word of Python."
    if re.search(r"\w[\s;]+\w", name):
        hint = "Write commas between names: " + ",".join(re.split(r"[\s;]+", name)) + "."
    raise ParseError(f"{name!r} can't be a name.", hint=hint)


def check_equations(equations: Sequence[str], residuals: Sequence[sp.Expr], jets: JetSpace) -> None:
    """Raises ParseError for an equation without unknowns."""
    for text, residual in zip(equations, residuals, strict=True):
        if not jets.jets(residual):
            raise ParseError(
                f"{text!r} contains no unknown; it is no differential equation.",
                hint=f"The unknowns are {', '.join(jets.dependent)}; derivatives are written "
                f"{jets.dependent[0]}_{jets.independent[-1]}.",
            )


def check_used(
    constants: Sequence[sp.Symbol], functions: Mapping[str, sp.Expr], residuals: Sequence[sp.Expr]
) -> None:
    """Raises ParseError for a parameter or function that is declared in vain."""
    used = set().union(*(r.free_symbols | r.atoms(AppliedUndef) for r in residuals))
    for name, what, expression in (
        *((str(c), "parameter", c) for c in constants),
        *((k, "function", f) for k, f in functions.items()),
    ):
        if expression not in used:
            raise ParseError(
                f"the {what} {name} is declared but occurs in no equation.",
                hint=f"Leave {name} out of the {what}s, or correct the equation.",
            )


def fail(text: str, column: int, problem: str, hint: str) -> NoReturn:
    """Raise the ParseError that shows the text with a caret under the column."""
    raise ParseError(f"column {column + 1}: {problem}\n  {text}\n  {' ' * column}^", hint=hint)
