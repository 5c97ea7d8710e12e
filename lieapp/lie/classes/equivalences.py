"""Constants of an equation that scalings and translations of its variables and unknowns change at will.

A field V = Σ (aᵢ + bᵢ zᵢ) ∂_{zᵢ} + Σ γⱼ ∂_{Cⱼ} with pr V(Δ) = 0 on solutions, where a, b and γ depend on the
constants C alone, generates transformations that take the equation to one with other constants (Ovsiannikov 1982,
§6). The condition is linear in a, b and γ. Where γ isn't 0 it takes C to any value near; signs aren't told apart,
as for complex transformations.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, coprime
from lieapp.equations.equation import System
from lieapp.equations.leading import solve_for_leading
from lieapp.lie.classes.special_functions import asked
from lieapp.lie.invariance import constant_slope, defect
from lieapp.lie.normal_form import echelon, rows_of

USUAL: tuple[sp.Expr, ...] = (sp.S.Zero, sp.S.One)
"""Values that constants are given, the first that can be reached."""


def reachable(system: System, constants: Sequence[sp.Symbol]) -> tuple[sp.Symbol, list[sp.Expr]] | None:
    """A constant that can be changed, while the others may change too, and which of 0 and 1 it can be given.

    None if there is none; one that can be 0 comes first. Raises EquationError for an equation that isn't treated,
    and UnsolvedError where SymPy gives up.
    """
    found = []
    for constant, rates in zip(constants, _rates(system, constants), strict=True):
        at = {value: [asked(sp.simplify, rate.subs(constant, value)) for rate in rates] for value in USUAL}
        found.append((constant, [value for value, rate in at.items() if any(rate)]))
    return next((one for value in USUAL for one in found if value in one[1]), None)


def _rates(system: System, constants: Sequence[sp.Symbol]) -> list[list[sp.Expr]]:
    """For each constant γ in every field of a basis, as polynomials in the constants."""
    leading, names = solve_for_leading(system), list(map(str, system.jets.coordinates))
    fields = [{str(z): e} for z in system.jets.coordinates for e in (sp.S.One, z)]
    left = [defect(system, {**dict.fromkeys(names, sp.S.Zero), **field}, leading) for field in fields]
    left += [constant_slope(system, c, leading) for c in constants]
    jets = sorted({s for row in left for e in row for s in system.jets.jets(e)}, key=system.jets.index)
    field = CoefficientField((*system.jets.independent, *jets), system.parameters)
    vectors = [[field.element(e) for e in row] for row in left]
    rows, _ = rows_of([[field.lift(c) for c in vector] for vector in vectors], field)
    # which combinations vanish is told by marks
    marked = [row | {(-1 - n, ()): field.one} for n, row in enumerate(rows)]
    result: list[list[sp.Expr]] = [[] for _ in constants]
    for (k, _), row in echelon(marked, field):
        if k < 0:
            places = sorted(row)
            values = dict(zip(places, coprime([row[place] for place in places]), strict=True))
            for n in range(len(constants)):
                value = values.get((-1 - len(fields) - n, ()))
                if value is not None:
                    result[n].append(field.expression(field.field.raw_new(value)))
    return result
