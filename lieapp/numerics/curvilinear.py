"""Derivatives of moved data in curvilinear coordinates: the moved positions are functions of the grid's own.

With ξ the unmoved coordinates, x̃(ξ) and J = ∂x̃/∂ξ (total derivatives along the data), ∇_x̃ = J^{-T} ∇_ξ, applied
once for every order of a derivative. ∇_ξ is spectral along periodic axes, of ũ and of the periodic displacement
x̃ - ξ, and a central difference along open ones, whose ends are trimmed. Far more accurate than WENO on smooth data;
it has no defence against shocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.errors import GridError
from lieapp.numerics.differences import check_accuracy, difference, radius, touched
from lieapp.numerics.grid import Grid
from lieapp.numerics.moved import (
    MovedJets,
    MultiIndex,
    Positions,
    Values,
    check_orders,
    check_shapes,
    determinant,
    folded_share,
    unmoved,
)
from lieapp.numerics.spectral import multiplier

SMALLEST = 1e-3
"""Below this |det J| (1 where nothing moves) a node's derivatives don't exist."""


class Curvilinear:
    """Derivatives of moved data by the chain rule.

    Args:
        grid: the unmoved nodes.
        orders: the derivatives to make; each shares the chain of lower ones that it is made from.
        accuracy: order of the central differences on open axes. Every order of a derivative trims accuracy / 2
            nodes from each of their ends.

    Raises GridError if trimming leaves no node, ConfigError on orders or options without meaning.
    """

    def __init__(self, grid: Grid, orders: Sequence[MultiIndex], *, accuracy: int = 8) -> None:
        check_accuracy(accuracy)
        self.grid, self.orders, self.accuracy = grid, check_orders(grid, orders), accuracy
        self.depth = max(map(sum, self.orders))
        self._open = [i for i, axis in enumerate(grid.axes) if not axis.periodic]
        self._radius = radius(1, accuracy)
        for i in self._open:
            axis, needed = grid.axes[i], 2 * self._radius * self.depth + 1
            if axis.points < needed:
                raise GridError(
                    f"axis {axis.name} has {axis.points} nodes; derivatives of order {self.depth} by differences "
                    f"of accuracy {accuracy} need {needed}.",
                    hint=f"Give axis {axis.name} more points, or choose a lower `accuracy`.",
                )

    def jets(self, positions: Positions, values: Values) -> MovedJets:
        """∂^J for every J in `orders` at the moved nodes.

        Not valid are the trimmed ends of open axes, nodes where J is singular, and whatever their neighbourhood (a
        whole line along a periodic axis) enters. Raises GridError if a shape doesn't fit the grid.
        """
        check_shapes(self.grid, positions, values)
        finite = positions.isfinite().all(1) & values.isfinite().all(1)
        base = unmoved(self.grid, positions)
        displacement = torch.where(finite[:, None], positions - base, 0)
        chain = _Chain(self, torch.where(finite[:, None], values, 0), displacement, finite)
        valid = chain.valid[self.depth]
        derivatives = {}
        for J in self.orders:
            inner = self.inside(chain.derivative(J), self.depth - sum(J))
            derivatives[J] = self._padded(torch.where(valid[:, None], inner, 0))
        return MovedJets(derivatives, self._padded(valid), folded_share(self.grid, positions), positions)

    def gradient(self, field: Float[Tensor, "batch channel *index"]) -> list[Float[Tensor, "batch channel *inner"]]:
        """∂_ξ along each axis, all without the ends that one difference trims."""
        result = []
        for i, axis in enumerate(self.grid.axes):
            dim = i - len(self.grid.axes)
            inner = self.inside(field, 1, besides=i)
            if axis.periodic:
                factor = multiplier(Grid((axis,)), (1,), field.dtype, field.device)
                factor = factor.reshape(-1, *[1] * (-dim - 1))
                modes = torch.fft.rfft(inner, dim=dim)
                result.append(torch.fft.irfft(modes * factor, n=axis.points, dim=dim))
            else:
                result.append(difference(inner, dim, 1, axis.spacing, self.accuracy, periodic=False))
        return result

    def narrower(self, there: Bool[Tensor, "batch *index"]) -> Bool[Tensor, "batch *inner"]:
        """Where all nodes that `gradient` takes are there."""
        inside = self.inside(there, 1)
        for i, axis in enumerate(self.grid.axes):
            dim = i - len(self.grid.axes)
            line = self.inside(there, 1, besides=i)
            inside = inside & (
                line.all(dim, keepdim=True)
                if axis.periodic
                else touched(line, dim, 1, self.accuracy, periodic=False)
            )
        return inside

    def inside(self, field: Tensor, times: int, besides: int | None = None) -> Tensor:
        """Without the ends that `times` differences trim, on every open axis but one."""
        cut = times * self._radius
        for i in self._open:
            if i != besides and cut:
                dim = i - len(self.grid.axes)
                field = field.narrow(dim, cut, field.shape[dim] - 2 * cut)
        return field

    def _padded(self, inner: Tensor) -> Tensor:
        """Trimmed ends filled with 0."""
        n = len(self.grid.axes)
        ends = [self.depth * self._radius if i in self._open else 0 for i in range(n) for _ in (0, 1)]
        return torch.nn.functional.pad(inner, ends[::-1])


class _Chain:
    """The derivatives of one set of moved data, each made once."""

    def __init__(self, maker: Curvilinear, values: Tensor, displacement: Tensor, finite: Tensor) -> None:
        self.maker, self.n = maker, displacement.shape[1]
        self.valid = [finite]
        self._made = {(0,) * self.n: values}
        self._gradients: dict[MultiIndex, list[Tensor]] = {}
        if maker.depth == 0:
            return
        self._inverse, regular = self._metric(displacement)
        for depth in range(maker.depth):
            self.valid.append(maker.narrower(self.valid[-1]) & maker.inside(regular, depth))

    def _metric(self, displacement: Tensor) -> tuple[Tensor, Tensor]:
        """J^{-T} as cofactors over the determinant, (axis of x̃, axis of ξ, batch, *inner); where it exists."""
        slopes = torch.stack(self.maker.gradient(displacement)).permute(2, 0, 1, *range(3, self.n + 3))
        eye = torch.eye(self.n, dtype=slopes.dtype, device=slopes.device)
        J = slopes + eye.reshape(self.n, self.n, *[1] * (self.n + 1))
        if self.n == 1:
            cofactors = torch.ones_like(J)
        else:
            keep = [[k for k in range(self.n) if k != i] for i in range(self.n)]
            cofactors = torch.stack(
                [
                    torch.stack([(-1) ** (i + j) * determinant(J[keep[i]][:, keep[j]]) for j in range(self.n)])
                    for i in range(self.n)
                ]
            )
        size = (J[0] * cofactors[0]).sum(0)
        regular = size.detach().abs() > SMALLEST
        return cofactors / torch.where(regular, size, 1), regular

    def derivative(self, J: MultiIndex) -> Float[Tensor, "batch component *inner"]:
        """∂^J, trimmed |J| times; made from the derivative that is one lower along the first axis it has."""
        if J not in self._made:
            i = next(i for i, d in enumerate(J) if d)
            below = tuple(d - int(k == i) for k, d in enumerate(J))
            if below not in self._gradients:
                self._gradients[below] = self.maker.gradient(self.derivative(below))
            depth = sum(J)
            rows = self.maker.inside(self._inverse[i], depth - 1)
            found = sum(row[:, None] * slope for row, slope in zip(rows, self._gradients[below], strict=True))
            # zero where it doesn't exist, so that nothing is amplified on the way up
            self._made[J] = torch.where(self.valid[depth][:, None], found, 0)
        return self._made[J]
