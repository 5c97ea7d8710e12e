"""Quasilinear equations, whose highest derivative has a coefficient that depends on u: SciPy's Radau method.

The method of lines in Fourier space: u_t = F[u] at the grid points, with the exact Jacobian
Σ_J diag(∂F/∂u_J) D^J from the Fréchet derivative, one trajectory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from scipy.integrate import Radau
from torch import Tensor

from lieapp.data.stepping import State, Tolerance, Values
from lieapp.equations.evolution import Evolution
from lieapp.errors import GridError, SimulationError
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import SpectralDifferentiator, to_modes

NOISE = 10.0
"""A state is resolved when its highest modes, over its largest one, lie below NOISE x tolerance."""


def march_implicit(
    evolution: Evolution, grid: Grid, initial: Values, times: Sequence[float], tolerance: Tolerance
) -> Iterator[State]:
    """Yield the states at the output times; the error is the solver's own relative tolerance.

    Raises GridError in more than one dimension of space, SimulationError when the solver gives up or the grid is
    too coarse: it isn't refined here.
    """
    if len(grid.axes) > 1:
        raise GridError(
            f"{evolution.name}: the highest derivative's coefficient depends on the solution and space has "
            f"{len(grid.axes)} dimensions; such equations are simulated in one dimension only.",
            hint="Give a data source.",
        )
    solvers = [_solver(evolution, grid, u.cpu(), times, tolerance) for u in initial]
    _check_resolved(evolution, grid, initial, times[0], tolerance)
    yield State(times[0], grid, initial, 0.0, 0)
    for end in times[1:]:
        values = [_until(evolution, solver, end) for solver in solvers]
        stacked = torch.as_tensor(np.stack(values)).reshape(initial.shape).to(initial)
        _check_resolved(evolution, grid, stacked, end, tolerance)
        yield State(end, grid, stacked, tolerance.total, 1)


def _check_resolved(evolution: Evolution, grid: Grid, values: Values, time: float, tolerance: Tolerance) -> None:
    """Raises SimulationError unless the highest eighth of modes is small, as the solver's own noise is."""
    amplitude = to_modes(values, grid).abs().flatten(0, 1).amax(0)
    high = len(amplitude) - max(len(amplitude) // 8, 1)
    if not amplitude[high:].max() <= NOISE * tolerance.total * amplitude.max():
        raise SimulationError(
            f"{evolution.name}: at t = {time:g} the solution isn't resolved on {grid.shape[0]} points.",
            hint=f"Raise points of {grid.axes[0].name}, shorten the time window, or smooth the initial state.",
        )


def _solver(
    evolution: Evolution, grid: Grid, u: Float[Tensor, "component x"], times: Sequence[float], tolerance: Tolerance
) -> Radau:
    jets, count, points = evolution.jets, len(evolution.jets.dependent), grid.shape[0]
    entries = evolution.frechet()
    needed = {s: index for f in (*evolution.rhs, *entries.values()) for s, index in jets.jets(f).items()}
    tape = Tape([*evolution.rhs, *entries.values()], [*jets.independent, *needed])
    differentiator, (mesh,) = SpectralDifferentiator(grid), grid.mesh(torch.float64, "cpu")
    space = evolution.space[0]
    orders = {J[space] for _, J in needed.values()} | {J[space] for _, _, J in entries}
    matrices = {d: differentiator.derivatives(torch.eye(points).double(), [(d,)])[(d,)].T for d in orders}

    def evaluate(t: float, y: np.ndarray) -> list[Tensor]:
        state = torch.as_tensor(y).reshape(count, points)
        values = [matrices[J[space]] @ state[b] for b, J in needed.values()]
        coordinates = [mesh] * len(jets.independent)
        coordinates[evolution.time] = torch.full_like(mesh, t)
        return tape(*coordinates, *values)

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        return torch.cat(evaluate(t, y)[:count]).numpy()

    def jacobian(t: float, y: np.ndarray) -> np.ndarray:
        result = torch.zeros(count, points, count, points, dtype=torch.float64)
        for (a, b, J), coefficient in zip(entries, evaluate(t, y)[count:], strict=True):
            result[a, :, b] += coefficient[:, None] * matrices[J[space]]
        return result.reshape(count * points, count * points).numpy()

    size = float(u.abs().max())
    return Radau(
        rhs, times[0], u.flatten().numpy(), times[-1], rtol=tolerance.total, atol=tolerance.total * size,
        jac=jacobian,
    )  # fmt: skip


def _until(evolution: Evolution, solver: Radau, time: float) -> np.ndarray:
    """The state at a time, stepping on and interpolating within the last step."""
    while solver.t < time:
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise SimulationError(
                f"{evolution.name}: the implicit solver stopped at t = {solver.t:g}: {message}.",
                hint="The solution may blow up or be ill-posed: shorten the time window or change the initial "
                "state.",
            )
    return solver.dense_output()(time)
