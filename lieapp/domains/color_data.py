"""Pictures as a supply of batches whose colours are moved: pixels, features, and sampled colours with a weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.base import Line
from lieapp.domains.color_space import ColorPoints, neighbours, pairs_of
from lieapp.domains.image_data import ImageBatch, ImageData


@dataclass(frozen=True)
class Palette:
    """The sampled colours on which fields are compared.

    Args:
        points: the colours, a batch of one.
        weight: ω of each.
        nearby: numbers of the nearest others of each.
    """

    points: Float[Tensor, "1 channel color"]
    weight: Float[Tensor, "1 color"]
    nearby: Int[Tensor, "color neighbour"]

    @classmethod
    def of(cls, colors: ColorPoints, count: int) -> Palette:
        """With so many neighbours each, and weight 1."""
        return cls(colors[None], torch.ones_like(colors[:1]), neighbours(colors, count))

    def weighing(self, weight: Float[Tensor, " color"]) -> Palette:
        """The same colours with another weight."""
        return Palette(self.points, weight[None].to(self.points), self.nearby)


@dataclass(frozen=True)
class ColorBatch:
    """Some pictures, their colours moved or not; all share the sampled colours.

    Args:
        points, weight: the sampled colours and ω.
        pairs: neighbours among them, between which fields should be smooth.
        pixels: of the pictures as they are.
        features: of the same pictures unmoved.
        sample: the number of each picture.
        clipped: share of each picture's pixels whose colours left the cube, clipped or not.
    """

    points: Float[Tensor, "1 channel color"]
    weight: Float[Tensor, "1 color"]
    pairs: Int[Tensor, "2 pair"]
    pixels: Pixels
    features: Float[Tensor, "batch feature"]
    sample: Int[Tensor, " batch"] | None = None
    clipped: Float[Tensor, " batch"] | None = None

    @property
    def lines(self) -> list[Line]:
        """None: the colours lie scattered."""
        return []


class ColorData:
    """Pictures with their features, as `image_data.ImageData` holds them, and a palette."""

    def __init__(self, pictures: ImageData, palette: Palette) -> None:
        self.pictures, self.palette = pictures, palette
        self._pairs = pairs_of(palette.nearby)

    @property
    def trajectories(self) -> int:
        """Number of pictures."""
        return self.pictures.trajectories

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> ColorBatch:
        """Random pictures, each at most once."""
        return self._colored(self.pictures.draw(size, generator, step))

    def batches(self, count: int, size: int) -> Iterator[ColorBatch]:
        """About `count` pictures spread evenly over all, `size` at a time, always the same."""
        return map(self._colored, self.pictures.batches(count, size))

    def _colored(self, batch: ImageBatch) -> ColorBatch:
        palette = self.palette
        return ColorBatch(palette.points, palette.weight, self._pairs, batch.pixels, batch.features, batch.sample)
