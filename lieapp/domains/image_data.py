"""Pictures as a supply of batches: pixels, the features of the unmoved pictures, the plane and its weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lieapp.data.images.pictures import Pictures, Pixels
from lieapp.domains.base import Line
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.image_grid import pixel_grid, spacing
from lieapp.errors import DataError

CHUNK = 256
"""Pictures that features are taken of at a time."""


@dataclass(frozen=True)
class ImageBatch:
    """Some pictures, moved or not; all have one plane, so a field is evaluated once for all of them.

    Args:
        points: x and y of the pixels, a batch of one.
        weight: ω of the pixels.
        pixels: of the pictures as they are.
        features: of the same pictures unmoved.
        sample: the number of each picture.
    """

    points: Float[Tensor, "1 coordinate height width"]
    weight: Float[Tensor, "1 height width"]
    pixels: Pixels
    features: Float[Tensor, "batch feature"]
    sample: Int[Tensor, " batch"] | None = None

    pairs = None
    """Neighbours are those along the axes."""
    clipped = None
    """Moved pixels keep their values."""

    @property
    def lines(self) -> list[Line]:
        """The two axes of the plane."""
        h = spacing(*self.points.shape[2:])
        return [Line(-2, h, False), Line(-1, h, False)]


class ImageData:
    """Pictures on a device, with their features taken once.

    Args:
        flip: batches hold each picture or its mirror image, drawn at random.
        weight: ω of the pixels; 1 everywhere if None.

    Raises DataError if the extractor doesn't give finite features, one row for each picture.
    """

    def __init__(
        self, pictures: Pictures, features: PictureFeatures, flip: bool, device: torch.device | str = "cpu",
        weight: Float[Tensor, "height width"] | None = None,
    ) -> None:  # fmt: skip
        self.pixels, self.flip = pictures.pixels.to(device), flip
        self.points = pixel_grid(*pictures.shape[1:], torch.float32, device)
        self.weight = torch.ones_like(self.points[:, 0]) if weight is None else weight.to(self.points)[None]
        self._features = [taken(features, self.pixels)]
        if flip:
            self._features.append(taken(features, self.pixels.flip(-1)))

    @property
    def trajectories(self) -> int:
        """Number of pictures."""
        return len(self.pixels)

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> ImageBatch:
        """Random pictures, each at most once."""
        which = torch.randperm(len(self.pixels), generator=generator)[:size]
        turned = (torch.rand(len(which), generator=generator) < 0.5) & self.flip
        return self._batch(which, turned)

    def batches(self, count: int, size: int) -> Iterator[ImageBatch]:
        """About `count` pictures spread evenly over all, `size` at a time, unmirrored, always the same."""
        which = torch.linspace(0, len(self.pixels) - 1, min(count, len(self.pixels))).round().long()
        for part in which.split(size):
            yield self._batch(part, torch.zeros(len(part), dtype=torch.bool))

    def _batch(self, which: Int[Tensor, " batch"], turned: Bool[Tensor, " batch"]) -> ImageBatch:
        which, turned = which.to(self.pixels.device), turned.to(self.pixels.device)
        pixels, features = self.pixels[which], self._features[0][which]
        if self.flip:
            pixels = torch.where(turned[:, None, None, None], pixels.flip(-1), pixels)
            features = torch.where(turned[:, None], self._features[1][which], features)
        return ImageBatch(self.points, self.weight, pixels, features, which)


def taken(features: PictureFeatures, pixels: Pixels) -> Float[Tensor, "batch feature"]:
    """Features of many pictures, without gradients. Raises DataError unless they are finite and one row each."""
    with torch.no_grad():
        found = torch.cat([features(part) for part in pixels.split(CHUNK)])
    if found.ndim != 2 or len(found) != len(pixels):
        raise DataError(
            f"the extractor makes features of shape {list(found.shape)} of {len(pixels)} pictures; one row for "
            "each is expected.",
            hint="Let it end with .flatten(1).",
        )
    if not bool(torch.isfinite(found).all()):
        raise DataError("the extractor gives features that are NaN or infinite.", hint="Look at its formulas.")
    return found
