"""Vector fields made from scalar features h_k(z): linear combinations of their components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.domains.base import Fields, Own, Points, Scalars, Stack
from lieapp.domains.spread import Features


@runtime_checkable
class Followed(Protocol):
    """Fields that a flow can follow, each at points of its own."""

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        """The fields of these slots (all if None), each at the set of points in its place."""


@runtime_checkable
class Slotted(Followed, Protocol):
    """Such fields with derivatives."""

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""


class Combination(nn.Module):
    """Fields V_n = Σ_{k,c} coefficients[n, k, c] h_k e_c; a descent changes what of it are parameters."""

    def __init__(self, features: Features, coefficients: Float[Tensor, "field feature component"]) -> None:
        super().__init__()
        self.features = features
        self.coefficients = coefficients

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        h, dh = self.features.jvp(points, tangents)
        return self._combine(h), self._combine(dh)

    def _combine(self, h: Scalars) -> Stack:
        return torch.einsum("nkc,kb...->nbc...", self.coefficients, h)

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        h = self.features.at(points.flatten(0, 1)).unflatten(1, points.shape[:2])
        chosen = self.coefficients if which is None else self.coefficients[list(which)]
        return torch.einsum("nkc,knb...->nbc...", chosen, h)


class Scaled(nn.Module):
    """Fields times fixed numbers, such as one over their norms."""

    def __init__(self, fields: Slotted, factors: Float[Tensor, " slot"]) -> None:
        super().__init__()
        self.fields, self.factors = fields, factors

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        factors = self.factors if which is None else self.factors[list(which)]
        return self.fields.each(points, which) * _shaped(factors, points.ndim)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        v, dv = self.fields.jvp(points, tangents)
        factors = _shaped(self.factors, v.ndim)
        return v * factors, dv * factors


def values(fields: Fields, points: Points) -> Stack:
    """The fields at points."""
    return fields.jvp(points, torch.zeros_like(points))[0]


def _shaped(factors: Tensor, dims: int) -> Tensor:
    return factors.reshape(-1, *[1] * (dims - 1))


class Chosen:
    """Some of a stack, in this order."""

    def __init__(self, fields: Fields, which: Sequence[int]) -> None:
        self.fields, self.which = fields, list(which)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        v, dv = self.fields.jvp(points, tangents)
        return v[self.which], dv[self.which]


class Joined:
    """Several stacks one after the other."""

    def __init__(self, *stacks: Fields) -> None:
        self.stacks = stacks

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        parts = [stack.jvp(points, tangents) for stack in self.stacks]
        return torch.cat([v for v, _ in parts]), torch.cat([dv for _, dv in parts])
