"""Square parts of photographs: cut at random places in many sizes, then resized to one.

A crop is cut with a side that is drawn uniformly, and brought to its final size with antialiasing, by the triangle
filter: each value is a mean of the photograph's, so none leaves their range. Shrinking removes what cameras and
JPEG leave between neighbouring pixels. One photograph is in memory at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from PIL import Image

from lieapp.data.images.files import MOST
from lieapp.data.images.folders import PictureFiles, as_array, head, notes, opened
from lieapp.data.images.pictures import Pictures, make_pictures
from lieapp.errors import DataError

SHRUNK = 2.5
"""The least factor by which crops are shrunk, of photographs that are large enough."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, as Pillow has them."""


@dataclass(frozen=True)
class Crops:
    """How many crops are cut of all photographs together (0: none, pictures stay as they are), and how.

    Args:
        side: pixels of a crop's side.
        seed: of its size and place.
        margin: pixels that are kept around each crop.
    """

    count: int = 0
    side: int = 64
    seed: int = 0
    margin: int = 0

    @property
    def whole(self) -> int:
        """Pixels of the side of a crop with its margins."""
        return self.side + 2 * self.margin


AS_THEY_ARE = Crops()


def cut(found: PictureFiles, crops: Crops) -> Pictures:
    """Crops of all the photographs, evenly many of each; the same ones for the same seed.

    Raises DataError for files that can't be read, photographs that are smaller than a crop, and too many crops.
    """
    heads = [head(file) for file in found.files]
    for file, own in zip(found.files, heads, strict=True):
        if min(own.size) < crops.whole:
            margins = f" and two margins of {crops.margin}" if crops.margin else ""
            without = ", or crop_margin to 0" if margins and min(own.size) >= crops.side else ""
            raise DataError(
                f"{file}: it has {own.size[0]} x {own.size[1]} pixels; its shorter side must have at least "
                f"crop_side = {crops.side}{margins}.",
                hint="Leave the picture out, or set crop_side to "
                f"{min(own.size) * crops.side // crops.whole} or less{without}.",
            )
    grey, deep = all(own.grey for own in heads), any(own.deep for own in heads)
    channels = 1 if grey else 3
    side = crops.whole
    if crops.count * channels * side**2 > MOST:
        raise DataError(
            f"crops = {crops.count}, crop_side = {crops.side}: crops with {channels} x {side} x {side} "
            f"values each have more than {MOST} together.",
            hint=f"Set crops to {MOST // (channels * side**2)} or less, or lower crop_side.",
        )
    counts = shares(crops.count, len(heads), crops.seed)
    pixels = np.empty((crops.count, channels, side, side), np.float32 if deep else np.uint8)
    photograph = np.repeat(np.arange(len(heads)), counts)
    begin = 0
    for number, count in enumerate(counts):
        if not count:
            continue
        picture = opened(found.files[number], grey)
        for place, box in enumerate(boxes(picture.size, count, side, (crops.seed, number)), begin):
            small = picture.resize((side,) * 2, Image.Resampling.BILINEAR, box)
            pixels[place] = as_array(small, channels, deep)
        begin += count
    done = {"crops": crops.count, "crop_side": crops.side, "crop_seed": crops.seed, "photographs": len(heads)}
    labels = np.array(found.labels)[photograph]
    made = make_pictures(pixels, labels, found.names, found.source, **done, **notes(heads))
    made = replace(made, photograph=torch.from_numpy(photograph), files=tuple(map(str, found.files)))
    if not crops.margin:
        return made
    view = slice(crops.margin, crops.margin + crops.side)
    facts = made.facts | {"shape": [channels, crops.side, crops.side], "crop_margin": crops.margin}
    return replace(made, pixels=made.pixels[:, :, view, view].contiguous(), around=made.pixels, facts=facts)


def shares(count: int, photographs: int, seed: int) -> list[int]:
    """How many crops each photograph gives: numbers that differ by 1 at most, the larger ones drawn by seed."""
    found = np.full(photographs, count // photographs)
    found[np.random.default_rng(seed).permutation(photographs)[: count % photographs]] += 1
    return [int(own) for own in found]


def boxes(size: tuple[int, int], count: int, side: int, seed: tuple[int, ...]) -> Iterator[Box]:
    """Squares in a photograph of that width and height, in whole pixels.

    Sides are uniform from `SHRUNK` times the crop's, or from the crop's own in photographs that are smaller than
    that, to the shorter side; then places are uniform among those inside.
    """
    generator = np.random.default_rng(seed)
    least = math.ceil(SHRUNK * side)
    least = least if least <= min(size) else side
    for own in generator.integers(least, min(size) + 1, count).tolist():
        left, top = (int(generator.integers(0, length - own + 1)) for length in size)
        yield left, top, left + own, top + own
