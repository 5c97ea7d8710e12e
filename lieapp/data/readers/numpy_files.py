"""Arrays of NumPy: .npy is mapped, the members of .npz are read one at a time; nothing is unpickled."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from lieapp.arrays import COMPONENT, SAMPLE, Array, Contents, Index, held
from lieapp.errors import DataError

MOST = 2**30
"""A member of .npz has no random access; it is read whole, up to this many bytes."""


def open_npy(path: Path) -> Contents:
    """One array, mapped into memory."""
    # allow_pickle=False is the default; objects raise ValueError
    return Contents("npy", (held(path.stem, np.load(path, mmap_mode="r", allow_pickle=False)),))


def open_npz(path: Path) -> Contents:
    """The members, by their headers; arrays of objects are listed but never opened."""
    with zipfile.ZipFile(path) as archive:
        members = [name for name in archive.namelist() if name.endswith(".npy")]
        arrays = [_member(path, name, *_header(archive, name)) for name in members]
    return Contents("npz", tuple(arrays))


def _header(archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype]:
    with archive.open(name) as stream:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(stream)
    return shape, dtype


def _member(path: Path, member: str, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    name = member.removesuffix(".npy")
    kept: list[Any] = []

    def load(index: Index) -> Any:
        if dtype.hasobject:
            raise DataError(
                f"{path}: {name} is an array of objects, a pickle, which isn't opened: it could run any program.",
                hint="Save it as an array of numbers.",
            )
        if not kept:
            if dtype.itemsize * int(np.prod(shape)) > MOST:
                raise DataError(
                    f"{path}: {name} takes more than 1 GB, and .npz can only be read whole.",
                    hint="Save it by np.save(…) as .npy, which is read in parts.",
                )
            with np.load(path, allow_pickle=False) as archive:
                kept.append(archive[name])
        return kept[0][index]

    return Array(name, shape, dtype.kind, load, bytes=dtype.itemsize)


def apebench(contents: Contents, path: Path) -> list[Contents] | None:
    """`name_train.npy` beside `name.json`: (sample, t, component, x…), the grid from the JSON."""
    described = path.with_name(f"{path.stem.rpartition('_')[0]}.json")
    if not described.is_file():
        return None
    try:
        found = dict(_flat(json.loads(described.read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        raise DataError(f"{described} can't be read: {error}.", hint=f"It describes the grid of {path}.") from None
    (u,) = contents.arrays
    space = ("x", "y", "z")[: len(u.shape) - 3]
    if not space:
        return None
    dims = (SAMPLE, "t", COMPONENT, *space)
    steps = {"t": found.get("dt"), **{d: found.get("domain_extent", 1.0) / u.shape[dims.index(d)] for d in space}}
    axes = [
        held(d, step * np.arange(u.shape[dims.index(d)]), dims=(d,), role="axis", reason="from the JSON")
        for d, step in steps.items() if step
    ]  # fmt: skip
    u = replace(u, dims=dims, role="unknown", reason="the array of APEBench")
    return [replace(contents, arrays=(u, *axes), attributes=found)]


def _flat(value: Any) -> Iterator[tuple[str, float]]:
    """The numbers in a JSON object, by their names, from inside out."""
    for key, item in value.items() if isinstance(value, dict) else ():
        yield from _flat(item)
        if isinstance(item, float | int) and not isinstance(item, bool):
            yield key, float(item)
