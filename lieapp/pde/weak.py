"""Differential polynomials of data, integrated against bumps on windows in time and space.

∫ φ ∂^J E = (-1)^|J| ∫ ∂^J φ E: derivatives in E alone are taken of data, on periodic axes without noise.
"""

from __future__ import annotations

import math
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

SHARE = 0.25
"""Of an axis that a window takes: narrower ones leave more of the noise."""

STEPS = 4
"""Windows begin at every such part of their width; bumps are narrow, so every second is about independent."""

WIDTH = 12
"""Nodes of a window, if there are twice as many."""

LEAST = 8
"""Nodes of any window, and of an axis."""


class Weak:
    """Trajectories with the weights of windows on each axis, time first.

    Args:
        order: the highest derivative of bumps in time, and in space.
        time: the place of time among the variables; those of space are in the order of the data's axes.
        windowed: whether there are windows in time too; else integrals are over space, at each time.
    """

    def __init__(
        self, jets: JetSpace, data: Trajectories, order: tuple[int, int], time: int = 0, windowed: bool = True
    ) -> None:
        self.jets, self.data, self.time = jets, data, time
        self.axes = data.grid.axes
        self.times = data.time.cpu().numpy()
        power = max(order) + SMOOTH
        in_time = [np.eye(len(self.times))]
        if windowed:
            in_time = bump_weights(self.times, _windows(self.times), order[0], power)
        lines = [nodes(axis) for axis in self.axes]
        self.weights = [in_time, *(bump_weights(line, _windows(line), order[1], power) for line in lines)]
        self._kept: dict[Jet, torch.Tensor] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of what `column` gives: the number of trajectories and of windows, or times."""
        return (self.data.samples, *(len(w[0]) for w in self.weights))

    @cached_property
    def values(self) -> torch.Tensor:
        """Double precision, without noise where all axes are periodic."""
        return smoothed(self.data)

    def column(self, term: Mapping[MultiIndex, sp.Expr]) -> np.ndarray:
        """∫ φ Σ ∂^J E for all windows, (sample, window in time, *windows in space); not finite if E isn't."""
        found = np.zeros(self.shape)
        for J, density in term.items():
            found = found + (-1) ** sum(J) * self._integral(self._at_nodes(density), self._time_first(J))
        return found

    def size(self, density: sp.Expr, J: MultiIndex) -> np.ndarray:
        """∫ |∂^J φ| |E|: what rounding of ∫ φ ∂^J E is small beside, of the same shape."""
        weights = zip(self.weights, self._time_first(J), strict=True)
        return summed(np.abs(self._at_nodes(density)), [np.abs(w[n]) for w, n in weights], self.axes)

    def _time_first(self, J: MultiIndex) -> MultiIndex:
        return (J[self.time], *J[: self.time], *J[self.time + 1 :])

    def _integral(self, values: np.ndarray, J: MultiIndex) -> np.ndarray:
        along = next((place for place, n in enumerate(J, start=1) if n), None)
        # derivatives of bumps integrate to 0, up to rounding that a large mean makes worse
        rest = values if along is None else values - values.mean(along, keepdims=True)
        return summed(rest, [w[n] for w, n in zip(self.weights, J, strict=True)], self.axes)

    def _at_nodes(self, density: sp.Expr) -> np.ndarray:
        """Values of an expression in the jets, (sample, time, *space)."""
        shape = self.values[:, :, 0].shape
        needed = self.jets.jets(density)
        lines = [torch.as_tensor(self.times), *(axis.coordinates() for axis in self.axes)]
        t, *space = (z.expand(shape) for z in torch.meshgrid(*lines, indexing="ij"))
        parts = [self._jet(b, self._time_first(J)[1:]) for b, J in needed.values()]
        inputs = [*self.jets.independent, *needed]
        (found,) = Tape([density], inputs)(*space[: self.time], t, *space[self.time :], *parts)
        return found.expand(shape).numpy()

    def _jet(self, b: int, J: MultiIndex) -> torch.Tensor:
        if (b, J) not in self._kept:
            self._kept[b, J] = derivative(self.values[:, :, b], self.axes, J)
        return self._kept[b, J]


def independent_windows(pieces: Sequence[Trajectories]) -> int:
    """About how many windows in time and space differ: every second one along each axis."""
    lines = [[piece.time.cpu().numpy(), *map(nodes, piece.grid.axes)] for piece in pieces]
    count = sum(
        piece.samples * math.prod(len(_windows(line)) for line in own)
        for piece, own in zip(pieces, lines, strict=True)
    )
    return max(1, count >> len(lines[0]))


def _windows(line: np.ndarray) -> list[tuple[float, float]]:
    """Left and right ends."""
    n = len(line)
    width = min(n, max(LEAST, min(WIDTH, n // 2), round(SHARE * n)))
    starts = range(0, n - width + 1, max(1, width // STEPS))
    return [(float(line[k]), float(line[k + width - 1])) for k in starts]


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
