"""Readers of labelled pictures in one array: idx files, NumPy archives, and CIFAR-10.

idx files are of MNIST's type (http://yann.lecun.com/exdb/mnist): two zero bytes, a type code, the number of axes,
each axis's length as a big-endian 32-bit number, then the values row by row. An archive has arrays `images` and
`labels`, and `names` of the classes if there are any.

CIFAR-10's binary version holds 3073 bytes for each picture: its label, then red, green and blue, 1024 bytes each,
row by row (Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html). The one for Python is made of pickles,
which torchvision reads only if their checksums are the published ones.
"""

from __future__ import annotations

import gzip
import math
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

import numpy as np

from lieapp.data.images.pictures import CHANNELS, Pictures, make_pictures
from lieapp.data.readers.numpy_files import open_npz
from lieapp.errors import DataError, LieappError

TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}

PREFIXES = {"train": ("train",), "test": ("t10k", "test")}
"""How the files of each part begin."""


MOST = 2**32
"""Bytes of the values of one file: 5 million pictures like those of MNIST."""

PIECE = 2**24


def read_idx(file: Path) -> np.ndarray:
    """The array of one idx file; no more is read or unpacked than its header says.

    Raises DataError if it isn't one, isn't whole, or is larger than `MOST`.
    """
    with _unpacked(file) as stream:
        start = stream.read(4)
        if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in TYPES or not start[3]:
            raise DataError(
                f"{file}: not an idx file: it begins with {start.hex(' ') or 'nothing'}.",
                hint="An MNIST-style file begins with 00 00 08 01 (labels) or 00 00 08 03 (pictures).",
            )
        kind, lengths = np.dtype(TYPES[start[2]]), stream.read(4 * start[3])
        shape = [int.from_bytes(lengths[i : i + 4], "big") for i in range(0, len(lengths), 4)]
        wanted, told = math.prod(shape) * kind.itemsize, " x ".join(map(str, shape))
        if wanted > MOST:
            raise DataError(
                f"{file}: its header, {told}, asks for {wanted} bytes of values; the most is {MOST}.",
                hint="Make files with fewer pictures.",
            )
        content = _at_most(stream, wanted + 1)
    if len(content) != wanted or len(lengths) < 4 * start[3]:
        there = f"{len(content)} bytes" if len(content) < wanted else f"more than {wanted} bytes"
        raise DataError(
            f"{file}: {there} of values where its header, {told}, asks for {wanted}.",
            hint="The file is truncated or damaged; download it again.",
        )
    return np.frombuffer(content, kind).reshape(shape)


def _at_most(stream: BufferedIOBase, count: int) -> bytearray:
    """The next bytes, piece by piece: memory is taken for what is there, whatever a header says."""
    content = bytearray()
    while piece := stream.read(min(PIECE, count - len(content))):
        content += piece
    return content


@contextmanager
def _unpacked(file: Path) -> Iterator[BufferedIOBase]:
    """A file's content, unpacked as it is read if it is compressed. Raises DataError where that can't be."""
    with file.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        try:
            yield gzip.GzipFile(fileobj=stream) if packed else stream
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"{file}: can't be decompressed: {error}.",
                hint="The file is truncated or damaged; download it again.",
            ) from None


def find_idx(folder: Path, part: str) -> tuple[Path, Path] | None:
    """The files of pictures and labels of a part, "train" or "test"; None if the folder has no idx files.

    Raises DataError if one of the two is missing.
    """
    if not any(has_idx(folder, known, ("images-idx3",)) for known in PREFIXES):
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


def has_idx(folder: Path, part: str, kinds: Sequence[str] = ("images-idx3", "labels-idx1")) -> bool:
    """Whether a folder has a file of that part, of one of these kinds."""
    return any(_named(folder, prefix, kind) for prefix in PREFIXES[part] for kind in kinds)


def read_idx_pair(pictures: Path, labels: Path, names: tuple[str, ...] | None = None) -> Pictures:
    """Pictures with their labels. Raises DataError."""
    values, numbers = read_idx(pictures), read_idx(labels)
    return make_pictures(values, numbers, names, str(pictures.parent), files=[pictures.name, labels.name])


def _named(folder: Path, prefix: str, kind: str) -> Path | None:
    # both spellings occur: train-images-idx3-ubyte and train-images.idx3-ubyte
    stems = [f"{prefix}-{kind}-ubyte", f"{prefix}-{kind.replace('-idx', '.idx')}-ubyte"]
    places = [folder / f"{stem}{end}" for stem in stems for end in ("", ".gz")]
    return next((place for place in places if place.is_file()), None)


