"""Picture files: folders of them, and each one opened as grey or RGB values.

A folder of classes is as torchvision's ImageFolder has it: one folder for each class, pictures anywhere inside.
A folder with pictures directly in it is one class.

A picture is turned as its EXIF orientation says. Transparent parts are white. Grey values of 16 bits keep all of
them; of colours with 16 bits Pillow keeps the upper 8, which changes a value by less than 1/255.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageFile, ImageOps

from lieapp.data.images.pictures import LARGEST, Pictures, make_pictures
from lieapp.errors import DataError

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".pgm", ".tif", ".tiff", ".webp")

SIXTEEN = ("I;16", "I;16B", "I;16L", "I;16N")
"""Pillow's names of grey values with 16 bits."""

GREY = ("1", "L", "LA", "La", *SIXTEEN)
"""Its names of grey pictures; all pictures are RGB as soon as one isn't grey."""

LEVELS = ("I", "F")
"""Its names of values without a stated range."""


@dataclass(frozen=True)
class PictureFiles:
    """Files with the class of each, an index into `names`; `source` is what errors name."""

    files: Sequence[Path]
    labels: Sequence[int]
    names: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Head:
    """What is known of a picture before its pixels are read."""

    grey: bool
    deep: bool
    size: tuple[int, int]
    said: tuple[str, ...]


def picture_files(folder: Path) -> PictureFiles:
    """All picture files of a folder of classes, or those of a folder without classes.

    Raises DataError for a class without pictures and a folder without any.
    """
    classes = class_folders(folder)
    if classes:
        found = [(file, number) for number, place in enumerate(classes) for file in _checked_files(place)]
        files, labels = zip(*found, strict=True)
        return PictureFiles(files, labels, tuple(place.name for place in classes), str(folder))
    direct = [file for file in sorted(folder.iterdir()) if _is_picture(file)]
    if not direct:
        raise DataError(
            f"{folder}: it has neither class folders nor pictures ({', '.join(ENDINGS)}).",
            hint="Make one folder for each class and put its pictures inside.",
        )
    return PictureFiles(direct, [0] * len(direct), (folder.resolve().name,), str(folder))


def class_folders(folder: Path) -> list[Path]:
    """The folders of classes, in the order of their names; hidden ones are passed over.

    Raises DataError where a link makes pictures belong to two of them.
    """
    found = sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))
    real = {place: place.resolve() for place in found}
    for place, target in real.items():
        if not place.is_symlink():
            continue
        around = [folder.name] if folder.resolve().is_relative_to(target) else []
        twice = around or [other.name for other, own in real.items() if other != place and _overlap(target, own)]
        if twice:
            raise DataError(
                f"{folder}: the class {place.name!r} is a link to {target}, whose pictures also belong to "
                f"{', '.join(map(repr, twice))}.",
                hint="Remove the link: each picture belongs to one class.",
            )
    return found


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def whole(found: PictureFiles) -> Pictures:
    """All the pictures as they are. Raises DataError for files that can't be read and pictures of several sizes."""
    heads = [head(file) for file in found.files]
    grey, deep = all(own.grey for own in heads), any(own.deep for own in heads)
    arrays: list[np.ndarray] = []
    for file in found.files:
        values = as_array(opened(file, grey), 1 if grey else 3, deep)
        if arrays and values.shape != arrays[0].shape:
            first, other = ("{2} x {1}".format(*own.shape) for own in (arrays[0], values))
            names = [Path(own).relative_to(found.source) for own in (found.files[0], file)]
            raise DataError(
                f"{found.source}: pictures of several sizes: {names[0]} has {first} pixels, {names[1]} {other}.",
                hint="Cut square crops from them with `--set crops=2000`, or resize them all to one size.",
            )
        arrays.append(values)
    return make_pictures(np.stack(arrays), np.array(found.labels), found.names, found.source, **notes(heads))


def notes(heads: Sequence[Head]) -> dict[str, int]:
    """How many pictures were changed on the way, by what was done to them; for provenance."""
    return dict(Counter(said for own in heads for said in own.said))


def head(file: Path) -> Head:
    """What a file says of its picture. Raises DataError if it can't be read or has values without a range."""
    with _reading(file) as picture:
        raw = picture.tile[0].args if picture.tile else ""
        packed = str(raw if isinstance(raw, str) else next(iter(raw or ()), ""))
        if picture.mode in LEVELS or packed == "I;12":
            kind = "12 bits" if packed == "I;12" else f"mode {picture.mode}"
            raise DataError(
                f"{file}: a picture of {kind}; its values have no stated range. Grey values of 8 or 16 bits, and "
                "colours, can be read.",
                hint="Convert it to grey or RGB with 8 bits.",
            )
        deep = picture.mode in SIXTEEN
        said = {
            "made_opaque_on_white": picture.has_transparency_data,
            "colours_of_16_bits_cut_to_8": ";16" in packed and not deep,
        }
        return Head(picture.mode in GREY, deep, picture.size, tuple(key for key, true in said.items() if true))


def opened(file: Path, grey: bool) -> Image.Image:
    """A picture as bytes, of mode L or RGB; a grey one of 16 bits as floats in [0, 1], of mode F.

    Raises DataError if it can't be read.
    """
    with _reading(file) as picture:
        clear = picture.info.get("transparency")
        turned = ImageOps.exif_transpose(picture)
        if turned.mode in SIXTEEN:
            values = np.asarray(turned).astype(np.float32)
            if isinstance(clear, int):
                values[values == clear] = 2**16 - 1
            return Image.fromarray(values / np.float32(2**16 - 1))
        if turned.has_transparency_data:
            layer = turned.convert("RGBA")
            turned = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
        return turned.convert("L" if grey else "RGB")


def as_array(picture: Image.Image, channels: int, deep: bool) -> np.ndarray:
    """Its values, channel x height x width: bytes, or floats in [0, 1] if `deep`."""
    values = np.asarray(picture)
    if deep and values.dtype == np.uint8:
        values = values.astype(np.float32) / LARGEST
    # what is resized may leave the range by round-off
    values = np.clip(values, 0, 1) if deep else values
    return np.repeat(values[None], channels, 0) if values.ndim == 2 else np.moveaxis(values, -1, 0)


@contextmanager
def _reading(file: Path) -> Iterator[ImageFile.ImageFile]:
    """A file, opened. Raises DataError for what Pillow can't read, now or later."""
    try:
        with Image.open(file) as picture:
            yield picture
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise DataError(
            f"{file}: can't be read as a picture: {error}.", hint="Remove the file, or save it again."
        ) from None


def _is_picture(file: Path) -> bool:
    return file.suffix.lower() in ENDINGS and file.is_file()


def _checked_files(place: Path) -> list[Path]:
    found = [file for file in sorted(place.rglob("*")) if _is_picture(file)]
    if not found:
        raise DataError(
            f"{place}: the class {place.name!r} has no picture.",
            hint=f"Put pictures there ({', '.join(ENDINGS)}), or remove the folder.",
        )
    return found
