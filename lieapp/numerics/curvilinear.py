"""Derivatives of moved data in curvilinear coordinates: the moved positions are functions of the grid's own.

With ξ the unmoved coordinates, x̃(ξ) and J = ∂x̃/∂ξ (total derivatives along the data), ∇_x̃ = J^{-T} ∇_ξ, applied
once for every order of a derivative. ∇_ξ is spectral along periodic axes, of ũ and of the periodic displacement
x̃ - ξ, and a central difference along open ones, whose ends are trimmed. Far more accurate than WENO on smooth data;
it has no defence against shocks.

Products with J^{-T} alias. On 64 points with modes that fall to 1e-4 of the largest, u_xx was off by 3e-3 relative,
and by 6e-7 on twice as many points between them: so periodic axes are refined first (`PADDING`). The price is
round-off, which a spectral derivative of order d multiplies by 2^d: in float32 well resolved data do without.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.numerics.differences import check_accuracy, check_length, difference, radius, touched
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
from lieapp.numerics.spectral import multiplier, resample

PADDING = 2
"""How many times finer periodic axes are made for the work."""

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
        self.fine = grid.refined(tuple(a.points * (PADDING if a.periodic else 1) for a in grid.axes))
        self._radius = radius(1, accuracy)
        for axis in grid.axes:
            if not axis.periodic:
                check_length(axis, 2 * self._radius * self.depth + 1, self.depth, accuracy)

    def jets(self, positions: Positions, values: Values) -> MovedJets:
        """∂^J for every J in `orders` at the moved nodes.

        Not valid are the trimmed ends of open axes, nodes where J is singular, and whatever their neighbourhood (a
        whole line along a periodic axis) enters. Raises GridError if a shape doesn't fit the grid.
        """
        check_shapes(self.grid, positions, values)
        finite = positions.isfinite().all(1) & values.isfinite().all(1)
        base = unmoved(self.grid, positions)
        displacement = torch.where(finite[:, None], positions - base, 0)
        values = torch.where(finite[:, None], values, 0)
        chain = _Chain(self, self._refined(values), self._refined(displacement), self._spread(finite))
        valid = self._restored(chain.valid[self.depth]) & finite
        derivatives = {}
        for J in self.orders:
            found = self._restored(self.inside(chain.derivative(J), self.depth - sum(J))) if any(J) else values
            derivatives[J] = torch.where(valid[:, None], found, 0)
        return MovedJets(derivatives, valid, folded_share(self.grid, positions), positions)

    def gradient(self, field: Float[Tensor, "batch channel *index"]) -> list[Float[Tensor, "batch channel *inner"]]:
        """∂_ξ along each axis, all without the ends that one difference trims."""
        result = []
        for dim, axis in enumerate(self.fine.axes, start=-len(self.grid.axes)):
            inner = self.inside(field, 1, besides=dim)
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
        for dim, axis in enumerate(self.grid.axes, start=-len(self.grid.axes)):
            line = self.inside(there, 1, besides=dim)
            line = line.all(dim, keepdim=True) if axis.periodic else touched(line, dim, 1, self.accuracy, False)
            inside = inside & line
        return inside

    def inside(self, field: Tensor, times: int, besides: int | None = None) -> Tensor:
        """Without the ends that `times` differences trim, on every open axis but one."""
        cut = times * self._radius
        for dim, axis in enumerate(self.grid.axes, start=-len(self.grid.axes)):
            if not axis.periodic and dim != besides and cut:
                field = field.narrow(dim, cut, field.shape[dim] - 2 * cut)
        return field

    def _refined(self, field: Tensor) -> Tensor:
        """The trigonometric interpolant on the finer periodic axes."""
        for dim, axis in enumerate(self.grid.axes, start=-len(self.grid.axes)):
            if axis.periodic:
                fine = Grid((self.fine.axes[dim],))
                field = resample(field.movedim(dim, -1), Grid((axis,)), fine).movedim(-1, dim)
        return field

    def _spread(self, finite: Tensor) -> Tensor:
        """Where the interpolant can be trusted: on whole lines."""
        for dim, axis in enumerate(self.fine.axes, start=-len(self.fine.axes)):
            if axis.periodic:
                finite = finite.all(dim, keepdim=True).repeat_interleave(axis.points, dim)
        return finite

    def _restored(self, inner: Tensor) -> Tensor:
        """On the grid's own nodes, with trimmed ends filled with 0."""
        own = tuple(slice(None, None, PADDING if a.periodic else 1) for a in self.grid.axes)
        inner = inner[(..., *own)]
        ends = [0 if a.periodic else self.depth * self._radius for a in reversed(self.grid.axes) for _ in (0, 1)]
        return torch.nn.functional.pad(inner, ends)


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
