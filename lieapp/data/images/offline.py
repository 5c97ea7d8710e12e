"""Pictures that other packages ship, so that everything works without a network."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from lieapp.data.images.idx import find_idx, read_idx_pair
from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.errors import DataError

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
    found = find_idx(DEBIAN, part) if DEBIAN.is_dir() else None
    if found is None:
        raise DataError(
            f"Fashion-MNIST isn't in {DEBIAN}.",
            hint="Install Debian's package dataset-fashion-mnist, or give --data a folder with its idx files.",
        )
    return read_idx_pair(*found, names=GARMENTS)


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
