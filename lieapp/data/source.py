"""Data a plugin brings itself: checked for names, shapes, NaN and uniform grids before anything uses them."""

from __future__ import annotations

import numpy as np
import torch

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories
from lieapp.errors import DataError, GridError
from lieapp.numerics.grid import Axis, Grid
from lieapp.symbolic.equation import read_pde
from lieapp.symbolic.evolution import evolution_form


def from_source(pde: PDE, samples: int, seed: int) -> Trajectories:
    """Trajectories from `pde.source(samples, seed)`.

    Raises DataError for a missing array, a wrong shape or a value that isn't finite, GridError for a grid
    that isn't uniform.
    """
    assert pde.source is not None
    given = {name: np.asarray(value) for name, value in pde.source(samples, seed).items()}
    evolution = evolution_form(read_pde(pde))
    variables = [str(x) for x in evolution.jets.independent]
    names = (*variables, *evolution.jets.dependent)
    missing = [n for n in names if n not in given]
    if missing:
        raise DataError(
            f"{pde.name}: source gave no array named {', '.join(missing)}.",
            hint=f"Return a mapping with the keys {', '.join(names)}.",
        )
    ordered = [variables[evolution.time], *(variables[i] for i in evolution.space)]
    shape = tuple(len(given[n]) for n in ordered)
    values = []
    for name in evolution.jets.dependent:
        if given[name].shape[1:] != shape:
            raise DataError(
                f"{pde.name}: source gave {name} of shape {given[name].shape}; it must be (samples, "
                f"{', '.join(ordered)}) = (samples, {', '.join(map(str, shape))}).",
                hint="Transpose the array, or check the grids' lengths.",
            )
        if not np.isfinite(given[name]).all():
            raise DataError(f"{pde.name}: source gave {name} with NaN or infinite values.", hint="Clean the data.")
        values.append(torch.as_tensor(given[name].astype(np.float64)))
    grid = Grid(tuple(_axis(pde, evolution.jets.independent[i], given) for i in evolution.space))
    time = torch.as_tensor(given[ordered[0]].astype(np.float64))
    return Trajectories(time, grid, torch.stack(values, 2), evolution.jets.dependent, ordered[0])


def _axis(pde: PDE, symbol: object, given: dict[str, np.ndarray]) -> Axis:
    points = given[str(symbol)].astype(np.float64)
    steps = np.diff(points)
    if len(points) < 2 or not np.allclose(steps, steps[0], rtol=1e-6):
        raise GridError(f"{pde.name}: source gave a grid in {symbol} that isn't uniform.", hint="Resample it.")
    periodic = symbol in pde.periodic
    left, right = float(points[0]), float(points[-1] + (steps[0] if periodic else 0))
    return Axis(str(symbol), left, right, len(points), periodic)
