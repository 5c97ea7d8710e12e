"""Data for a declaration: simulated by ETDRK4, through a change of variables, implicitly, or from its source."""

from __future__ import annotations

import time as clock
from collections.abc import Callable

import torch

from lieapp.api import PDE
from lieapp.data.change import transformed, unknowns_on_jets
from lieapp.data.declared import check_data
from lieapp.data.initial import initial_state
from lieapp.data.marching import states
from lieapp.data.source import from_source
from lieapp.data.stepping import State, Tolerance, Values
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde, read_transform
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import resample

Progress = Callable[[int, int], None]


def simulate(
    pde: PDE,
    samples: int,
    generator: torch.Generator,
    device: torch.device | str = "cpu",
    tolerance: Tolerance = Tolerance(),  # noqa: B008 - a frozen value
    progress: Progress = lambda step, total: None,
) -> Trajectories:
    """Random solutions of a declaration on its own grid, the last `keep_last` times kept.

    Args:
        generator: source of the initial states' randomness (a CPU generator, so devices agree).
        progress: called with (output times done, output times in all).

    Raises what `check_data` raises, and SimulationError if the solution can't be had.
    """
    began = clock.perf_counter()
    if pde.source is not None:
        return from_source(pde, samples, generator.initial_seed())
    check_data(pde)
    own = evolution_form(read_pde(pde))
    evolution = own if pde.transform is None else evolution_form(read_transform(pde, pde.transform))
    grid, times = space_grid(pde, evolution), output_times(pde, evolution)
    initial = initial_state(pde.initial, evolution.jets.dependent, grid, samples, generator).to(device)
    keep = _keeper(pde, own, evolution, grid)
    kept, state = [], None
    first = len(times) - (pde.keep_last or len(times))
    for i, state in enumerate(states(evolution, grid, initial, times, tolerance, pde.name)):
        if i >= first:
            kept.append(keep(state))
        progress(i, len(times) - 1)
    assert state is not None
    return Trajectories(
        time=torch.tensor(times[first:], dtype=torch.float64, device=device),
        grid=grid,
        values=torch.stack(kept, dim=1),
        unknowns=own.jets.dependent,
        time_name=str(own.jets.independent[own.time]),
        error=state.error,
        facts={
            "steps": 2 * state.steps,
            "points": max(state.grid.shape),
            "seconds": round(clock.perf_counter() - began, 2),
        },
    )


def _keeper(pde: PDE, own: Evolution, solved: Evolution, grid: Grid) -> Callable[[State], Values]:
    """What sends a state to the plugin's own unknowns on its own grid."""
    if pde.transform is None:
        return lambda state: resample(state.values, state.grid, grid)
    expressions = unknowns_on_jets(pde, own, solved)
    return lambda state: resample(transformed(expressions, solved, state), state.grid, grid)


def space_grid(pde: PDE, evolution: Evolution) -> Grid:
    """The declaration's axes of space."""
    axes = []
    for i in evolution.space:
        x = evolution.jets.independent[i]
        left, right = (float(end) for end in pde.region[x])
        axes.append(Axis(str(x), left, right, pde.points[x], x in pde.periodic))
    return Grid(tuple(axes))


def output_times(pde: PDE, evolution: Evolution) -> list[float]:
    """The output times, both ends of the region included."""
    t = evolution.jets.independent[evolution.time]
    left, right = (float(end) for end in pde.region[t])
    return Axis(str(t), left, right, pde.points[t]).coordinates().tolist()
