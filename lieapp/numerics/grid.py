"""Axes and grids: uniform points, the left end included, the right end left out where periodic; or given nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.errors import GridError


@dataclass(frozen=True)
class Axis:
    """One coordinate's grid.

    Args:
        name: the coordinate.
        left, right: ends of the interval, in physical units.
        points: number of grid points.
        periodic: whether functions repeat after right - left (the right end is then not stored).
        nodes: the points where they aren't uniform, ascending; None for uniform ones.
    """

    name: str
    left: float
    right: float
    points: int
    periodic: bool = False
    nodes: tuple[float, ...] | None = None

    @property
    def length(self) -> float:
        """right - left; the period of a periodic axis."""
        return self.right - self.left

    @property
    def spacing(self) -> float:
        """Distance of neighbouring points, their mean distance where it varies."""
        return self.length / (self.points if self.periodic else self.points - 1)

    def coordinates(
        self, dtype: torch.dtype = torch.float64, device: torch.device | str = "cpu"
    ) -> Float[Tensor, " points"]:
        """The grid points."""
        if self.nodes is not None:
            return torch.tensor(self.nodes, dtype=dtype, device=device)
        return self.left + self.spacing * torch.arange(self.points, dtype=dtype, device=device)

    def refined(self, points: int) -> Axis:
        """The same interval with another number of points, then uniform ones."""
        return self if points == self.points else replace(self, points=points, nodes=None)

    def check_points(self, needed: int, what: str, option: str) -> None:
        """Raises GridError unless there are the points that `what` needs, which are fewer for a lower `option`."""
        if self.points < needed:
            raise GridError(
                f"axis {self.name} has {self.points} nodes; {what} {needed}.",
                hint=f"Give axis {self.name} more points, or choose a lower `{option}`.",
            )

    def wavenumbers(self, dtype: torch.dtype, device: torch.device | str) -> Float[Tensor, " modes"]:
        """2π n/L of all modes in the order of a full FFT.

        Raises GridError if the axis isn't periodic.
        """
        if not self.periodic:
            raise GridError(
                f"axis {self.name} is not periodic; it has no Fourier modes.",
                hint=f"Name {self.name} in periodic=[…] if solutions repeat after {self.length:g}.",
            )
        return (
            2 * torch.pi * torch.fft.fftfreq(self.points, 1 / self.points, dtype=dtype, device=device) / self.length
        )


@dataclass(frozen=True)
class Grid:
    """The axes of space in the order of a tensor's last dimensions."""

    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each axis."""
        return tuple(axis.points for axis in self.axes)

    @property
    def dims(self) -> tuple[int, ...]:
        """The tensor dimensions of the axes, counted from the end."""
        return tuple(range(-len(self.axes), 0))

    def refined(self, shape: tuple[int, ...]) -> Grid:
        """The same box with another number of points along each axis."""
        return Grid(tuple(axis.refined(n) for axis, n in zip(self.axes, shape, strict=True)))

    def mesh(self, dtype: torch.dtype, device: torch.device | str) -> tuple[Float[Tensor, "*space"], ...]:
        """Coordinates of the grid points, one tensor for each axis."""
        lines = [axis.coordinates(dtype, device) for axis in self.axes]
        return tuple(torch.meshgrid(*lines, indexing="ij"))
