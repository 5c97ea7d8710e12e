"""Antiderivatives that aren't elementary, on tensors: ∫ f dv by Gauss-Legendre quadrature from a fixed point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

NODES = 10
"""Of the rule on a panel."""

MOST = 4096
"""Panels."""

AGREEMENT = 1e-12
"""Relative change by panels of half the width at which a width is taken."""


class Antiderivative:
    """F(v) = ∫ f(w) dw from w = base to v, differentiable; any other antiderivative differs by a constant.

    The way from the base is cut into panels whose integrals are summed once for all points of a call; a point adds
    the part of its own panel.

    Args:
        function: f, elementwise on tensors.
        base: 0, or 1 where f isn't finite at 0.
    """

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        self.function = function
        finite = torch.isfinite(function(torch.zeros(1, dtype=torch.float64)))
        self.base = 0.0 if bool(finite.all()) else 1.0

    def __call__(self, v: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """F at v; NaN where v isn't finite, NaN or infinite where f is singular on the way to v."""
        finite = torch.isfinite(v)
        return torch.where(finite, self._at(v.where(finite, torch.full_like(v, self.base))), torch.nan)

    def _at(self, v: Tensor) -> Tensor:
        ends = [float(end) - self.base for end in torch.aminmax(v.detach())]
        low, high = min(*ends, 0.0), max(*ends, 0.0)
        width, sums = self._panels(low, high, v)
        first = int(low // width)
        panel = ((v.detach() - self.base) / width).floor()
        return sums[(panel - first).long()] + self._part(self.base + panel * width, v)

    def _panels(self, low: float, high: float, like: Tensor) -> tuple[float, Tensor]:
        """A width of panels that is narrow enough, and the integrals from the base to where each panel begins."""
        count, before = 4, None
        while True:
            width = max(high - low, 1e-300) / count
            places = torch.arange(int(low // width), int(high // width) + 2).to(like) * width
            parts = self._part(self.base + places[:-1], self.base + places[1:])
            sums = torch.cat([parts.new_zeros(1), parts.cumsum(0)])
            sums = sums - sums[int(-(low // width))]
            now = sums[[0, -2]]
            if count >= MOST or (before is not None and _agree(before, now)):
                return width, sums
            before, count = now, 2 * count

    def _part(self, start: Tensor, end: Tensor) -> Tensor:
        """The integral from start to end by one rule."""
        nodes, weights = (torch.as_tensor(part).to(end) for part in _rule())
        span = (end - start)[..., None]
        return ((span * weights) * self.function(start[..., None] + span * nodes)).sum(-1)


def _agree(first: Tensor, second: Tensor) -> bool:
    return bool(((first - second).abs() <= AGREEMENT * (1 + second.abs())).all())


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2
