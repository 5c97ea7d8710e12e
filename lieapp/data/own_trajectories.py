"""Trajectories of an equation from files, to learn from and to judge on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from lieapp.api import PDE
from lieapp.arrays import SAMPLE
from lieapp.config_types import FileData
from lieapp.data.files import read
from lieapp.data.own import FEW, HELD_OUT, WINDOWS, OwnAxis, check_once, declared_on, names, periodic_in
from lieapp.data.stretches import (
    LEARNED,
    HasStretches,
    Shelf,
    Stretches,
    distinct,
    is_held_out,
    keys,
    parted,
    read_all,
    trajectories_of,
)
from lieapp.data.trajectories import Trajectories
from lieapp.numerics.tree import Team
from lieapp.progress import Reporter


@dataclass(frozen=True)
class Room:
    """Where more trajectories are kept than are read at once.

    Args:
        chunk: how many are read together; 0: as many as fit.
        team: other processes that read; None if this one does.
    """

    shelf: Shelf
    chunk: int = 0
    team: Team[HasStretches] | None = None


@dataclass(frozen=True)
class OwnData:
    """Trajectories of files, to learn from and to judge on.

    Args:
        declaration: the equation on the files' region, periodic where their axes are.
        pieces: trajectories on one grid and at the same times each.
        train, held_out: the same divided, or windows in time of too few.
        words: what was done with the files.
        units: in which the axes count that have one.
        stretches: that the pieces are; None if everything is in memory.
    """

    declaration: PDE
    pieces: list[Trajectories]
    train: list[Trajectories]
    held_out: list[Trajectories]
    words: list[str]
    units: list[str]
    stretches: Stretches | None = None

    @property
    def whole(self) -> Trajectories | None:
        """Where both are windows of the same few trajectories, the first of these."""
        return self.pieces[0] if sum(piece.samples for piece in self.pieces) < FEW else None


def own_data(pde: PDE, data: FileData, report: Reporter, room: Room | None = None) -> OwnData:
    """Read files as trajectories of an equation.

    Args:
        room: for more than fits into memory; without it, everything is read into memory.

    Raises what `own.described` and `files.read` raise.
    """
    unknowns, variables = names(pde)
    if (stretches := _in_stretches(data, unknowns, variables, room)) is not None:
        return _kept(pde, data, stretches, room, report)
    found = read(
        data.files, data.map, unknowns, variables, data.every, data.window, data.samples, report,
        drop_nan=data.drop_nan,
    )  # fmt: skip
    grids = [[_own_axis(dataset, name) for name in variables] for dataset in found]
    declared = declared_on(pde, data, grids)
    pieces, copies = _distinct(_pieces(found, grids, unknowns))
    train, held_out, words = divided(pieces)
    units = _units(grids[0])
    return OwnData(declared, pieces, train, held_out, [*units, *_notes(pieces), *copies, words], units)


def _in_stretches(
    data: FileData, unknowns: tuple[str, ...] | None, variables: tuple[str, ...] | None, room: Room | None
) -> Stretches | None:
    """Those of files that are worth it."""
    if room is None:
        return None
    stretches = Stretches(data, unknowns, variables, room.shelf, room.chunk)
    return stretches if stretches.worth else None


def _kept(pde: PDE, data: FileData, stretches: Stretches, room: Room | None, report: Reporter) -> OwnData:
    grids = [grid.axes for grid in stretches.grids]
    copies = read_all(stretches, None if room is None else room.team, report)
    pieces, units = stretches.pieces(), _units(grids[0])
    count = sum(piece.samples for piece in pieces)
    said = [*units, *_notes(pieces), *_copied(copies, stretches.total)]
    declared = declared_on(pde, data, grids)
    train, held_out, words = divided(pieces)
    whole = stretches if count >= FEW else None
    return OwnData(declared, pieces, train, held_out, [*said, words], units, whole)


def _units(axes: Sequence[OwnAxis]) -> list[str]:
    return [f"{axis.name} is in {axis.unit}" for axis in axes if axis.unit]


def _notes(pieces: Sequence[Trajectories]) -> Iterator[str]:
    return iter(dict.fromkeys(str(piece.facts["notes"]) for piece in pieces if "notes" in piece.facts))


def undeclared(data: FileData, report: Reporter, room: Room | None = None) -> tuple[list[Trajectories], list[str]]:
    """Trajectories of files without an equation, and what is said of copies left out.

    Args:
        room: see `own_data`.

    Raises what `files.read` raises, UsageError for a file that is given twice.
    """
    if (stretches := _in_stretches(data, None, None, room)) is not None:
        copies = read_all(stretches, None, report)
        return stretches.pieces(), _copied(copies, stretches.total)
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
        trajectories_of(dataset, unknowns, axes, periodic) for dataset, axes in zip(found, grids, strict=True)
    ]


def _own_axis(dataset: xr.Dataset, name: str) -> OwnAxis:
    line = dataset[name]
    points = line.values.astype(np.float64)
    return OwnAxis(name, points, line.attrs.get("period"), str(line.attrs.get("units", "")))


def _distinct(pieces: Sequence[Trajectories]) -> tuple[list[Trajectories], list[str]]:
    """Without copies of trajectories, and what is said of them: they would be judged on themselves."""
    left = distinct([keys(piece) for piece in pieces])
    found = [
        piece if len(rows) == piece.samples else piece.select(rows)
        for piece, rows in zip(pieces, left, strict=True)
    ]
    total, count = (sum(piece.samples for piece in some) for some in (pieces, found))
    return [piece for piece in found if piece.samples], _copied(total - count, total)


def _copied(count: int, total: int) -> list[str]:
    what = "is a copy of another" if count == 1 else "are copies of others"
    return [f"{count} of {total} trajectories {what}; left out"] if count else []


def divided(pieces: Sequence[Trajectories]) -> tuple[list[Trajectories], list[Trajectories], str]:
    """Trajectories to learn from and to judge on: some held out whole, or windows in time of too few."""
    count = sum(piece.samples for piece in pieces)
    if count >= FEW:
        kept = all(LEARNED in piece.facts for piece in pieces)
        train, held_out = _apart(pieces) if kept else _every_fifth(pieces, count)
        read_in = f", read in {len(pieces)} stretch{'es' * (len(pieces) > 1)}" if kept else ""
        held = sum(piece.samples for piece in held_out)
        return train, held_out, f"{count} trajectories{read_in}; {held} of them are held out for validation"
    windows = [window for piece in pieces for window in _windows(piece)]
    held_out = windows[HELD_OUT // 2 :: HELD_OUT]
    train = [window for k, window in enumerate(windows) if k % HELD_OUT != HELD_OUT // 2]
    what = "one trajectory" if count == 1 else f"{count} trajectories"
    return train, held_out, (
        f"{what}, cut into {len(windows)} windows in {pieces[0].time_name}; {len(held_out)} of them are held out "
        "for validation"
    )


def _every_fifth(
    pieces: Sequence[Trajectories], count: int
) -> tuple[list[Trajectories], list[Trajectories]]:  # fmt: skip
    train, held_out, n = list[Trajectories](), list[Trajectories](), 0
    for piece in pieces:
        rest = [k for k in range(piece.samples) if is_held_out(n + k, count)]
        kept = [k for k in range(piece.samples) if k not in rest]
        train += [piece.select(kept)] if kept else []
        held_out += [piece.select(rest)] if rest else []
        n += piece.samples
    return train, held_out


def _apart(pieces: Sequence[Trajectories]) -> tuple[list[Trajectories], list[Trajectories]]:
    """Those of kept stretches, which aren't copied into memory."""
    both = zip(*map(parted, pieces), strict=True)
    train, held_out = ([piece for piece in some if piece.samples] for some in both)
    return train, held_out


def _windows(piece: Trajectories) -> Iterator[Trajectories]:
    ends = np.linspace(0, len(piece.time), min(WINDOWS, len(piece.time)) + 1).round().astype(int)
    for start, stop in itertools.pairwise(ends):
        yield replace(piece, time=piece.time[start:stop], values=piece.values[:, start:stop])
