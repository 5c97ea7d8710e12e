"""Fields given by formulas, and named ones to compare with where nothing can be derived."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.document import Formula
from lieapp.domains.base import Own, Points, ReferenceField, Stack
from lieapp.equations.parsing import parse_expression
from lieapp.lie.vector_field import Field

_ONE_AT_A_TIME = threading.RLock()
"""Levels of torch's forward mode, and Python's filters of warnings, are those of all threads together."""


def forward(
    function: Callable[[Tensor], Tensor], at: Float[Tensor, "*shape"], along: Float[Tensor, "*shape"]
) -> tuple[Float[Tensor, "*values"], Float[Tensor, "*values"]]:
    """A function's values and their derivatives along tangents, by forward mode; from any thread."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        # torch's own decompositions still use torch.jit.script when first loaded
        warnings.filterwarnings("ignore", message=".*torch.jit.script.*", category=FutureWarning)
        return torch.func.jvp(function, (at.contiguous(),), (along.contiguous(),))


class FixedFields:
    """Fields given as functions of scaled points, differentiated by forward mode (derived fields and tests)."""

    def __init__(self, function: Callable[[Points], Stack]) -> None:
        self.function = function

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""
        return forward(self.function, points, tangents)

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        """The fields of these places (all if None), each at the set of points in its place."""
        places = range(len(points)) if which is None else which
        return torch.stack([self.function(own)[k] for own, k in zip(points, places, strict=True)])

    def values(self, points: Points) -> Stack:
        """The fields at points."""
        return self.function(points)


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
