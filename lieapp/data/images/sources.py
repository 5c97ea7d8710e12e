"""What `--data` may name: a file, a folder, or a set that a package ships or torchvision downloads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lieapp.data.images import cifar10, folders, idx, npz, offline
from lieapp.data.images.pictures import Pictures
from lieapp.data.images.places import check_place
from lieapp.errors import DataError

PARTS = ("train", "test")


def cache_folder() -> Path:
    """Where downloads and trained networks are kept: LIEAPP_CACHE, or lieapp in the user's cache folder."""
    own = os.environ.get("LIEAPP_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lieapp"


def _cifar10(part: str) -> Pictures:
    root = cache_folder() / "cifar10"
    place = cifar10.find_cifar10(root) if root.is_dir() else None
    return cifar10.read_cifar10(place or cifar10.download(root), part)


def _offline(part: str) -> Pictures:
    """What is there without a network: Fashion-MNIST where it is installed, else digits."""
    return offline.fashion_mnist(part) if offline.DEBIAN.is_dir() else offline.digits(part)


READERS: dict[str, Callable[[str], Pictures]] = {
    "fashion-mnist": offline.fashion_mnist,
    "digits": offline.digits,
    "photographs": offline.photographs,
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
    pair = idx.find_idx(folder, part)
    if pair is not None:
        return idx.read_idx_pair(*pair)
    place = cifar10.find_cifar10(folder)
    if place is not None:
        return cifar10.read_cifar10(place, part)
    parts = [place.name for place in folders.class_folders(folder)]
    if part in parts and set(parts) <= {*PARTS, "val", "valid", "validation"}:
        folder = folder / part
    return folders.read_folder(folder)


def _read_file(file: Path) -> Pictures:
    if file.suffix == ".npz":
        return npz.read_npz(file)
    if "images" in file.name and "idx3" in file.name:
        labels = file.with_name(file.name.replace("images", "labels").replace("idx3", "idx1"))
        if not labels.is_file():
            raise DataError(
                f"{file}: its labels, {labels.name}, aren't in the same folder.", hint="Put that file there too."
            )
        return idx.read_idx_pair(file, labels)
    raise DataError(
        f"{file}: files of this kind can't be read.",
        hint="An .npz file, a file …-images-idx3-ubyte, or a folder can be given.",
    )
