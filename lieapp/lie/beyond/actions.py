"""What symmetries make of the conservation laws of an evolution system, and laws from which they make all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.evolution import time_variable
from lieapp.equations.jets import raised
from lieapp.equations.leading import Leading
from lieapp.lie.beyond.algebra import Coordinates, coordinates, generating, moved
from lieapp.lie.beyond.generalised import generalised_equations
from lieapp.lie.beyond.space import solution_space
from lieapp.lie.deadline import Clock


@dataclass(frozen=True)
class Actions:
    """What symmetries make of the laws of an evolution system.

    `symmetries` are characteristics; `images` have for each symmetry and law the coefficients of the law that it is
    made into, None if that isn't among the laws. From the `generating` ones, counted from 0, symmetries make all
    laws; None if images are missing.
    """

    symmetries: tuple[tuple[sp.Expr, ...], ...]
    images: tuple[tuple[Coordinates | None, ...], ...]
    generating: tuple[int, ...] | None


def actions_on(
    system: System, multipliers: Sequence[tuple[sp.Expr, ...]], leading: Leading, clock: Clock
) -> Actions | None:
    """What symmetries of the order of the equation make of laws; None but of evolution systems, or if time ends."""
    jets, t = system.jets, time_variable(system)
    if any(jet != (a, raised(jets.zero, t)) for a, jet in enumerate(leading.rules)):
        return None
    # Λ·Δ is this for the system in solved form too, with Δ = M (u_t - F)
    rates = [jets.symbol(*jet) for jet in leading.rules]
    slopes = [[sp.diff(r, s) for s in rates] for r in system.residuals]
    multipliers = [tuple(sp.Matrix([m]) * sp.Matrix(slopes)) for m in multipliers]
    clock.note("symmetries act on the laws")
    order = jets.order(leading.rules.values())
    none: list[tuple[sp.Expr, ...]] = []
    found = clock.within(0.0, partial(_symmetries, system, order, clock.part(0.5)), none)
    images = []
    for q in found:
        row = clock.within(0.0, partial(_images, system, multipliers, q, leading), None)
        if row is None:
            return None
        images.append(tuple(row))
    flat = [image for row in images for image in row if image is not None]
    whole = len(flat) == len(images) * len(multipliers)
    return Actions(tuple(found), tuple(images), tuple(generating(len(multipliers), flat)) if whole else None)


def _images(
    system: System, multipliers: Sequence[tuple[sp.Expr, ...]], q: tuple[sp.Expr, ...], leading: Leading
) -> list[Coordinates | None]:
    return coordinates(system, multipliers, [moved(q, m, system.jets) for m in multipliers])


def _symmetries(system: System, order: int, clock: Clock) -> list[tuple[sp.Expr, ...]]:
    return solution_space(generalised_equations(system, order), clock).expressions()
