"""What the runs of a grid of settings found: a line for each cell, and a table with the spread over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean, stdev
from typing import Literal, Self

import msgspec
from msgspec import UNSET, UnsetType

from lieapp.results.base import Compared, Result

Key = dict[str, object]
"""The settings in which the cells of a grid differ."""


class Failure(msgspec.Struct, frozen=True):
    """What ended a cell: the error object of `--json`."""

    type: str
    message: str
    hint: str = ""


class Cell(msgspec.Struct, kw_only=True):
    """One run of a sweep.

    Args:
        key: its place in the grid.
        state: of the run; `missing` if it never began.
        run: its folder; None if there is none.
        count: how many exact fields it found.
    """

    key: Key
    state: str
    run: str | None = None
    count: int | None = None
    error: Failure | UnsetType = UNSET


class Spread(msgspec.Struct, frozen=True):
    """Several values of one number: how many, their mean, their ends and their standard deviation.

    The deviation is √(Σ (v - mean)² / (n - 1)); None of one value.
    """

    n: int
    mean: float
    low: float
    high: float
    deviation: float | None

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Self | None:
        """That of the values that are finite numbers; None if there are none."""
        known = [float(value) for value in values if value is not None and math.isfinite(value)]
        if not known:
            return None
        return cls(len(known), fmean(known), min(known), max(known), stdev(known) if len(known) > 1 else None)


class Row(msgspec.Struct, kw_only=True):
    """The cells that differ in their seed only.

    Args:
        key: what they share.
        cells: how many there are; `done`: how many have a result.
        count: exact fields; `cosine`: the smallest of a run's cosines; `angle`: in radians; `accuracy`: a share.
        seconds: of the whole run.
    """

    key: Key
    cells: int
    done: int
    count: Spread | None = None
    cosine: Spread | None = None
    angle: Spread | None = None
    accuracy: Spread | None = None
    seconds: Spread | None = None


class Sweep(Result, tag_field="result", tag="sweep", kw_only=True):
    """The cells of a grid in its order, and the table over it."""

    cells: list[Cell] = []
    table: list[Row] = []
    seconds: dict[str, float] = {}

    @property
    def level(self) -> Literal["success", "info"]:
        """A success if every cell is done."""
        return "success" if all(cell.state == "done" for cell in self.cells) else "info"

    @property
    def has_results(self) -> bool:
        """Whether a cell is done."""
        return any(cell.state == "done" for cell in self.cells)

    def compared(self) -> Compared:
        return Compared(seconds=self.seconds)
