"""Integrals against bumps on windows of an axis: weights that take node values to ∫ φ^(k) f.

f is the quintic spline through the values and φ = (1 - s²)^p on a window, s from -1 to 1: derivatives are on φ, so
none of the data is taken. Nodes may be unevenly spaced.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import Polynomial

FINE = 8
"""Nodes of quadrature for each node of the data."""

PIECE = 8
"""Nodes of the data for each piece of a window that has a Gauss rule of its own."""


def bump_weights(
    nodes: np.ndarray, windows: Sequence[tuple[float, float]], order: int, power: int
) -> list[np.ndarray]:
    """For each k up to `order`, w of shape (window, node) with ∫ φ^(k) f = Σ w f on each window.

    Args:
        nodes: ascending, at least 6.
        windows: left and right ends, within the nodes.
        power: p, above `order`.
    """
    # only data from elsewhere need it; it takes half a second to load
    from scipy.interpolate import BSpline, make_interp_spline
    from scipy.sparse.linalg import splu

    bump = Polynomial([1, 0, -1]) ** power
    slopes = [bump.deriv(k) if k else bump for k in range(order + 1)]
    gauss, gauss_weights = np.polynomial.legendre.leggauss(FINE * PIECE)
    degree = min(5, len(nodes) - 1)
    knots = make_interp_spline(nodes, np.zeros(len(nodes)), degree).t
    moments = np.zeros((order + 1, len(windows), len(nodes)))
    for n, (left, right) in enumerate(windows):
        half = (right - left) / 2
        inside = int(((nodes >= left) & (nodes <= right)).sum())
        ends = np.linspace(-1, 1, max(2, inside // PIECE) + 1)
        middles, halves = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
        s = (middles[:, None] + halves[:, None] * gauss).ravel()
        ds = (halves[:, None] * gauss_weights).ravel()
        values = np.stack([ds * half ** (1 - k) * slope(s) for k, slope in enumerate(slopes)])
        points = np.clip(left + half * (1 + s), nodes[0], nodes[-1])
        moments[:, n] = values @ BSpline.design_matrix(points, knots, degree)
    solve = splu(BSpline.design_matrix(nodes, knots, degree).T.tocsc())
    return [solve.solve(np.ascontiguousarray(moment.T)).T for moment in moments]
