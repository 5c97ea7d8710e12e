"""An equation on data of the user's own: the declaration on the files' grids, and their trajectories."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import sympy as sp
import torch
import xarray as xr

from lieapp.api import PDE
from lieapp.arrays import SAMPLE
from lieapp.config_types import FileData
from lieapp.data.files import Cut, asked, read
from lieapp.data.grids import parts
from lieapp.data.opening import all_readers
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.parsing import parse_expression
from lieapp.errors import DataError, LieappError, UsageError
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
        train, held_out: pieces on one grid and at the same times each.
        words: what was done with the files.
    """

    declaration: PDE
    train: list[Trajectories]
    held_out: list[Trajectories]
    words: list[str]


def names(pde: PDE) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unknowns, and the variables with the evolution variable first."""
    evolution = evolution_form(read_pde(pde))
    variables = [str(x) for x in evolution.jets.independent]
    return evolution.jets.dependent, (variables[evolution.time], *(variables[i] for i in evolution.space))


def described(pde: PDE, data: FileData) -> PDE:
    """The declaration on the grids of files, whose values aren't loaded.

    Raises DataError and UsageError as `files.read` does, UsageError for a parameter that the equation doesn't have.
    """
    unknowns, variables = names(pde)
    lines = []
    for path in data.files:
        with parts(Path(path), data.map, unknowns, variables, all_readers()) as grids:
            for part in grids:
                for question in part.roles.questions:
                    raise asked(Path(path), question)
                cut = Cut.of(part, data.every, data.window)
                rows = zip(part.axes, cut.index, cut.kinds, strict=True)
                lines.append([_axis(a.name, a.points[s], kind, a.measured.period) for a, s, kind in rows])
    return _declared(pde, data, [Grid(tuple(axes[1:])) for axes in lines], [axes[0] for axes in lines])


def own_data(pde: PDE, data: FileData, report: Reporter) -> OwnData:
    """Read files as trajectories of an equation. Raises what `described` raises."""
    unknowns, variables = names(pde)
    found = read(data.files, data.map, unknowns, variables, data.every, data.window, data.samples, report)
    pieces = [_trajectories(dataset, unknowns, variables) for dataset in found]
    times = [_axis(variables[0], piece.time.numpy(), "open", None) for piece in pieces]
    declared = _declared(pde, data, [piece.grid for piece in pieces], times)
    periodic = {str(x) for x in declared.periodic}
    pieces = [replace(piece, grid=_opened(piece.grid, periodic)) for piece in pieces]
    train, held_out, words = divided(pieces)
    notes = [str(dataset.attrs["notes"]) for dataset in found if "notes" in dataset.attrs]
    return OwnData(declared, train, held_out, [*dict.fromkeys(notes), words])


def _axis(name: str, points: np.ndarray, kind: str, period: float | None) -> Axis:
    steps = np.diff(points)
    left, right, count = float(points[0]), float(points[-1]), len(points)
    if kind == "periodic" and period is not None:
        return Axis(name, left, left + period, count, True)
    if np.allclose(steps, steps.mean(), rtol=UNIFORM, atol=0):
        return Axis(name, left, right, count)
    return Axis(name, left, right, count, nodes=tuple(points.tolist()))


def _trajectories(dataset: xr.Dataset, unknowns: Sequence[str], variables: Sequence[str]) -> Trajectories:
    time, *space = variables
    grid = Grid(tuple(
        _axis(x, dataset[x].values, str(dataset[x].attrs["kind"]), dataset[x].attrs.get("period")) for x in space
    ))  # fmt: skip
    values = [torch.as_tensor(dataset[u].transpose(SAMPLE, *variables).values).double() for u in unknowns]
    times = torch.as_tensor(dataset[time].values.astype(np.float64))
    facts = {k: v for k, v in dataset.attrs.items() if isinstance(v, int | float | str)}
    return Trajectories(times, grid, torch.stack(values, 2), tuple(unknowns), time, facts=facts)


def _declared(pde: PDE, data: FileData, grids: Sequence[Grid], times: Sequence[Axis]) -> PDE:
    """The declaration on what all grids cover; periodic where all have the same period."""
    symbols = {str(x): x for x in read_pde(pde).jets.independent}
    region = {symbols[times[0].name]: (min(t.left for t in times), max(t.right for t in times))}
    points = {symbols[times[0].name]: max(t.points for t in times)}
    periodic = []
    for axes in zip(*(grid.axes for grid in grids), strict=True):
        x = symbols[axes[0].name]
        same = all(axis.periodic and math.isclose(axis.length, axes[0].length, rel_tol=UNIFORM) for axis in axes)
        region[x] = (min(a.left for a in axes), max(a.right for a in axes))
        points[x] = max(a.points for a in axes)
        if same:
            periodic.append(x)
            region[x] = (axes[0].left, axes[0].right)
    order = dict.fromkeys(symbols.values())
    return replace(
        pde, region={x: region[x] for x in order}, points={x: points[x] for x in order}, periodic=periodic,
        keep_last=None, transform=None, source=_elsewhere, parameters=_parameters(pde, data.parameter),
    )  # fmt: skip


def _elsewhere(samples: int, seed: int) -> dict[str, np.ndarray]:
    """The source of a declaration whose data are read from files by `own_data`."""
    raise DataError("the data of this declaration are in files.", hint="Read them with lieapp.data.own.own_data.")


def _opened(grid: Grid, periodic: set[str]) -> Grid:
    """Axes that aren't periodic for all files are open."""
    return Grid(tuple(
        axis if not axis.periodic or axis.name in periodic
        else Axis(axis.name, axis.left, axis.right - axis.spacing, axis.points)
        for axis in grid.axes
    ))  # fmt: skip


def _parameters(pde: PDE, given: Sequence[str]) -> dict[object, float]:
    """The declared parameters, with those that were typed as `nu:0.1`."""
    found = dict(pde.parameters)
    known = {str(symbol): symbol for symbol in found}
    for text in given:
        name, _, value = text.partition(":")
        if name.strip() not in known:
            raise UsageError(
                f"--parameter {text}: the equation has no parameter {name.strip()!r}; it has "
                f"{', '.join(known) or 'none'}.",
                hint="Give the name of a parameter of the plugin, for example --parameter nu:0.1.",
            )
        try:
            number = parse_expression(value.strip(), {"pi": sp.pi})
        except LieappError:
            number = sp.nan
        if not number.is_finite or not number.is_real:
            raise UsageError(
                f"--parameter {text}: {value.strip()!r} isn't a number.",
                hint=f"For example {name.strip()}:0.1 or {name.strip()}:0.01/pi.",
            )
        found[known[name.strip()]] = number
    return found


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
