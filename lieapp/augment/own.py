"""Files of the user's own to learn from and to move: whether they will do, said without loading values.

One periodic axis of space and one grid are needed, and for trainings enough trajectories.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lieapp.api import PDE
from lieapp.config_augment import AugmentConfig
from lieapp.config_types import FileData
from lieapp.data.axes import spacing_kind
from lieapp.data.own import OwnAxis, counted_grids, declared_on, names
from lieapp.errors import DataError, GridError

VALIDATION, TEST = 16, 64
"""Trajectories that are judged on, unless told."""

VALIDATION_SHARE, TEST_SHARE = 10, 5
"""Of files one trajectory of so many, at most the numbers above."""

SAME = 1e-6
"""Largest difference of points that count as equal, in steps."""


class Parts(NamedTuple):
    """How many trajectories are validated and tested on, and how many are left to learn from."""

    validation: int
    test: int
    learn: int

    def amounts(self, samples: Sequence[int]) -> list[int]:
        """The numbers to learn from that there are so many trajectories for; the largest stands for larger ones."""
        return list(dict.fromkeys(min(n, self.learn) for n in samples))

    def words(self) -> str:
        """How trajectories are divided."""
        count = sum(self)
        told = f"{self.learn} to learn from, {self.validation} to validate and {self.test} to test on"
        return f"{count} trajectories: {told}"


def parts_of(config: AugmentConfig, count: int | None = None) -> Parts:
    """How the trajectories of files are divided; those to simulate where there are none.

    Raises DataError for fewer than a step of the training and the judgement need.
    """
    if count is None:
        return Parts(config.validation or VALIDATION, config.test or TEST, max(config.samples))
    parts = _divided(config, count)
    if parts.learn < config.batch:
        needed = next(n for n in itertools.count(count + 1) if _divided(config, n).learn >= config.batch)
        validation, test, _ = _divided(config, needed)
        one = "is 1 trajectory" if count == 1 else f"are {count} trajectories"
        smaller = f"Set batch to {parts.learn}, or give" if parts.learn > 0 else "Give"
        raise DataError(
            f"there {one} in the files; {needed} are needed: a step of the training takes batch = {config.batch} "
            f"different ones, and {validation} to validate and {test} to test on aren't learned from.",
            hint=f"{smaller} more trajectories; without --data those of a plugin are simulated.",
        )
    return parts


def _divided(config: AugmentConfig, count: int) -> Parts:
    validation = config.validation or min(VALIDATION, max(1, count // VALIDATION_SHARE))
    test = config.test or min(TEST, max(1, count // TEST_SHARE))
    return Parts(validation, test, count - validation - test)


def placed(pde: PDE, data: FileData) -> tuple[PDE, int]:
    """The declaration on the grid of files whose solutions can be moved, and how many trajectories they have.

    Raises what `lieapp.data.own.counted_grids` raises, GridError for axes that data can't be moved on yet, several
    grids and uneven times.
    """
    unknowns, variables = names(pde)
    grids = counted_grids(data, unknowns, variables)
    check_one_grid([grid.axes for grid in grids], data.files)
    time, *space = grids[0].axes
    check_space({axis.name: axis.period is not None for axis in space}, ", ".join(data.files))
    check_even(time.points, time.name, ", ".join(data.files))
    return declared_on(pde, data, [grid.axes for grid in grids]), sum(grid.samples for grid in grids)


def check_one_grid(grids: Sequence[Sequence[OwnAxis]], files: Sequence[str]) -> None:
    """Raises GridError unless all grids have the same points and periods."""
    for grid in grids[1:]:
        for axis, first in zip(grid, grids[0], strict=True):
            if _alike(axis, first):
                continue
            told = " and ".join(f"{len(a.points)} from {a.points[0]:g} to {a.points[-1]:g}" for a in (first, axis))
            raise GridError(
                f"{', '.join(files)}: trajectories are on different grids: {axis.name} has points {told}; "
                "they can't be moved together yet.",
                hint="Resample them on one grid, or give the files of one grid.",
            )


def _alike(one: OwnAxis, other: OwnAxis) -> bool:
    if len(one.points) != len(other.points):
        return False
    near = SAME * float(np.diff(one.points).min())
    ends = abs((one.period or 0.0) - (other.period or 0.0))
    return ends <= near * len(one.points) and bool(np.allclose(one.points, other.points, rtol=0, atol=near))


def check_even(times: np.ndarray, time_name: str, name: str) -> None:
    """Raises GridError for times with unequal steps."""
    if spacing_kind(times) != "uniform":
        steps = np.diff(times)
        raise GridError(
            f"{name}: {time_name} is not sampled evenly: its steps lie between {steps.min():g} and "
            f"{steps.max():g}; moved data are resampled at even steps.",
            hint="Interpolate the data to even times.",
        )


def check_space(periodic: Mapping[str, bool], name: str) -> None:
    """Raises GridError unless there is one axis of space, and it is periodic."""
    if len(periodic) != 1:
        raise GridError(
            f"{name}: there are {len(periodic)} axes of space ({', '.join(periodic)}); solutions can't be moved "
            "there yet, on one axis they can.",
            hint="`lieapp discover` finds symmetries there too; simulate moved initial states instead.",
        )
    for axis, repeats in periodic.items():
        if not repeats:
            raise GridError(
                f"{name}: {axis} isn't periodic; solutions can't be moved there yet, as they are resampled by "
                f"Fourier series in {axis}.",
                hint=f"`lieapp discover` finds symmetries there too. If solutions repeat over {axis}, give the "
                f"whole period: periodic=[{axis}] in a plugin, no --window {axis}=… of a file.",
            )
