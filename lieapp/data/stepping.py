"""March a semilinear problem from one output time to the next, choosing steps and grid by what is measured.

Each output interval is integrated with n and with 2n steps of ETDRK4; the difference over 15 estimates the error
of the finer result (Richardson), which is kept. n grows where the estimate is too large and shrinks where it is
far below. When the highest modes are no longer small the state moves to a grid twice as fine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.problem import dealias_mask
from lieapp.errors import SimulationError
from lieapp.numerics.etdrk import ETDRK4, Modes, Problem
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import resample, to_modes, to_values

TAIL = 0.1
"""A state is resolved when its highest eighth of modes, over its largest one, lies below TAIL x tolerance."""

CHECK_EVERY = 4
"""Between checks that pass, this many intervals share one error estimate."""

FASTER = 1.5
"""An interval that changes the state this much more than the last checked one did is checked itself."""

ROUGH = 30.0
"""Within this many tolerances of the solution a trial's spectrum says whether the grid is fine enough.

Further away the highest modes may only show the error of too large steps.
"""

Values = Float[Tensor, "sample component *space"]

MAX_STEPS = 512
MAX_POINTS = 4096
CHANGE = 1.5
"""Factor by which the number of steps grows and shrinks."""

SPARE = 8.0
"""Take fewer steps when the error is this far below the tolerance (CHANGE costs a factor CHANGE^4 = 5)."""


@dataclass(frozen=True)
class Tolerance:
    """Relative error allowed over the whole window, shared out by time."""

    total: float = 1e-3

    def interval(self, share: float) -> float:
        """What one interval may contribute."""
        return self.total * share


@dataclass(frozen=True)
class State:
    """A solution at one output time on the grid it needs, with the error estimated so far."""

    time: float
    grid: Grid
    values: Values
    error: float
    steps: int


def march(
    make: Callable[[Grid], Problem],
    degree: int,
    grid: Grid,
    initial: Values,
    times: Sequence[float],
    tolerance: Tolerance,
    name: str,
) -> Iterator[State]:
    """Yield the state at each output time, the first one included.

    Args:
        degree: polynomial degree of the nonlinear part, for dealiasing.
        grid: the coarsest grid to use.
        initial: values at times[0].
        name: what messages call the equation.

    Raises SimulationError when the solution blows up, can't be resolved or can't be stepped accurately.
    """
    if not torch.isfinite(initial).all():
        raise SimulationError(
            f"{name}: the initial state is not finite.", hint="Check shape and amplitude of the initial state."
        )
    stepper = _Stepper(make, degree, grid, initial, tolerance.total * TAIL, name)
    yield State(times[0], stepper.grid, initial, 0.0, 0)
    error = 0.0
    for start, end in itertools.pairwise(times):
        share = (end - start) / (times[-1] - times[0])
        error += stepper.advance(start, end, tolerance.interval(share))
        yield State(end, stepper.grid, to_values(stepper.modes, stepper.grid), error, stepper.steps)


class _Stepper:
    """The modes at the current time with the grid and step count in use."""

    def __init__(
        self,
        make: Callable[[Grid], Problem],
        degree: int,
        grid: Grid,
        initial: Values,
        tail: float,
        name: str,
    ) -> None:
        self._make, self._degree, self._tail, self._name = make, degree, tail, name
        self.steps = 1
        self._load(grid, initial)

    def _load(self, grid: Grid, values: Values) -> None:
        self.grid = grid
        self._problem = self._make(grid)
        self._mask = dealias_mask(grid, self._degree, values.dtype, values.device)
        self._schemes: dict[int, ETDRK4] = {}
        # not masked yet: whether modes that the mask would drop matter decides about the grid
        self.modes = to_modes(values, grid)
        self._error, self._changed, self._trusted = 0.0, 0.0, 0

    def advance(self, start: float, end: float, tolerance: float) -> float:
        """Go to `end`; returns the estimated relative error of this interval."""
        while True:
            while not self._resolved(self.modes):
                self._refine(start)
            self.modes = self.modes * self._mask
            modes = self._attempt(start, end, tolerance)
            if modes is None:
                continue
            if self._resolved(modes):
                self.modes = modes
                return self._error
            self._refine(start)

    def _attempt(self, start: float, end: float, tolerance: float) -> Modes | None:
        """The modes at `end`, or None if other step sizes or a finer grid have to be tried."""
        if self._trusted == 0:
            return self._checked(start, end, tolerance)
        modes = self._integrate(start, end, 2 * self.steps)
        if self._change(modes) <= FASTER * self._changed:
            self._trusted -= 1
            return modes
        self._trusted = 0
        return None

    def _checked(self, start: float, end: float, tolerance: float) -> Modes | None:
        """Try the interval with n and 2n steps; the finer result if its error is small enough."""
        coarse, fine = self._integrate(start, end, self.steps), self._integrate(start, end, 2 * self.steps)
        error = _ratio(fine - coarse, fine) / 15
        if not error <= tolerance:
            # where the result is roughly right but unresolved, more steps on this grid are wasted
            if error < ROUGH * tolerance and not self._resolved(fine):
                self._refine(start)
            elif self.steps >= MAX_STEPS:
                self._give_up(start, end, error)
            else:
                self.steps = min(math.ceil(CHANGE * self.steps), MAX_STEPS)
            return None
        self._error, self._changed = error, self._change(fine)
        if error < tolerance / SPARE and self.steps > 1:
            self.steps = max(1, int(self.steps / CHANGE))
        else:
            self._trusted = CHECK_EVERY - 1
        return fine

    def _change(self, modes: Modes) -> float:
        """How far an interval leads away, relative to where it starts."""
        return _ratio(modes - self.modes, self.modes)

    def _integrate(self, start: float, end: float, steps: int) -> Modes:
        h = (end - start) / steps
        if steps not in self._schemes or not math.isclose(self._schemes[steps].h, h, rel_tol=1e-9):
            self._schemes[steps] = ETDRK4(self._problem, h)
        scheme = self._schemes[steps]
        v = self.modes
        for i in range(steps):
            v = scheme.step(start + i * h, v)
            if i % 32 == 31 and not torch.isfinite(v).all():
                break
        return v

    def _resolved(self, modes: Modes) -> bool:
        amplitude = modes.abs().flatten(0, -len(self.grid.axes) - 1).amax(0)
        inner = self._mask
        for dim, axis in zip(self.grid.dims, self.grid.axes, strict=True):
            limit = (axis.points - 1) // (self._degree + 1)
            index = torch.fft.fftfreq(axis.points, 1 / axis.points, device=modes.device).abs()
            line = (index[: amplitude.shape[dim]] <= limit - max(limit // 8, 1)).to(inner.dtype)
            shape = [1] * len(self.grid.axes)
            shape[dim] = -1
            inner = inner * line.reshape(shape)
        return bool((amplitude * (1 - inner)).max() <= self._tail * amplitude.max())

    def _refine(self, time: float) -> None:
        shape = tuple(2 * n for n in self.grid.shape)
        if max(shape) > MAX_POINTS:
            raise SimulationError(
                f"{self._name}: at t = {time:g} the solution isn't resolved on {max(self.grid.shape)} points.",
                hint="It may form a shock or blow up: shorten the time window, smooth the initial state, or add "
                "dissipation.",
            )
        values = to_values(self.modes, self.grid)
        target = self.grid.refined(shape)
        self._load(target, resample(values, self.grid, target))

    def _give_up(self, start: float, end: float, error: float) -> None:
        state = "is not finite" if not math.isfinite(error) else f"has an estimated relative error of {error:.1e}"
        raise SimulationError(
            f"{self._name}: the solution {state} between t = {start:g} and {end:g} even with "
            f"{2 * self.steps} steps.",
            hint="It may blow up, form a shock or be ill-posed: shorten the time window, shrink the initial "
            "amplitude, or raise points of the time variable.",
        )


def _ratio(part: Modes, whole: Modes) -> float:
    """Largest ratio of norms over the samples; nan if either isn't finite."""
    size, share = (m.abs().square().flatten(1).sum(1).sqrt() for m in (whole, part))
    return float((share / size.clamp_min(torch.finfo(size.dtype).tiny)).amax())
