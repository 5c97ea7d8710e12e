"""The plane of a picture: coordinates of its pixels, gradients in it, and resampling at other places.

x runs to the right and y upwards. The centres of the outer pixels of the longer side lie at -1 and 1, pixels are
square and the middle of the picture is (0, 0), so that rotations are rotations whatever the sides.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

Pixels = Float[Tensor, "batch channel height width"]
Plane = Float[Tensor, "batch coordinate height width"]

PADDINGS = ("border", "zeros")
"""What lies outside a picture: its edge, continued, or black."""


def spacing(height: int, width: int) -> float:
    """Between neighbouring pixels."""
    return 2 / (max(height, width) - 1)


def pixel_grid(height: int, width: int, dtype: torch.dtype, device: torch.device | str = "cpu") -> Plane:
    """x and y of every pixel, as a batch of one."""
    h = spacing(height, width)
    x = h * (torch.arange(width, dtype=dtype, device=device) - (width - 1) / 2)
    y = -h * (torch.arange(height, dtype=dtype, device=device) - (height - 1) / 2)
    return torch.stack([x.expand(height, width), y[:, None].expand(height, width)])[None]


def resample(pixels: Pixels, places: Plane, padding: str) -> Pixels:
    """Bilinear interpolation of each picture at its own places; differentiable in both."""
    height, width = pixels.shape[2:]
    h = spacing(height, width)
    # grid_sample has -1 and 1 at the outer pixels of each side, and rows running down
    x = places[:, 0] / (h * (width - 1) / 2)
    y = -places[:, 1] / (h * (height - 1) / 2)
    return functional.grid_sample(
        pixels, torch.stack([x, y], -1), mode="bilinear", padding_mode=padding, align_corners=True
    )


def gradient(pixels: Pixels) -> Float[Tensor, "batch coordinate channel height width"]:
    """∂f/∂x and ∂f/∂y by central differences, one-sided at the edges."""
    h = spacing(*pixels.shape[2:])
    along = torch.gradient(pixels, spacing=h, dim=(2, 3))
    return torch.stack([along[1], -along[0]], 1)
