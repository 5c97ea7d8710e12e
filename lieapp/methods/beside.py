"""A network's features with fixed functions beside them: those that the equation's own coefficients bring."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from lieapp.domains.base import Points, Scalars
from lieapp.domains.spread import Features
from lieapp.methods.network import FeatureNetwork


class Beside(nn.Module):
    """All features of both, the network's first; what a descent changes are the network's.

    A network of SiLU units on t learns roots and exponentials, but not to the last digit a function that turns
    within the window again and again, such as an antiderivative of exp(sin t).

    Args:
        further: where one isn't finite, beyond the data, it counts as 0: flows lead there.
    """

    def __init__(self, network: FeatureNetwork, further: Features) -> None:
        super().__init__()
        self.network, self.further = network, further
        self.count = network.count + further.count

    def at(self, points: Points) -> Scalars:
        """See `domains.spread.Features`."""
        return torch.cat([self.network.at(points), _finite(self.further.at(points))])

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """See `domains.spread.Features`."""
        h, dh = self.network.jvp(points, tangents)
        more, rates = self.further.jvp(points, tangents)
        return torch.cat([h, _finite(more)]), torch.cat([dh, _finite(rates)])


def _finite(values: Tensor) -> Tensor:
    return torch.where(torch.isfinite(values), values, 0.0)
