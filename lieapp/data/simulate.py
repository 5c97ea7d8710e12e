"""Data for a declaration: simulated by ETDRK4, through a change of variables, implicitly, or from its source.

Random initial states come from their declarations: the same (seed, sample) gives the same function on any grid.
Data of a source are checked for names, shapes, numbers and grids before anything uses them.
"""

from __future__ import annotations

import itertools
import math
import time as clock
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.api import MIN_POINTS, PDE, SumOfSines
from lieapp.data.change import transformed, unknowns_on_jets
from lieapp.data.declared import check_data, initial_of
from lieapp.data.problem import semilinear_problem
from lieapp.data.sizes import check_simulation
from lieapp.data.stepping import State, Tolerance, Values, march
from lieapp.data.trajectories import UNITS, Trajectories, check_magnitude
from lieapp.equations.equation import read_pde, read_transform
from lieapp.equations.evolution import Evolution, Splitting, common_rate, evolution_form, split
from lieapp.errors import DataError, GridError, PluginError
from lieapp.numerics.codegen import Tape, scalar_functions
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import resample
from lieapp.registry.modules import LoadError, guarded

EXTREMES = (4096, 256, 64)
"""Points along each axis on which minimum and maximum are looked for, in one, two, three dimensions."""

Drawn = tuple[Float[Tensor, " term"], Float[Tensor, "axis term"], Float[Tensor, " term"]]
"""Amplitudes, wavenumbers along each axis and phases."""


def initial_state(
    declaration: Any, unknowns: tuple[str, ...], grid: Grid, samples: int, generator: torch.Generator
) -> Float[Tensor, "sample component *space"]:
    """Initial values of every unknown on the grid.

    Random numbers are drawn sample by sample, so that sample i doesn't depend on how many are asked for.
    Raises PluginError for a declaration that isn't an initial-condition object.
    """
    declarations = [initial_of(declaration, name) for name in unknowns]
    coefficients = [[_draw(d, len(grid.axes), generator) for d in declarations] for _ in range(samples)]
    return torch.stack(
        [torch.stack([_sample(d, c, grid) for d, c in zip(declarations, row, strict=True)]) for row in coefficients]
    )


def random_states(
    pde: PDE, evolution: Evolution, counts: Sequence[int], generator: torch.Generator
) -> Iterator[Tensor]:
    """The generator's state before each of several sets of so many trajectories, one after the other."""
    solved = evolution if pde.transform is None else evolution_form(read_transform(pde, pde.transform))
    declarations = [initial_of(pde.initial, name) for name in solved.jets.dependent]
    for count in counts:
        yield generator.get_state()
        for _ in range(count):
            for d in declarations:
                _draw(d, len(solved.space), generator)


def _draw(d: SumOfSines, dimensions: int, generator: torch.Generator) -> Drawn:
    """Amplitudes, wavenumbers along each axis and phases."""
    amplitude = d.amplitude * (2 * torch.rand(d.terms, generator=generator, dtype=torch.float64) - 1)
    choice = torch.randint(len(d.wavenumbers), (dimensions, d.terms), generator=generator)
    phase = 2 * math.pi * torch.rand(d.terms, generator=generator, dtype=torch.float64)
    return amplitude, torch.tensor(list(d.wavenumbers), dtype=torch.float64)[choice], phase


def _sample(d: SumOfSines, drawn: Drawn, grid: Grid) -> Float[Tensor, "*space"]:
    s = _sum(drawn, grid)
    if d.rescale is not None:
        low, high = d.rescale
        # extremes of a grid of their own, so that the function doesn't depend on the grid asked for
        everywhere = _sum(drawn, grid.refined((EXTREMES[min(len(grid.axes), 3) - 1],) * len(grid.axes)))
        s = low + (high - low) * (s - everywhere.min()) / (everywhere.max() - everywhere.min())
    if d.shape is None:
        return s
    symbol = sp.Symbol("s", real=True)
    return Tape([d.shape(symbol)], [symbol])(s)[0]


def _sum(drawn: Drawn, grid: Grid) -> Float[Tensor, "*space"]:
    amplitude, wavenumber, phase = drawn
    mesh = grid.mesh(torch.float64, "cpu")
    column = (...,) + (None,) * len(mesh)
    angles = sum(
        2 * math.pi * mode[column] * (x - axis.left) / axis.length
        for mode, x, axis in zip(wavenumber, mesh, grid.axes, strict=True)
    )
    return (amplitude[column] * torch.sin(angles + phase[column])).sum(0)


NODES = 16
"""Gauss-Legendre nodes in each output interval for τ = ∫ a dt."""


def states(
    evolution: Evolution, grid: Grid, initial: Values, times: Sequence[float], tolerance: Tolerance, name: str
) -> Iterable[State]:
    """The state at each output time, the first one included.

    Args:
        initial: values at times[0].
        name: what messages call the equation.

    Raises SimulationError when the solution can't be had, EquationError if it isn't of a form that can be stepped.
    """
    splitting = split(evolution)
    if not splitting.semilinear:
        # SciPy's integrators take half a second to load
        from lieapp.data.implicit import march_implicit

        return march_implicit(evolution, grid, initial, times, tolerance)
    rescaled = common_rate(splitting)
    clock = _clock(rescaled[0], splitting, times) if rescaled else None
    if rescaled and clock:
        # constant coefficients are computed once, and steps are as long as the solution allows at each time
        marched = _march(rescaled[1], grid, initial, clock, tolerance, name)
        return (replace(state, time=t) for state, t in zip(marched, times, strict=True))
    return _march(splitting, grid, initial, times, tolerance, name)


