"""Batches of solutions in scaled coordinates: slices for the linearised residual, space-time patches for flows.

Scaled coordinates: t and x run over [0, 1], each unknown has standard deviation .29 (the paper's section on σ).

A patch is a window of the index grid, `time` samples long and as many points of space as asked for; an axis of
space that is taken whole and is periodic stays periodic, a part of it is open.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.data.sizes import check_patch
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Data, Domain, Line, Movable, Points
from lieapp.domains.spread import Features
from lieapp.errors import ConfigError, GridError
from lieapp.numerics import ranks
from lieapp.numerics.grid import Axis, Grid


@dataclass(frozen=True)
class Scales:
    """physical = origin + size x scaled, in the order of the domain's arguments."""

    origin: tuple[float, ...]
    size: tuple[float, ...]


@dataclass(frozen=True)
class Slices:
    """Single times of trajectories.

    Args:
        points: scaled (t, x, u) at the grid points, in the order of the domain's arguments.
        tangents: derivative of the points along the data in scaled t.
        weight: ω, one for PDEs.
        slopes: Q^a = Σ_c slopes[a, c] V_c over the components c.
        slope_rates: their derivatives along the data in scaled t.
        grid: the padded grid the slices live on.
        coefficients: the values of ∂Fᵃ/∂uᵇ_J, in the order of the linearisation's entries, scaled.
        sample: the trajectory of each slice.
    """

    points: Points
    tangents: Points
    weight: Float[Tensor, "batch *space"]
    slopes: Float[Tensor, "batch unknown component *space"]
    slope_rates: Float[Tensor, "batch unknown component *space"]
    coefficients: tuple[Float[Tensor, "batch *space"], ...]
    grid: Grid
    sample: Int[Tensor, " batch"] | None = None

    pairs = None
    """Neighbours are those along the axes."""

    @property
    def lines(self) -> list[Line]:
        """The axes of space, on which a period is 1 in scaled units."""
        axes = self.grid.axes
        return [Line(i - len(axes), 1 / axis.points, axis.periodic) for i, axis in enumerate(axes)]


UNEVEN = 1e-6
"""Largest relative difference of time steps."""


@dataclass(frozen=True)
class Patches:
    """Data on windows of one shape, moved or not.

    Args:
        points: scaled coordinates at the nodes, in the order of the domain's coordinates.
        weight: ω, one for PDEs.
        grid: the window's nodes before any flow in physical units, time first, starting at 0.
        corner: physical coordinates of each window's first node, time first.
        scales: between scaled and physical coordinates.
        time: the place of time among the coordinates.
    """

    points: Float[Tensor, "batch coordinate *index"]
    weight: Float[Tensor, "batch *index"]
    grid: Grid
    corner: Float[Tensor, "batch axis"]
    scales: Scales
    time: int

    pairs = None
    """Neighbours are those along the axes."""

    @property
    def lines(self) -> list[Line]:
        """The axes of space, in scaled units, along which fields should be smooth."""
        sizes = [size for i, size in enumerate(self.scales.size) if i != self.time]
        axes = self.grid.axes[1:]
        return [
            Line(i - len(axes), axis.spacing / size, axis.periodic)
            for i, (axis, size) in enumerate(zip(axes, sizes, strict=False))
        ]

    def moved(self, points: Float[Tensor, "more coordinate *index"]) -> Patches:
        """The same nodes at other points: of one copy of the batch, or of several one after the other."""
        times = len(points) // len(self.points)
        return replace(self, points=points, weight=self.weight.repeat(times, *[1] * (self.weight.ndim - 1)),
                       corner=self.corner.repeat(times, 1))  # fmt: skip


