"""Derivatives of moved data by bilinear splatting, the paper's ablation (appendix "Numerical differentiation").

Each moved node spreads its value over the corners of the unmoved cell it fell into; corners take the weighted mean
of what they got; central differences on the unmoved grid follow. Kept for comparison: a corner's mean is off by up
to one cell's slope, so the derivatives don't converge once nodes are displaced.
"""

from __future__ import annotations

import itertools
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
    column,
    folded_share,
    spacings,
    unmoved,
)

SMALLEST = 1e-6
"""A cell whose weights sum to less got nothing: it stands for no value, and the quotient's slope would be large."""


class Bilinear:
    """Derivatives of moved data on the unmoved grid.

    Args:
        grid: the unmoved nodes, where the derivatives are taken.
        orders: the derivatives to make.
        accuracy: order of the central differences.

    Raises GridError if an axis is shorter than a difference, ConfigError on orders or options without meaning.
    """

    def __init__(self, grid: Grid, orders: Sequence[MultiIndex], *, accuracy: int = 2) -> None:
        check_accuracy(accuracy)
        self.grid, self.orders, self.accuracy = grid, check_orders(grid, orders), accuracy
        for i, axis in enumerate(grid.axes):
            highest = max(J[i] for J in self.orders)
            check_length(axis, 2 * radius(highest, accuracy) + 1, highest, accuracy)

    def jets(self, positions: Positions, values: Values) -> MovedJets:
        """∂^J for every J in `orders` at the unmoved nodes.

        Nodes that left the window of an open axis are dropped. Not valid are cells that got nothing, whatever a
        difference takes from them, and the ends of open axes. Raises GridError if a shape doesn't fit the grid.
        """
        check_shapes(self.grid, positions, values)
        regular, filled = self._splat(positions, values)
        derivatives, valid = {}, filled
        for J in self.orders:
            # of the means, and where all that it takes is there; the ends filled with 0
            found, there, ends = regular, filled, list[int]()
            for dim, (axis, order) in enumerate(zip(self.grid.axes, J, strict=True), start=-len(J)):
                found = difference(found, dim, order, axis.spacing, self.accuracy, axis.periodic)
                there = touched(there, dim, order, self.accuracy, axis.periodic)
                ends += [0 if axis.periodic else radius(order, self.accuracy)] * 2
            derivatives[J], there = (torch.nn.functional.pad(z, ends[::-1]) for z in (found, there))
            valid = valid & there
        derivatives = {J: torch.where(valid[:, None], d, 0) for J, d in derivatives.items()}
        where = unmoved(self.grid, positions).expand_as(positions)
        return MovedJets(derivatives, valid, folded_share(self.grid, positions), where)

    def _splat(
        self, positions: Tensor, values: Tensor
    ) -> tuple[Float[Tensor, "batch component *index"], Bool[Tensor, "batch *index"]]:
        """Weighted means at the corners, and which corners got something."""
        n, batch, shape = len(self.grid.axes), len(positions), self.grid.shape
        finite = positions.isfinite().all(1) & values.isfinite().all(1)
        left = torch.tensor([a.left for a in self.grid.axes], dtype=values.dtype, device=values.device)
        cells = (torch.where(finite[:, None], positions, 0) - column(left, n)) / column(
            spacings(self.grid, positions), n
        )
        carried = torch.cat([torch.ones_like(values[:, :1]), torch.where(finite[:, None], values, 0)], 1).flatten(2)
        inside, lower, share = finite, [], []
        for i, axis in enumerate(self.grid.axes):
            place = cells[:, i]
            if axis.periodic:
                low = place.detach().floor()
            else:
                inside = inside & (place.detach() >= 0) & (place.detach() <= axis.points - 1)
                low = place.detach().floor().clamp(0, axis.points - 2)
            lower.append(low.remainder(axis.points).long() if axis.periodic else low.long())
            share.append(place - low)
        total = values.new_zeros(batch, carried.shape[1], lower[0][0].numel())
        for corner in itertools.product((0, 1), repeat=n):
            weight, slot = torch.ones_like(share[0]), torch.zeros_like(lower[0])
            for c, low, part, points in zip(corner, lower, share, shape, strict=True):
                weight = weight * (part if c else 1 - part)
                slot = slot * points + (low + c) % points
            weight = torch.where(inside, weight, 0).flatten(1)
            total = total.scatter_add(2, slot.flatten(1)[:, None].expand_as(carried), carried * weight[:, None])
        filled = total[:, 0].detach() > SMALLEST
        means = total[:, 1:] / torch.where(filled, total[:, 0], 1)[:, None]
        means = torch.where(filled[:, None], means, 0)
        return means.unflatten(2, shape), filled.unflatten(1, shape)
