"""Trajectories of an equation from files, to learn from and to judge on."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import xarray as xr

from lieapp.api import PDE
from lieapp.arrays import SAMPLE
from lieapp.config_types import FileData
from lieapp.data.files import read
from lieapp.data.own import OwnAxis, check_once, declared_on, names, periodic_in
from lieapp.data.trajectories import Trajectories
from lieapp.numerics.grid import Axis, Grid
from lieapp.progress import Reporter

UNIFORM = 1e-6
"""Largest relative difference of steps that count as equal."""

WINDOWS = 10
"""Windows in time that few trajectories are cut into."""

FEW = 4
"""Trajectories from which on some are held out whole."""

HELD_OUT = 5
"""One of so many trajectories or windows is held out."""


@dataclass(frozen=True)
class OwnData:
    """Trajectories of files, to learn from and to judge on.

    Args:
        declaration: the equation on the files' region, periodic where their axes are.
        pieces: trajectories on one grid and at the same times each.
        train, held_out: the same divided, or windows in time of too few.
        words: what was done with the files.
        units: in which the axes count that have one.
    """

    declaration: PDE
    pieces: list[Trajectories]
    train: list[Trajectories]
    held_out: list[Trajectories]
    words: list[str]
    units: list[str]

    @property
    def whole(self) -> Trajectories | None:
        """Where both are windows of the same few trajectories, the first of these."""
        return self.pieces[0] if sum(piece.samples for piece in self.pieces) < FEW else None


def own_data(pde: PDE, data: FileData, report: Reporter) -> OwnData:
    """Read files as trajectories of an equation. Raises what `own.described` raises."""
    unknowns, variables = names(pde)
    found = read(
        data.files, data.map, unknowns, variables, data.every, data.window, data.samples, report,
        drop_nan=data.drop_nan,
    )  # fmt: skip
    grids = [[_own_axis(dataset, name) for name in variables] for dataset in found]
    declared = declared_on(pde, data, grids)
    pieces, copies = _distinct(_pieces(found, grids, unknowns))
    train, held_out, words = divided(pieces)
    notes = [str(dataset.attrs["notes"]) for dataset in found if "notes" in dataset.attrs]
    known = {name: found[0][name].attrs.get("units") for name in variables}
    units = [f"{name} is in {unit}" for name, unit in known.items() if unit]
    return OwnData(declared, pieces, train, held_out, [*units, *dict.fromkeys(notes), *copies, words], units)


def undeclared(data: FileData, report: Reporter) -> tuple[list[Trajectories], list[str]]:
    """Trajectories of files without an equation, one piece for each grid, and what is said of copies left out.

    Raises what `files.read` raises, UsageError for a file that is given twice.
    """
    check_once(data.files)
    found = read(
        data.files, data.map, None, None, data.every, data.window, data.samples, report, drop_nan=data.drop_nan
    )  # fmt: skip
    variables = [str(name) for name in found[0].dims if name != SAMPLE]
    grids = [[_own_axis(dataset, name) for name in variables] for dataset in found]
    return _distinct(_pieces(found, grids, [str(name) for name in found[0].data_vars]))


def _pieces(
    found: Sequence[xr.Dataset], grids: Sequence[Sequence[OwnAxis]], unknowns: Sequence[str]
) -> list[Trajectories]:
    """Periodic where all grids have the same period."""
    periodic = set(periodic_in(grids))
    return [
        _trajectories(
            dataset, unknowns, [axis.name for axis in axes], Grid(tuple(_axis(axis, periodic) for axis in axes[1:]))
        )
        for dataset, axes in zip(found, grids, strict=True)
    ]


def _own_axis(dataset: xr.Dataset, name: str) -> OwnAxis:
    line = dataset[name]
    return OwnAxis(name, line.values.astype(np.float64), line.attrs.get("period"))


def _axis(axis: OwnAxis, periodic: set[str]) -> Axis:
    """Open where the files don't share a period."""
    name, points, period, _ = axis
    left, right, count = float(points[0]), float(points[-1]), len(points)
    if period is not None and name in periodic:
        return Axis(name, left, left + period, count, True)
    steps = np.diff(points)
    even = np.allclose(steps, steps.mean(), rtol=UNIFORM, atol=0)
    return Axis(name, left, right, count, nodes=None if even else tuple(points.tolist()))


def _trajectories(
    dataset: xr.Dataset, unknowns: Sequence[str], variables: Sequence[str], grid: Grid
) -> Trajectories:
    values = [torch.as_tensor(dataset[u].transpose(SAMPLE, *variables).values).double() for u in unknowns]
    times = torch.as_tensor(dataset[variables[0]].values.astype(np.float64))
    facts = {k: v for k, v in dataset.attrs.items() if isinstance(v, int | float | str)}
    return Trajectories(times, grid, torch.stack(values, 2), tuple(unknowns), variables[0], facts=facts)


def _distinct(pieces: Sequence[Trajectories]) -> tuple[list[Trajectories], list[str]]:
    """Without copies of trajectories, and what is said of them: they would be judged on themselves."""
    seen: set[bytes] = set()
    found, total = [], 0
    for piece in pieces:
        kept = []
        for k, values in enumerate(piece.values):
            key = hashlib.sha256(values.numpy().tobytes() + piece.time.numpy().tobytes()).digest()
            if key not in seen:
                seen.add(key)
                kept.append(k)
        total += piece.samples
        found += [piece if len(kept) == piece.samples else piece.select(kept)] if kept else []
    left = total - len(seen)
    what = "is a copy of another" if left == 1 else "are copies of others"
    return found, [f"{left} of {total} trajectories {what}; left out"] if left else []


def divided(pieces: Sequence[Trajectories]) -> tuple[list[Trajectories], list[Trajectories], str]:
    """Trajectories to learn from and to judge on: some held out whole, or windows in time of too few.

    Raises DataError if the times are too few for that.
    """
    count = sum(piece.samples for piece in pieces)
    if count >= FEW:
        train, held_out, n = [], [], 0
        for piece in pieces:
            rest = [k for k in range(piece.samples) if (n + k) % HELD_OUT == HELD_OUT - 1 or n + k == count - 1]
            kept = [k for k in range(piece.samples) if k not in rest]
            train += [piece.select(kept)] if kept else []
            held_out += [piece.select(rest)] if rest else []
            n += piece.samples
        held = sum(piece.samples for piece in held_out)
        return train, held_out, f"{count} trajectories; {held} of them are held out for validation"
    windows = [window for piece in pieces for window in _windows(piece)]
    held_out = windows[HELD_OUT // 2 :: HELD_OUT]
    train = [window for k, window in enumerate(windows) if k % HELD_OUT != HELD_OUT // 2]
    what = "one trajectory" if count == 1 else f"{count} trajectories"
    return train, held_out, (
        f"{what}, cut into {len(windows)} windows in {pieces[0].time_name}; {len(held_out)} of them are held out "
        "for validation"
    )


def _windows(piece: Trajectories) -> Iterator[Trajectories]:
    ends = np.linspace(0, len(piece.time), min(WINDOWS, len(piece.time)) + 1).round().astype(int)
    for start, stop in itertools.pairwise(ends):
        yield replace(piece, time=piece.time[start:stop], values=piece.values[:, start:stop])
