"""Vector fields made from scalar features h_k(z): linear combinations of their components."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Fields
from lieapp.domains.spread import EveryComponent, Features, Points, Scalars, Stack

__all__ = ["Combination", "EveryComponent", "Features", "Joined", "Points", "Scalars", "Stack"]


class Combination:
    """Fields V_n = Σ_{k,c} coefficients[n, k, c] h_k e_c."""

    def __init__(self, features: Features, coefficients: Float[Tensor, "field feature coordinate"]) -> None:
        self.features, self.coefficients = features, coefficients

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""
        h, dh = self.features.jvp(points, tangents)
        return self._combine(h), self._combine(dh)

    def _combine(self, h: Scalars) -> Stack:
        return torch.einsum("nkc,kb...->nbc...", self.coefficients, h)

    def values(self, points: Points) -> Stack:
        """The fields at points."""
        return self._combine(self.features.jvp(points, torch.zeros_like(points))[0])

    def each_own(
        self, points: Float[Tensor, "field coordinate *space"]
    ) -> Float[Tensor, "field coordinate *space"]:
        """Field n at the n-th of as many sets of points."""
        h, _ = self.features.jvp(points, torch.zeros_like(points))
        return torch.einsum("nkc,kn...->nc...", self.coefficients, h)


class Joined:
    """Several stacks one after the other."""

    def __init__(self, *stacks: Fields) -> None:
        self.stacks = stacks

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""
        parts = [stack.jvp(points, tangents) for stack in self.stacks]
        return torch.cat([v for v, _ in parts]), torch.cat([dv for _, dv in parts])
