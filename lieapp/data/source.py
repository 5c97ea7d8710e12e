"""Data a plugin brings itself: checked for names, shapes, numbers and grids before anything uses them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import DataError, GridError, PluginError
from lieapp.numerics.grid import Axis, Grid


def from_source(pde: PDE, samples: int, seed: int) -> Trajectories:
    """The first `samples` trajectories from `pde.source(samples, seed)`.

    Raises DataError for a missing array, a wrong shape or something that isn't a finite number, GridError for a
    grid that isn't uniform or doesn't cover the region, PluginError if the source itself raises.
    """
    evolution = evolution_form(read_pde(pde))
    variables = [str(x) for x in evolution.jets.independent]
    unknowns = evolution.jets.dependent
    given = _called(pde, samples, seed, (*variables, *unknowns))
    time, *space = (evolution.time, *evolution.space)
    ordered = [variables[i] for i in (time, *space)]
    grids = {name: _line(pde, name, given[name]) for name in ordered}
    if (np.diff(grids[ordered[0]]) <= 0).any():
        raise DataError(
            f"{pde.name}: source gave times {ordered[0]} out of order; {ordered[0]} must ascend.",
            hint="Sort the times and what belongs to them.",
        )
    shape = tuple(len(grids[n]) for n in ordered)
    values = []
    for name in unknowns:
        if given[name].shape[1:] != shape:
            raise DataError(
                f"{pde.name}: source gave {name} of shape {given[name].shape}; it must be (samples, "
                f"{', '.join(ordered)}) = (samples, {', '.join(map(str, shape))}).",
                hint="Transpose the array, or check the grids' lengths.",
            )
        if len(given[name]) < samples:
            raise DataError(
                f"{pde.name}: source gave {len(given[name])} samples of {name}; {samples} were asked for.",
                hint=f"Ask for at most {len(given[name])}.",
            )
        values.append(torch.as_tensor(given[name][:samples].astype(np.float64)))
    grid = Grid(tuple(_axis(pde, evolution.jets.independent[i], grids[variables[i]]) for i in space))
    times = torch.as_tensor(grids[ordered[0]])
    return Trajectories(times, grid, torch.stack(values, 2), unknowns, ordered[0])


def _called(pde: PDE, samples: int, seed: int, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """What the source returns, as arrays of finite numbers."""
    assert pde.source is not None
    try:
        answer = pde.source(samples, seed)
    except Exception as error:
        raise PluginError(
            f"{pde.name}: source raised {type(error).__name__}: {error}.", hint="Correct the plugin's source."
        ) from error
    if not isinstance(answer, Mapping):
        raise DataError(
            f"{pde.name}: source returned a {type(answer).__name__}; it must return a mapping.",
            hint=f"Return a mapping with the keys {', '.join(names)}.",
        )
    missing = [n for n in names if n not in answer]
    if missing:
        raise DataError(
            f"{pde.name}: source gave no array named {', '.join(missing)}.",
            hint=f"Return a mapping with the keys {', '.join(names)}.",
        )
    return {name: _numbers(pde, name, answer[name]) for name in names}


def _numbers(pde: PDE, name: str, value: object) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise DataError(
            f"{pde.name}: source gave {name} of type {array.dtype}; it isn't an array of real numbers.",
            hint="Give an array of floats; split complex data into real and imaginary part.",
        )
    if not np.isfinite(array).all():
        raise DataError(f"{pde.name}: source gave {name} with NaN or infinite values.", hint="Clean the data.")
    return array


def _line(pde: PDE, name: str, array: np.ndarray) -> np.ndarray:
    if array.ndim != 1 or len(array) < 2:
        raise DataError(
            f"{pde.name}: source gave {name} of shape {array.shape}; it must be one-dimensional.",
            hint="Give the grid points once, the same for all samples.",
        )
    return array.astype(np.float64)


def _axis(pde: PDE, symbol: sp.Symbol, points: np.ndarray) -> Axis:
    steps = np.diff(points)
    if steps[0] <= 0 or not np.allclose(steps, steps[0], rtol=1e-6):
        raise GridError(
            f"{pde.name}: source gave a grid in {symbol} that isn't uniform and ascending.",
            hint="Interpolate the data to even steps.",
        )
    periodic = symbol in pde.periodic
    left, right = float(points[0]), float(points[-1] + (steps[0] if periodic else 0))
    low, high = (float(end) for end in pde.region[symbol])
    if periodic and abs((right - left) - (high - low)) > 1e-6 * (high - low):
        raise GridError(
            f"{pde.name}: source covers {symbol} from {left:g} to {right:g}, a step past its last point; "
            f"its period by region is {high - low:g}.",
            hint="Correct region, or leave out the right end, which repeats the left one.",
        )
    return Axis(str(symbol), left, right, len(points), periodic)
