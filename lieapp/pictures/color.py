"""The domain of colours: fields in the cube [0, 1]³ change the colours of pictures (paper, app. "Color-space").

The cube has red, green and blue from 0 to 1 as files hold them (sRGB values, not light intensities).
(θ_s f)(x) = θ_s(f(x)) at every pixel; valid is what keeps the features of a network in their direction. Following
the flow from every pixel's colour would take most of the time, so it is followed from a table of colours: by
default a lattice over the cube, whose displacements are interpolated trilinearly; as in the paper the sampled
colours, a pixel taking the displacement of the nearest.

The weight ω of sampled colours: how much the features depend on them (paper, app. "Color-space Results").
ω(y_i) = E_f [1/|nbhd| Σ_{y_j in nbhd(y_i)} ‖Σ_{x: f(x) nearest to y_i} ∂H/∂f(x) (y_j - y_i)‖]: how much the
features change when the pixels whose colour is nearest to y_i begin to move towards a neighbour of it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.spatial import KDTree
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pixels
from lieapp.document import Formula
from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, ReferenceField, Stack
from lieapp.domains.formulas import linear_field
from lieapp.errors import DataError
from lieapp.pictures.extractor import PictureFeatures
from lieapp.pictures.image import ImageData, PictureBatch, Seen, slopes

ColorPoints = Float[Tensor, "channel color"]

FEWEST = 16
"""Distinct colours below which nothing is learned from them."""

STEP = 1 / 255
"""Between neighbouring values of a byte; channels that are nearer than that everywhere are grey."""

DRAWN = 8
"""Pixels drawn for each colour that is wanted; pictures repeat their colours."""


def check_colored(pixels: Pixels, source: str) -> None:
    """Raises DataError for pictures without colour: of one channel, or with three equal ones."""
    if pixels.shape[1] != 3:
        raise DataError(
            f"{source}: the pictures are grey, of {pixels.shape[1]} channel; red, green and blue are needed.",
            hint="Give --data RGB pictures, such as photographs; grey ones have symmetries of their plane "
            "(`lieapp discover --plugin images`).",
        )
    spread = max(float((pixels[:, 0] - pixels[:, k]).abs().max()) for k in (1, 2))
    if spread < STEP:
        raise DataError(
            f"{source}: the pictures are grey: red, green and blue differ by {spread:.1g} at most.",
            hint="Give --data pictures with colours, such as photographs.",
        )


def sample_colors(pixels: Pixels, count: int, generator: torch.Generator) -> ColorPoints:
    """Distinct colours of random pixels, at most `count`; frequent ones are as frequent as in the pictures.

    Raises DataError if there are hardly any.
    """
    flat = pixels.movedim(1, -1).reshape(-1, 3)
    which = torch.randint(len(flat), (DRAWN * count,), generator=generator)
    found, first = np.unique(flat[which.to(flat.device)].cpu().numpy(), axis=0, return_index=True)
    chosen = torch.from_numpy(found[np.argsort(first)][:count]).to(pixels)
    if len(chosen) < FEWEST:
        raise DataError(
            f"the pictures have {len(chosen)} colours; fields are compared on at least {FEWEST}.",
            hint="Give pictures with more colours, such as photographs.",
        )
    return chosen.T.contiguous()


def neighbours(colors: ColorPoints, count: int) -> Int[Tensor, "color neighbour"]:
    """The numbers of the nearest other colours of each colour."""
    points = colors.T.double().cpu().numpy()
    count = min(count, len(points) - 1)
    _, found = KDTree(points).query(points, count + 1)
    return torch.from_numpy(found[:, 1:].astype(np.int64)).to(colors.device)


def pairs_of(found: Int[Tensor, "color neighbour"]) -> Int[Tensor, "2 pair"]:
    """Every pair of neighbours once."""
    own = torch.arange(len(found), device=found.device)[:, None].expand_as(found)
    both = torch.stack([own.flatten(), found.flatten()]).sort(0)[0]
    return both.unique(dim=1)


def nearest(colors: ColorPoints, pixels: Pixels) -> Int[Tensor, "batch height width"]:
    """The number of the colour that each pixel is nearest to; searched on the CPU, wherever pixels are."""
    flat = pixels.detach().movedim(1, -1).reshape(-1, 3).cpu().numpy()
    _, found = KDTree(colors.T.cpu().numpy()).query(flat)
    return torch.from_numpy(found.astype(np.int64)).to(pixels.device).reshape(len(pixels), *pixels.shape[2:])


def lattice(side: int, like: Tensor) -> Float[Tensor, "channel red green blue"]:
    """Colours at equal distances over the whole cube, both ends included."""
    line = torch.linspace(0, 1, side, dtype=like.dtype, device=like.device)
    return torch.stack(torch.meshgrid(line, line, line, indexing="ij"))


def interpolated(
    table: Float[Tensor, "slot channel red green blue"], pixels: Pixels
) -> Float[Tensor, "slot batch channel height width"]:
    """Trilinear values of each slot's table at the colour of each pixel.

    Exact for a table of an affine function.
    """
    # grid_sample names the last axis of the table first
    places = 2 * pixels.flip(1).movedim(1, -1).reshape(1, 1, 1, -1, 3) - 1
    places = places.expand(len(table), -1, -1, -1, -1)
    found = functional.grid_sample(table, places, mode="bilinear", padding_mode="border", align_corners=True)
    shape = (len(pixels), *pixels.shape[2:])
    return found.reshape(len(table), 3, *shape).movedim(1, 2)


ROOT = 3**-0.5
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = ((0.0, 0.0, 0.0),) * 3
NO_SHIFT = (0.0, 0.0, 0.0)
THIRD = 1 / 3

COLOR_FIELDS = (
    linear_field("shift of red", {"r": "1", "g": "0", "b": "0"}, ZERO, (1.0, 0.0, 0.0)),
    linear_field("shift of green", {"r": "0", "g": "1", "b": "0"}, ZERO, (0.0, 1.0, 0.0)),
    linear_field("shift of blue", {"r": "0", "g": "0", "b": "1"}, ZERO, (0.0, 0.0, 1.0)),
    linear_field("brightness", {"r": "r", "g": "g", "b": "b"}, EYE, NO_SHIFT),
    linear_field(
        "saturation",
        {"r": "(2*r - g - b)/3", "g": "(2*g - r - b)/3", "b": "(2*b - r - g)/3"},
        tuple(tuple(EYE[i][j] - THIRD for j in range(3)) for i in range(3)),
        NO_SHIFT,
        Formula(
            "(2*r - g - b)/3 ∂r + (2*g - r - b)/3 ∂g + (2*b - r - g)/3 ∂b",
            r"\frac{2 r - g - b}{3}\,\partial_{r} + \frac{2 g - r - b}{3}\,\partial_{g} + "
            r"\frac{2 b - r - g}{3}\,\partial_{b}",
        ),
    ),
    linear_field(
        "hue rotation",
        {"r": "(b - g)/sqrt(3)", "g": "(r - b)/sqrt(3)", "b": "(g - r)/sqrt(3)"},
        ((0.0, -ROOT, ROOT), (ROOT, 0.0, -ROOT), (-ROOT, ROOT, 0.0)),
        NO_SHIFT,
        Formula(
            "(b - g)/sqrt(3) ∂r + (r - b)/sqrt(3) ∂g + (g - r)/sqrt(3) ∂b",
            r"\frac{b - g}{\sqrt{3}}\,\partial_{r} + \frac{r - b}{\sqrt{3}}\,\partial_{g} + "
            r"\frac{g - r}{\sqrt{3}}\,\partial_{b}",
        ),
    ),
    linear_field("lightness", {"r": "1", "g": "1", "b": "1"}, ZERO, (1.0, 1.0, 1.0)),
    linear_field("contrast", {"r": "r - 1/2", "g": "g - 1/2", "b": "b - 1/2"}, EYE, (-0.5, -0.5, -0.5)),
    linear_field("blue-yellow shift", {"r": "1", "g": "1", "b": "-2"}, ZERO, (1.0, 1.0, -2.0)),
)
"""Shifts of a channel; brightness multiplies, lightness adds; contrast multiplies the distance from middle grey,
saturation that from the grey axis, and hue turns about that axis. Which of them depend on others is computed."""


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


def colored(pictures: ImageData, palette: Palette) -> ImageData:
    """The same pictures with a palette, on which fields are compared, in place of the plane."""
    found = copy(pictures)
    found.points, found.weight, found.lines = palette.points, palette.weight, []
    found.pairs = pairs_of(palette.nearby)
    return found


CHUNK = 16
"""Pictures at a time."""

def color_weight(
    features: PictureFeatures, pixels: Pixels, palette: Palette, generator: torch.Generator
) -> Float[Tensor, " color"]:
    """ω of every sampled colour, with mean 1; 1 everywhere if the features don't change at all."""
    colors = palette.points[0]
    steps = colors[:, palette.nearby] - colors[:, :, None]
    total = colors.new_zeros(colors.shape[1])
    for part in pixels.split(CHUNK):
        summed = summed_slopes(features, part, nearest(colors, part), colors.shape[1], generator)
        change = torch.einsum("dbnc,cnk->dbnk", summed, steps)
        total += change.square().sum(0).sqrt().mean(2).sum(0)
    mean = total.mean()
    return total / mean if mean > 0 else torch.ones_like(total)


