"""Trajectories of files in stretches, more than a memory holds: each is read once and kept in a file of its own.

Which trajectories are held out follows from their places in the files, so that whoever is free may read a stretch:
this process, or one of a team (`numerics.tree`). Kept files are mapped into memory; what is used of them is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import operator
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
import xarray as xr

from lieapp.arrays import SAMPLE
from lieapp.config_types import FileData
from lieapp.data.files import Cut, changed, known_by
from lieapp.data.grids import parts
from lieapp.data.opening import all_readers, moving, place_of
from lieapp.data.own import (
    HELD_OUT,
    OwnAxis,
    Stretch,
    counted_grids,
    in_stretches,
    periodic_in,
    stretches_of,
)
from lieapp.data.trajectories import Trajectories
from lieapp.errors import DataError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.tree import Team
from lieapp.progress import Reporter, SilentReporter

UNIFORM = 1e-6
"""Largest relative difference of steps that count as equal."""

LEARNED = "to_learn_from"
"""The fact of a kept stretch that says how many of its trajectories are there to learn from: the first ones."""

BEFORE, TOTAL = "before", "in_all"
"""Facts of a kept stretch: how many trajectories come before, and how many there are, of those that count."""


@runtime_checkable
class Shelf(Protocol):
    """Where stretches are kept; see `runs.store.checkpoint.Checkpoint`."""

    folder: Path

    def save_data(self, data: Trajectories, name: str) -> None:
        """Keep trajectories under a name."""

    def data(self, name: str) -> Trajectories | None:
        """What is kept under a name, checked; None if there is nothing."""

    def mapped(self, name: str) -> Trajectories:
        """The same, whose values are read as they are used."""


class Stretches:
    """The stretches of files.

    Args:
        unknowns, variables: names of the equation; None: those of the files.
        chunk: how many trajectories a stretch has; 0: as many as CHUNK bytes hold.

    Raises what `own.counted_grids` raises.
    """

    def __init__(
        self, data: FileData, unknowns: tuple[str, ...] | None, variables: tuple[str, ...] | None, shelf: Shelf,
        chunk: int = 0,
    ) -> None:  # fmt: skip
        self._data, self._named, self._shelf, self._chunk = data, (unknowns, variables), shelf, chunk
        self._known = {file: known_by(Path(file)) for file in data.files}
        self.grids = counted_grids(data, unknowns, variables)
        self.total = sum(grid.samples for grid in self.grids)
        self._periodic = frozenset(periodic_in([grid.axes for grid in self.grids]))
        self.all = stretches_of(self.grids, chunk)

    @property
    def worth(self) -> bool:
        """See `own.in_stretches`."""
        return in_stretches(self._data, self.grids, self._chunk)

    def name(self, number: int) -> str:
        """Under which a stretch is kept."""
        return f"data/{number:05d}"

    def check_disk(self) -> None:
        """Raises DataError unless the disk of the shelf has room for the stretches that aren't there yet."""
        folder = self._shelf.folder
        missing = [one for n, one in enumerate(self.all) if not (folder / f"{self.name(n)}.safetensors").exists()]
        needed, free = sum(one.bytes for one in missing), shutil.disk_usage(folder.parent).free
        if needed > free:
            raise DataError(
                f"{sum(len(one.rows) for one in missing)} trajectories take {needed / 1e9:.3g} GB; the disk of "
                f"{folder.parent} has {free / 1e9:.3g} GB.",
                hint="Give --out, or TMPDIR where this is the temporary folder, a folder on a larger disk; or read "
                "fewer: --samples, --every or --window.",
            )

    def read(self, numbers: Sequence[int], report: Reporter | None = None) -> list[list[bytes]]:
        """Read stretches, unless they are there already: what tells each of their trajectories from any other.

        Raises what `files.read` raises, DataError for a file that was written anew since a stretch of it was kept.
        """
        report, found = report or SilentReporter(), list[list[bytes]]()
        total, done = sum(self.all[number].bytes for number in numbers), 0
        report.progress(0, total, _far(0, total))
        for _, group in itertools.groupby(numbers, key=lambda number: self.all[number].grid.file):
            with contextlib.ExitStack() as stack:
                load: Callable[[Stretch, Reporter, int, int], Trajectories] | None = None
                for number in group:
                    one, data = self.all[number], self._shelf.data(self.name(number))
                    if data is None:
                        # a file of many stretches is opened once
                        load = load or stack.enter_context(self._opened(one.grid.file))
                        data = _apart(load(one, report, done, total), one.first, self.total)
                        self._shelf.save_data(data, self.name(number))
                    elif not self._is_of(data, one.grid.file):
                        raise changed(one.grid.file)
                    found.append(keys(data.select(_order(data))))
                    done += one.bytes
                    report.progress(done, total, _far(done, total))
        return found

    @contextlib.contextmanager
    def _opened(self, file: str) -> Iterator[Callable[[Stretch, Reporter, int, int], Trajectories]]:
        data = self._data
        with parts(Path(file), data.map, *self._named, all_readers()) as grids:
            self._check_still(file)

            def load(one: Stretch, report: Reporter, done: int, total: int) -> Trajectories:
                part = grids[one.grid.place]
                part = replace(part, samples=part.samples[one.rows.start : one.rows.stop])
                try:
                    dataset = Cut.of(part, data.every, data.window).load(
                        report, done, total, before=one.first, stretch=True
                    )
                except DataError:
                    # of a file that changed that is why
                    self._check_still(file)
                    raise
                self._check_still(file)
                return trajectories_of(dataset, one.grid.unknowns, one.grid.axes, self._periodic)

            yield load

    def _check_still(self, file: str) -> None:
        if not place_of(Path(file)).exists():
            raise DataError(
                f"{file} vanished while it was read.", hint="Put it back, then start again or resume the run."
            )
        if known_by(Path(file)) != self._known[file]:
            raise moving(Path(file))

    def _is_of(self, data: Trajectories, file: str) -> bool:
        """Whether a file is as it was when a stretch of it was kept."""
        return all(data.facts.get(key) == value for key, value in self._known[file].items())

    def pieces(self) -> list[Trajectories]:
        """All trajectories, once they are read, one piece of each stretch of which any are left."""
        found = [self._shelf.mapped(self.name(number)) for number in range(len(self.all))]
        return [piece for piece in found if piece.samples]

    def leave_out(self, known: Sequence[Sequence[bytes]]) -> int:
        """Leave out copies of trajectories, which would be judged on themselves; how many there were.

        Args:
            known: what `read` gave of each stretch.

        Raises DataError for a file that changed meanwhile.
        """
        for file in self._known:
            self._check_still(file)
        left = distinct(known)
        total, before = sum(map(len, left)), 0
        for number, (rows, every) in enumerate(zip(left, known, strict=True)):
            data = self._shelf.mapped(self.name(number))
            if not self._is_of(data, self.all[number].grid.file):  # others read it
                raise moving(Path(self.all[number].grid.file))
            if len(rows) < len(every) or _held(len(rows), before, total) != _held(len(rows), *_place(data)):
                inside = _order(data)
                self._shelf.save_data(
                    _apart(data.select([inside[row] for row in rows]), before, total), self.name(number)
                )
            before += len(rows)
        return self.total - total


