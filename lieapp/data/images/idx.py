"""MNIST-type files: idx1 of labels and idx3 of pictures, plain or compressed with gzip.

Layout (http://yann.lecun.com/exdb/mnist): two zero bytes, a type code, the number of axes, each axis's length as a
big-endian 32-bit number, then the values row by row.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np

from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.errors import DataError

TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}

PREFIXES = {"train": ("train",), "test": ("t10k", "test")}
"""How the files of each part begin."""


def read_idx(file: Path) -> np.ndarray:
    """The array of one idx file. Raises DataError if it isn't one, or isn't whole."""
    content = _content(file)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in TYPES or not content[3]:
        raise DataError(
            f"{file}: not an idx file: it begins with {content[:4].hex(' ') or 'nothing'}.",
            hint="An MNIST-style file begins with 00 00 08 01 (labels) or 00 00 08 03 (pictures).",
        )
    kind, start = np.dtype(TYPES[content[2]]), 4 + 4 * content[3]
    shape = [int.from_bytes(content[i : i + 4], "big") for i in range(4, start, 4)]
    there, wanted = len(content) - start, math.prod(shape) * kind.itemsize
    if there != wanted:
        raise DataError(
            f"{file}: {max(there, 0)} bytes of values where its header, {' x '.join(map(str, shape))}, asks for "
            f"{wanted}.",
            hint="The file is truncated or damaged; download it again.",
        )
    return np.frombuffer(content, kind, offset=start).reshape(shape)


def find_idx(folder: Path, part: str) -> tuple[Path, Path] | None:
    """The files of pictures and labels of a part, "train" or "test"; None if the folder has no idx files.

    Raises DataError if one of the two is missing.
    """
    if not any(_named(folder, prefix, "images-idx3") for prefixes in PREFIXES.values() for prefix in prefixes):
        return None
    for prefix in PREFIXES[part]:
        pictures, labels = _named(folder, prefix, "images-idx3"), _named(folder, prefix, "labels-idx1")
        if pictures is not None and labels is not None:
            return pictures, labels
    raise DataError(
        f"{folder}: the files of the part {part!r} are incomplete: {PREFIXES[part][0]}-images-idx3-ubyte and "
        f"{PREFIXES[part][0]}-labels-idx1-ubyte (or .gz) are needed.",
        hint="Put both into the folder.",
    )


def read_idx_pair(pictures: Path, labels: Path, names: tuple[str, ...] | None = None) -> Pictures:
    """Pictures with their labels. Raises DataError."""
    values, numbers = read_idx(pictures), read_idx(labels)
    return make_pictures(values, numbers, names, str(pictures.parent), files=[pictures.name, labels.name])


def _named(folder: Path, prefix: str, kind: str) -> Path | None:
    # both spellings occur: train-images-idx3-ubyte and train-images.idx3-ubyte
    stems = [f"{prefix}-{kind}-ubyte", f"{prefix}-{kind.replace('-idx', '.idx')}-ubyte"]
    places = [folder / f"{stem}{end}" for stem in stems for end in ("", ".gz")]
    return next((place for place in places if place.is_file()), None)


def _content(file: Path) -> bytes:
    content = file.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{file}: can't be decompressed: {error}.", hint="The file is truncated or damaged; download it again."
        ) from None
