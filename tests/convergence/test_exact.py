"""Errors against exact solutions: linear equations in one step, solitons, Cole-Hopf."""

from dataclasses import replace

import pytest
import torch
from problems import AIRY, HEAT, KDV, NKDV, SCHROEDINGER, Case, integrate, relative

from lieapp.data.problem import semilinear_problem
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance, march
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form, split
from lieapp.registry.catalog import load_catalog


def marched(case: Case, times: list[float], tolerance: float, points: int):
    """The last state and its grid."""
    splitting, grid = split(case.evolution), replace(case, points=points).grid
    initial = replace(case, points=points).exact(times[0])
    make = lambda g: semilinear_problem(splitting, g)  # noqa: E731
    states = list(march(make, splitting.degree, grid, initial, times, Tolerance(tolerance), "case"))
    assert [s.time for s in states] == times
    return states[-1]


@pytest.mark.parametrize("case", [HEAT, AIRY, SCHROEDINGER], ids=["heat", "airy", "schroedinger"])
def test_linear_equations_are_solved_exactly_by_one_step(case):
    assert relative(integrate(case, 0.0, 1.5, 1), case.exact(1.5)) < 1e-13


@pytest.mark.parametrize("case", [KDV, NKDV], ids=["kdv", "nkdv"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_soliton_and_the_error_estimate(case, tolerance):
    end = marched(case, [i / 4 for i in range(9)], tolerance, 128)
    exact = replace(case, points=end.grid.shape[0]).exact(2.0)
    error = relative(end.values, exact)
    assert end.grid.shape[0] > 128, "128 points don't resolve the soliton"
    assert end.error < tolerance
    assert end.error / 20 < error < 3 * end.error, f"error {error:.1e}, estimate {end.error:.1e}"


def test_cole_hopf_agrees_with_stepping_burgers_itself():
    burgers = load_catalog().get("burgers").declaration
    data = simulate(burgers, 2, torch.Generator().manual_seed(3))
    splitting = split(evolution_form(read_pde(burgers)))
    times, start = data.time[::46].tolist(), data.values[:, 0]
    make = lambda g: semilinear_problem(splitting, g)  # noqa: E731
    states = list(march(make, splitting.degree, data.grid, start, times, Tolerance(1e-7), "burgers"))
    for state, values in zip(states, data.values[:, ::46].unbind(1), strict=True):
        step = state.grid.shape[0] // 256
        assert relative(state.values[..., ::step], values) < 1e-6
    assert data.values[:, -1].std() > 0.01, "decayed"
