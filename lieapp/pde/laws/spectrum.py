"""The quotient of variances that orders all densities of a span by how far their totals drift.

Of c·C the mean over trajectories of the variance in time is compared with the variance over all data. The quotient is
0 for a conserved total that differs between trajectories, 1 for one whose mean is the same on each. Totals that are
the same on all data have no quotient and are left out: nothing can be told of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from scipy.linalg import svd
from torch import Tensor

from lieapp.pde.laws.totals import Totals

SAME = 1e-9
"""Spread of a total over all data, relative to the size of its density, below which it is the same on all."""


@dataclass(frozen=True)
class Variances:
    """Triangular factors: |R c| is the root of a variance of c·C, C in units of `sizes`.

    Args:
        within: of the variance in time, mean over trajectories.
        whole: of the variance over all data.
    """

    within: Float[Tensor, "_ density"]
    whole: Float[Tensor, "_ density"]
    sizes: Float[Tensor, " density"]

    def of(self, columns: Sequence[int]) -> Variances:
        """The same of some densities."""
        chosen = list(columns)
        return Variances(self.within[:, chosen], self.whole[:, chosen], self.sizes[chosen])


@dataclass(frozen=True)
class Directions:
    """Combinations of densities, the best conserved first.

    Args:
        drift: the root of the quotient of variances of each.
        coefficients: of each, for densities in units of their sizes.
        same: how many directions are the same on all data.
    """

    drift: Float[Tensor, " direction"]
    coefficients: Float[Tensor, "direction density"]
    same: int


def variances(pieces: Sequence[Totals]) -> Variances:
    """The two factors; pieces may lie on different grids and at different times, all times count alike."""
    count = sum(piece.values.shape[0] * piece.values.shape[1] for piece in pieces)
    sizes = torch.cat([piece.sizes for piece in pieces]).mean(0)
    sizes = torch.where(sizes > 0, sizes, torch.ones_like(sizes))
    scaled = [piece.values / sizes for piece in pieces]
    within = torch.cat([(v - v.mean(1, keepdim=True)).flatten(0, 1) for v in scaled])
    rows = torch.cat([v.flatten(0, 1) for v in scaled])
    whole = rows - rows.mean(0)
    return Variances(_triangular(within) / count**0.5, _triangular(whole) / count**0.5, sizes)


def _triangular(rows: Float[Tensor, "row density"]) -> Float[Tensor, "_ density"]:
    return torch.linalg.qr(rows, mode="r")[1]


def directions(found: Variances) -> Directions:
    """The generalised singular values of the two factors, in the part of the span that varies over the data."""
    size, rotation = _singular(found.whole)
    keep = size > SAME
    same = found.whole.shape[1] - int(keep.sum())
    if not keep.any():
        return Directions(size[:0], rotation[:0], same)
    whiten = rotation[: len(size)][keep].T / size[keep]
    drift, right = _singular(found.within @ whiten)
    drift = torch.cat([drift, drift.new_zeros(len(right) - len(drift))])
    return Directions(drift.flip(0), (whiten @ right.T).T.flip(0), same)


def _singular(
    matrix: Float[Tensor, "row column"],
) -> tuple[Float[Tensor, " least"], Float[Tensor, "column column"]]:
    """Singular values and all right singular vectors, by bidiagonal QR: divide and conquer may not converge."""
    _, values, right = svd(matrix.cpu().numpy(), lapack_driver="gesvd")
    return torch.from_numpy(values), torch.from_numpy(right)
