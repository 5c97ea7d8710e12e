"""CIFAR-10 in a folder: the binary version, or the one for Python through torchvision.

The binary version holds 3073 bytes for each picture: its label, then red, green and blue, 1024 bytes each, row by
row (Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html). The one for Python is made of pickles, which
torchvision reads only if their checksums are the published ones.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.errors import DataError

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
