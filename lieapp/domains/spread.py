"""The fields h_k e_c: every component of some scalar features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lieapp.domains.base import Arguments, Points, Scalars, Stack

Allowed = Bool[Tensor, "feature component"]
"""Which of the fields h_k e_c are taken."""


@runtime_checkable
class Features(Protocol):
    """Scalar functions of the arguments."""

    count: int

    def at(self, points: Points) -> Scalars:
        """Values at points."""
        ...

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """Values at points and derivatives along tangents."""
        ...


class Evaluated:
    """Features already evaluated at the points they will be asked for: one network call serves two uses."""

    def __init__(self, values: Scalars, rates: Scalars) -> None:
        self.values, self.rates, self.count = values, rates, values.shape[0]

    def at(self, points: Points) -> Scalars:
        """The values that were evaluated."""
        return self.values

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """What was evaluated."""
        return self.values, self.rates

    def detached(self) -> Evaluated:
        """The same without gradients."""
        return Evaluated(self.values.detach(), self.rates.detach())


class EveryComponent:
    """The fields h_k e_c for all features k and components c, in the order (k, c).

    Most of their entries are zeros, so what is linear in them is had from the h_k for a fraction of the work.
    """

    def __init__(self, features: Features, components: int) -> None:
        self.features, self.components = features, components

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """See `domains.base.Fields`."""
        h, dh = self.features.jvp(points, tangents)
        return self.spread(h), self.spread(dh)

    def spread(self, h: Scalars) -> Stack:
        """The stack with values h of the features."""
        c = self.components
        result = h.new_zeros(h.shape[0], c, h.shape[1], c, *h.shape[2:])
        for i in range(c):
            result[:, i, :, i] = h
        return result.flatten(0, 1)


class Homogeneous(nn.Module):
    """Functions h(t, x) of the independent variables, and each of them times each unknown.

    A linear homogeneous equation has u ∂u as a symmetry, so its algebra is graded by the degree in the unknowns
    (Bluman 1990): ξ(t, x) ∂x and c(t, x) u ∂u are of degree 0; φ(t, x) ∂u, φ a solution,
    is the family of superposition, of degree -1.

    Args:
        features: functions of the independent variables, which come first among the arguments.
        unknowns: places of the unknowns among the arguments, where an unknown of 0 is 0 too.
    """

    def __init__(self, features: Features, unknowns: Sequence[int]) -> None:
        super().__init__()
        self.features, self.unknowns = features, list(unknowns)
        self.count = features.count * (1 + len(unknowns))

    def at(self, points: Points) -> Scalars:
        """Values alone."""
        h = self.features.at(points)
        return torch.cat([h, *(h * points[:, i] for i in self.unknowns)])

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """See `Features`."""
        h, dh = self.features.jvp(points, tangents)
        values = [h, *(h * points[:, i] for i in self.unknowns)]
        rates = [dh, *(torch.addcmul(dh * points[:, i], h, tangents[:, i]) for i in self.unknowns)]
        return torch.cat(values), torch.cat(rates)

    def allowed(self, dependent: Sequence[bool]) -> Allowed:
        """The fields of degree 0, for components of which so many are unknowns."""
        moved = torch.tensor(list(dependent))
        times = torch.arange(self.count) >= self.features.count
        return times[:, None] == moved


def independent(arguments: Arguments) -> Arguments:
    """The arguments without the unknowns, which come last."""
    count = arguments.dependent.count(False)
    return Arguments(arguments.names[:count], arguments.periodic[:count], arguments.dependent[:count])


def contracted(
    h: Scalars, slopes: Float[Tensor, "batch unknown component *space"],
    start: Float[Tensor, "field batch unknown *space"] | None = None,
) -> Float[Tensor, "field batch unknown *space"]:  # fmt: skip
    """Σ_c slopes[a, c] V_c of the fields V = h_k e_c, on top of `start`."""
    factors = h[:, None, :, None], slopes.movedim(2, 0).contiguous()[None]
    if start is None:
        return torch.mul(*factors).flatten(0, 1)
    return torch.addcmul(start.unflatten(0, (len(h), -1)), *factors).flatten(0, 1)


def of_all(gram: Float[Tensor, "feature feature"], components: int) -> Float[Tensor, "field field"]:
    """Inner products, or a triangular factor of them, of all h_k e_c from those of the h_k."""
    return torch.kron(gram.contiguous(), torch.eye(components, dtype=gram.dtype, device=gram.device))
