"""First integrals of second-order ordinary differential equations by point symmetries, such as the energy.

Multipliers of order 1 are any functions of first integrals, infinitely many. Those that are characteristics
Q = φ - ξ u' of point symmetries are finitely many: for Euler-Lagrange equations they are those of the variational
symmetries (Noether; Olver 1993, Thm 4.29).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from lieapp.equations.coefficients import Element
from lieapp.equations.equation import System
from lieapp.equations.variational import euler
from lieapp.errors import LieappError
from lieapp.lie.beyond.algebra import coordinates, vectors_of
from lieapp.lie.beyond.space import factors_in
from lieapp.lie.deadline import Clock
from lieapp.lie.invariance import characteristic
from lieapp.lie.normal_form import expression_of, relations

WORDS = "characteristics of point symmetries"
"""The class."""


@dataclass(frozen=True)
class Integrals:
    """Multipliers, what was assumed not to vanish, and why some may be missing."""

    multipliers: tuple[tuple[sp.Expr, ...], ...]
    assumed: tuple[sp.Expr, ...] = ()
    open: str = ""


def by_point_symmetries(system: System, known: Sequence[tuple[sp.Expr, ...]], clock: Clock) -> Integrals:
    """The multipliers Q outside the span of those known."""
    from lieapp.lie.stages import derive

    try:
        truth = derive(system, budget=clock)
    except LieappError as error:
        return Integrals((), open=error.message)
    jets, found = system.jets, list(known)
    tried = [characteristic(jets, one.components) for one in truth.generators]
    products = [sum((q * r for q, r in zip(Q, system.residuals, strict=True)), sp.S.Zero) for Q in tried]
    left, field = vectors_of(system, [[euler(e, jets, a) for a in range(len(jets.dependent))] for e in products])
    divided: list[Element] = []
    for row in relations(left, field, divided) if tried else []:
        terms = [(tried[k], expression_of(c, field)) for (k, _), c in row.items()]
        Q = tuple(sp.expand(sp.Add(*(c * one[a] for one, c in terms))) for a in range(len(jets.dependent)))
        if not found or coordinates(system, found, [Q])[0] is None:
            found.append(Q)
    complete = truth.certified and not truth.families and not truth.unsolved
    missing = "" if complete else "not all point symmetries are known to be found"
    pivots = [sp.numer(sp.together(field.expression(c))) for c in divided]
    special = [f for e in pivots for f in factors_in(e, system.parameters)]
    return Integrals(tuple(found[len(known) :]), tuple(dict.fromkeys([*truth.assumed_nonzero, *special])), missing)
