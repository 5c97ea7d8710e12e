"""What `--data` may name: a file, a folder, or a set that a package ships or torchvision downloads."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lieapp.data.images import files
from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.data.images.places import check_place
from lieapp.errors import DataError

PARTS = ("train", "test")


def cache_folder() -> Path:
    """Where downloads and trained networks are kept: LIEAPP_CACHE, or lieapp in the user's cache folder."""
    own = os.environ.get("LIEAPP_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lieapp"


GARMENTS = (
    "T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip
"""Classes of Fashion-MNIST (Xiao 2017)."""

DEBIAN = Path("/usr/share/datasets/fashion-mnist")
"""Where Debian's package dataset-fashion-mnist puts it."""

PHOTOGRAPHS = ("astronaut", "cat", "coffee", "immunohistochemistry", "retina", "rocket")
"""Colour photographs that scikit-image ships."""

SIDE, CROPS = 32, 400
"""Pixels of a crop's side, and crops of each photograph."""

SEED = 0
"""Of the places of crops: the set is always the same."""


def fashion_mnist(part: str) -> Pictures:
    """Fashion-MNIST, 28 x 28 grey, 60000 pictures to learn from, from Debian's package. Raises DataError."""
    found = files.find_idx(DEBIAN, part) if DEBIAN.is_dir() else None
    if found is None:
        raise DataError(
            f"Fashion-MNIST isn't in {DEBIAN}.",
            hint="Install Debian's package dataset-fashion-mnist, or give --data a folder with its idx files.",
        )
    return files.read_idx_pair(*found, names=GARMENTS)


def digits(part: str) -> Pictures:
    """scikit-learn's 1797 handwritten digits, 8 x 8 grey, values 0 to 16 scaled to [0, 1]; one part only."""
    found = _module("sklearn.datasets", "scikit-learn").load_digits()
    values = np.asarray(found.images / 16.0, dtype=np.float32)
    return make_pictures(values, np.asarray(found.target), [str(n) for n in found.target_names], "digits")


def photographs(part: str) -> Pictures:
    """Crops of 32 x 32 pixels from scikit-image's colour photographs, the photograph as class; one part only."""
    source = _module("skimage.data", "scikit-image")
    generator = np.random.default_rng(SEED)
    crops, labels = [], []
    for number, name in enumerate(PHOTOGRAPHS):
        photograph = getattr(source, name)()
        high, wide = (np.array(photograph.shape[:2]) - SIDE).tolist()
        for top, left in generator.integers(0, [high + 1, wide + 1], (CROPS, 2)):
            crops.append(photograph[top : top + SIDE, left : left + SIDE, :3])
            labels.append(number)
    pixels = np.moveaxis(np.stack(crops), -1, 1)
    return make_pictures(pixels, np.array(labels), PHOTOGRAPHS, "photographs", crops=CROPS)


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(
            f"these pictures come with {package}, which isn't installed.",
            hint="Install it with `pip install 'lieapp[images]'`, or give --data pictures of your own.",
        ) from None


def _cifar10(part: str) -> Pictures:
    root = cache_folder() / "cifar10"
    place = files.find_cifar10(root) if root.is_dir() else None
    return files.read_cifar10(place or files.download(root), part)


def _offline(part: str) -> Pictures:
    """What is there without a network: Fashion-MNIST where it is installed, else digits."""
    return fashion_mnist(part) if DEBIAN.is_dir() else digits(part)


READERS: dict[str, Callable[[str], Pictures]] = {
    "fashion-mnist": fashion_mnist,
    "digits": digits,
    "photographs": photographs,
    "offline": _offline,
    "cifar10": _cifar10,
}
"""How each set with a name of its own is read, by part."""


def read_pictures(text: str, part: str = "train") -> Pictures:
    """The pictures that `text` means: the name of a set, an .npz file, a file of idx pictures or a folder.

    A folder holds idx files, CIFAR-10, or one folder for each class; the last also in a folder for each part.
    Raises UsageError if there is no such thing, DataError if it can't be used.
    """
    check_place(text)
    place = Path(text).expanduser()
    if place.is_dir():
        return _read_folder(place, part)
    return _read_file(place) if place.exists() else READERS[text](part)


def _read_folder(folder: Path, part: str) -> Pictures:
    pair = files.find_idx(folder, part)
    if pair is not None:
        return files.read_idx_pair(*pair)
    place = files.find_cifar10(folder)
    if place is not None:
        return files.read_cifar10(place, part)
    parts = [place.name for place in files.class_folders(folder)]
    if part in parts and set(parts) <= {*PARTS, "val", "valid", "validation"}:
        folder = folder / part
    return files.read_folder(folder)


def _read_file(file: Path) -> Pictures:
    if file.suffix == ".npz":
        return files.read_npz(file)
    if "images" in file.name and "idx3" in file.name:
        labels = file.with_name(file.name.replace("images", "labels").replace("idx3", "idx1"))
        if not labels.is_file():
            raise DataError(
                f"{file}: its labels, {labels.name}, aren't in the same folder.", hint="Put that file there too."
            )
        return files.read_idx_pair(file, labels)
    raise DataError(
        f"{file}: files of this kind can't be read.",
        hint="An .npz file, a file …-images-idx3-ubyte, or a folder can be given.",
    )
