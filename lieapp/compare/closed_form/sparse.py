"""Sparse elements of a span: which few functions of a library combine to a field that lies in it.

A field with coefficients x in a set S of library columns lies in the span W up to the sine of its angle,
sin² = 1 - max xᵀ BₛᵀBₛ x / xᵀ Gₛ x, with G the Gram matrix of the columns and B their inner products with an
orthonormal basis of W. All sets of one and two columns are tried, larger ones grow from the best smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

BEAM = 400
"""Sets of one size that are grown further."""

CLOSE = 0.02
"""Sine of the angle to the span beyond which a combination isn't looked at: learned spans are far more exact."""


@dataclass(frozen=True)
class Columns:
    """Inner products of normalised library columns.

    Args:
        gram: between the columns.
        within: with an orthonormal basis of the span, direction x column.
    """

    gram: Float[Tensor, "column column"]
    within: Float[Tensor, "direction column"]


@dataclass(frozen=True)
class Candidate:
    """A combination of a few columns close to the span.

    Args:
        coefficients: of the normalised columns, of norm 1 on the data.
        spread: relative uncertainty of each coefficient.
        sine: of the angle to the span.
    """

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    spread: tuple[float, ...]
    sine: float


def candidates(columns: Columns, most: int, allowed: Int[Tensor, " column"]) -> Iterator[list[Candidate]]:
    """For one, two, … `most` of the allowed columns the combinations within CLOSE, ascending in the sine."""
    sets = allowed[:, None]
    for size in range(1, most + 1):
        if size > 1:
            sets = _grown(sets, allowed) if size > 2 else torch.combinations(allowed, 2)
        if not len(sets):
            return
        sine, vectors = _angles(columns, sets)
        order = torch.argsort(sine)[:BEAM]
        yield [_candidate(columns, sets[k], vectors[k], float(sine[k])) for k in order.tolist() if sine[k] <= CLOSE]
        sets = sets[order]


def _grown(sets: Int[Tensor, "set size"], allowed: Int[Tensor, " column"]) -> Int[Tensor, "more larger"]:
    """Each set with each further column, every result once."""
    wide = torch.cat([sets.repeat_interleave(len(allowed), 0), allowed.repeat(len(sets))[:, None]], 1)
    wide = wide.sort(1)[0]
    wide = wide[(wide.diff(dim=1) > 0).all(1)]
    return torch.unique(wide, dim=0)


def _angles(
    columns: Columns, sets: Int[Tensor, "set size"]
) -> tuple[Float[Tensor, " set"], Float[Tensor, "set size"]]:
    """The sine of the best combination of each set, and its coefficients."""
    gram = columns.gram[sets[:, :, None], sets[:, None, :]]
    within = columns.within.T[sets]
    value, vector = torch.linalg.eigh(gram)
    # columns that are one function on these data have no coefficients of their own
    alone = value[:, 0] > 1e-9
    whiten = vector / value.clamp_min(1e-9).sqrt()[:, None]
    overlap = whiten.mT @ within
    share, direction = torch.linalg.eigh(overlap @ overlap.mT)
    sine = (1 - share[:, -1]).clamp_min(0).sqrt().where(alone, torch.inf)
    return sine, (whiten @ direction[:, :, -1:])[:, :, 0]


def _candidate(
    columns: Columns, chosen: Int[Tensor, " size"], vector: Float[Tensor, " size"], sine: float
) -> Candidate:
    inverse = torch.linalg.inv(columns.gram[chosen][:, chosen]).diagonal().sqrt()
    spread = max(sine, 1e-8) * inverse / vector.abs().clamp_min(1e-12)
    return Candidate(tuple(chosen.tolist()), tuple(vector.tolist()), tuple(spread.tolist()), sine)
