"""The quotient |A c| / |B c| of two seminorms on combinations c, from triangular factors of A and B.

For conservation laws A c is the deviation of totals in time and B c their deviation over all data. For generalised
symmetries A c is the linearised residual of a characteristic and B c the characteristic itself. Combinations with
B c = 0 have no quotient and are left out: nothing can be told of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from scipy.linalg import svd
from torch import Tensor

NOTHING = 1e-9
"""|B c| below which it is 0; columns of B are of order 1."""


@dataclass(frozen=True)
class Quotient:
    """Two triangular factors, in the processor's memory.

    Args:
        above, below: A and B, for coefficients in units of `sizes`.
        sizes: physical coefficients are those over these.
    """

    above: Float[Tensor, "_ column"]
    below: Float[Tensor, "_ column"]
    sizes: Float[Tensor, " column"]

    def of(self, columns: Sequence[int]) -> Quotient:
        """The same of some columns."""
        chosen = list(columns)
        return Quotient(self.above[:, chosen], self.below[:, chosen], self.sizes[chosen])


@dataclass(frozen=True)
class Directions:
    """Combinations in the order of their quotient, the smallest first.

    Args:
        eta: the quotient of each.
        coefficients: of each, in units of `Quotient.sizes`, with |B c| = 1.
        nothing: how many independent combinations have B c = 0.
    """

    eta: Float[Tensor, " direction"]
    coefficients: Float[Tensor, "direction column"]
    nothing: int


def triangular(rows: Float[Tensor, "row column"]) -> Float[Tensor, "_ column"]:
    """R of rows = Q R."""
    return torch.linalg.qr(rows, mode="r")[1]


def directions(found: Quotient) -> Directions:
    """The generalised singular values and vectors of the two factors."""
    size, rotation = _singular(found.below)
    keep = size > NOTHING
    nothing = found.below.shape[1] - int(keep.sum())
    if not keep.any():
        return Directions(size[:0], rotation[:0], nothing)
    whiten = rotation[: len(size)][keep].T / size[keep]
    eta, right = _singular(found.above @ whiten)
    eta = torch.cat([eta, eta.new_zeros(len(right) - len(eta))])
    return Directions(eta.flip(0), (whiten @ right.T).T.flip(0), nothing)


def _singular(
    matrix: Float[Tensor, "row column"],
) -> tuple[Float[Tensor, " least"], Float[Tensor, "column column"]]:
    """Singular values and all right singular vectors, by bidiagonal QR: divide and conquer may not converge."""
    _, values, right = svd(matrix.numpy(), lapack_driver="gesvd")
    return torch.from_numpy(values), torch.from_numpy(right)
