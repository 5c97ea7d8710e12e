"""What is declared beside typed equations: names, parameters with their assumptions, arbitrary functions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.errors import ParseError
from lieapp.symbolic.jets import JetSpace

FUNCTIONS: dict[str, Callable[..., sp.Expr]] = {
    name: getattr(sp, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")
}
ASSUMPTIONS = ("positive", "negative", "nonzero", "real", "integer")
RESERVED = ("Rational", "pi")


def parameters_of(texts: Sequence[str]) -> tuple[tuple[sp.Symbol, ...], list[tuple[str, str]]]:
    """Symbols with their assumptions, and both sides of each condition `g != 3`."""
    symbols: list[sp.Symbol] = []
    conditions: list[tuple[str, str]] = []
    for text in texts:
        for k, part in enumerate(_parts(text)):
            if "!=" in part:
                left, _, right = part.partition("!=")
                conditions.append((left.strip(), right.strip()))
                continue
            name, _, what = (piece.strip() for piece in part.partition(":"))
            if k and name in ASSUMPTIONS and symbols:
                name, what = symbols.pop().name, name
            if what and what not in ASSUMPTIONS:
                fail(
                    text,
                    text.find(what),
                    f"{what!r} is not one of {', '.join(ASSUMPTIONS)}",
                    "For example nu, nu:positive or 'g:positive, g != 3'.",
                )
            symbols.append(sp.Symbol(name, **{"real": True, **({what: True} if what else {})}))
    return tuple(symbols), conditions


def _parts(text: str) -> list[str]:
    """What commas outside of parentheses separate."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def functions_of(texts: Sequence[str], jets: JetSpace) -> dict[str, sp.Expr]:
    """k(u) for each declared `k:u`."""
    coordinates = {str(s): s for s in jets.coordinates}
    declared = {}
    for text in texts:
        name, _, argument = (piece.strip() for piece in text.partition(":"))
        if argument not in coordinates:
            fail(
                text,
                text.find(":") + 1,
                f"{name} must be given one argument of {', '.join(coordinates)}",
                f"For example {name or 'k'}:{jets.dependent[0]}.",
            )
        declared[name] = sp.Function(name, real=True)(coordinates[argument])
    return declared


def check_names(names: Sequence[str]) -> None:
    """Raises ParseError for what can't be a name, and for a name declared twice."""
    for k, name in enumerate(names):
        if (
            not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[0-9]+)?", name)
            or name in FUNCTIONS
            or name in RESERVED
            or keyword.iskeyword(name)
        ):
            raise ParseError(
                f"{name!r} can't be a name.",
                hint="Names are letters and digits, and neither a function, pi nor a word of Python.",
            )
        if name in names[:k]:
            raise ParseError(
                f"{name!r} is declared twice.",
                hint="Every variable, unknown and constant needs its own name.",
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
                hint=f"Leave --{what} {name} out, or correct the equation.",
            )


def fail(text: str, column: int, problem: str, hint: str) -> NoReturn:
    """Raise the ParseError that shows the text with a caret under the column."""
    raise ParseError(f"column {column + 1}: {problem}\n  {text}\n  {' ' * column}^", hint=hint)
