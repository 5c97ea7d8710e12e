"""Features of a network or a basis with further fixed functions: those that the equation's coefficients bring.

A generator with a root, an exponential or a logarithm of t is only approximated by polynomials in t; with such a
function in the basis it is held exactly, at the lowest degree already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.domains.base import Batch, Points, Scalars
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


NEW = 1e-10
"""A function of which less than this share is left beyond the earlier ones, on the data, brings nothing."""

Further = Float[Tensor, "further batch *space"]


class Extended:
    """Combinations of the features of a basis and of further ones, orthonormal on the data.

    Without that, functions of t that are nearly dependent on each other would cost all digits.

    Args:
        mix: feature x combination, the further features counted after those of the basis.

    Where a further feature isn't finite, beyond the data, it counts as 0: flows lead there.
    """

    def __init__(self, basis: Features, further: Features, mix: Float[Tensor, "feature combination"]) -> None:
        self.basis, self.further, self.mix = basis, further, mix
        self.count = mix.shape[1]

    def at(self, points: Points) -> Scalars:
        """See `domains.spread.Features`."""
        return self._mixed(self.basis.at(points), self.further.at(points))

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """See `domains.spread.Features`."""
        h, dh = self.basis.jvp(points, tangents)
        more, rates = self.further.jvp(points, tangents)
        return self._mixed(h, more), self._mixed(dh, rates)

    def _mixed(self, h: Scalars, more: Further) -> Float[Tensor, "mixed batch *space"]:
        return torch.tensordot(self.mix.T, torch.cat([h, torch.where(torch.isfinite(more), more, 0.0)]), 1)


def extended(
    basis: Features, further: Features | None, first: Sequence[int], batches: Iterable[Batch]
) -> Features:
    """The basis with further features, without those that are combinations of earlier ones on the data.

    Args:
        first: the features of the basis that come before the further ones; the others come after them, so that
            polynomials of high degree give way to the functions that they would only approximate.
    """
    if further is None:
        return basis
    last = [k for k in range(basis.count) if k not in set(first)]
    order = torch.tensor([*first, *range(basis.count, basis.count + further.count), *last])
    factor: Tensor | None = None
    rows = 0
    for batch in batches:
        block = torch.cat([basis.at(batch.points), further.at(batch.points)])[order].flatten(1).T
        rows += len(block)
        factor = torch.linalg.qr(block if factor is None else torch.cat([factor, block]), mode="r")[1]
    if factor is None:
        return basis
    size = torch.linalg.vector_norm(factor, dim=0)
    new = torch.diagonal(factor).abs() > NEW * size
    triangle = torch.linalg.qr(factor[:, new], mode="r")[1]
    mix = torch.zeros(len(order), len(triangle), dtype=factor.dtype, device=factor.device)
    mix[order.to(factor.device)[new]] = torch.linalg.inv(triangle / rows**0.5)
    return Extended(basis, further, mix)
