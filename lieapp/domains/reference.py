"""Named fields that learned ones are compared with where nothing can be derived."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.document import Formula
from lieapp.domains.base import Points, ReferenceField
from lieapp.domains.formulas import FixedFields
from lieapp.equations.parsing import parse_expression
from lieapp.lie.vector_field import Field


def stack(fields: Sequence[ReferenceField]) -> FixedFields:
    """The fields as one stack, as the contract's `Fields`."""
    return FixedFields(lambda points: torch.stack([field.function(points) for field in fields]))


def linear_field(
    name: str,
    formula: dict[str, str],
    matrix: Sequence[Sequence[float]],
    shift: Sequence[float],
    shown: Formula | None = None,
) -> ReferenceField:
    """The field z -> A z + b; `shown` is its formula where it is written shorter than SymPy does."""
    if shown is None:
        symbols = {coordinate: sp.Symbol(coordinate) for coordinate in formula}
        shown = Field({c: parse_expression(text, symbols) for c, text in formula.items()}).formula()

    def function(points: Points) -> Float[Tensor, "batch component *space"]:
        a, b = points.new_tensor(matrix), points.new_tensor(shift)
        moved = torch.einsum("cd,bd...->bc...", a, points)
        return moved + b.reshape(-1, *[1] * (points.ndim - 2))

    return ReferenceField(name, formula, shown, function)


ZERO, NO_SHIFT = ((0.0, 0.0), (0.0, 0.0)), (0.0, 0.0)

AFFINE = (
    linear_field("translation in x", {"x": "1", "y": "0"}, ZERO, (1.0, 0.0)),
    linear_field("translation in y", {"x": "0", "y": "1"}, ZERO, (0.0, 1.0)),
    linear_field("scaling of x", {"x": "x", "y": "0"}, ((1.0, 0.0), (0.0, 0.0)), NO_SHIFT),
    linear_field("scaling of y", {"x": "0", "y": "y"}, ((0.0, 0.0), (0.0, 1.0)), NO_SHIFT),
    linear_field("shear along x", {"x": "y", "y": "0"}, ((0.0, 1.0), (0.0, 0.0)), NO_SHIFT),
    linear_field("shear along y", {"x": "0", "y": "x"}, ((0.0, 0.0), (1.0, 0.0)), NO_SHIFT),
    linear_field("uniform scaling", {"x": "x", "y": "y"}, ((1.0, 0.0), (0.0, 1.0)), NO_SHIFT),
    linear_field("rotation", {"x": "-y", "y": "x"}, ((0.0, -1.0), (1.0, 0.0)), NO_SHIFT),
)
"""Generators of the affine group of the plane, in the order of the paper's table, and two sums that have names."""
