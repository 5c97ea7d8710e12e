"""The weight ω of sampled colours: how much the features depend on them (paper, app. "Color-space Results").

ω(y_i) = E_f [1/|nbhd| Σ_{y_j in nbhd(y_i)} ‖Σ_{x: f(x) nearest to y_i} ∂H/∂f(x) (y_j - y_i)‖]: how much the
features change when the pixels whose colour is nearest to y_i begin to move towards a neighbour of it.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.color_data import Palette
from lieapp.domains.color_space import nearest
from lieapp.domains.extractor import PictureFeatures

CHUNK = 16
"""Pictures at a time."""

DIRECTIONS = 32
"""Random directions in the space of features that stand for all of them where there are more; each picture's norm
then errs by an eighth, and the mean over pictures by little."""


def color_weight(
    features: PictureFeatures, pixels: Pixels, palette: Palette, generator: torch.Generator
) -> Float[Tensor, " color"]:
    """ω of every sampled colour, with mean 1; 1 everywhere if the features don't change at all."""
    colors = palette.points[0]
    steps = colors[:, palette.nearby] - colors[:, :, None]
    total = colors.new_zeros(colors.shape[1])
    for part in pixels.split(CHUNK):
        slopes = summed_slopes(features, part, nearest(colors, part), colors.shape[1], generator)
        change = torch.einsum("dbnc,cnk->dbnk", slopes, steps)
        total += change.square().sum(0).sqrt().mean(2).sum(0)
    mean = total.mean()
    return total / mean if mean > 0 else torch.ones_like(total)


def summed_slopes(
    features: PictureFeatures, pixels: Pixels, which: Int[Tensor, "batch height width"], count: int,
    generator: torch.Generator,
) -> Float[Tensor, "direction batch {count} channel"]:  # fmt: skip
    """Σ over the pixels of each colour of ∂H/∂f(x), in an orthonormal or random frame of the features.

    Squares summed over the frame are the squared norm, on average where the frame is random.
    """
    pixels = pixels.detach().requires_grad_()
    with torch.enable_grad():
        found = features(pixels)
        along = found if found.shape[1] <= DIRECTIONS else found @ _random_frame(found, generator)
        slopes = [torch.autograd.grad(column.sum(), pixels, retain_graph=True)[0] for column in along.unbind(1)]
    flat = torch.stack(slopes).flatten(3).movedim(2, 3)
    places = which.flatten(1)[None, :, :, None].expand_as(flat)
    return flat.new_zeros(*flat.shape[:2], count, 3).scatter_add(2, places, flat)


def _random_frame(found: Tensor, generator: torch.Generator) -> Tensor:
    drawn = torch.randn(found.shape[1], DIRECTIONS, generator=generator, dtype=torch.float32)
    return drawn.to(found) * DIRECTIONS**-0.5