def _far(done: int, total: int) -> str:
    return f"{done / 2**20:.1f} of {total / 2**20:.1f} MiB read"


def _held(count: int, before: int, total: int) -> list[int]:
    """Which of so many trajectories are held out, where others come before."""
    return [k for k in range(count) if is_held_out(before + k, total)]


def _apart(data: Trajectories, before: int, total: int) -> Trajectories:
    """Those to learn from before those that are held out; `data` are in the order of the file."""
    held = _held(data.samples, before, total)
    kept = sorted({*range(data.samples)} - {*held})
    return replace(data.select(kept + held), facts={**data.facts, LEARNED: len(kept), BEFORE: before, TOTAL: total})


def _place(data: Trajectories) -> tuple[int, int]:
    """How many trajectories come before those of a kept stretch, and how many there are."""
    return int(data.facts[BEFORE]), int(data.facts[TOTAL])


def _order(data: Trajectories) -> list[int]:
    """The places in a kept stretch of its trajectories in the order of the file."""
    held = {*_held(data.samples, *_place(data))}
    kept, later = itertools.count(), itertools.count(data.samples - len(held))
    return [next(later if k in held else kept) for k in range(data.samples)]


def trajectories_of(
    dataset: xr.Dataset, unknowns: Sequence[str], axes: Sequence[OwnAxis], periodic: Collection[str]
) -> Trajectories:  # fmt: skip
    """What was read of one grid, whose axes are `axes`, time first; those that aren't among `periodic` are open."""
    time, *space = (axis.name for axis in axes)
    values = [torch.as_tensor(dataset[u].transpose(SAMPLE, time, *space).values).double() for u in unknowns]
    times = torch.as_tensor(dataset[time].values.astype(np.float64))
    facts = {k: v for k, v in dataset.attrs.items() if isinstance(v, int | float | str)}
    grid = Grid(tuple(_axis(axis, periodic) for axis in axes[1:]))
    return Trajectories(times, grid, torch.stack(values, 2), tuple(unknowns), time, facts=facts)