def read_npz(file: Path) -> Pictures:
    """The pictures of an archive; channels may come first or last. Objects are never unpickled.

    Raises DataError, also for compressed arrays that are larger than a reader of archives unpacks.
    """
    try:
        members = open_npz(file).arrays
        found, objects = [array.name for array in members], [a.name for a in members if a.kind == "O"]
        if objects:
            raise ValueError(f"{objects[0]} has objects, which are never unpickled")
        arrays = {array.name: array.values() for array in members if array.name in ("images", "labels", "names")}
    except (LieappError, MemoryError):
        raise
    except Exception as error:  # what zipfile and NumPy raise for damage is no closed list
        raise DataError(
            f"{file}: not a NumPy archive of plain arrays: {_told(error)}.",
            hint="Write one with numpy.savez(file, images=…, labels=…).",
        ) from None
    missing = [name for name in ("images", "labels") if name not in arrays]
    if missing:
        raise DataError(
            f"{file}: it holds {', '.join(found) or 'nothing'}; {' and '.join(missing)} must be there.",
            hint="Write one with numpy.savez(file, images=…, labels=…).",
        )
    names = arrays.get("names")
    known = None if names is None else tuple(str(name) for name in names.ravel())
    return make_pictures(_channels_first(arrays["images"], file), arrays["labels"], known, str(file))


def _channels_first(images: np.ndarray, file: Path) -> np.ndarray:
    if images.ndim != 4:
        return images
    first, last = images.shape[1] in CHANNELS, images.shape[3] in CHANNELS
    if first and last:
        raise DataError(
            f"{file}: images of shape {list(images.shape)}: the channels may be axis 1 or axis 3.",
            hint="Use pictures that are wider than 3 pixels.",
        )
    return np.moveaxis(images, 3, 1) if last else images


def _told(error: Exception) -> str:
    """What is wrong."""
    if isinstance(error, zipfile.BadZipFile):
        return "it isn't an archive, or is one of a pickle (never unpickled)"
    return str(error).rstrip(".")


NAMES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
BINARY, PYTHON = "cifar-10-batches-bin", "cifar-10-batches-py"
FILES = {"train": tuple(f"data_batch_{n}.bin" for n in range(1, 6)), "test": ("test_batch.bin",)}
SIDE = 32
RECORD = 1 + 3 * SIDE * SIDE


def find_cifar10(folder: Path) -> Path | None:
    """The folder of one of the two versions, given itself or the folder around it; None if it is neither."""
    for place in (folder, folder / BINARY, folder / PYTHON):
        if place.is_dir() and (place.name in (BINARY, PYTHON) or (place / "data_batch_1.bin").is_file()):
            return place
    return None


def has_cifar10_test(place: Path) -> bool:
    """Whether what `find_cifar10` found has pictures to test on; the version for Python is read as a whole."""
    return place.name == PYTHON or any((place / name).is_file() for name in FILES["test"])


def read_cifar10(place: Path, part: str) -> Pictures:
    """The part "train" (50000 pictures) or "test" (10000) from what `find_cifar10` found. Raises DataError."""
    return _read_python(place, part) if place.name == PYTHON else _read_binary(place, part)


def download(root: Path) -> Path:
    """Fetch the version for Python (170 MB) into `root`, checksums compared. Raises DataError without network."""
    from torchvision.datasets import CIFAR10

    try:
        root.mkdir(parents=True, exist_ok=True)
        CIFAR10(str(root), download=True)
    except (OSError, RuntimeError) as error:
        raise DataError(
            f"CIFAR-10 can't be downloaded to {root}: {error}.",
            hint="Download cifar-10-binary.tar.gz or cifar-10-python.tar.gz elsewhere, unpack it, and give --data "
            "its folder.",
        ) from None
    return root / PYTHON


def _read_binary(place: Path, part: str) -> Pictures:
    missing = [name for name in FILES[part] if not (place / name).is_file()]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise DataError(
            f"{place}: CIFAR-10 is incomplete: {', '.join(missing)} {verb} missing.",
            hint="Unpack cifar-10-binary.tar.gz again.",
        )
    rows = []
    for name in FILES[part]:
        content = np.frombuffer((place / name).read_bytes(), np.uint8)
        if len(content) % RECORD:
            raise DataError(
                f"{place / name}: {len(content)} bytes aren't a multiple of {RECORD} bytes, the size of a picture.",
                hint="The file is truncated or damaged; unpack cifar-10-binary.tar.gz again.",
            )
        rows.append(content.reshape(-1, RECORD))
    records = np.concatenate(rows)
    return make_pictures(
        records[:, 1:].reshape(-1, 3, SIDE, SIDE), records[:, 0], NAMES, str(place), part=part, version="binary"
    )


def _read_python(place: Path, part: str) -> Pictures:
    # torchvision takes three seconds to import
    from torchvision.datasets import CIFAR10

    try:
        found = CIFAR10(str(place.parent), train=part == "train", download=False)
    except RuntimeError:
        raise DataError(
            f"{place}: CIFAR-10 is incomplete or not the published one.",
            hint="Unpack cifar-10-python.tar.gz again; pictures of your own fit into the binary version, a folder "
            "of classes or an .npz file.",
        ) from None
    pixels = np.moveaxis(found.data, -1, 1)
    return make_pictures(pixels, np.array(found.targets), NAMES, str(place), part=part, version="python")
