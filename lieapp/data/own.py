"""An equation on data of the user's own: the declaration on the files' grids, said without loading values."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sympy as sp

from lieapp.api import PDE
from lieapp.config_types import FileData, real_path
from lieapp.data.files import MOST, Cut, Named, asked, check_alike
from lieapp.data.grids import parts
from lieapp.data.opening import all_readers, stamp
from lieapp.data.sizes import CHUNK
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.parsing import parse_expression
from lieapp.errors import DataError, LieappError, UsageError

SAME = 1e-6
"""Largest relative difference of periods that count as equal."""

FEW = 4
"""Trajectories from which on some are held out whole."""

HELD_OUT = 5
"""One of so many trajectories is held out."""

WINDOWS = 10
"""Windows in time that few trajectories are cut into."""


class OwnAxis(NamedTuple):
    """One axis of a file: its name, its points, its period, None where it isn't periodic, and its unit."""

    name: str
    points: np.ndarray
    period: float | None
    unit: str = ""


class OwnGrid(NamedTuple):
    """One grid of a file: its axes, how many trajectories are on it, its place in the file, and what is on it."""

    axes: list[OwnAxis]
    samples: int
    file: str
    place: int
    unknowns: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """Of a trajectory, in double precision."""
        return 8 * len(self.unknowns) * math.prod(len(axis.points) for axis in self.axes)


@dataclass(frozen=True)
class Stretch:
    """Trajectories of one grid of a file that are read together.

    Args:
        rows: their places among the trajectories of the grid.
        first: how many trajectories come before, in all files.
    """

    grid: OwnGrid
    rows: range
    first: int

    @property
    def bytes(self) -> int:
        """Of them, in double precision."""
        return len(self.rows) * self.grid.bytes


