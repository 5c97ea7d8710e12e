"""Quasilinear equations through the implicit solver."""

import math

import pytest
import sympy as sp
import torch
from small import T, U, X

from lieapp.api import SumOfSines
from lieapp.data.implicit import march_implicit
from lieapp.data.simulate import simulate, space_grid
from lieapp.data.stepping import Tolerance
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form, split
from lieapp.errors import GridError, SimulationError

POSITIVE = SumOfSines(terms=3, wavenumbers=(1,), rescale=(0, 1), shape=lambda s: 1 + s / 2)
POROUS = (U**2 * U.diff(X)).diff(X)


def test_manufactured_solution_of_the_porous_medium_equation(declare):
    exact = 2 + sp.sin(X) * sp.exp(-T)
    forcing = sp.diff(exact, T) - sp.diff(exact**2 * sp.diff(exact, X), X)
    pde = declare(POROUS + forcing)
    evolution = evolution_form(read_pde(pde))
    assert not split(evolution).semilinear
    grid = space_grid(pde, evolution)
    x = grid.mesh(torch.float64, "cpu")[0]
    start = (2 + torch.sin(x))[None, None]
    for state in march_implicit(evolution, grid, start, [0.0, 0.3, 1.0], Tolerance(1e-7)):
        truth = (2 + math.exp(-state.time) * torch.sin(x))[None, None]
        assert (state.values - truth).abs().max() < 1e-6


@pytest.mark.parametrize("rhs", [POROUS, U**3 * U.diff(X, 3)], ids=["porous medium", "harry dym"])
def test_finer_grid_and_smaller_tolerance_agree(declare, rhs):
    keywords = {"initial": POSITIVE, "region": {T: (0, 0.5), X: (0, 2 * sp.pi)}}
    pde, fine = declare(rhs, **keywords), declare(rhs, points={T: 9, X: 64}, **keywords)
    data = simulate(pde, 2, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-5))
    better = simulate(fine, 2, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-7))
    assert data.error == 1e-5
    torch.testing.assert_close(data.values, better.values[..., ::2], rtol=0, atol=1e-4)


def test_porous_medium_keeps_its_mass(declare):
    data = simulate(declare(POROUS, initial=POSITIVE), 1, torch.Generator(), tolerance=Tolerance(1e-6))
    mass = data.values.mean(-1)
    torch.testing.assert_close(mass, mass[:, :1].expand_as(mass), rtol=1e-6, atol=0)


def test_a_steep_front_is_reported_not_kept(declare):
    # where u vanishes the equation degenerates and the front keeps its corner
    sharp = SumOfSines(terms=3, wavenumbers=(1,), rescale=(-1, 1), shape=lambda s: sp.exp(20 * (s - 1)))
    with pytest.raises(SimulationError, match="isn't resolved on 32 points") as caught:
        simulate(declare(POROUS, initial=sharp), 1, torch.Generator())
    assert "points" in caught.value.hint


def test_ill_posed_equations_stop_the_solver(declare):
    with pytest.raises(SimulationError):
        simulate(declare(-POROUS, initial=POSITIVE), 1, torch.Generator())


def test_more_dimensions_need_a_source(declare):
    y = sp.Symbol("y", real=True)
    w = sp.Function("u")(T, X, y)
    pde = declare(
        0, equation=sp.Eq(w.diff(T), (w * w.diff(X)).diff(X) + (w * w.diff(y)).diff(y)),
        region={T: (0, 1), X: (0, 1), y: (0, 1)}, points={T: 8, X: 8, y: 8}, periodic=[X, y],
    )  # fmt: skip
    with pytest.raises(GridError, match="space has 2 dimensions"):
        simulate(pde, 1, torch.Generator())
