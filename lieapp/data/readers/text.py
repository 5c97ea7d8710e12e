"""Tables in text files: a column for each axis and unknown, or COMSOL's tables with a column for each time."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

from lieapp.arrays import SAMPLE, Array, Contents, held
from lieapp.data.roles import meaning
from lieapp.errors import DataError

MOST = 2**28
"""Bytes of a table, which is read whole and takes several times as many in memory."""


def _check_size(path: Path) -> None:
    """Raises DataError for a table of more than MOST bytes."""
    size = path.stat().st_size
    if size > MOST:
        raise DataError(
            f"{path}: a table in a text file of {size / 2**20:.0f} MiB; the most is {MOST / 2**20:.0f} MiB.",
            hint="Write its arrays with numpy.savez or as netCDF: such files are read in parts.",
        )


def open_table(path: Path) -> Contents:
    """Columns t, x, … and unknowns, a row for each point; without names, a table as it stands."""
    _check_size(path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        sample = stream.read(4096)
        separator = max(",;\t", key=sample.count)
        separator = separator if separator in sample else " "
        stream.seek(0)
        rows = csv.reader(stream, delimiter=separator, skipinitialspace=True)
        lines = [[cell for cell in row if cell or separator != " "] for row in rows if row and row[0][:1] != "#"]
    if not lines:
        raise DataError(f"{path} has no lines with values.", hint="Write it again.")
    head = [cell.strip() for cell in lines[0]]
    named = not all(map(_number, head))
    values = _numbers(path, lines[named:], named, len(head))
    if not named:
        return Contents("csv", (held("table", values),))
    axes = [i for i, name in enumerate(head) if meaning(name) in ("t", "x", "y", "z", SAMPLE)]
    if not any(meaning(head[i]) == "t" for i in axes) or len(axes) == len(head):
        return Contents("csv", tuple(held(name, values[:, i]) for i, name in enumerate(head)))
    rest = [i for i in range(len(head)) if i not in axes]
    names, columns = [head[i] for i in axes], [values[:, i] for i in axes]
    return Contents("csv", _gridded(path, names, columns, [head[i] for i in rest], values[:, rest]))


def open_comsol(path: Path) -> Contents:
    """Columns `u (1) @ t=0.1` on the points of the first columns."""
    _check_size(path)
    with path.open(encoding="utf-8") as stream:
        head = ""
        for line in stream:
            if not line.startswith("%"):
                break
            head = line[1:].strip()
    labels = re.findall(r"(\S+)(?: \([^)]*\))? @ (?:\d+: )?t=([-+\d.eE]+)", head)
    try:
        values = np.loadtxt(path, comments="%", ndmin=2, encoding="utf-8")
    except UnicodeDecodeError:
        raise  # told as of any file
    except ValueError as error:
        raise DataError(f"{path}: {error}.", hint="Cells must be numbers or NaN.") from None
    space = values.shape[1] - len(labels)
    if not labels or space < 1:
        raise DataError(
            f"{path}: the last line that begins with % names {len(labels)} columns `name @ t=…`, the table has "
            f"{values.shape[1]} columns.",
            hint="Export the data with the times in columns.",
        )
    names = list(dict.fromkeys(name for name, _ in labels))
    times = np.array([float(t) for name, t in labels if name == names[0]])
    columns = [values[:, i] for i in range(space)]
    wide = values[:, space:].reshape(len(values), -1)
    rows = [np.tile(c, len(times)) for c in columns]
    flat = [
        wide[:, [i for i, (name, _) in enumerate(labels) if name == wanted]].T.ravel() for wanted in names
    ]  # fmt: skip
    axes = ["t", *("x", "y", "z")[:space]]
    found = _gridded(path, axes, [np.repeat(times, len(values)), *rows], names, np.stack(flat, 1))
    return Contents("comsol", found)


def _gridded(
    path: Path, names: list[str], columns: list[np.ndarray], unknowns: list[str], values: np.ndarray
) -> tuple[Array, ...]:
    """Arrays over the axes from one row for each point, in any order. Raises DataError unless the grid is full."""
    points, places = zip(*(np.unique(c, return_inverse=True) for c in columns), strict=True)
    shape = tuple(len(p) for p in points)
    flat = np.ravel_multi_index(places, shape)
    count = np.bincount(flat, minlength=int(np.prod(shape))) if np.prod(shape) <= 100 * len(values) else None
    if count is None or (count != 1).any():
        told = " x ".join(f"{n} {name}" for n, name in zip(shape, names, strict=True))
        twice = 0 if count is None else int((count > 1).sum())
        raise DataError(
            f"{path}: {len(values)} rows don't fill a grid of {told}; {twice} points are there twice.",
            hint="A row is needed for every combination of the axes, once.",
        )
    order = np.argsort(flat)
    axes = [held(name, p, dims=(name,), role="sample" if meaning(name) == SAMPLE else "axis", reason="its name")
            for name, p in zip(names, points, strict=True)]  # fmt: skip
    return (*axes, *(
        held(name, values[order, i].reshape(shape), dims=tuple(names), role="unknown", reason="the other column")
        for i, name in enumerate(unknowns)
    ))  # fmt: skip


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(path: Path, lines: list[list[str]], named: bool, width: int) -> np.ndarray:
    try:
        return np.array([[float(cell or "nan") for cell in line] for line in lines], dtype=np.float64).reshape(
            len(lines), width
        )
    except ValueError:
        for i, line in enumerate(lines):
            bad = next((c for c in line if c.strip() and not _number(c)), None)
            if bad is not None or len(line) != width:
                what = f"{bad!r} isn't a number" if bad is not None else f"{len(line)} cells instead of {width}"
                raise DataError(f"{path}, row {i + 1 + named}: {what}.", hint="Correct the row.") from None
        raise
