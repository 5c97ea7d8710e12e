"""Laws on an axis that isn't periodic: what a total gains must flow in through the ends of its interval.

On an interval [a, b], C(t) + ∫ (X(b) - X(a)) dt is constant for C = ∫ T dx. Windows of the axis are fitted by
polynomials, as for discovery; the interval is the middle of each, since derivatives are worst at the ends of a fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from numpy.polynomial import legendre
from scipy.interpolate import CubicSpline
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.equations.evolution import Evolution
from lieapp.numerics.grid import Grid
from lieapp.numerics.polynomial import Fit, windows
from lieapp.pde.laws.slices import on_slices

MIDDLE = 0.7
"""Share of a window that is balanced."""

FACTORS = 6
"""Fitted functions in a product, for densities that are no polynomials."""

LEAST = 4
"""Times that a flow is integrated over."""


@dataclass(frozen=True)
class Balance:
    """Totals with what has flown out since the first time, on all windows together, relative to ∫ |T| dx.

    Args:
        values: of each trajectory.
        drift: the largest change on any window and trajectory.
    """

    values: Float[Tensor, "sample time"]
    drift: float


def balance(density: sp.Expr, flux: sp.Expr, evolution: Evolution, piece: Trajectories) -> Balance:
    """The balance of a law with this density and flux on one open axis."""
    found = list(_of_windows(density, flux, evolution, piece))
    gained = torch.stack([one for one, _ in found])
    sizes = torch.stack([size for _, size in found])
    scale = torch.where(sizes > 0, sizes, torch.ones_like(sizes))
    mean = scale.mean(0)[:, None]
    change = (gained - gained[..., :1]).abs() / mean
    return Balance(gained.sum(0) / (scale.sum(0)[:, None]), float(change.max()))


def _of_windows(
    density: sp.Expr, flux: sp.Expr, evolution: Evolution, piece: Trajectories
) -> Iterator[tuple[Float[Tensor, "sample time"], Float[Tensor, " sample"]]]:
    """C + ∫ ΔX dt and the mean of ∫ |T| dx of each trajectory, window by window."""
    (axis,) = piece.grid.axes
    jets = evolution.jets
    degrees = [
        sp.Poly(e, *jets.jets(e)).total_degree() if jets.jets(e) and e.is_polynomial(*jets.jets(e)) else FACTORS
        for e in (density, flux)
    ]
    for part in windows(axis):
        fit = Fit(axis, part)
        target = fit.target(max(degrees) + 1)
        half = target.length / 2
        nodes = legendre.leggauss(target.points)
        rows, sizes = [], []
        for sample in piece.values:
            smooth = fit.at(fit.coefficients(sample[..., fit.part]), target)
            T, X = on_slices([density, flux], evolution, piece.time, smooth, Grid((target,)))
            total, ends = _between(T.numpy(), nodes) * half, _ends(X.numpy(), nodes)
            outflow = CubicSpline(piece.time.numpy(), ends).antiderivative()(piece.time.numpy())
            rows.append(torch.as_tensor(total + outflow))
            sizes.append(torch.as_tensor((np.abs(T.numpy()) @ nodes[1]).mean() * half))
        yield torch.stack(rows), torch.stack(sizes)


def _series(values: np.ndarray, nodes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Legendre coefficients, order first, of the polynomials through values on Gauss nodes."""
    x, weights = nodes
    orders = np.arange(len(x))
    return (orders + 0.5)[:, None] * ((legendre.legvander(x, len(x) - 1) * weights[:, None]).T @ values.T)


def _between(values: np.ndarray, nodes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Integrals over the middle, in ξ of [-1, 1]."""
    whole = legendre.legint(_series(values, nodes))
    return np.asarray(legendre.legval(MIDDLE, whole) - legendre.legval(-MIDDLE, whole))


def _ends(values: np.ndarray, nodes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Right minus left end of the middle."""
    series = _series(values, nodes)
    return np.asarray(legendre.legval(MIDDLE, series) - legendre.legval(-MIDDLE, series))
