"""Pictures as a network sees them, and the domain of f: [-1, 1]² -> [0, 1]^c: fields in the plane move pixels.

(θ_s f)(x) = f(θ_s⁻¹(x)), resampled; valid is what keeps the features of a network in their direction (paper,
"Images").

x runs to the right and y upwards. The centres of the outer pixels of the longer side lie at -1 and 1, pixels are
square and the middle of the picture is (0, 0), so that rotations are rotations whatever the sides.

The weight ω of pixels: how much the features depend on where a pixel's content stands (paper, app. "Images").
ω(x_i) = E_{f, c} [κ(x_i; c) ‖Σ_j κ(x_j; c) ∂H/∂x_j‖] with Gaussian pseudo-pixels κ of random centres c, and
∂H/∂x_j = (∂f_j/∂x_j) (∂H/∂f_j): the change of the features when the content around c moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.interpolate import make_interp_spline
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Around, Pictures, Pixels
from lieapp.domains.base import (
    Arguments,
    Characteristics,
    Domain,
    Fields,
    Flowing,
    Line,
    Movable,
    ReferenceField,
    Stack,
    Validity,
)
from lieapp.domains.formulas import AFFINE, forward
from lieapp.errors import DataError
from lieapp.pictures.extractor import PictureFeatures


@dataclass(frozen=True)
class PictureBatch:
    """Some pictures, moved or not; all have the same points, so a field is evaluated once for all of them.

    Args:
        points, weight: x and y of the pixels, or sampled colours, as a batch of one; and ω of each.
        pixels: of the pictures as they are.
        features: of the same pictures unmoved.
        sample: the number of each picture.
        lines: the axes of the plane; none where colours lie scattered.
        pairs: neighbours among those, between which fields should be smooth.
        around: the pictures as they are with a margin, from which they are moved; None without.
        clipped: share of each picture's pixels whose colours left the cube, clipped or not; None where none can.
    """

    points: Float[Tensor, "1 coordinate *space"]
    weight: Float[Tensor, "1 *space"]
    pixels: Pixels
    features: Float[Tensor, "batch feature"]
    sample: Int[Tensor, " batch"] | None = None
    lines: list[Line] = field(default_factory=list)
    pairs: Int[Tensor, "2 pair"] | None = None
    around: Around | None = None
    clipped: Float[Tensor, " batch"] | None = None


class Seen(Domain[PictureBatch], Movable[PictureBatch]):
    """What domains of pictures share: a moved picture is valid if its features keep their direction."""

    stages: tuple[str, ...] = ("flow",)
    homogeneous = False

    def __init__(self, name: str, features: PictureFeatures) -> None:
        self.name, self.features = name, features

    def truth(self, budget: float | None = None) -> None:
        """Nothing can be derived of pictures."""
        return None

    def validity(self, before: PictureBatch | None, after: PictureBatch, power: int = 1) -> Validity:
        """Angle in radians between the features of each picture before and after; that of unmoved ones is 0.

        `power` is of no account: a picture has one angle. `share` is that of pixels whose colours stayed in range.
        """
        score = angle(after.features, self.features(after.pixels))
        none = torch.zeros_like(score.detach())
        return Validity(score, 1 - (none if after.clipped is None else after.clipped), none)

    def tangent(self, batch: PictureBatch, q: Characteristics) -> Float[Tensor, "field batch feature"]:
        """Derivative of the direction of the features along each Q: its norm is the limit of angle/|s| for s -> 0.

        For extractors that torch differentiates forward.
        """

        def direction(pixels: Pixels) -> Float[Tensor, "batch feature"]:
            return functional.normalize(self.features(pixels), dim=1)

        return torch.stack([forward(direction, batch.pixels, own)[1] for own in q.value])


def angle(first: Float[Tensor, "batch feature"], second: Float[Tensor, "batch feature"]) -> Float[Tensor, " batch"]:
    """Angle between features as 2 atan2(|a - b|, |a + b|) of unit vectors, which keeps its digits near 0."""
    a, b = functional.normalize(first, dim=1), functional.normalize(second, dim=1)
    tiny = torch.finfo(a.dtype).eps ** 2
    apart, along = ((a - b).square().sum(1) + tiny).sqrt(), ((a + b).square().sum(1) + tiny).sqrt()
    return 2 * torch.atan2(apart, along)


Plane = Float[Tensor, "batch coordinate height width"]


def spacing(height: int, width: int) -> float:
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
    interpolation: str = "bilinear", h: float | None = None,
) -> Pixels:  # fmt: skip
    """Interpolation of each picture at its own places; differentiable in both.

    Args:
        h: distance of pixels; that of pictures that reach from -1 to 1 unless given.
    """
    height, width = pixels.shape[2:]
    h = spacing(height, width) if h is None else h
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


AT_ONCE = 256
"""Pictures that features are taken of at a time."""


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
        self.around = None if pictures.around is None else pictures.around.to(device)
        self.points, h = pixel_grid(*pictures.shape[1:], torch.float32, device), spacing(*pictures.shape[1:])
        self.lines = [Line(-2, h, False), Line(-1, h, False)]
        self.pairs: Int[Tensor, "2 pair"] | None = None
        self.weight = torch.ones_like(self.points[:, 0]) if weight is None else weight.to(self.points)[None]
        self._features = [taken(features, self.pixels)]
        if flip:
            self._features.append(taken(features, self.pixels.flip(-1)))

    @property
    def trajectories(self) -> int:
        return len(self.pixels)

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> PictureBatch:
        """Random pictures, each at most once."""
        which = torch.randperm(len(self.pixels), generator=generator)[:size]
        turned = (torch.rand(len(which), generator=generator) < 0.5) & self.flip
        return self._batch(which, turned)

    def batches(self, count: int, size: int) -> Iterator[PictureBatch]:
        """About `count` pictures spread evenly over all, `size` at a time, unmirrored, always the same."""
        which = torch.linspace(0, len(self.pixels) - 1, min(count, len(self.pixels))).round().long()
        for part in which.split(size):
            yield self._batch(part, torch.zeros(len(part), dtype=torch.bool))

    def _batch(self, which: Int[Tensor, " batch"], turned: Bool[Tensor, " batch"]) -> PictureBatch:
        which, turned = which.to(self.pixels.device), turned.to(self.pixels.device)
        pixels, features = self.pixels[which], self._features[0][which]
        around = None if self.around is None else self.around[which]
        if self.flip:
            side = turned[:, None, None, None]
            pixels = torch.where(side, pixels.flip(-1), pixels)
            around = None if around is None else torch.where(side, around.flip(-1), around)
            features = torch.where(turned[:, None], self._features[1][which], features)
        return PictureBatch(self.points, self.weight, pixels, features, which, self.lines, self.pairs, around)


def taken(features: PictureFeatures, pixels: Pixels) -> Float[Tensor, "batch feature"]:
    """Features of many pictures, without gradients. Raises DataError unless they are finite and one row each."""
    with torch.no_grad():
        found = torch.cat([features(part) for part in pixels.split(AT_ONCE)])
    if found.ndim != 2 or len(found) != len(pixels):
        raise DataError(
            f"the extractor returns features of shape {list(found.shape)} for {len(pixels)} pictures; one row for "
            "each is expected.",
            hint="Let it end with .flatten(1).",
        )
    if not bool(torch.isfinite(found).all()):
        raise DataError("the extractor gives features that are NaN or infinite.", hint="Check its formulas.")
    return found


WIDTH = 0.1
"""Standard deviation of a pseudo-pixel."""

CHUNK = 32
"""Pictures at a time."""

DIRECTIONS = 8
"""Random directions in the space of features that stand for all of them where there are more; the norm of each
picture then errs by a quarter, and the mean over pictures by little."""


def slopes(
    features: PictureFeatures, pixels: Pixels, generator: torch.Generator
) -> Float[Tensor, "direction batch channel height width"]:
    """∂H/∂f(x) along an orthonormal or random frame of the features.

    Squares summed over the frame are the squared norm, on average where the frame is random.
    """
    pixels = pixels.detach().requires_grad_()
    with torch.enable_grad():
        found = features(pixels)
        if found.shape[1] > DIRECTIONS:
            # of each picture's own, so that the mean over pictures is one over directions too
            drawn = torch.randn(*found.shape, DIRECTIONS, generator=generator, dtype=torch.float32)
            found = (found[:, :, None] * drawn.to(found)).sum(1) * DIRECTIONS**-0.5
        # features that don't depend on the pictures have no slope
        own = [torch.autograd.grad(column.sum(), pixels, retain_graph=True)[0] for column in found.unbind(1)]
    return torch.stack(own)


def pixel_weight(
    features: PictureFeatures, pixels: Pixels, generator: torch.Generator
) -> Float[Tensor, "height width"]:
    """ω of every pixel, with mean 1; 1 everywhere if the features don't change at all.

    The mean over centres c at all pixels: with the derivatives of one direction of the features, sums over pixels
    for all c at once are two products with the kernel, which is one of x times one of y.
    """
    height, width = pixels.shape[2:]
    x, y = pixel_grid(height, width, pixels.dtype, pixels.device)[0]
    rows, columns = bumps(y[:, 0]), bumps(x[0])
    total = pixels.new_zeros(height, width)
    for part in pixels.split(CHUNK):
        own, squares = slopes(features, part, generator), torch.zeros_like(part[:, 0])
        for along in gradient(part).unbind(1):
            squares += (rows @ (own * along).sum(2) @ columns).square().sum(0)
        total += (rows @ squares.sqrt() @ columns).sum(0)
    mean = total.mean()
    return total / mean if mean > 0 else torch.ones_like(total)


def bumps(places: Float[Tensor, " place"]) -> Float[Tensor, "place place"]:
    """κ(x; c) of each x and each centre c, both among `places` on a line, without its constant factor."""
    return torch.exp(-(places[:, None] - places).square() / (2 * WIDTH**2))


class ImageDomain(Seen):
    """Pictures seen through an extractor.

    Args:
        padding: what lies outside a picture, "border" or "zeros".
        interpolation: between pixels, "bicubic" or, as the paper has it, "bilinear".
        nodes: along the shorter side, from which flows are followed, the places of pixels between them being
            interpolated; 0: from every pixel. 16 leave a tenth of a pixel of a whirl as steep as 3.
    """

    # for s -> 0 resampling hides everything on pictures that aren't smoothed (docs/method.md), so flow is the stage
    arguments = Arguments(("x", "y"), (False, False), (False, False))
    components = ("x", "y")

    def __init__(
        self, name: str, features: PictureFeatures, padding: str = "border", interpolation: str = "bilinear",
        nodes: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(name, features)
        self.padding, self.interpolation, self.nodes = padding, interpolation, nodes

    def reference(self) -> tuple[ReferenceField, ...]:
        """The affine generators, nothing being derivable."""
        return AFFINE

    def act(self, flow: Flowing, batch: PictureBatch, s: Float[Tensor, " slot"]) -> PictureBatch:
        """All pictures moved by each slot's flow, slot after slot: f(φ_{-s}(x)) at every pixel x."""
        slots, count = len(s), len(batch.pixels)
        nodes = coarse_nodes(batch.points, self.nodes)
        moved = flow(nodes.expand(slots, *nodes.shape), -s)[:, 0]
        places = spread(moved, nodes, batch.points).repeat_interleave(count, 0)
        h, around = spacing(*batch.pixels.shape[2:]), batch.pixels if batch.around is None else batch.around
        pixels = resample(around.repeat(slots, 1, 1, 1), places, self.padding, self.interpolation, h)
        features = batch.features.repeat(slots, 1)
        return replace(batch, pixels=pixels, features=features, sample=None, around=None)

    def characteristic(self, batch: PictureBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields in the plane and Q = -ξ·∇f, how each picture begins to change; no variable evolves."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = -(v[:, :, :, None] * gradient(batch.pixels)[None]).sum(2)
        return v, Characteristics(q, torch.zeros_like(q))
