"""The plane of a picture: coordinates of its pixels, gradients in it, and resampling at other places.

x runs to the right and y upwards. The centres of the outer pixels of the longer side lie at -1 and 1, pixels are
square and the middle of the picture is (0, 0), so that rotations are rotations whatever the sides.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from scipy.interpolate import make_interp_spline
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pixels

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
