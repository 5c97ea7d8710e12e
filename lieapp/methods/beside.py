"""Features of a network or a basis with further fixed functions: those that the equation's coefficients bring.

A generator with a root, an exponential or a logarithm of t is only approximated by polynomials in t; with such a
function in the basis it is held exactly, at the lowest degree already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lieapp.domains.base import EvolvingBatch, Points, Scalars
from lieapp.domains.spread import Features
from lieapp.methods.spectrum import updated


class Beside(nn.Module):
    """All features of both, the network's first; what a descent changes are the network's.

    A network of SiLU units on t learns roots and exponentials, but not to the last digit a function that turns
    within the window again and again, such as an antiderivative of exp(sin t).

    Args:
        further: where one isn't finite, beyond the data, all count as 0: flows lead there.
    """

    def __init__(self, network: Features, further: Features) -> None:
        super().__init__()
        self.network, self.further = network, further
        self.count = network.count + further.count

    def at(self, points: Points) -> Scalars:
        near, known = self._near(points)
        return torch.cat([self.network.at(points), torch.where(known, self.further.at(near), 0.0)])

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        h, dh = self.network.jvp(points, tangents)
        near, known = self._near(points)
        more, rates = (torch.where(known, z, 0.0) for z in self.further.jvp(near, tangents))
        return torch.cat([h, more]), torch.cat([dh, rates])

    def _near(self, points: Points) -> tuple[Points, Bool[Tensor, "batch *space"]]:
        """The points, those where a function isn't finite replaced: a gradient of 0 times infinity is no number."""
        with torch.no_grad():
            known = self.further.at(points).isfinite().all(0)
        return torch.where(known[:, None], points, 0.5), known


NEW = 1e-10
"""A function of which less than this share is left beyond the earlier ones, on the data, brings nothing."""

STEEP = 1e6
"""What is left of a function may change by so many times its size in the time window, on the data.

Round-off of the steepest one stands under all defects: t exp(-76 t), which is next to nothing at every slice but
starts steeply at t = 0, would raise those of exact fields from 1e-12 to 1e-5.
"""


class Extended:
    """Combinations of the features of a basis and of further ones, orthonormal on the data.

    Without that, functions of t that are nearly dependent on each other would cost all digits.

    Args:
        mix: feature x combination, the further features counted after those of the basis, as `Beside` has them.
    """

    def __init__(self, basis: Features, further: Features, mix: Float[Tensor, "feature combination"]) -> None:
        self.basis, self.further, self.mix = basis, further, mix
        self.count, self._both = mix.shape[1], Beside(basis, further)

    def at(self, points: Points) -> Scalars:
        return self._mixed(self._both.at(points))

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        h, dh = self._both.jvp(points, tangents)
        return self._mixed(h), self._mixed(dh)

    def _mixed(self, h: Scalars) -> Float[Tensor, "mixed batch *space"]:
        return torch.tensordot(self.mix.T, h, 1)


def extended(
    basis: Features, further: Features | None, first: Sequence[int], batches: Iterable[EvolvingBatch]
) -> Features:
    """The basis with further features, without those that are combinations of earlier ones on the data.

    Those that the data don't resolve, since what is left of them is steep, are dropped too.

    Args:
        first: the features of the basis that come before the further ones; the others come after them, so that
            polynomials of high degree give way to the functions that they would only approximate.
    """
    if further is None:
        return basis
    last = [k for k in range(basis.count) if k not in set(first)]
    order = torch.tensor([*first, *range(basis.count, basis.count + further.count), *last])
    both = Beside(basis, further)
    factor: Tensor | None = None
    slopes: Tensor | None = None
    rows = 0
    for batch in batches:
        values, rates = (z[order].flatten(1).T for z in both.jvp(batch.points, batch.tangents))
        rows += len(values)
        factor, slopes = updated(factor, values), updated(slopes, rates)
    if factor is None or slopes is None:
        return basis
    size = torch.linalg.vector_norm(factor, dim=0)
    kept = torch.nonzero(torch.diagonal(factor).abs() > NEW * size).flatten()
    while True:
        inverse = torch.linalg.inv(torch.linalg.qr(factor[:, kept], mode="r")[1])
        steep = torch.nonzero(torch.linalg.vector_norm(slopes[:, kept] @ inverse, dim=0) > STEEP).flatten()
        if not len(steep):
            break
        # the first one only: those after it are what they are beyond it
        kept = torch.cat([kept[: steep[0]], kept[steep[0] + 1 :]])
    mix = torch.zeros(len(order), len(kept), dtype=factor.dtype, device=factor.device)
    mix[order.to(factor.device)[kept]] = inverse * rows**0.5
    return Extended(basis, further, mix)