def _axis(axis: OwnAxis, periodic: Collection[str]) -> Axis:
    name, points, period, _ = axis
    left, right, count = float(points[0]), float(points[-1]), len(points)
    if period is not None and name in periodic:
        return Axis(name, left, left + period, count, True)
    steps = np.diff(points)
    even = np.allclose(steps, steps.mean(), rtol=UNIFORM, atol=0)
    return Axis(name, left, right, count, nodes=None if even else tuple(points.tolist()))


def keys(data: Trajectories) -> list[bytes]:
    """What tells each trajectory from any other: its values, its times, and its points of space."""
    where = b"".join(line.numpy().tobytes() for line in (data.time, *map(Axis.coordinates, data.grid.axes)))
    return [hashlib.sha256(values.numpy().tobytes() + where).digest() for values in data.values]


def distinct(known: Sequence[Sequence[bytes]]) -> list[list[int]]:
    """The places of keys that weren't there before, in each of the sequences."""
    seen, found = set[bytes](), list[list[int]]()
    for some in known:
        new = []
        for row, key in enumerate(some):
            if key not in seen:
                seen.add(key)
                new.append(row)
        found.append(new)
    return found


def is_held_out(number: int, total: int) -> bool:
    """Whether a trajectory of so many is there to judge on: every fifth one, and the last."""
    return number % HELD_OUT == HELD_OUT - 1 or number == total - 1


def parted(data: Trajectories) -> tuple[Trajectories, Trajectories]:
    """The trajectories of a kept stretch: those to learn from, and those to judge on."""
    cut = int(data.facts[LEARNED])
    return data.select(slice(0, cut)), data.select(slice(cut, None))


@runtime_checkable
class HasStretches(Protocol):
    """What a process of a team has at hand of a run on files."""

    stretches: Stretches


def read_one(number: int, keeper: HasStretches) -> list[list[bytes]]:
    """A task of a team: one stretch."""
    return keeper.stretches.read([number])


def read_all(stretches: Stretches, team: Team[HasStretches] | None, report: Reporter) -> int:
    """Have all stretches read; how many copies were left out. Raises what `Stretches.read` raises."""
    count = len(stretches.all)
    stretches.check_disk()
    if team is None:
        known = stretches.read(range(count), report)
    else:
        tasks = (partial(read_one, number) for number in range(count))
        known = team.merged(tasks, operator.add, lambda done: report.progress(done, count, "stretches read"))
    return stretches.leave_out(known)
