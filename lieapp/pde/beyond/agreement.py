"""Spans of combinations that were measured, beside those that the exact condition gives."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.subspace import principal_angle
from lieapp.pde.beyond.quotient import NOTHING, Quotient
from lieapp.pde.beyond.readings import Combination

Rows = Sequence[Sequence[sp.Expr | float]]


def visible(found: Quotient, known: Rows) -> list[int]:
    """Which known combinations, physical coefficients, can be judged on these data: |B c| isn't 0."""
    if not known:
        return []
    size = torch.linalg.vector_norm(found.below @ _unit(found, known).T, dim=0)
    return torch.nonzero(size > NOTHING).flatten().tolist()


def angle(found: Quotient, measured: Sequence[Combination], known: Rows) -> float | None:
    """The largest principal angle between both spans in the inner product of B; None if one of them is empty."""
    places = visible(found, known)
    if not measured or not places:
        return None
    rows = []
    for combination in measured:
        row = [0.0] * found.below.shape[1]
        for k, c in zip(combination.columns, combination.coefficients, strict=True):
            row[k] = c
        rows.append(row)
    both = torch.cat([_unit(found, rows), _unit(found, [known[k] for k in places])])
    values = found.below @ both.T
    return principal_angle(values.T @ values, [*range(len(rows))], [*range(len(rows), len(both))])


def _unit(found: Quotient, rows: Rows) -> Float[Tensor, "row column"]:
    """Coefficients in units of the sizes, each row of norm 1."""
    c = torch.tensor([[float(value) for value in row] for row in rows], dtype=torch.float64) * found.sizes
    return c / c.norm(dim=1, keepdim=True)
