"""The domain of pictures f: [-1, 1]² -> [0, 1]^c: fields in the plane move pixels (paper, "Images").

(θ_s f)(x) = f(θ_s⁻¹(x)), resampled; valid is what keeps the features of a network in their direction.

The weight ω of pixels: how much the features depend on where a pixel's content stands (paper, app. "Images").

ω(x_i) = E_{f, c} [κ(x_i; c) ‖Σ_j κ(x_j; c) ∂H/∂x_j‖] with Gaussian pseudo-pixels κ of random centres c, and
∂H/∂x_j = (∂f_j/∂x_j) (∂H/∂f_j): the change of the features when the content around c moves.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.base import Arguments, Characteristics, Fields, Flowing, ReferenceField, Stack
from lieapp.domains.formulas import AFFINE
from lieapp.pictures.extractor import PictureFeatures
from lieapp.pictures.image_data import ImageBatch, coarse_nodes, gradient, pixel_grid, resample, spread
from lieapp.pictures.seen import Seen

WIDTH = 0.1
"""Standard deviation of a pseudo-pixel."""

STEP = 0.01
"""Distance that contents are moved by to see how features change."""

CHUNK = 128
"""Pictures at a time."""


def pixel_weight(
    features: PictureFeatures, pixels: Pixels, rounds: int, generator: torch.Generator
) -> Float[Tensor, "height width"]:
    """ω of every pixel, with mean 1; `rounds` centres are drawn for each picture.

    Derivatives along x and y by central differences: every extractor has those, not all a forward derivative.
    1 everywhere if the features don't change at all.
    """
    height, width = pixels.shape[2:]
    points = pixel_grid(height, width, pixels.dtype, pixels.device)
    far = points.abs().amax((0, 2, 3))
    total = pixels.new_zeros(height, width)
    for _ in range(rounds):
        for part in pixels.split(CHUNK):
            drawn = torch.rand(len(part), 2, generator=generator).to(part)
            kernel = bumps(points, far * (2 * drawn - 1))
            size = sensitivity(features, part, kernel)
            total += (size[:, None, None] * kernel).sum(0)
    mean = total.mean()
    return total / mean if mean > 0 else torch.ones_like(total)


def bumps(
    points: Float[Tensor, "1 coordinate height width"], centres: Float[Tensor, "batch coordinate"]
) -> Float[Tensor, "batch height width"]:
    """κ(x; c) of each centre, without its constant factor."""
    squares = (points - centres[:, :, None, None]).square().sum(1)
    return torch.exp(-squares / (2 * WIDTH**2))


def sensitivity(
    features: PictureFeatures, pixels: Pixels, kernel: Float[Tensor, "batch height width"]
) -> Float[Tensor, " batch"]:
    """‖Σ_j κ(x_j) ∂H/∂x_j‖ of each picture, over features and both directions."""
    squares = pixels.new_zeros(len(pixels))
    with torch.no_grad():
        for along in gradient(pixels).unbind(1):
            change = STEP * kernel[:, None] * along
            ahead, behind = features(pixels + change), features(pixels - change)
            squares += ((ahead - behind) / (2 * STEP)).square().sum(1)
    return squares.sqrt()


class ImageDomain(Seen[ImageBatch]):
    """Pictures seen through an extractor.

    Args:
        name: of the plugin.
        features: of a batch of pictures.
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

    def act(self, flow: Flowing, batch: ImageBatch, s: Float[Tensor, " slot"]) -> ImageBatch:
        """All pictures moved by each slot's flow, slot after slot: f(φ_{-s}(x)) at every pixel x."""
        slots, count = len(s), len(batch.pixels)
        nodes = coarse_nodes(batch.points, self.nodes)
        moved = flow(nodes.expand(slots, *nodes.shape), -s)[:, 0]
        places = spread(moved, nodes, batch.points).repeat_interleave(count, 0)
        pixels = resample(batch.pixels.repeat(slots, 1, 1, 1), places, self.padding, self.interpolation)
        return replace(batch, pixels=pixels, features=batch.features.repeat(slots, 1), sample=None)

    def characteristic(self, batch: ImageBatch, fields: Fields) -> tuple[Stack, Characteristics]:
        """The fields in the plane and Q = -ξ·∇f, how each picture begins to change; no variable evolves."""
        v = fields.jvp(batch.points, torch.zeros_like(batch.points))[0]
        q = -(v[:, :, :, None] * gradient(batch.pixels)[None]).sum(2)
        return v, Characteristics(q, torch.zeros_like(q))
