"""Fourier differentiation and resampling on periodic axes (Trefethen 2000, ch. 3).

Products alias: a product of degree d of functions with modes up to K has modes up to d K. Callers therefore
work on a grid padded by `padded_points`, on which the products are exact.

Shapes: `rest` are all dims before the last axis of the grid, which alone has fewer modes than points.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.polynomial import GaussAxis
from lieapp.numerics.sizes import fast_size


def to_modes(values: Float[Tensor, "*rest last"], grid: Grid) -> Complex[Tensor, "*rest modes"]:
    """Fourier coefficients over the grid's axes; the last axis holds non-negative modes only."""
    if len(grid.axes) == 1:  # half the time of rfftn over one axis
        return torch.fft.rfft(values, norm="forward")
    return torch.fft.rfftn(values, dim=grid.dims, norm="forward")


def to_values(modes: Complex[Tensor, "*rest modes"], grid: Grid) -> Float[Tensor, "*rest {grid.shape[-1]}"]:
    """The function with these Fourier coefficients at the grid points."""
    return torch.fft.irfftn(modes, s=grid.shape, dim=grid.dims, norm="forward")


def wavenumbers(grid: Grid, dtype: torch.dtype, device: torch.device | str) -> list[Float[Tensor, "..."]]:
    """Wavenumber of each mode along each axis, shaped to broadcast over modes."""
    result = []
    for i, axis in enumerate(grid.axes):
        k = axis.wavenumbers(dtype, device)
        if i == len(grid.axes) - 1:
            k = k[: axis.points // 2 + 1].abs()
        result.append(k.reshape([-1 if j == i else 1 for j in range(len(grid.axes))]))
    return result


def multiplier(
    grid: Grid, J: Sequence[int], dtype: torch.dtype, device: torch.device | str
) -> Complex[Tensor, "*modes"]:
    """(i k)^J on the modes: odd derivatives of the Nyquist mode are zero, as its interpolant is a cosine."""
    result = torch.ones((), dtype=torch.complex128 if dtype == torch.float64 else torch.complex64, device=device)
    for axis, k, order in zip(grid.axes, wavenumbers(grid, dtype, device), J, strict=True):
        if order % 2 and axis.points % 2 == 0:
            nyquist = torch.pi * axis.points / axis.length
            k = torch.where(torch.isclose(k.abs(), torch.as_tensor(nyquist, dtype=dtype, device=device)), 0.0, k)
        result = result * (1j * k) ** order
    return result


class SpectralDifferentiator:
    """Derivatives ∂^J of periodic functions on one grid; multipliers are computed once."""

    def __init__(self, grid: Grid, dtype: torch.dtype = torch.float64, device: torch.device | str = "cpu") -> None:
        self.grid, self.dtype, self.device = grid, dtype, device
        self._multipliers: dict[tuple[int, ...], Complex[Tensor, "*modes"]] = {}

    def multiplier(self, J: Sequence[int]) -> Complex[Tensor, "*modes"]:
        """(i k)^J, cached."""
        key = tuple(J)
        if key not in self._multipliers:
            self._multipliers[key] = multiplier(self.grid, key, self.dtype, self.device)
        return self._multipliers[key]

    def derivatives(
        self, values: Float[Tensor, "*shape"], orders: Sequence[tuple[int, ...]]
    ) -> dict[tuple[int, ...], Float[Tensor, "*shape"]]:
        """∂^J of the values for each multi-index J over the space axes."""
        modes = to_modes(values, self.grid) if any(any(J) for J in orders) else None
        result = {}
        for J in orders:
            result[J] = values if modes is None or not any(J) else to_values(modes * self.multiplier(J), self.grid)
        return result


class MixedDifferentiator:
    """Derivatives ∂^J on axes of which some are periodic and the others hold Gauss-Legendre nodes."""

    def __init__(self, grid: Grid, dtype: torch.dtype = torch.float64, device: torch.device | str = "cpu") -> None:
        if not all(axis.periodic or isinstance(axis, GaussAxis) for axis in grid.axes):
            raise TypeError("an axis is neither periodic nor of Gauss-Legendre nodes")
        self.grid = grid
        self._along = [
            SpectralDifferentiator(Grid((axis,)), dtype, device) if axis.periodic else None for axis in grid.axes
        ]

    def derivatives(
        self, values: Float[Tensor, "*shape"], orders: Sequence[tuple[int, ...]]
    ) -> dict[tuple[int, ...], Float[Tensor, "*shape"]]:
        """∂^J of the values for each multi-index J over the space axes."""
        return {J: self._derivative(values, J) for J in orders}

    def _derivative(self, values: Tensor, J: tuple[int, ...]) -> Tensor:
        for dim, axis, order, along in zip(self.grid.dims, self.grid.axes, J, self._along, strict=True):
            if order:
                line = values.movedim(dim, -1)
                if along is not None:
                    line = along.derivatives(line, [(order,)])[(order,)]
                elif isinstance(axis, GaussAxis):
                    line = axis.derivative(line, order)
                values = line.movedim(-1, dim)
        return values


Differentiator = SpectralDifferentiator | MixedDifferentiator


def differentiator_on(grid: Grid, dtype: torch.dtype, device: torch.device | str) -> Differentiator:
    """What differentiates functions on a grid: by Fourier series where all axes are periodic."""
    made = SpectralDifferentiator if all(axis.periodic for axis in grid.axes) else MixedDifferentiator
    return made(grid, dtype, device)


def resample(
    values: Float[Tensor, "... {grid.shape[-1]}"], grid: Grid, target: Grid
) -> Float[Tensor, "... {target.shape[-1]}"]:
    """The trigonometric interpolant on a finer grid, or the truncation to a coarser one."""
    if grid.shape == target.shape:
        return values
    modes = torch.fft.fftn(values, dim=grid.dims, norm="forward")
    for dim, axis, new in zip(grid.dims, grid.axes, target.axes, strict=True):
        modes = _resize(modes, dim, axis.points, new.points)
    return torch.fft.ifftn(modes, dim=grid.dims, norm="forward").real


def _resize(modes: Tensor, dim: int, old: int, new: int) -> Tensor:
    """Pad or cut one axis of full FFT modes, splitting or dropping the Nyquist mode."""
    keep = (min(old, new) + 1) // 2
    positive, negative = modes.narrow(dim, 0, keep), modes.narrow(dim, old - keep + 1, keep - 1)
    shape = list(modes.shape)
    shape[dim] = new - 2 * keep + 1
    middle = torch.zeros(shape, dtype=modes.dtype, device=modes.device)
    if new > old and old % 2 == 0:
        half = modes.narrow(dim, old // 2, 1) / 2
        middle.narrow(dim, 0, 1).add_(half)
        middle.narrow(dim, middle.shape[dim] - 1, 1).add_(half)
    return torch.cat([positive, middle, negative], dim=dim)


def low_pass(values: Float[Tensor, "*shape"], grid: Grid, cut: Sequence[int]) -> Float[Tensor, "*shape"]:
    """Drop the modes above `cut` along each axis."""
    modes = to_modes(values, grid)
    for axis, k, limit in zip(grid.axes, wavenumbers(grid, values.dtype, values.device), cut, strict=True):
        modes = modes * (k.abs() <= 2 * torch.pi * (limit + 0.5) / axis.length)
    return to_values(modes, grid)


Lines = tuple[Float[Tensor, " _"], ...]
"""For each axis the largest amplitude of each of its modes over all values; empty for one that isn't periodic."""


def amplitudes(values: Float[Tensor, "*shape"], grid: Grid) -> Lines:
    """The largest amplitudes along each axis; of several sets of values those of `loudest`.

    Where an axis isn't periodic, of modes along each of the others alone.
    """
    if all(axis.periodic for axis in grid.axes):
        found = to_modes(values, grid).abs().flatten(0, -len(grid.axes) - 1).amax(0)
        others = [[j for j in range(len(grid.axes)) if j != i] for i in range(len(grid.axes))]
        return tuple(found.amax(rest) if rest else found for rest in others)
    lines = []
    for dim, axis in zip(grid.dims, grid.axes, strict=True):
        along = values.movedim(dim, -1)
        modes = to_modes(along, Grid((axis,))).abs().flatten(0, -2).amax(0) if axis.periodic else along.new_empty(0)
        lines.append(modes)
    return tuple(lines)


def loudest(one: Lines, other: Lines) -> Lines:
    """The amplitudes of both sets of values."""
    return tuple(torch.maximum(a, b) for a, b in zip(one, other, strict=True))


def highest(line: Float[Tensor, " mode"], axis: Axis, tolerance: float) -> int:
    """The highest mode along an axis whose amplitude exceeds tolerance x the largest amplitude."""
    index = torch.nonzero(line > tolerance * line.max()).flatten()
    modes = torch.where(index > axis.points // 2, axis.points - index, index)
    return int(modes.max()) if len(modes) else 0


def bandwidth(values: Float[Tensor, "*shape"], grid: Grid, tolerance: float) -> tuple[int, ...]:
    """Highest mode along each axis whose amplitude exceeds tolerance x the largest amplitude."""
    pairs = zip(amplitudes(values, grid), grid.axes, strict=True)
    return tuple(highest(line, axis, tolerance) for line, axis in pairs)


def noise_floor(values: Float[Tensor, "*shape"], grid: Grid) -> float:
    """Amplitude of white noise as a share of the largest mode's, from the modes that hold nothing else; 0 for none.

    Noise is flat where a smooth solution's modes fall: the upper quarter of the modes of each axis is compared with
    the quarter below it. The result is what no mode of pure noise exceeds in any sample.
    """
    amplitude = to_modes(values, grid).abs().flatten(0, -len(grid.axes) - 1)
    largest = float(amplitude.max())
    if largest == 0:
        return 0.0
    floors = []
    for i, axis in enumerate(grid.axes):
        k = (wavenumbers(grid, values.dtype, values.device)[i] * axis.length / (2 * torch.pi)).abs().flatten()
        highest = axis.points // 2
        upper, lower = (
            amplitude.index_select(i + 1, torch.nonzero((k > a * highest) & (k < b * highest)).flatten()).median()
            for a, b in ((0.75, 1.0), (0.5, 0.75))
        )
        # a spectrum that still falls is a solution's own
        floors.append(float(upper) if upper > 0 and float(lower / upper) < FLAT else 0.0)
    return LOUDEST * min(floors) / largest


FLAT = 1.6
"""Largest fall between two quarters of a spectrum that counts as flat."""

LOUDEST = 6.0
"""No mode of noise exceeds this multiple of their median: Rayleigh's distribution, a probability of 1e-10."""


def padded_points(axis: Axis, cut: int, degree: int) -> int:
    """Points on which a product of `degree` factors with modes up to `cut` doesn't alias, a fast FFT size."""
    return fast_size(max(2 * (degree * cut) + 2, 16))
