"""What `--data` may name: a file, a folder, or a set that a package ships or torchvision downloads."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from lieapp.config_training import PicturesRun
from lieapp.data.images import files
from lieapp.data.images.crops import AS_THEY_ARE, Crops, cut
from lieapp.data.images.folders import PictureFiles, class_folders, picture_files, whole
from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.data.images.places import CUT, check_place, no_crops
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

PHOTOGRAPHS = {
    "astronaut": "skimage/data/astronaut.png",
    "cat": "skimage/data/chelsea.png",
    "china": "sklearn/datasets/images/china.jpg",
    "coffee": "skimage/data/coffee.png",
    "flower": "sklearn/datasets/images/flower.jpg",
    "hubble deep field": "skimage/data/hubble_deep_field.jpg",
    "immunohistochemistry": "skimage/data/ihc.png",
    "motorcycle": "skimage/data/motorcycle_left.png",
    "retina": "skimage/data/retina.jpg",
    "rocket": "skimage/data/rocket.jpg",
}
"""Colour photographs that scikit-image and scikit-learn ship, in the folders of their packages."""

CROPS = 2000
"""How many are cut of them unless a number is given."""


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


def photographs(crops: Crops) -> Pictures:
    """Crops of ten colour photographs, the photograph as class; one part only. Nothing is downloaded."""
    files = [shipped(file) for file in PHOTOGRAPHS.values()]
    found = PictureFiles(files, range(len(files)), tuple(PHOTOGRAPHS), CUT)
    made = cut(found, replace(crops, count=crops.count or CROPS))
    return replace(made, files=tuple(PHOTOGRAPHS))


def shipped(file: str) -> Path:
    """A file in the folder of an installed package, which isn't imported."""
    package, _, rest = file.partition("/")
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / rest).is_file():
            return Path(folder) / rest
    name = {"skimage": "scikit-image", "sklearn": "scikit-learn"}[package]
    raise _missing(name, "which isn't installed" if spec is None else f"whose installation lacks {rest}")


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _missing(package, "which isn't installed") from None


def _missing(package: str, what: str) -> DataError:
    return DataError(
        f"these pictures come with {package}, {what}.",
        hint="Install it with `pip install 'lieapp[images]'`, or give --data pictures of your own.",
    )


def _cifar10(part: str) -> Pictures:
    root = cache_folder() / "cifar10"
    place = files.find_cifar10(root) if root.is_dir() else None
    return files.read_cifar10(place or files.download(root), part)


def _offline(part: str) -> Pictures:
    """What is there without a network: Fashion-MNIST where it is installed, else digits."""
    return fashion_mnist(part) if DEBIAN.is_dir() else digits(part)


READERS: dict[str, Callable[[str, Crops], Pictures]] = {
    "fashion-mnist": lambda part, crops: fashion_mnist(part),
    "digits": lambda part, crops: digits(part),
    CUT: lambda part, crops: photographs(crops),
    "offline": lambda part, crops: _offline(part),
    "cifar10": lambda part, crops: _cifar10(part),
}
"""How each set with a name of its own is read, by part."""


def read_pictures(text: str, part: str = "train", crops: Crops = AS_THEY_ARE) -> Pictures:
    """The pictures that `text` means: the name of a set, an .npz file, a file of idx pictures or a folder.

    A folder holds idx files, CIFAR-10, or one folder for each class; the last also in a folder for each part. Crops
    are cut from the last, and from the set `photographs`.
    Raises UsageError if there is no such thing, DataError if it can't be used.
    """
    check_place(text, crops.count)
    place = Path(text).expanduser()
    if place.is_dir():
        return _read_folder(place, part, crops)
    return _read_file(place) if place.exists() else READERS[text](part, crops)


def has_test(text: str) -> bool:
    """Whether a set has pictures of its own to test on, whatever state they are in."""
    place = Path(text).expanduser()
    if place.is_dir():
        if files.find_idx(place, "train") is not None:
            return files.has_idx(place, "test")
        cifar = files.find_cifar10(place)
        return files.has_cifar10_test(cifar) if cifar else "test" in _part_folders(place)
    named = ("fashion-mnist", "cifar10", *(("offline",) if DEBIAN.is_dir() else ()))
    return not place.exists() and text in named


def pictures_of(config: PicturesRun, data: str, part: str = "train", seed: int | None = None) -> Pictures:
    """What a run sees of its pictures, `data` unless its settings name others; crops are drawn by its seed.

    Raises UsageError and DataError as above.
    """
    margin = round(config.margin * config.crop_side)
    crops = Crops(config.crops, config.crop_side, config.seed if seed is None else seed, margin)
    return read_pictures(config.data or data, part, crops)


def _read_folder(folder: Path, part: str, crops: Crops) -> Pictures:
    pair, place = files.find_idx(folder, part), files.find_cifar10(folder)
    if crops.count and (pair or place):
        raise no_crops(str(folder), crops.count)
    if pair is not None:
        return files.read_idx_pair(*pair)
    if place is not None:
        return files.read_cifar10(place, part)
    if part in _part_folders(folder):
        folder = folder / part
    found = picture_files(folder)
    return cut(found, crops) if crops.count else whole(found)


def _part_folders(folder: Path) -> list[str]:
    """The parts that have a folder each; none where its folders are classes."""
    found = [place.name for place in class_folders(folder)]
    return found if set(found) <= {*PARTS, "val", "valid", "validation"} else []


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
