"""What a run directory holds, read with patience: a missing or half-written piece is absent, no error."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lieapp.reading import UnreadableError, contents, decode_object

LARGEST_ARRAYS = 2**30
"""Bytes of the largest file with arrays that are drawn; runs write a hundredth of it."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Material:
    """Files of one run, as docs/architecture.md describes them.

    Args:
        fields: the arrays of fields.safetensors, by key.
        moved: those of finite.safetensors, of runs that judged their fields at finite size.
        metrics: the lines of metrics.jsonl, oldest first.
    """

    metrics: Sequence[Json]
    fields: Mapping[str, NDArray[np.floating]]
    moved: Mapping[str, NDArray[np.floating]]


def read_material(folder: Path) -> Material:
    """Read everything that a report or a page draws."""
    return Material(
        read_lines(folder / "metrics.jsonl"),
        read_fields(folder / "fields.safetensors"),
        read_fields(folder / "finite.safetensors"),
    )


def read_lines(path: Path) -> list[Json]:
    """The objects of a JSON-lines file; a last line still being written is left for the next reading."""
    try:
        lines = contents(path).splitlines()
    except (OSError, UnreadableError):
        return []
    found = []
    for line in lines:
        with contextlib.suppress(UnreadableError):
            found.append(decode_object(line))
    return found


def read_fields(path: Path) -> dict[str, NDArray[np.floating]]:
    """The arrays of a safetensors file, or none; read with NumPy, so that no page loads torch."""
    from safetensors.numpy import load

    try:
        return dict(load(contents(path, LARGEST_ARRAYS)))
    except _refusals():
        return {}


def _refusals() -> tuple[type[Exception], ...]:
    """What reading a safetensors file raises; the built-in ones also for numbers of a type that NumPy hasn't."""
    from safetensors import SafetensorError

    return (OSError, ValueError, LookupError, TypeError, AttributeError, SafetensorError)


def finite(value: Any) -> float | None:
    """A finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def or_nan(value: Any) -> float:
    """A number that can be drawn; nan leaves a gap."""
    number = finite(value)
    return math.nan if number is None else number


def rounded(value: float) -> float:
    """A flow parameter without float32 rounding errors."""
    return float(f"{float(value):.5g}") if abs(value) > 1e-7 else 0.0


def parts_of(file: Path, place: int, sliced: Sequence[str]) -> dict[str, NDArray[np.floating]]:
    """The arrays of a file; those in `sliced` for one slot only. Empty if it can't be read."""
    from safetensors import safe_open

    try:
        with safe_open(file, framework="numpy") as content:
            found = {}
            for key in content.keys():  # noqa: SIM118  (it is no mapping)
                part = content.get_slice(key)
                if key in sliced:
                    if place >= part.get_shape()[0]:
                        return {}
                    found[key] = part[place]
                elif key != "truth":
                    found[key] = content.get_tensor(key)
            return found
    except _refusals():
        return {}
