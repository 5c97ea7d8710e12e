"""Pictures as a supply of batches: pixels, the features of the unmoved pictures, the plane and its weight.

The plane of a picture: coordinates of its pixels, gradients in it, and resampling at other places.

x runs to the right and y upwards. The centres of the outer pixels of the longer side lie at -1 and 1, pixels are
square and the middle of the picture is (0, 0), so that rotations are rotations whatever the sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.interpolate import make_interp_spline
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pictures, Pixels
from lieapp.domains.base import Line
from lieapp.errors import DataError
from lieapp.pictures.extractor import PictureFeatures

Plane = Float[Tensor, "batch coordinate height width"]

PADDINGS = ("border", "zeros")
"""What lies outside a picture: its edge, continued, or black."""

INTERPOLATIONS = ("bicubic", "bilinear")
"""Between pixels; the second blurs what is moved by parts of a pixel."""


def spacing(height: int, width: int) -> float:
    """Between neighbouring pixels."""
    return 2 / (max(height, width) - 1)


def pixel_grid(
    height: int, width: int, dtype: torch.dtype, device: torch.device | str = "cpu"
) -> Float[Tensor, "1 2 {height} {width}"]:
    """x and y of every pixel, as a batch of one."""
    h = spacing(height, width)
    x = h * (torch.arange(width, dtype=dtype, device=device) - (width - 1) / 2)
    y = -h * (torch.arange(height, dtype=dtype, device=device) - (height - 1) / 2)
    return torch.stack([x.expand(height, width), y[:, None].expand(height, width)])[None]


def resample(
    pixels: Float[Tensor, "batch channel rows columns"], places: Plane, padding: str,
    interpolation: str = "bilinear",
) -> Pixels:  # fmt: skip
    """Interpolation of each picture at its own places; differentiable in both."""
    height, width = pixels.shape[2:]
    h = spacing(height, width)
    # grid_sample has -1 and 1 at the outer pixels of each side, and rows running down
    x = places[:, 0] / (h * (width - 1) / 2)
    y = -places[:, 1] / (h * (height - 1) / 2)
    return functional.grid_sample(
        pixels, torch.stack([x, y], -1), mode=interpolation, padding_mode=padding, align_corners=True
    )


def coarse_nodes(points: Plane, most: int) -> Float[Tensor, "batch coordinate row column"]:
    """A coarser grid over the same plane: at most so many nodes along its shorter side; 0 leaves all."""
    height, width = points.shape[2:]
    if not most or most >= min(height, width):
        return points
    share = (most - 1) / (min(height, width) - 1)
    size = [1 + math.ceil(share * (length - 1) - 1e-9) for length in (height, width)]
    return functional.interpolate(points, size=size, mode="bilinear", align_corners=True)


def spread(
    places: Float[Tensor, "slot coordinate row column"], nodes: Float[Tensor, "1 coordinate row column"],
    points: Float[Tensor, "1 coordinate height width"],
) -> Float[Tensor, "slot coordinate height width"]:  # fmt: skip
    """Where all points go, of the places that the nodes of a coarser grid go to: cubic splines between those."""
    if nodes.shape == points.shape:
        return places
    rows, columns = (_splines(nodes.shape[dim], points.shape[dim]).to(points) for dim in (2, 3))
    return rows @ places @ columns.T


@lru_cache(maxsize=64)
def _splines(nodes: int, count: int) -> Float[Tensor, "{count} {nodes}"]:
    """From values at equal nodes to those of their cubic spline at `count` equal places, ends included."""
    spline = make_interp_spline(np.linspace(0, 1, nodes), np.eye(nodes), k=3)
    return torch.from_numpy(spline(np.linspace(0, 1, count)))


def gradient(pixels: Pixels) -> Float[Tensor, "batch coordinate channel height width"]:
    """∂f/∂x and ∂f/∂y by central differences, one-sided at the edges."""
    h = spacing(*pixels.shape[2:])
    along = torch.gradient(pixels, spacing=h, dim=(2, 3))
    return torch.stack([along[1], -along[0]], 1)


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
