"""Arrays of NumPy: .npy and large members of .npz are mapped, others read one at a time; nothing is unpickled."""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from lieapp.arrays import COMPONENT, SAMPLE, Array, Contents, Index, held
from lieapp.data.readers.shipped import json_of
from lieapp.errors import DataError, not_utf8

MOST = 2**30
"""A compressed member of .npz has no random access; it is read whole, up to this many bytes."""

WHOLE = 2**26
"""Larger members that aren't compressed are mapped; smaller ones read whole, and compared with their checksum."""

LOCAL = struct.Struct("<26xHH")
"""The header in front of a member of a zip file; its last numbers are the lengths of name and extras behind it."""


def open_npy(path: Path) -> Contents:
    """One array, mapped into memory."""
    # allow_pickle=False is the default; objects raise ValueError
    return Contents("npy", (held(path.stem, np.load(path, mmap_mode="r", allow_pickle=False)),))


def open_npz(path: Path) -> Contents:
    """The members, by their headers; arrays of objects are listed but never opened."""
    kept: dict[str, np.ndarray] = {}
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        arrays = [_member(path, info, _header(archive, info), kept) for info in members]
    return Contents("npz", tuple(arrays))


@dataclass(frozen=True)
class _Header:
    """What stands in front of the values: their shape, order and type; and how many bytes it takes itself."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype
    length: int

    @property
    def size(self) -> int:
        """Bytes of the values."""
        return int(self.dtype.itemsize) * math.prod(self.shape)


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Header:
    with archive.open(info) as stream:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        return _Header(*read(stream), stream.tell())


def _member(path: Path, info: zipfile.ZipInfo, head: _Header, kept: dict[str, np.ndarray]) -> Array:
    """`kept` has the members that were read whole, together at most MOST bytes."""
    name = info.filename.removesuffix(".npy")

    def load(index: Index) -> Any:
        if head.dtype.hasobject:
            raise DataError(
                f"{path}: {name} is an array of objects, a pickle, which isn't opened: it could run any program.",
                hint="Save it as an array of numbers.",
            )
        if info.compress_type == zipfile.ZIP_STORED and head.size > WHOLE:
            return _mapped(path, info, head)[index]
        if name not in kept:
            if sum(array.nbytes for array in kept.values()) + head.size > MOST:
                kept.clear()
            kept[name] = _unpacked(path, info, head)
        return kept[name][index]

    return Array(name, head.shape, head.dtype.kind, load, bytes=head.dtype.itemsize)


def _mapped(path: Path, info: zipfile.ZipInfo, head: _Header) -> np.memmap:
    """A member that isn't compressed, mapped into memory: only what is looked at is read."""
    if head.length + head.size > info.file_size:
        raise DataError(
            f"{path}: {info.filename} has fewer values than its header says.", hint="Write or download it again."
        )
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        local = stream.read(LOCAL.size)
    offset = info.header_offset + LOCAL.size + sum(LOCAL.unpack(local)) + head.length
    return np.memmap(path, head.dtype, "r", offset, head.shape, "F" if head.fortran else "C")


def _unpacked(path: Path, info: zipfile.ZipInfo, head: _Header) -> np.ndarray:
    """A member whole; no more is ever unpacked than its header says."""
    if head.size > MOST:
        raise DataError(
            f"{path}: {info.filename} takes {head.size / 2**30:.3g} GiB unpacked. It is compressed and can only be "
            f"read whole, up to {MOST / 2**30:g} GiB.",
            hint="Save it by np.savez(…) or np.save(…), without compression: such files are read in parts.",
        )
    with zipfile.ZipFile(path) as archive, archive.open(info) as stream:
        values: np.ndarray = npy.read_array(stream, allow_pickle=False)
        # at its end a member is compared with its checksum
        stream.read(1)
    return values


def apebench(contents: Contents, path: Path) -> list[Contents] | None:
    """`name_train.npy` beside `name.json`: (sample, t, component, x…), the grid from the JSON."""
    described = json_of(path)
    if not described.is_file():
        return None
    try:
        found = dict(_flat(json.loads(described.read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        why = not_utf8(error) if isinstance(error, UnicodeDecodeError) else error
        raise DataError(f"{described} can't be read: {why}.", hint=f"It describes the grid of {path}.") from None
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
