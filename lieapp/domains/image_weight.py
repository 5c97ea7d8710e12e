"""The weight ω of pixels: how much the features depend on where a pixel's content stands (paper, app. "Images").

ω(x_i) = E_{f, c} [κ(x_i; c) ‖Σ_j κ(x_j; c) ∂H/∂x_j‖] with Gaussian pseudo-pixels κ of random centres c, and
∂H/∂x_j = (∂f_j/∂x_j) (∂H/∂f_j): the change of the features when the content around c moves.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.extractor import PictureFeatures
from lieapp.domains.image_grid import gradient, pixel_grid

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