def stretches_of(grids: Sequence[OwnGrid], chunk: int = 0) -> list[Stretch]:
    """The stretches of so many trajectories each; 0: of as many as CHUNK bytes hold."""
    firsts = itertools.accumulate((grid.samples for grid in grids), initial=0)
    return [
        Stretch(grid, range(row, min(row + size, grid.samples)), first + row)
        for grid, first in zip(grids, firsts, strict=False)
        for size in [chunk or max(1, CHUNK // grid.bytes)]
        for row in range(0, grid.samples, size)
    ]


def in_stretches(data: FileData, grids: Sequence[OwnGrid], chunk: int = 0) -> bool:
    """Whether files are read in stretches: they hold more than one should have, and each one can be read."""
    total = sum(grid.samples for grid in grids)
    large = total > chunk if chunk else sum(grid.samples * grid.bytes for grid in grids) > CHUNK
    readable = max(grid.bytes for grid in grids) <= MOST and not data.drop_nan
    return large and readable and total >= FEW


def counts_apart(total: int) -> tuple[int, int]:
    """How many of so many trajectories, or of the windows of few, are there to learn from and to judge on."""
    count = total if total >= FEW else total * WINDOWS
    held_out = -(-count // HELD_OUT)
    return count - held_out, held_out


def names(pde: PDE) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unknowns, and the variables with the evolution variable first."""
    evolution = evolution_form(read_pde(pde))
    variables = [str(x) for x in evolution.jets.independent]
    return evolution.jets.dependent, (variables[evolution.time], *(variables[i] for i in evolution.space))


def described(pde: PDE, data: FileData) -> PDE:
    """The declaration on the grids of files, whose values aren't loaded.

    Raises DataError and UsageError as `files.read` does, UsageError for a parameter that the equation doesn't have.
    """
    return declared_on(pde, data, grids_of(data, *names(pde)))


def check_once(files: Sequence[str]) -> None:
    """Raises UsageError for a file that is given twice."""
    places = [*map(real_path, files)]
    for file, place in zip(files, places, strict=True):
        if places.count(place) > 1:
            raise UsageError(f"{file} is given {places.count(place)} times.", hint="Give each file once.")


def grids_of(
    data: FileData, unknowns: tuple[str, ...], variables: tuple[str, ...]
) -> list[list[OwnAxis]]:  # fmt: skip
    """The axes of each grid in the files, of the evolution variable first. Raises as `counted_grids`."""
    return [grid.axes for grid in counted_grids(data, unknowns, variables)]


def counted_grids(
    data: FileData, unknowns: tuple[str, ...] | None, variables: tuple[str, ...] | None
) -> list[OwnGrid]:  # fmt: skip
    """Each grid in the files, and how many trajectories are read on it.

    Args:
        unknowns, variables: names of the equation; None: those of the files.

    Raises what `files.read` raises, also for units that differ between files; UsageError for a file that is given
    twice: it would be judged on itself.
    """
    check_once(data.files)
    found = [
        _grids(path, stamp(Path(path)), data.map, data.every, data.window, unknowns, variables)
        for path in data.files
    ]  # fmt: skip
    check_alike([Named(g[0].file, g[0].unknowns, {a.name: a.unit for a in g[0].axes}) for g in found])
    grids, left = [], math.inf if data.samples is None else data.samples
    for grid in (grid for grids in found for grid in grids):
        if left > 0:
            grids.append(grid._replace(samples=int(min(grid.samples, left))))
            left -= grid.samples
    return grids


# a form asks for the same grids to check, to warn and to estimate
@functools.lru_cache(maxsize=16)
def _grids(
    path: str, stamp: tuple[int, int], mapping: str, every: str, window: str, unknowns: tuple[str, ...] | None,
    variables: tuple[str, ...] | None,
) -> list[OwnGrid]:  # fmt: skip
    """Each grid of a file; `stamp` tells a file that was written anew."""
    grids: list[OwnGrid] = []
    with parts(Path(path), mapping, unknowns, variables, all_readers()) as found:
        for place, part in enumerate(found):
            for question in part.roles.questions:
                raise asked(Path(path), question)
            cut = Cut.of(part, every, window)
            axes = [
                OwnAxis(a.name, a.points[s], a.measured.period if kind == "periodic" else None, a.unit)
                for a, s, kind in zip(part.axes, cut.index, cut.kinds, strict=True)
            ]
            unknown = tuple(u.name for u in part.roles.unknowns)
            grids.append(OwnGrid(axes, len(part.samples), path, place, unknown))
    return grids


def periodic_in(grids: Sequence[Sequence[OwnAxis]]) -> list[str]:
    """The axes that have the same period in all grids."""
    found = []
    for axes in zip(*grids, strict=True):
        periods = [axis.period or math.inf for axis in axes]
        if min(periods) < math.inf and max(periods) - min(periods) <= SAME * min(periods):
            found.append(axes[0].name)
    return found


def declared_on(pde: PDE, data: FileData, grids: Sequence[Sequence[OwnAxis]]) -> PDE:
    """The declaration on what all grids cover, time first; periodic where all have the same period."""
    symbols = {str(x): x for x in read_pde(pde).jets.independent}
    region: dict[sp.Symbol, tuple[float, float]] = {}
    points: dict[sp.Symbol, int] = {}
    periodic = periodic_in(grids)
    for axes in zip(*grids, strict=True):
        x, first = symbols[axes[0].name], axes[0]
        lines = [axis.points for axis in axes]
        region[x] = (float(min(line[0] for line in lines)), float(max(line[-1] for line in lines)))
        points[x] = max(map(len, lines))
        if first.period and first.name in periodic:
            region[x] = (float(first.points[0]), float(first.points[0] + first.period))
    return replace(
        pde, region={x: region[x] for x in symbols.values()}, points={x: points[x] for x in symbols.values()},
        periodic=[symbols[name] for name in periodic], keep_last=None, transform=None, source=_elsewhere,
        parameters=_parameters(pde, data.parameter),
    )  # fmt: skip


def _elsewhere(samples: int, seed: int) -> Mapping[str, np.ndarray]:
    """The source of a declaration whose data are read from files by `own_data`."""
    raise DataError("the data of this declaration are in files.", hint="Read them with lieapp.data.own.own_data.")


def _parameters(pde: PDE, given: Sequence[str]) -> dict[object, sp.Expr | float]:
    """The declared parameters, with those that were typed as `nu:0.1`."""
    found = dict(pde.parameters)
    known = {str(symbol): symbol for symbol in found}
    for text, (name, number) in zip(given, map(typed_value, given), strict=True):
        if name not in known:
            raise UsageError(
                f"--parameter {text}: the equation has no parameter {name!r}; it has {', '.join(known) or 'none'}.",
                hint="Give the name of a parameter of the plugin, for example --parameter nu:0.1.",
            )
        found[known[name]] = number
    return found


def typed_value(text: str) -> tuple[str, sp.Expr]:
    """Name and value of a parameter that was typed as `nu:0.1`. Raises UsageError if that isn't a number."""
    name, _, value = (part.strip() for part in text.partition(":"))
    try:
        number = parse_expression(value, {"pi": sp.pi})
    except LieappError:
        number = sp.nan
    if not number.is_finite or not number.is_real:
        raise UsageError(
            f"--parameter {text}: {value!r} isn't a number.",
            hint=f"For example {name or 'nu'}:0.1 or {name or 'nu'}:0.01/pi.",
        )
    return name, number
