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

from lieapp.equations import limits
from lieapp.equations.arbitrary import Composed, composed, parent
from lieapp.equations.jets import JetSpace, multi_index
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
NUMBERS: dict[str, Callable[..., sp.Expr]] = {"Rational": limits.rational, "RealRoot": limits.real_root}
"""Functions of numbers, which raise ValueError(problem, next step)."""
RESERVED = (*NUMBERS, "pi")


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
    """Raises ParseError for a condition of a parameter on something that is none."""
    known = {*map(str, constants), *FUNCTIONS, *SPECIAL, *RESERVED}
    for found in re.finditer(r"[^\W\d]\w*", condition.part):
        if greek(found[0]) not in known:
            place = condition.text.find(condition.part) + found.start()
            hint = f"Declare {found[0]} first: '{found[0]}, {condition.part}'."
            fail(condition.text, place, f"{found[0]!r} is no parameter that is declared", hint)


def check_condition(condition: Condition, difference: sp.Expr, constants: Sequence[sp.Symbol]) -> None:
    """Raises ParseError for a condition without parameters and functions, and one that nothing fulfils."""
    if sp.expand(difference) == 0:
        problem = "nothing fulfils this"
        hint = "Compare with something else: 'g, g != 3' for a parameter, 'f:u; f_uu != 0' for a function."
    elif not difference.free_symbols & set(constants) and not difference.atoms(AppliedUndef):
        problem = "this says nothing about a parameter or function"
        hint = "Name one: 'g, g != 3' for a parameter, 'f:u; f_uu != 0' for a function."
    else:
        return
    fail(condition.text, condition.text.find(condition.part), problem, hint)


def functions_of(texts: Sequence[str], jets: JetSpace) -> tuple[dict[str, sp.Expr], list[Condition]]:
    """k(x, u) for each declared `k:x,u`, F(s) for `F:s` with a letter s of its own, and conditions `k_u != 0`."""
    declared: dict[str, sp.Expr] = {}
    conditions: list[Condition] = []
    for text in texts:
        last = ""
        for part in map(str.strip, text.split(";")):
            if "!=" in part:
                left, _, right = part.partition("!=")
                conditions.append(Condition(text, part, left.strip(), right.strip()))
                continue
            name, colon, listed = (piece.strip() for piece in part.partition(":"))
            if "=" in name or (last and not colon):
                hint = "A condition excludes functions: 'f:u; f_uu != 0'. What holds is written in the equation."
                fail(text, text.find(part), f"{part!r} is no condition with !=", hint)
            if name in declared:
                raise ParseError(f"{name!r} is declared twice.", hint=TWICE)
            last = name
            arguments = [_argument(a.strip(), jets) for a in listed.split(",")]
            place = text.find(part) + part.find(":") + 1
            example = f"For example {name or 'k'}:{jets.dependent[0]}, or {name or 'k'}:s for {name or 'k'}(x - t)."
            if not listed or (None in arguments and (len(arguments) > 1 or not _PLAIN.fullmatch(listed))):
                known = ", ".join(map(str, jets.coordinates))
                fail(text, place, f"{name or 'a function'} must be given arguments among {known}", example)
            if name in declared:
                fail(text, place, f"{name} is declared twice", TWICE)
            if len(set(arguments)) < len(arguments):
                fail(text, place, f"an argument of {name} is given twice", "Leave one of them out.")
            if None in arguments:
                declared[name] = composed(name, listed)(sp.Symbol(listed, real=True))
            else:
                declared[name] = sp.Function(name, real=True)(*arguments)
    return declared, conditions


def _argument(name: str, jets: JetSpace) -> sp.Symbol | None:
    """A variable, an unknown or a derivative of one; None for any other name."""
    coordinates = {str(s): s for s in jets.coordinates}
    base, _, letters = name.rpartition("_")
    if name in coordinates or base not in jets.dependent:
        return coordinates.get(name)
    J = multi_index(letters, [str(x) for x in jets.independent])
    return None if J is None else jets.symbol(jets.dependent.index(base), J)


_PLAIN = re.compile(r"[A-Za-z]+")


def check_length(text: str) -> None:
    """Raises ParseError for a text that is too long to be read."""
    if len(text) > limits.MAX_LENGTH:
        raise ParseError(
            f"{limits.cut(text)} has {len(text)} characters; {limits.MAX_LENGTH} are the most.", hint=limits.APART
        )


def check_sizes(
    equations: Sequence[str], independent: Sequence[str], dependent: Sequence[str], declared: Sequence[str]
) -> None:
    """Raises ParseError for a text, a list of names or a whole system that is too long to be read."""
    for text in (*equations, *independent, *dependent, *declared):
        check_length(text)
    for what, names in (("variables", independent), ("unknowns", dependent)):
        if len(names) > limits.MAX_NAMES:
            raise ParseError(
                f"{len(names)} {what} are declared; {limits.MAX_NAMES} are the most.",
                hint=f"Leave out {what} that the equations do without.",
            )
    if (length := sum(map(len, (*equations, *declared)))) > limits.MAX_TOTAL:
        raise ParseError(
            f"The equations and what is declared for them have {length} characters together; {limits.MAX_TOTAL} "
            "are the most.",
            hint="Put parameters or arbitrary functions, such as k(u), in place of long expressions.",
        )


def check_names(names: Sequence[str]) -> None:
    """Raises ParseError for what can't be a name, and for a name declared twice."""
    for k, name in enumerate(names):
        _check_name(name)
        if name in names[:k]:
            raise ParseError(f"{name!r} is declared twice.", hint=TWICE)


def _check_name(name: str) -> None:
    if len(name) > limits.MAX_NAME:
        raise ParseError(f"{limits.cut(name)!r} can't be a name.", hint=limits.SHORTER)
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
    used = set().union(*(r.free_symbols | {parent(f)[0] for f in r.atoms(AppliedUndef)} for r in residuals))
    composites = {f.base for f in used if isinstance(f, Composed)}
    for name, what, expression in (
        *((str(c), "parameter", c) for c in constants),
        *((k, "function", f) for k, f in functions.items()),
    ):
        if expression not in used and name not in composites:
            raise ParseError(
                f"the {what} {name} is declared but occurs in no equation.",
                hint=f"Leave {name} out of the {what}s, or correct the equation.",
            )


def fail(text: str, column: int, problem: str, hint: str) -> NoReturn:
    """Raise the ParseError that shows the text with a caret under the column."""
    raise ParseError(f"column {column + 1}: {problem}\n  {text}\n  {' ' * column}^", hint=hint)
