"""Derivatives of moved data: what every differentiator takes and returns.

A flow moves the nodes of a uniform index grid: node i sits at x̃_i and carries ũ_i. Asked for are the partial
derivatives of the moved function with respect to the moved coordinates (paper, section "Symmetry of PDEs").
Three differentiators stand beside this file: `weno`, `curvilinear`, `bilinear`; `differentiator` makes one by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.errors import ConfigError, GridError
from lieapp.numerics.grid import Grid

MultiIndex = tuple[int, ...]

Positions = Float[Tensor, "batch axis *index"]
Values = Float[Tensor, "batch component *index"]


@dataclass(frozen=True)
class MovedJets:
    """Derivatives of moved data, and where they can be used.

    Attributes:
        derivatives: ∂^J ũ for each multi-index J asked for, in units of the grid; 0 where not valid.
        valid: where the derivatives exist: inside trimmed ends, away from singular stencils and empty cells.
        folded: share of nodes where the map from indices to positions is folded, for each batch entry. A folded
            node keeps its derivatives where they exist: whoever drops it would reward folding.
        positions: where the derivatives are taken: the moved nodes, or the unmoved ones for `bilinear`.
    """

    derivatives: dict[MultiIndex, Float[Tensor, "batch component *index"]]
    valid: Bool[Tensor, "batch *index"]
    folded: Float[Tensor, " batch"]
    positions: Float[Tensor, "batch axis *index"]


@runtime_checkable
class MovedDifferentiator(Protocol):
    """Makes the derivatives of moved data; differentiable once with respect to positions and values."""

    grid: Grid
    orders: tuple[MultiIndex, ...]

    def jets(self, positions: Positions, values: Values) -> MovedJets:
        """∂^J for every J in `orders`.

        Args:
            positions: the moved nodes in units of the grid; not wrapped on periodic axes, where the neighbours
                across the seam are one period away.
            values: what the moved nodes carry.

        Raises GridError if a shape doesn't fit the grid.
        """


def check_orders(grid: Grid, orders: Sequence[MultiIndex]) -> tuple[MultiIndex, ...]:
    """The orders without repetition.

    Raises GridError on an axis without extent, ConfigError on an order that is no multi-index over the axes.
    """
    n = len(grid.axes)
    for axis in grid.axes:
        if axis.points < 2 or not axis.length > 0:
            raise GridError(
                f"axis {axis.name} has {axis.points} points on [{axis.left:g}, {axis.right:g}]; derivatives need "
                "at least two points on an interval of positive length.",
                hint=f"Give axis {axis.name} more points, or left below right.",
            )
    for J in orders:
        if len(J) != n or any(int(d) != d or d < 0 for d in J):
            names = ", ".join(axis.name for axis in grid.axes)
            raise ConfigError(
                f"the order {J} is no multi-index over the {n} axes {names}.",
                hint=f"Give `orders` {n} numbers each, none negative.",
            )
    if not orders:
        raise ConfigError("no derivative is asked for.", hint="Give `orders` at least one multi-index.")
    return tuple(dict.fromkeys(tuple(int(d) for d in J) for J in orders))


def check_shapes(grid: Grid, positions: Tensor, values: Tensor) -> None:
    """Raises GridError unless both tensors lie on the grid, with one batch, dtype and device."""
    n, shape = len(grid.axes), grid.shape
    if positions.ndim != n + 2 or tuple(positions.shape[1:]) != (n, *shape):
        raise GridError(
            f"positions have the shape {tuple(positions.shape)}; on this grid they are (batch, {n}, "
            f"{', '.join(map(str, shape))}).",
            hint="Give one position for each axis at every node of the grid.",
        )
    if values.ndim != n + 2 or tuple(values.shape[2:]) != shape or values.shape[0] != positions.shape[0]:
        raise GridError(
            f"values have the shape {tuple(values.shape)}; with these positions they are "
            f"({positions.shape[0]}, component, {', '.join(map(str, shape))}).",
            hint="Give the components of one function at every node of the grid.",
        )
    if values.dtype != positions.dtype or values.device != positions.device or not values.is_floating_point():
        raise GridError(
            f"positions are {positions.dtype} on {positions.device}, values {values.dtype} on {values.device}.",
            hint="Give both in one floating-point dtype on one device.",
        )


def unmoved(grid: Grid, like: Tensor) -> Float[Tensor, "axis *index"]:
    """Where the nodes sit before the flow."""
    return torch.stack(grid.mesh(like.dtype, like.device))


def spacings(grid: Grid, like: Tensor) -> Float[Tensor, " axis"]:
    """Distance of neighbouring unmoved nodes along each axis."""
    return torch.tensor([axis.spacing for axis in grid.axes], dtype=like.dtype, device=like.device)


def column(vector: Tensor, dims: int) -> Tensor:
    """The vector with `dims` dimensions of length one behind it."""
    return vector.reshape(*vector.shape, *[1] * dims)


def determinant(matrix: Float[Tensor, "row column *rest"]) -> Float[Tensor, "*rest"]:
    """det over the first two dimensions, by Laplace's expansion: for the few axes of a grid, batch last."""
    n = matrix.shape[0]
    if n == 1:
        return matrix[0, 0]
    total = torch.zeros_like(matrix[0, 0])
    for j in range(n):
        minor = torch.cat([matrix[1:, :j], matrix[1:, j + 1 :]], dim=1)
        total = total + (-1) ** j * matrix[0, j] * determinant(minor)
    return total


@torch.no_grad()
def folded_share(
    grid: Grid, positions: Positions, among: Bool[Tensor, "batch *index"] | None = None
) -> Float[Tensor, " batch"]:
    """Share of nodes, of those in `among` if given, at which a cell that touches them has a determinant that isn't
    positive; 0 where there are none.

    The Jacobian matrix of index -> position is taken at each node by one-sided differences to its neighbours, in
    every combination of sides: a central difference would not see neighbours that changed places. Positions that
    aren't finite count as folded.
    """
    n = len(grid.axes)
    scaled = positions.transpose(0, 1) / column(spacings(grid, positions), n + 1)
    sides = [_one_sided(grid, scaled, i) for i in range(n)]
    folded = torch.zeros_like(scaled[0], dtype=torch.bool)
    for choice in itertools.product((0, 1), repeat=n):
        jacobian = torch.stack([sides[i][side] for i, side in enumerate(choice)], dim=1)
        folded |= ~(determinant(jacobian) > 0)
    counted = torch.ones_like(folded) if among is None else among
    counts = ((folded & counted).flatten(1).sum(1), counted.flatten(1).sum(1).clamp_min(1))
    return counts[0].to(positions.dtype) / counts[1]


def _one_sided(grid: Grid, scaled: Tensor, i: int) -> tuple[Tensor, Tensor]:
    """Differences along axis i to the node behind and ahead; the only one there is at an open end."""
    axis, dim = grid.axes[i], i + 2
    steps = scaled.diff(dim=dim)
    if axis.periodic:
        seam = scaled.narrow(dim, 0, 1) - scaled.narrow(dim, axis.points - 1, 1)
        seam[i] += axis.points
        return torch.cat([seam, steps], dim), torch.cat([steps, seam], dim)
    first, last = steps.narrow(dim, 0, 1), steps.narrow(dim, axis.points - 2, 1)
    return torch.cat([first, steps], dim), torch.cat([steps, last], dim)
