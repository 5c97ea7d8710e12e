"""Time slices of trajectories in scaled coordinates, with the jets the linearised residual needs.

Slices are cut at their noise floor and padded so that products don't alias (`numerics.spectral`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from jaxtyping import Int
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.domains.solutions import Scales, Slices
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import bandwidth, low_pass, padded_points, resample
from lieapp.pde.linearisation import Linearisation

UNIT_DEVIATION = 0.29
"""Standard deviation of an unknown in scaled coordinates, that of a uniform variable on [0, 1]."""

NOISE = 1e-9
"""Modes below this share of the largest one are cut: high derivatives would only amplify them."""


MOST = 16384
"""Points of a batch: of two-dimensional slices a few fill the memory."""

GOLDEN = (5**0.5 - 1) / 2


class SliceData:
    """Trajectories as a supply of slices."""

    def __init__(
        self,
        trajectories: Trajectories,
        linearisation: Linearisation,
        scales: Scales,
        degree: int,
        noise: float = NOISE,
    ) -> None:
        self.source, self.scales, self._linearisation = trajectories, scales, linearisation
        self.trajectories = trajectories.samples
        flat = trajectories.values.flatten(0, 1)
        cut = bandwidth(flat, trajectories.grid, noise)
        self._cut = cut
        shape = tuple(padded_points(axis, k, degree) for axis, k in zip(trajectories.grid.axes, cut, strict=True))
        self.grid: Grid = trajectories.grid.refined(shape)

    @property
    def kept(self) -> tuple[int, ...]:
        """The highest mode along each axis that is kept."""
        return self._cut

    @property
    def slices(self) -> int:
        """Number of slices in all."""
        return self.source.samples * len(self.source.time)

    @property
    def time(self) -> int:
        """The place of time among the coordinates."""
        return self._linearisation.evolution.time

    def take(self, indices: Int[Tensor, " batch"]) -> Slices:
        """The slices with these numbers, counted trajectory by trajectory."""
        sample, time = indices // len(self.source.time), indices % len(self.source.time)
        values = low_pass(self.source.values[sample, time], self.source.grid, self._cut)
        values = resample(values, self.source.grid, self.grid)
        made = self._linearisation.slices(self.source.time[time], values, self.grid, self.scales)
        return replace(made, sample=sample)

    def batches(self, count: int, size: int) -> Iterator[Slices]:
        """`count` slices spread over trajectories and times, the same at every call.

        `size` at a time, or fewer where slices are so large that they would hold more than MOST points.
        """
        size = max(1, min(size, MOST // math.prod(self.grid.shape)))
        i = torch.arange(min(count, self.slices))
        # trajectories in turn; times by the golden section, which leaves no large gap at any count
        time = (i.double() * GOLDEN).remainder(1.0).mul(len(self.source.time)).long()
        indices = (i % self.source.samples) * len(self.source.time) + time
        for chunk in indices.split(size):
            yield self.take(chunk.to(self.source.values.device))

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> Slices:
        """Random slices."""
        indices = torch.randint(self.slices, (size,), generator=generator)
        return self.take(indices.to(self.source.values.device))


def measure_scales(trajectories: Trajectories, order: Sequence[str]) -> Scales:
    """Origin and size of every coordinate, measured on the data.

    A constant unknown gets size 1.
    """
    time = trajectories.time
    known = {trajectories.time_name: (float(time[0]), float(time[-1] - time[0]) or 1.0)}
    known |= {axis.name: (axis.left, axis.length) for axis in trajectories.grid.axes}
    for i, name in enumerate(trajectories.unknowns):
        deviation = float(trajectories.values[:, :, i].std())
        known[name] = (0.0, deviation / UNIT_DEVIATION or 1.0)
    return Scales(tuple(known[n][0] for n in order), tuple(known[n][1] for n in order))