def summed_slopes(
    features: PictureFeatures, pixels: Pixels, which: Int[Tensor, "batch height width"], count: int,
    generator: torch.Generator,
) -> Float[Tensor, "direction batch {count} channel"]:  # fmt: skip
    """Σ over the pixels of each colour of ∂H/∂f(x), along the frame of `slopes`."""
    flat = slopes(features, pixels, generator).flatten(3).movedim(2, 3)
    places = which.flatten(1)[None, :, :, None].expand_as(flat)
    return flat.new_zeros(*flat.shape[:2], count, 3).scatter_add(2, places, flat)


SIDE = 7
"""Nodes of the lattice along each axis; for fields with second derivatives of 10 it errs by .03 s."""

OUTSIDE = 1e-4
"""How far beyond the cube a channel may lie before its pixel counts as clipped: round-off isn't."""


class ColorDomain(Seen):
    """Pictures seen through an extractor, their colours being moved.

    Args:
        interpolation: of displacements, "trilinear" or "nearest".
        side: nodes of the lattice along each axis.
        outside: what the extractor gets where colours leave the cube, "clipped" or "kept".
    """

    arguments = Arguments(("r", "g", "b"), (False, False, False), (False, False, False))
    components = ("r", "g", "b")

    def __init__(
        self, name: str, features: PictureFeatures, interpolation: str = "trilinear", side: int = SIDE,
        outside: str = "kept",
    ) -> None:  # fmt: skip
        super().__init__(name, features)
        self.interpolation, self.side, self.outside = interpolation, side, outside

    def reference(self) -> tuple[ReferenceField, ...]:
        """What picture editors have sliders for, nothing being derivable."""
        return COLOR_FIELDS

    def act(self, flow: Flowing, batch: PictureBatch, s: Float[Tensor, " slot"]) -> PictureBatch:
        """All pictures with their colours moved by each slot's flow, slot after slot."""
        nodes = batch.points[0] if self.interpolation == "nearest" else lattice(self.side, batch.pixels)
        start = nodes.flatten(1)[None]
        moved = (flow(start.expand(len(s), *start.shape), s) - start)[:, 0]
        if self.interpolation == "nearest":
            shift = moved[:, :, nearest(nodes, batch.pixels)].movedim(1, 2)
        else:
            shift = interpolated(moved.unflatten(2, nodes.shape[1:]), batch.pixels)
        free = (batch.pixels + shift).flatten(0, 1)
        outside = ((free < -OUTSIDE) | (free > 1 + OUTSIDE)).any(1).flatten(1)
        return replace(
            batch,
            pixels=free.clamp(0, 1) if self.outside == "clipped" else free,
            features=batch.features.repeat(len(s), 1),
            sample=None,
            clipped=outside.to(free).mean(1),
        )

    def characteristic(self, batch: PictureBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields at the sampled colours, and Q = V(f): how each picture begins to change."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = fields.jvp(batch.pixels, torch.zeros_like(batch.pixels))[0]
        return v, Characteristics(q, torch.zeros_like(q))
