"""What a generator is called, recognised from its formula."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from lieapp.lie.vector_field import Field

SPACE_TIME = ("t", "x", "y", "z", "r", "s")


def name(field: Field, independent: Sequence[str] | None = None) -> str:
    """ "space translation", "time translation", "Galilean boost", "scaling", …; else the formula.

    Args:
        field: the generator.
        independent: names of the independent variables; guessed from usual letters if not given.
    """
    variables = [n for n in field.components if n in (SPACE_TIME if independent is None else independent)]
    nonzero = {n: sp.expand(e) for n, e in field.components.items() if e != 0}
    for rule in (_translation, _scaling, _rotation, _boost, _projective, _superposition):
        found = rule(nonzero, variables)
        if found:
            return found
    return field.text()


def _symbols(parts: dict[str, sp.Expr]) -> dict[str, sp.Symbol]:
    return {s.name: s for e in parts.values() for s in e.free_symbols}


def _depends(expression: sp.Expr, names: Sequence[str]) -> bool:
    return any(s.name in names for s in expression.free_symbols)


def _translation(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    if len(parts) != 1:
        return ""
    ((coordinate, value),) = parts.items()
    if _depends(value, [*variables, coordinate]):
        return ""
    if coordinate not in variables:
        return f"shift of {coordinate}"
    if coordinate == "t":
        return "time translation"
    spaces = [v for v in variables if v != "t"]
    return "space translation" if len(spaces) == 1 else f"{coordinate} translation"


def _scaling(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """Every component is constant times its own coordinate, up to a shift of the origin."""
    symbols = _symbols(parts)
    for coordinate, value in parts.items():
        own = symbols.get(coordinate)
        if own is None or not value.has(own) or not value.is_polynomial(own):
            return ""
        p = sp.Poly(value, own)
        others = [n for n in (*variables, *parts) if n in symbols]
        if p.degree() != 1 or _depends(p.nth(1), others) or _depends(p.nth(0), others):
            return ""
    return "scaling" if len(parts) > 1 else f"scaling of {next(iter(parts))}"


def _rotation(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """v d_u - u d_v, or with the same signs a Lorentz boost."""
    if len(parts) != 2:
        return ""
    (a, first), (b, second) = parts.items()
    symbols = _symbols(parts)
    if a not in symbols or b not in symbols:
        return ""
    one, two = sp.cancel(first / symbols[b]), sp.cancel(second / symbols[a])
    if _depends(one, [*variables, a, b]) or _depends(two, [*variables, a, b]):
        return ""
    if sp.cancel(one + two) == 0:
        return f"rotation of {a}, {b}"
    return f"Lorentz boost in {a}, {b}" if {a, b} <= set(variables) and (one * two).is_positive else ""


def _boost(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """A shift of one space variable growing with time, with a change of the unknowns."""
    moved = [n for n in parts if n in variables]
    if len(moved) != 1 or moved[0] == "t" or len(parts) < 2 or "t" not in variables:
        return ""
    value = parts[moved[0]]
    symbols = _symbols({"": value})
    if "t" not in symbols or _depends(value, [n for n in (*variables, *parts) if n != "t"]):
        return ""
    linear = sp.diff(value, symbols["t"], 2) == 0
    return "Galilean boost" if linear else "generalised Galilean boost"


def _projective(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """t² d_t + t x d_x + …"""
    if "t" not in parts or len([n for n in parts if n in variables]) < 2:
        return ""
    symbols = _symbols(parts)
    if "t" not in symbols or not parts["t"].is_polynomial(symbols["t"]):
        return ""
    return "projective transformation" if sp.degree(parts["t"], symbols["t"]) == 2 else ""


def _superposition(parts: dict[str, sp.Expr], variables: list[str]) -> str:
    """Only unknowns move, by a function of the variables."""
    if any(n in variables for n in parts) or any(_depends(e, list(parts)) for e in parts.values()):
        return ""
    return "addition of " + ", ".join(f"{e} to {n}" for n, e in parts.items())
