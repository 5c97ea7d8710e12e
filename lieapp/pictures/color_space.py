"""The cube of colours: red, green and blue from 0 to 1 as files hold them (sRGB values, not light intensities).

Colours are sampled, have nearest neighbours, and are moved by what a table over the cube or over the samples says.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.spatial import KDTree
from torch import Tensor
from torch.nn import functional

from lieapp.data.images.pictures import Pixels
from lieapp.errors import DataError

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
