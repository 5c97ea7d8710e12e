"""A simple basis of a span of learned fields, with rounded coefficients, where nothing can be proved.

The sparsest combinations of the library's functions within CLOSE of the span come first; of each the column that
carries most of it is left out for those that follow, which makes the basis a row echelon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import sympy as sp
import torch

from lieapp.compare.closed_form.approximate import DIGITS, decimals
from lieapp.compare.closed_form.measure import Measured
from lieapp.compare.closed_form.sparse import Candidate, candidates
from lieapp.equations.equation import System
from lieapp.lie.vector_field import Field

TERMS = 4
"""Most terms of a formula."""

LOOKED_AT = 20
"""Combinations of one number of terms that are looked at."""

APART = 0.3
"""Sine of its angle to the formulas found before below which a combination only imitates them."""


@dataclass(frozen=True)
class Simple:
    """A formula with rounded coefficients.

    Args:
        eta: of the formula on held-out data.
        columns, coefficients: the same as a combination of library columns.
    """

    field: Field
    eta: float
    columns: tuple[int, ...]
    coefficients: tuple[float, ...]


def simple_basis(system: System, measured: Measured, chosen: Sequence[int]) -> list[Simple]:
    """Formulas for the span of these learned fields; fewer than fields where the library holds none for some."""
    found: list[Simple] = []
    taken: set[int] = set()
    if not chosen:
        return found
    columns = measured.span(chosen)
    for terms in range(1, TERMS + 1):
        allowed = torch.tensor([k for k in range(len(columns.gram)) if k not in taken])
        group: list[Candidate] = next(islice(candidates(columns, terms, allowed), terms - 1, None), [])
        for candidate in group[:LOOKED_AT]:
            if len(found) == len(chosen):
                return found
            if not taken.intersection(candidate.columns) and _apart(measured, found, candidate):
                found.append(_read(system, measured, candidate))
                taken.add(max(zip(map(abs, candidate.coefficients), candidate.columns, strict=True))[1])
    return found


def _apart(measured: Measured, found: Sequence[Simple], candidate: Candidate) -> bool:
    """Whether a combination lies well outside the span of the formulas that were found."""
    others = [(one.columns, one.coefficients) for one in found]
    return measured.beyond((candidate.columns, candidate.coefficients), others) > APART**2


def _read(system: System, measured: Measured, candidate: Candidate) -> Simple:
    """With coefficients relative to the one that is known best."""
    scale = measured.scale[list(candidate.columns)].tolist()
    physical = [x * s for x, s in zip(candidate.coefficients, scale, strict=True)]
    best = min(range(len(physical)), key=lambda k: candidate.spread[k])
    values = [sp.Rational(f"{p / physical[best]:.{DIGITS - 1}e}") for p in physical]
    components = dict.fromkeys(map(str, system.jets.coordinates), sp.S.Zero)
    components |= measured.components_of(candidate.columns, values)
    own = measured.of_columns(candidate.columns, values)
    field = Field({name: decimals(e) for name, e in components.items()})
    return Simple(field, measured.eta(candidate.columns, own), candidate.columns, tuple(own))
