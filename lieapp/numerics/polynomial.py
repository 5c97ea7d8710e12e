"""Functions on axes that aren't periodic, as Legendre series (Trefethen 2000, ch. 6; Boyd 2001, ch. 4).

Values at any nodes are fitted by a polynomial, which is then known on Gauss-Legendre nodes, as many as products of
it need. There all derivatives of polynomials are exact up to round-off, and the quadrature weights make sums over
nodes integrals over the axis. How the data's own nodes are spaced matters only to the fit.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float
from numpy.polynomial import legendre
from torch import Tensor

from lieapp.numerics.grid import Axis

STEEPEST = 20.0
"""Largest condition number of a fit: values of size 1 at the nodes stay of that size between them."""

LARGEST = 12
"""Highest degree of a fit: derivatives of higher ones lose digits."""

ENDS = 4
"""How fast weights fall towards the ends."""

NODES = 24
"""Nodes of data that one fit is made of; longer axes are cut into windows."""


ORDERS = (6, 8)
"""Divided differences of a resolved function fall from the one order to the other, those of noise don't."""

FLAT = 1.6
"""Largest fall that counts as none."""


def white_noise(values: Float[Tensor, "*rest points"], axis: Axis) -> float:
    """The standard deviation of white noise along an axis over that of the values; 0 where there is none to see.

    Divided differences vanish on polynomials. With weights of norm 1 those of noise have its own deviation,
    whatever the nodes and the order. Medians leave fronts out.
    """
    nodes, spread = axis.coordinates().numpy(), float(values.std())
    levels = []
    for order in ORDERS:
        if len(nodes) < 2 * order or not spread:
            return 0.0
        stencils = np.lib.stride_tricks.sliding_window_view(nodes, order + 1)
        gaps = (stencils[:, :, None] - stencils[:, None, :]) / (stencils[:, -1:] - stencils[:, :1])[:, None]
        weights = 1 / (gaps + np.eye(order + 1)).prod(2)
        weights /= np.linalg.norm(weights, axis=1, keepdims=True)
        windows = values.unfold(-1, order + 1, 1)
        levels.append(float((windows * torch.as_tensor(weights).to(values)).sum(-1).abs().median()) / 0.6745)
    return levels[1] / spread if levels[0] < FLAT * levels[1] else 0.0


def windows(axis: Axis) -> list[slice]:
    """The parts of an axis that are fitted one by one, of NODES nodes or, the last ones, a little more or less."""
    count = max(1, round(axis.points / NODES))
    ends = np.linspace(0, axis.points, count + 1).round().astype(int)
    return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]


@dataclass(frozen=True)
class GaussAxis(Axis):
    """An open axis whose points are the Gauss-Legendre nodes."""

    def coordinates(
        self, dtype: torch.dtype = torch.float64, device: torch.device | str = "cpu"
    ) -> Float[Tensor, " points"]:
        """The nodes, ascending."""
        nodes = self.left + self.length * (legendre.leggauss(self.points)[0] + 1) / 2
        return torch.as_tensor(nodes).to(device, dtype)

    def weights(self, dtype: torch.dtype, device: torch.device | str) -> Float[Tensor, " points"]:
        """ω of mean 1: the quadrature's times (1 - ξ²)^ENDS, since round-off of derivatives is largest at the ends.

        Sums over nodes with them are integrals over the axis, ξ in [-1, 1].
        """
        nodes, quadrature = legendre.leggauss(self.points)
        weights = quadrature * (1 - nodes**2) ** ENDS
        return torch.as_tensor(weights / weights.mean()).to(device, dtype)

    def derivative(
        self, values: Float[Tensor, "... {self.points}"], order: int
    ) -> Float[Tensor, "... {self.points}"]:
        """∂^order of the polynomials through the values at the nodes."""
        return values @ _derivative_matrix(self, order).to(values).T


@cache
def _derivative_matrix(axis: GaussAxis, order: int) -> Float[Tensor, "points points"]:
    x, weights = legendre.leggauss(axis.points)
    orders = np.arange(axis.points)
    series = (orders + 0.5)[:, None] * (legendre.legvander(x, axis.points - 1) * weights[:, None]).T
    values = legendre.legval(x, legendre.legder(np.eye(axis.points), order)).T
    return torch.as_tensor(values @ series * (2 / axis.length) ** order)


class Fit:
    """Least squares on part of an axis by Legendre polynomials.

    The degree is the highest for which the fit is well conditioned: about 3 √n on n uniform nodes, n - 1 on
    Chebyshev nodes, at most LARGEST.

    Args:
        axis: of the data.
        part: the nodes to fit.
    """

    def __init__(self, axis: Axis, part: slice) -> None:
        self.name, self.part = axis.name, part
        nodes = axis.coordinates()[part].numpy()
        self.left, self.right = float(nodes[0]), float(nodes[-1])
        self._basis = legendre.legvander(2 * (nodes - self.left) / (self.right - self.left) - 1, LARGEST)
        self.degree = min(LARGEST, len(nodes) - 1)
        while self.degree > 1 and np.linalg.cond(self._scaled(self.degree)) > STEEPEST:
            self.degree -= 1

    def _scaled(self, degree: int) -> np.ndarray:
        """Columns of norm 1 on uniform nodes, whose condition doesn't depend on how polynomials are normed."""
        return self._basis[:, : degree + 1] * np.sqrt(2 * np.arange(degree + 1) + 1)

    def target(self, factors: int) -> GaussAxis:
        """Nodes whose polynomials hold all that is differentiated where products of so many fitted functions occur.

        What is differentiated has one factor less, and maybe x^5: what comes out isn't differentiated again.
        """
        return GaussAxis(self.name, self.left, self.right, (factors - 1) * self.degree + 6)

    def coefficients(
        self, values: Float[Tensor, "... {self.part.stop-self.part.start}"]
    ) -> Float[Tensor, "... order"]:
        """Legendre coefficients of the fit."""
        inverse = np.linalg.pinv(self._basis[:, : self.degree + 1])
        return values @ torch.as_tensor(inverse).to(values).T

    def at(self, coefficients: Float[Tensor, "... order"], axis: Axis) -> Float[Tensor, "... {axis.points}"]:
        """The fit on the nodes of an axis."""
        x = 2 * (axis.coordinates().numpy() - self.left) / (self.right - self.left) - 1
        return coefficients @ torch.as_tensor(legendre.legvander(x, self.degree)).to(coefficients).T
