"""Pictures to train with, each moved by random elements of one-parameter groups that were asked for.

Changes of colours that a network may be trained with, as finite flows of the named fields of colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.formulas import AFFINE, ReferenceField
from lieapp.errors import DataError
from lieapp.pictures.color import COLOR_FIELDS
from lieapp.pictures.image_data import pixel_grid, resample

COLOR_NAMES = {
    "hue": "hue rotation",
    "brightness": "brightness",
    "contrast": "contrast",
    "saturation": "saturation",
}
"""The named field behind each kind of `lieapp.transformations.COLORS`."""


def color_move(kind: str, field: ReferenceField) -> Callable[[Pixels, Float[Tensor, " batch"]], Pixels]:
    """exp(sA) of every colour for an affine field A, exactly, clipped to the cube [0, 1]³."""
    corners = torch.cat([torch.zeros(1, 3), torch.eye(3)])[..., None]
    shift, *columns = field.function(corners).double()[..., 0]
    rate = torch.zeros(4, 4, dtype=torch.float64)
    rate[:3] = torch.stack([*(column - shift for column in columns), shift], 1)

    def move(pixels: Pixels, s: Float[Tensor, " batch"]) -> Pixels:
        if pixels.shape[1] != 3:
            raise DataError(
                f"augment = {kind}: the pictures are grey; this changes colours.",
                hint="Leave it out, or give --data RGB pictures.",
            )
        ahead = torch.linalg.matrix_exp(s.double().cpu()[:, None, None] * rate)[:, :3].to(pixels)
        moved = torch.einsum("bij,bjhw->bihw", ahead[:, :, :3], pixels) + ahead[:, :, 3, None, None]
        return moved.clamp(0, 1)

    return move


COLOR_MOVES = {
    kind: color_move(kind, next(field for field in COLOR_FIELDS if field.name == name))
    for kind, name in COLOR_NAMES.items()
}
"""How each kind moves pictures."""


Move = Callable[[Pixels, Float[Tensor, " batch"]], Pixels]
"""Pictures, each moved to its own flow parameter."""

PADDING = "border"
"""What lies outside of a moved picture: its edge, continued, as in a discovery."""


def affine_move(field: ReferenceField) -> Move:
    """f(exp(-sA) x) for an affine field A, exactly, with bilinear interpolation."""
    corners = torch.tensor([[[0.0], [0.0]], [[1.0], [0.0]], [[0.0], [1.0]]])
    shift, first, second = field.function(corners).double()[:, :, 0]
    rate = torch.zeros(3, 3, dtype=torch.float64)
    rate[:2] = torch.stack([first - shift, second - shift, shift], 1)

    def move(pixels: Pixels, s: Float[Tensor, " batch"]) -> Pixels:
        back = torch.linalg.matrix_exp(-s.double().cpu()[:, None, None] * rate)[:, :2].to(pixels)
        height, width = pixels.shape[2:]
        grid = pixel_grid(height, width, pixels.dtype, pixels.device)[0]
        places = torch.einsum("bij,jhw->bihw", back[:, :, :2], grid) + back[:, :, 2, None, None]
        return resample(pixels, places, PADDING)

    return move


FIELDS = {
    "rotation": "rotation",
    "shear-x": "shear along x",
    "shear-y": "shear along y",
    "translation-x": "translation in x",
    "translation-y": "translation in y",
    "scaling": "uniform scaling",
    "scaling-x": "scaling of x",
    "scaling-y": "scaling of y",
}
"""The reference field behind each affine kind."""

MOVES: dict[str, Move] = {
    **{kind: affine_move(next(field for field in AFFINE if field.name == name)) for kind, name in FIELDS.items()},
    **COLOR_MOVES,
}
"""How each of `lieapp.transformations.KINDS` moves pictures."""


def transformed(pixels: Pixels, kinds: Mapping[str, float], generator: torch.Generator) -> Pixels:
    """Each picture moved along each kind in turn, to flow parameters drawn evenly from [-range, range]."""
    for kind, size in kinds.items():
        s = size * (2 * torch.rand(len(pixels), generator=generator) - 1)
        pixels = MOVES[kind](pixels, s.to(pixels))
    return pixels
