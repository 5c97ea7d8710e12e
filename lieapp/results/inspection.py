"""What `lieapp inspect` tells of a file; the struct is its JSON."""

from __future__ import annotations

from typing import Literal

import msgspec

from lieapp.arrays import Attribute

AxisKind = Literal["periodic", "open", "chebyshev", "uneven"]
"""What is measured of an axis."""


class ArrayRow(msgspec.Struct, frozen=True):
    """An array of the file; `role` is unknown, axis, sample or parameter, `reason` says why."""

    name: str
    shape: list[int]
    unit: str
    role: str
    reason: str


class AxisRow(msgspec.Struct, frozen=True):
    """An axis, the evolution variable first, from `low` to `high`.

    Args:
        spacing: None if it isn't constant.
        end_stored: whether the last point repeats the first; it is left out when the file is read.
        period: of a periodic axis.
        since: the date of 0, where the file has dates.
        reason: what was measured.
    """

    name: str
    points: int
    spacing: float | None
    kind: AxisKind
    end_stored: bool
    low: float
    high: float
    unit: str
    period: float | None
    since: str
    reason: str


class Asked(msgspec.Struct, frozen=True):
    """What the file doesn't say, and the value of --map that says it; STEP stands for a number."""

    text: str
    mapping: str


class Inspection(msgspec.Struct, kw_only=True, frozen=True):
    """A file as it is understood.

    Args:
        bytes: its size.
        attributes: of the file.
        axes: empty while a question is open; of the first grid if there are several.
        samples: number of trajectories, on all grids; they take `loaded` bytes in double precision.
        missing: share of values that are NaN or infinite, among those looked at.
        mapping: the value of --map that says the same; empty while a question is open.
        noise: standard deviation of white noise over that of the values, about or at most; `noise_by` says how it
            was measured.
        next: the command to type next.
    """

    file: str
    format: str
    layout: str
    bytes: int
    arrays: list[ArrayRow]
    attributes: dict[str, Attribute]
    axes: list[AxisRow]
    samples: int
    loaded: int
    grids: int
    unknowns: list[str]
    missing: float | None
    noise: float | None
    noise_by: str
    notes: list[str]
    mapping: str
    questions: list[Asked]
    next: str
