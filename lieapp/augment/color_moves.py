"""Changes of colours that a network may be trained with, as finite flows of the named fields of colours."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.images.pictures import Pixels
from lieapp.domains.base import ReferenceField
from lieapp.domains.color_fields import COLOR_FIELDS
from lieapp.errors import DataError

COLOR_NAMES = {"hue": "hue rotation", "brightness": "brightness", "contrast": "contrast", "saturation": "saturation"}
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
