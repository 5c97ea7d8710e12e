"""Differential polynomials of data, integrated against bumps on windows in time and space.

∫ φ ∂^J E = (-1)^|J| ∫ ∂^J φ E: derivatives in E alone are taken of data, on periodic axes without noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import sympy as sp
import torch

from lieapp.data.trajectories import Trajectories
from lieapp.equations.jets import Jet, JetSpace, MultiIndex
from lieapp.numerics.bumps import bump_weights
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import SpectralDifferentiator, bandwidth, low_pass, noise_floor

SMOOTH = 3
"""By how much the order to which bumps vanish at the ends exceeds that of the derivatives."""


class Weak:
    """Trajectories with the weights of windows on each axis, time first.

    Args:
        jets: variables with time first.
        windows: of each axis, left and right ends.
        order: the highest derivative of bumps along each axis.
    """

    def __init__(
        self, jets: JetSpace, data: Trajectories, windows: Sequence[Sequence[tuple[float, float]]],
        order: Sequence[int],
    ) -> None:  # fmt: skip
        self.jets, self.data = jets, data
        self.axes = data.grid.axes
        self.lines = [data.time.cpu().numpy(), *(nodes(axis) for axis in self.axes)]
        self.windows = windows
        self.weights = [
            bump_weights(line, w, n, max(order) + SMOOTH)
            for line, w, n in zip(self.lines, windows, order, strict=True)
        ]
        self._kept: dict[Jet, torch.Tensor] = {}

    @cached_property
    def values(self) -> torch.Tensor:
        """Double precision, without noise where all axes are periodic."""
        return smoothed(self.data)

    def column(self, term: Mapping[MultiIndex, sp.Expr]) -> np.ndarray:
        """∫ φ Σ ∂^J E for all windows, (sample, window in time, *windows in space); not finite if E isn't."""
        found = np.zeros((self.data.samples, *map(len, self.windows)))
        for J, density in term.items():
            found = found + (-1) ** sum(J) * self._integral(self._at_nodes(density), J)
        return found

    def _integral(self, values: np.ndarray, J: MultiIndex) -> np.ndarray:
        along = next((place for place, n in enumerate(J, start=1) if n), None)
        # derivatives of bumps integrate to 0, up to rounding that a large mean makes worse
        rest = values if along is None else values - values.mean(along, keepdims=True)
        return summed(rest, [w[n] for w, n in zip(self.weights, J, strict=True)], self.axes)

    def _at_nodes(self, density: sp.Expr) -> np.ndarray:
        """Values of an expression in the jets, (sample, time, *space)."""
        shape = self.values[:, :, 0].shape
        needed = self.jets.jets(density)
        lines = [torch.as_tensor(self.lines[0]), *(axis.coordinates() for axis in self.axes)]
        mesh = torch.meshgrid(*lines, indexing="ij")
        parts = [self._jet(b, J[1:]) for b, J in needed.values()]
        inputs = [*self.jets.independent, *needed]
        (found,) = Tape([density], inputs)(*(z.expand(shape) for z in mesh), *parts)
        return found.expand(shape).numpy()

    def _jet(self, b: int, J: MultiIndex) -> torch.Tensor:
        if (b, J) not in self._kept:
            self._kept[b, J] = derivative(self.values[:, :, b], self.axes, J)
        return self._kept[b, J]


def summed(values: np.ndarray, weights: Sequence[np.ndarray], axes: Sequence[Axis]) -> np.ndarray:
    """Σ of values of shape (sample, time, *space) times weights of each axis, time first."""
    time, *space = weights
    found = np.moveaxis(np.tensordot(values, time, (1, 1)), -1, 1)
    for place, (axis, weight) in enumerate(zip(axes, space, strict=True), start=2):
        if axis.periodic:  # the right end is the left one
            found = np.concatenate([found, np.take(found, [0], place)], place)
        found = np.moveaxis(np.tensordot(found, weight, (place, 1)), -1, place)
    return found


def smoothed(data: Trajectories) -> torch.Tensor:
    """Values in double precision, without noise where all axes are periodic."""
    values = data.values.cpu().double()
    if not all(axis.periodic for axis in data.grid.axes):
        return values
    flat = values.flatten(0, 1)
    floor = noise_floor(flat, data.grid)
    if not floor:
        return values
    return low_pass(flat, data.grid, bandwidth(flat, data.grid, floor)).unflatten(0, values.shape[:2])


def nodes(axis: Axis) -> np.ndarray:
    """The nodes of an axis, of a periodic one with the right end."""
    found = axis.coordinates().numpy()
    return np.append(found, axis.left + axis.length) if axis.periodic else found


def derivative(values: torch.Tensor, axes: Sequence[Axis], J: Sequence[int]) -> torch.Tensor:
    """∂^J at the nodes, of values of shape (sample, time, *space): of Fourier series, of splines on open axes."""
    from scipy.interpolate import make_interp_spline

    for dim, (axis, order) in enumerate(zip(axes, J, strict=True), start=2):
        if not order:
            continue
        if axis.periodic:
            line = values.movedim(dim, -1)
            d = SpectralDifferentiator(Grid((axis,)))
            values = d.derivatives(line, [(order,)])[(order,)].movedim(-1, dim)
        else:
            degree = (min(order + 4 + order % 2 + 1, axis.points - 1) - 1) | 1
            spline = make_interp_spline(axis.coordinates().numpy(), values.numpy(), degree, axis=dim)
            values = torch.as_tensor(spline.derivative(order)(axis.coordinates().numpy()))
    return values
