"""MATLAB files: up to version 7 by SciPy, whole; 7.3 is HDF5 with axes reversed, read by slices.

pymatreader reads both, but it loads all of a 7.3 file, which may be larger than memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

import h5py
import numpy as np
import scipy.io

from lieapp.arrays import Array, Contents, Index, held
from lieapp.errors import DataError

MOST, PIECE = 2**30, 2**20
"""Bytes that the compressed variables of a file may take, and that are unpacked at a time."""

Order = Literal["little", "big"]

HEADER, MATRIX, COMPRESSED = 128, 14, 15
"""Bytes in front of the first variable, and the types of an array and of a variable that is compressed."""

KINDS = frozenset((*range(1, 8), 9, 12, 13, MATRIX, 16, 17, 18))
"""Types of what an array is made of: numbers, texts and arrays inside. At any other one SciPy's reader crashes."""

DEEPEST = 40
"""Levels of arrays inside arrays."""


def open_level5(path: Path) -> Contents:
    """Arrays; the elements of cells as `xs{1}`, the fields of structures as `s.x`."""
    _check_unpacked(path)
    found = scipy.io.loadmat(path)
    arrays = [array for name, value in found.items() if name[:2] != "__" for array in _parts(name, value)]
    return Contents("matlab", tuple(arrays))


def _check_unpacked(path: Path) -> None:
    """Raises DataError if the compressed variables of a file of version 5 take more than MOST bytes together.

    Also for types that there aren't in the others, see `_check_kinds`; compressed ones bear a checksum. Each
    stands behind 8 bytes, its type and its length; all of them are unpacked piece by piece, and dropped.
    """
    total = 0
    with path.open("rb") as stream:
        head = stream.read(HEADER)
        order: Order = "little" if head[-2:] == b"IM" else "big"
        while len(tag := stream.read(8)) == 8:
            kind, length = (int.from_bytes(part, order) for part in (tag[:4], tag[4:]))
            if kind != COMPRESSED:
                end = stream.tell() + length
                if kind == MATRIX:
                    _check_kinds(path, stream, end, order)
                stream.seek(end)
                continue
            unpacker = zlib.decompressobj()
            while length and (piece := stream.read(min(PIECE, length))):
                length -= len(piece)
                while piece:
                    total += len(unpacker.decompress(piece, PIECE))
                    piece = unpacker.unconsumed_tail
                    if total > MOST:
                        raise DataError(
                            f"{path}: its compressed variables take more than {MOST / 2**30:g} GiB unpacked.",
                            hint="Save it with -v7.3: such files are read in parts.",
                        )


def _check_kinds(path: Path, stream: BinaryIO, end: int, order: Order, depth: int = 0) -> None:
    """Raises DataError if a part of an array, which ends there, has a type that there isn't.

    A part stands behind 8 bytes, its type and length, and is filled up to a multiple of 8; up to four bytes stand
    in those themselves, which then begin with the length.
    """
    while stream.tell() < end and len(tag := stream.read(8)) == 8:
        word, length = (int.from_bytes(part, order) for part in (tag[:4], tag[4:]))
        kind, is_short = word & 0xFFFF, word >> 16 > 0
        if (kind if is_short else word) not in KINDS or depth > DEEPEST:
            raise DataError(
                f"{path}: an array in it has a part of type {kind}, which MATLAB files don't have.",
                hint="The file is damaged: write or download it again.",
            )
        if is_short:
            continue
        after = stream.tell() + length
        if kind == MATRIX:
            _check_kinds(path, stream, after, order, depth + 1)
        stream.seek(after + -length % 8)


def _parts(name: str, value: np.ndarray) -> Iterator[Array]:
    if value.dtype.names:
        for key in value.dtype.names:
            for i, item in enumerate(value[key].ravel()):
                yield from _parts(f"{name}.{key}" if value.size == 1 else f"{name}({i + 1}).{key}", item)
    elif value.dtype.kind == "O":
        for i, item in enumerate(value.ravel()):
            if isinstance(item, np.ndarray):
                yield from _parts(name if value.size == 1 else f"{name}{{{i + 1}}}", item)
    else:
        yield held(name, value)


def open_level7(path: Path) -> Contents:
    """Arrays of a 7.3 file in MATLAB's own order of axes, with cells and structures as in older files."""
    file = h5py.File(path, "r")
    arrays = [array for name in file if name[:1] != "#" for array in _nodes(file, name, file[name])]
    return Contents("matlab73", tuple(arrays), close=file.close)


def _nodes(file: h5py.File, name: str, node: Any) -> Iterator[Array]:
    if isinstance(node, h5py.Group):
        for key in node:
            yield from _nodes(file, f"{name}.{key}", node[key])
    elif node.dtype == h5py.ref_dtype:
        for i, reference in enumerate(np.asarray(node).T.ravel()):
            yield from _nodes(file, name if node.size == 1 else f"{name}{{{i + 1}}}", file[reference])
    elif "MATLAB_empty" not in node.attrs:
        yield _reversed(name, node)


def _reversed(name: str, node: h5py.Dataset) -> Array:
    parts = node.dtype.names == ("real", "imag")

    def load(index: Index) -> Any:
        values = node[index[::-1]]
        return (values["real"] + 1j * values["imag"] if parts else values).T

    kind = "c" if parts else "U" if node.attrs.get("MATLAB_class") == b"char" else node.dtype.kind
    return Array(name, node.shape[::-1], kind, load, bytes=node.dtype.itemsize)