class PatchData:
    """Trajectories as a supply of patches.

    Args:
        pieces: trajectories on one grid and at the same times.
        order: of the scaled coordinates: independent variables with time at `time`, then the unknowns.
        shape: nodes in time and along each axis of space; 0 takes all there are.
        device: of patches, where it isn't that of the trajectories.

    Raises ConfigError if a patch is larger than the grid, GridError if times aren't even.
    """

    def __init__(
        self, pieces: Sequence[Trajectories], scales: Scales, time: int, shape: Sequence[int], dtype: torch.dtype,
        device: torch.device | str | None = None,
    ) -> None:  # fmt: skip
        self.source, self.scales, self.time, self.dtype = pieces[0], scales, time, dtype
        self._pieces, self._ends = list(pieces), list(itertools.accumulate(piece.samples for piece in pieces))
        self._device = self.source.values.device if device is None else torch.device(device)
        whole = (len(self.source.time), *self.source.grid.shape)
        names = (self.source.time_name, *(axis.name for axis in self.source.grid.axes))
        if len(shape) != len(whole):
            raise ConfigError(
                f"patch = {list(shape)} has {len(shape)} numbers; the data have the axes {', '.join(names)}.",
                hint="Give patch one number of nodes for each, time first; 0 takes all.",
            )
        self.shape = tuple(n or full for n, full in zip(shape, whole, strict=True))
        check_patch(self.shape, whole, names)
        self.grid = Grid((self._time_axis(), *self._space_axes()))
        self._order: tuple[tuple[int, int], Tensor] | None = None

    def _time_axis(self) -> Axis:
        t = self.source.time
        steps = t.diff()
        step = float(steps[0])
        if float((steps - step).abs().max()) > UNEVEN * abs(step):
            raise GridError(
                f"{self.source.time_name} is not sampled evenly: its steps lie between {float(steps.min()):g} and "
                f"{float(steps.max()):g}; derivatives of moved data need even steps.",
                hint="Interpolate the data to even times, or leave the flow stage and finite_samples out.",
            )
        return Axis(self.source.time_name, 0.0, step * (self.shape[0] - 1), self.shape[0])

    def _space_axes(self) -> Iterator[Axis]:
        for axis, n in zip(self.source.grid.axes, self.shape[1:], strict=True):
            if n == axis.points:
                yield replace(axis, left=0.0, right=axis.length)
            else:
                yield Axis(axis.name, 0.0, axis.spacing * (n - 1), n)

    @property
    def trajectories(self) -> int:
        """Number of trajectories."""
        return self._ends[-1]

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> Patches:
        """Random patches; the trajectories in turn, in another random order each time through."""
        sample = torch.stack([self._turn(step * size + k, generator) for k in range(size)])
        starts = [torch.randint(len(self.source.time) - self.shape[0] + 1, (size,), generator=generator)]
        for axis, n in zip(self.source.grid.axes, self.shape[1:], strict=True):
            last = axis.points if n < axis.points and axis.periodic else axis.points - n + 1
            starts.append(torch.randint(last, (size,), generator=generator))
        return self.take(ranks.own(sample), ranks.own(torch.stack(starts, 1)))

    def _turn(self, place: int, generator: torch.Generator) -> Int[Tensor, ""]:
        """The trajectory at a place of the endless sequence that the generator's seed makes."""
        again, k = divmod(place, self.trajectories)
        if self._order is None or self._order[0] != (again, generator.initial_seed()):
            shuffled = torch.Generator().manual_seed((generator.initial_seed() + 7919 * again) % 2**63)
            key = (again, generator.initial_seed())
            self._order = (key, torch.randperm(self.trajectories, generator=shuffled))
        return self._order[1][k]

    def batches(self, size: int) -> Iterator[Patches]:
        """One patch from the beginning of every trajectory, `size` at a time."""
        for sample in torch.arange(self.trajectories).split(size):
            yield self.take(sample, torch.zeros(len(sample), len(self.shape), dtype=torch.long))

    def take(self, sample: Int[Tensor, " batch"], start: Int[Tensor, "batch axis"]) -> Patches:
        """The patches of these trajectories that start at these nodes."""
        source, device = self.source, self._device
        values, lines = [], []
        for n, first in zip(sample.tolist(), start.tolist(), strict=True):
            number = bisect.bisect_right(self._ends, n)
            # counted from the end of its piece
            own = self._pieces[number].values[n - self._ends[number]]
            piece = own[first[0] : first[0] + self.shape[0]].to(device)
            for i, (begin, count) in enumerate(zip(first[1:], self.shape[1:], strict=True)):
                full = source.grid.axes[i].points
                index = torch.arange(begin, begin + count, device=device) % full
                piece = piece.index_select(2 + i, index)
            values.append(piece.movedim(1, 0))
            lines.append(self._corner(first))
        corner = torch.tensor(lines, dtype=torch.float64, device=device)
        nodes = torch.stack(self.grid.mesh(torch.float64, device))
        independent = corner.reshape(*corner.shape, *[1] * len(self.shape)) + nodes
        physical = torch.cat([self._ordered(independent), torch.stack(values).double()], 1)
        origin, size = (
            torch.tensor(v, dtype=torch.float64, device=device).reshape(1, -1, *[1] * len(self.shape))
            for v in (self.scales.origin, self.scales.size)
        )
        points = ((physical - origin) / size).to(self.dtype)
        return Patches(points, torch.ones_like(points[:, 0]), self.grid, corner, self.scales, self.time)

    def _corner(self, first: Sequence[int]) -> list[float]:
        axes = self.source.grid.axes
        return [float(self.source.time[first[0]]),
                *(axis.left + axis.spacing * i for axis, i in zip(axes, first[1:], strict=True))]  # fmt: skip

    def _ordered(self, independent: Tensor) -> Tensor:
        """From time first to the domain's order of coordinates."""
        return time_to(independent, self.time)


def time_to(independent: Float[Tensor, "batch axis *index"], time: int) -> Float[Tensor, "batch axis *index"]:
    """Move time from the first place to the place it has among the coordinates."""
    return independent if time == 0 else torch.cat(
        [independent[:, 1 : time + 1], independent[:, :1], independent[:, time + 1 :]], 1
    )  # fmt: skip


def time_first(
    points: Float[Tensor, "batch coordinate *index"], time: int, axes: int
) -> Float[Tensor, "batch {axes} *index"]:
    """The independent coordinates with time in the first place."""
    return torch.cat([points[:, time : time + 1], points[:, :time], points[:, time + 1 : axes]], 1)


@runtime_checkable
class Solutions(Protocol):
    """Solutions to learn from and to judge on.

    Args:
        draft: those to learn from, strongly smoothed and cheap to train on.
        train: the same, to solve on.
        noise: share of the largest Fourier mode below which modes are cut as noise; 0 where none was found.
    """

    draft: Data[Slices]
    train: Data[Slices]
    held_out: Data[Slices]
    scales: Scales
    noise: float

    def patches(
        self, time: int | None, space: int | None, most: tuple[int, int], dtype: torch.dtype
    ) -> PatchData:  # fmt: skip
        """Windows of the solutions to learn from, of so many nodes in time and along each axis of space.

        Unless they are given, `most` nodes, or all there are.
        """
        ...


@runtime_checkable
class SolutionDomain(Domain[Slices], Movable[Patches], Protocol):
    """A domain whose data are solutions of an equation."""

    def check_patches(self, patches: PatchData) -> None:
        """Raises GridError if moved data can't be differentiated on patches of this shape."""
        ...

    def coefficient_features(self, data: Solutions, slices: int) -> Features | None:
        """The functions that the equation's coefficients bring."""
        ...
