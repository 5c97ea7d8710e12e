"""What an approximate symmetry looks like: a short formula with decimals, and its leftover in the condition.

Orthogonal matching pursuit on one field: the library column that explains most of what is left joins, until the
rest is small; then columns that explain next to nothing leave again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.closed_form.measure import Measured
from lieapp.equations.equation import System
from lieapp.lie.invariance import defect
from lieapp.lie.vector_field import Field

TERMS = 5
"""Most terms of a formula."""

REST = 1e-4
"""Share of the squared norm that a good formula may leave unexplained."""

DIGITS = 3
"""Significant digits of its coefficients."""

MOST_REST = 0.05
"""Share that any formula may leave unexplained; beyond it there is none."""


@dataclass(frozen=True)
class Sketch:
    """A formula with decimals for one learned field.

    Args:
        field: in physical coordinates.
        eta: of the formula on held-out data.
        leftover: of the invariance condition, one expression for each equation.
    """

    field: Field
    eta: float
    leftover: tuple[sp.Expr, ...]


def sketch(system: System, measured: Measured, place: int, told: bool = True) -> Sketch | None:
    """The short formula of the learned field at a place; None if the library holds none.

    Args:
        told: whether its leftover is.
    """
    columns = measured.span([place])
    unit = columns.within[0]
    chosen = _pursuit(columns.gram, unit)
    coefficients, rest = _fit(columns.gram, unit, chosen)
    if rest > MOST_REST:
        return None
    scale = measured.scale[chosen].tolist()
    physical = [x * s for x, s in zip(coefficients.tolist(), scale, strict=True)]
    largest = max(coefficients.abs().tolist())
    # relative to the term that carries most of the field
    lead = physical[coefficients.abs().tolist().index(largest)]
    values = [sp.Rational(f"{p / lead:.{DIGITS - 1}e}") for p in physical]
    components = dict.fromkeys(map(str, system.jets.coordinates), sp.S.Zero)
    components |= measured.components_of(chosen, values)
    leftover = tuple(sp.expand(e) for e in defect(system, components)) if told else ()
    return Sketch(Field(components), measured.eta(chosen, measured.of_columns(chosen, values)), leftover)


def _pursuit(gram: Float[Tensor, "column column"], unit: Float[Tensor, " column"]) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < TERMS:
        # inner products of the columns with the part of the field that the chosen ones leave
        left = unit - gram[:, chosen] @ _fit(gram, unit, chosen)[0] if chosen else unit
        promising = torch.argsort(left.abs(), descending=True)[:12].tolist()
        rests = [(_fit(gram, unit, [*chosen, k])[1], k) for k in promising if k not in chosen]
        best, k = min(rests)
        chosen.append(k)
        if best <= REST:
            break
    for k in list(chosen):
        without = [c for c in chosen if c != k]
        if without and _fit(gram, unit, without)[1] <= max(REST, 1.05 * _fit(gram, unit, chosen)[1]):
            chosen = without
    return chosen


def _fit(
    gram: Float[Tensor, "column column"], unit: Float[Tensor, " column"], chosen: Sequence[int]
) -> tuple[Float[Tensor, " chosen"], float]:
    """Least squares on some columns: coefficients, and the unexplained share of a field of norm 1."""
    rows = list(chosen)
    solution = torch.linalg.lstsq(gram[rows][:, rows], unit[rows, None]).solution[:, 0]
    return solution, max(1 - float(unit[rows] @ solution), 0.0)


def decimals(expression: sp.Expr) -> sp.Expr:
    """The expression with each term's coefficient as a decimal; exponents and arguments stay exact."""
    terms = (term.as_coeff_Mul() for term in sp.Add.make_args(sp.expand(expression)))
    return sp.Add(*(c * rest if abs(c) == 1 else sp.Float(c, DIGITS) * rest for c, rest in terms))