def _march(
    splitting: Splitting, grid: Grid, initial: Values, times: Sequence[float], tolerance: Tolerance, name: str
) -> Iterator[State]:
    dtype, device = initial.dtype, initial.device
    return march(
        lambda g: semilinear_problem(splitting, g, dtype, device),
        splitting.degree, grid, initial, times, tolerance, name,
    )  # fmt: skip


def _clock(rate: sp.Expr, splitting: Splitting, times: Sequence[float]) -> list[float] | None:
    """τ at the output times; None unless the rate is finite and positive all along."""
    evolution = splitting.evolution
    a = scalar_functions([rate], evolution.jets.independent[evolution.time])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    result = [0.0]
    for start, end in itertools.pairwise(times):
        middle, half = (start + end) / 2, (end - start) / 2
        try:
            values = [a(middle + half * float(node))[0] for node in nodes]
        except (ArithmeticError, ValueError):
            return None
        if not min(values) > 0:
            return None
        result.append(result[-1] + half * float(np.dot(weights, values)))
    return result


Progress = Callable[[int, int], None]

TOGETHER = 4
"""Solutions in the plane that are stepped together: of more the modes leave the processor's caches."""


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
    check_simulation(pde, samples)
    own = evolution_form(read_pde(pde))
    evolution = own if pde.transform is None else evolution_form(read_transform(pde, pde.transform))
    grid, times = space_grid(pde, evolution), output_times(pde, evolution)
    initial = initial_state(pde.initial, evolution.jets.dependent, grid, samples, generator).to(device)
    for a, unknown in enumerate(evolution.jets.dependent):
        hint = "Change the amplitude of the initial state, or measure it in other units, in the equation too."
        check_magnitude([initial[:, a]], f"the initial state of {unknown}", pde.name, hint)
    keep = _keeper(pde, own, evolution, grid)
    first = len(times) - (pde.keep_last or len(times))
    batches = [initial] if len(grid.axes) == 1 else list(initial.split(TOGETHER))
    rows, last = list[Values](), list[State]()
    for n, batch in enumerate(batches):
        kept = []
        for i, state in enumerate(states(evolution, grid, batch, times, tolerance, pde.name)):
            if i >= first:
                kept.append(keep(state))
            progress(n * (len(times) - 1) + i, len(batches) * (len(times) - 1))
        rows.append(torch.stack(kept, dim=1))
        last.append(state)
    return Trajectories(
        time=torch.tensor(times[first:], dtype=torch.float64, device=device),
        grid=grid,
        values=torch.cat(rows),
        unknowns=own.jets.dependent,
        time_name=str(own.jets.independent[own.time]),
        error=max(state.error for state in last),
        facts={
            "steps": 2 * max(state.steps for state in last),
            "points": max(max(state.grid.shape) for state in last),
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
        values.append(torch.as_tensor(given[name][:samples]))
        check_magnitude([values[-1]], name, pde.name, UNITS)
    grid = Grid(tuple(_axis(pde, evolution.jets.independent[i], grids[variables[i]]) for i in space))
    times = torch.as_tensor(grids[ordered[0]])
    return Trajectories(times, grid, torch.stack(values, 2), unknowns, ordered[0])


def _called(pde: PDE, samples: int, seed: int, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """What the source returns, as arrays of finite numbers."""
    assert pde.source is not None
    try:
        with guarded(None):
            answer = pde.source(samples, seed)
    except LoadError as error:
        cause = error.__cause__ or error
        told = f"{type(cause).__name__}: {cause}".rstrip(": ")
        raise PluginError(f"{pde.name}: source raised {told}.", hint="Correct the plugin's source.") from cause
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
    if np.ma.is_masked(value):
        raise DataError(
            f"{pde.name}: source gave {name} with {np.ma.count_masked(value)} masked values; none may be missing.",
            hint="Leave trajectories or times with masked values out, or fill them in.",
        )
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(
            f"{pde.name}: source gave {name} that isn't an array: {' '.join(str(error).split()).rstrip('.')}.",
            hint="Give an array of floats, or nested lists of equal lengths.",
        ) from None
    if array.dtype.kind not in "fiu":
        raise DataError(
            f"{pde.name}: source gave {name} of type {array.dtype}; it isn't an array of real numbers.",
            hint="Give an array of floats; split complex data into real and imaginary part.",
        )
    with np.errstate(over="ignore"):
        found = array.astype(np.float64)
    if not np.isfinite(found).all():
        raise DataError(f"{pde.name}: source gave {name} with NaN or infinite values.", hint="Clean the data.")
    return found


def _line(pde: PDE, name: str, array: np.ndarray) -> np.ndarray:
    if array.ndim != 1:
        raise DataError(
            f"{pde.name}: source gave {name} of shape {array.shape}; it must be one-dimensional.",
            hint="Give the grid points once, the same for all samples.",
        )
    if len(array) < MIN_POINTS:
        raise DataError(
            f"{pde.name}: source gave {len(array)} value{'' if len(array) == 1 else 's'} of {name}; an axis needs "
            f"at least {MIN_POINTS} points.",
            hint="Give the solutions at more times or places.",
        )
    return array


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
