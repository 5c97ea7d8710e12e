"""States of an evolution equation at the output times, by the stepper that suits it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from lieapp.data.problem import semilinear_problem
from lieapp.data.stepping import State, Tolerance, Values, march
from lieapp.equations.evolution import Evolution, Splitting, common_rate, split
from lieapp.numerics.codegen import scalar_functions
from lieapp.numerics.grid import Grid

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
        return _timed(_march(rescaled[1], grid, initial, clock, tolerance, name), times)
    return _march(splitting, grid, initial, times, tolerance, name)


def _march(
    splitting: Splitting, grid: Grid, initial: Values, times: Sequence[float], tolerance: Tolerance, name: str
) -> Iterator[State]:
    dtype, device = initial.dtype, initial.device
    return march(
        lambda g: semilinear_problem(splitting, g, dtype, device),
        splitting.degree, grid, initial, times, tolerance, name,
    )  # fmt: skip


def _timed(states: Iterable[State], times: Sequence[float]) -> Iterator[State]:
    return (replace(state, time=t) for state, t in zip(states, times, strict=True))


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
