"""Fields given by formulas, as the contract's `Fields`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Own, Points, Stack


def forward(
    function: Callable[[Tensor], Tensor], at: Float[Tensor, "*shape"], along: Float[Tensor, "*shape"]
) -> tuple[Float[Tensor, "*values"], Float[Tensor, "*values"]]:
    """A function's values and their derivatives along tangents, by forward mode."""
    with warnings.catch_warnings():
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
