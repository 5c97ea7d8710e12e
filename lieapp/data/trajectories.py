"""Trajectories: solutions on one grid, with what is known about their accuracy."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.numerics.grid import Grid


@dataclass(frozen=True)
class Trajectories:
    """Solutions u(t, x) of one equation.

    Args:
        time: kept output times, physical units.
        grid: the axes of space.
        values: the unknowns at these times and points.
        unknowns: names of the components.
        time_name: name of the evolution variable.
        error: estimated relative error of the values; nan where no estimate exists.
        facts: how they were made (steps, points, seconds), for provenance.
    """

    time: Float[Tensor, " time"]
    grid: Grid
    values: Float[Tensor, "sample time component *space"]
    unknowns: tuple[str, ...]
    time_name: str = "t"
    error: float = float("nan")
    facts: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """Number of trajectories."""
        return self.values.shape[0]

    def select(self, samples: slice) -> Trajectories:
        """Some of the trajectories."""
        return Trajectories(
            self.time, self.grid, self.values[samples], self.unknowns, self.time_name, self.error, self.facts
        )

    def to(self, device: torch.device | str) -> Trajectories:
        """The same trajectories on a device."""
        return Trajectories(
            self.time.to(device), self.grid, self.values.to(device), self.unknowns, self.time_name, self.error,
            self.facts,
        )  # fmt: skip
