"""A folder of classes, as torchvision's ImageFolder has it: one folder for each class, pictures anywhere inside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.errors import DataError

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".pgm", ".tif", ".tiff", ".webp")

GREY = ("1", "L")
"""Pillow's names of grey bytes; pictures are RGB as soon as one isn't grey."""

DEEP = ("I", "I;16", "I;16B", "I;16L", "F")
"""Its names of pictures with more than 256 levels, which have no stated range."""


def class_folders(folder: Path) -> list[Path]:
    """The folders of classes, in the order of their names; hidden ones are passed over."""
    return sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))


def read_folder(folder: Path) -> Pictures:
    """All pictures of a folder of classes.

    Raises DataError for a class without pictures, a file that can't be read and pictures of several sizes.
    """
    classes = class_folders(folder)
    files = [(file, number) for number, place in enumerate(classes) for file in _checked_files(place)]
    if not files:
        raise DataError(
            f"{folder}: it has no class folders.",
            hint="Make one folder for each class and put its pictures inside.",
        )
    pictures = [_opened(file) for file, _ in files]
    grey = all(mode in GREY for mode, _ in pictures)
    size = pictures[0][1].shape[:2]
    arrays = []
    for (file, _), (_, values) in zip(files, pictures, strict=True):
        if values.shape[:2] != size:
            raise DataError(
                f"{folder}: pictures of several sizes: {files[0][0].relative_to(folder)} has {_size(size)} pixels, "
                f"{file.relative_to(folder)} {_size(values.shape[:2])}.",
                hint="Resize them all to one size first.",
            )
        rgb = values if values.ndim == 3 else np.repeat(values[..., None], 3, -1)
        arrays.append(values if grey else np.moveaxis(rgb, -1, 0))
    labels = np.array([number for _, number in files])
    return make_pictures(np.stack(arrays), labels, [place.name for place in classes], str(folder))


def _checked_files(place: Path) -> Iterator[Path]:
    found = [file for file in sorted(place.rglob("*")) if file.suffix.lower() in ENDINGS and file.is_file()]
    if not found:
        raise DataError(
            f"{place}: the class {place.name!r} has no picture.",
            hint=f"Put pictures there ({', '.join(ENDINGS)}), or remove the folder.",
        )
    yield from found


def _opened(file: Path) -> tuple[str, np.ndarray]:
    """Pillow's mode of a picture, and its bytes, height x width for grey ones and height x width x 3 else."""
    try:
        with Image.open(file) as picture:
            mode = picture.mode
            if mode not in DEEP:
                return mode, np.asarray(picture.convert("L" if mode in GREY else "RGB"))
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise DataError(
            f"{file}: can't be read as a picture: {error}.", hint="Remove the file, or save it again."
        ) from None
    raise DataError(
        f"{file}: a picture of mode {mode}, with more than 256 levels.",
        hint="Convert it to grey or RGB with 8 bits.",
    )


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]} x {shape[0]}"
