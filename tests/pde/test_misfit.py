"""Data that don't solve the equation, and which term is off."""

from dataclasses import replace

import pytest
import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories, noisy, thin
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.domain import PDEDomain
from lieapp.pde.misfit import misfit
from lieapp.registry.catalog import load_catalog


def heat():
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    made = PDE(
        name="heat", title="", equation=sp.Eq(u.diff(t), u.diff(x, 2)), region={t: (0, 1), x: (0, 1)},
        points={t: 9, x: 16}, periodic=[],
    )  # fmt: skip
    return PDEDomain(made).evolution


@pytest.fixture(scope="module")
def burgers():
    domain = PDEDomain(load_catalog().get("burgers").declaration)
    return domain.evolution, domain.trajectories(4, 0, tolerance=Tolerance(1e-4))


def test_solutions_fit(burgers):
    found = misfit(burgers[0], [burgers[1]])
    assert found.relative < 1e-3
    assert all(abs(a - 1) < 0.05 for _, _, a in found.factors)


@pytest.mark.parametrize("factor", [0.5, 2.0, 6.0])
def test_the_wrong_coefficient_is_named_with_the_factor_that_is_right(burgers, factor):
    """With nu' = factor nu in the equation the data ask for 1/factor of that term."""
    evolution, data = burgers
    jets = evolution.jets
    u_xx = jets.symbol(0, (0, 2))
    wrong = replace(evolution, rhs=tuple(sp.expand(f).subs(u_xx, factor * u_xx) for f in evolution.rhs))
    found = misfit(wrong, [data])
    (diffusion,) = [a for _, text, a in found.factors if "u_xx" in text]
    assert diffusion == pytest.approx(1 / factor, rel=0.02) and found.fitted < 0.01 < found.relative
    assert "u_xx should be taken" in found.words() and "u*u_x should" not in found.words()


def test_data_of_something_else_fit_with_no_factors(burgers):
    evolution, data = burgers
    noise = torch.randn(
        4, 1, 1, data.grid.shape[0], generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    smooth = torch.fft.irfft(torch.fft.rfft(noise) * (torch.arange(129) < 5), n=256)
    t = data.time.reshape(1, -1, 1, 1)
    other = replace(data, values=smooth * torch.cos(3 * t) + smooth.roll(40, 3) * torch.sin(3 * t))
    found = misfit(evolution, [other])
    assert found.relative > 0.3 and "no other factors" in found.words()


def test_noise_is_no_misfit_of_the_equation(burgers):
    evolution, data = burgers
    found = misfit(evolution, [noisy(data, 0.01, 0)])
    assert 1e-4 < found.relative < 0.02 and "should be" not in found.words()


def test_few_times_suffice_where_splines_follow_the_data(burgers):
    evolution, data = burgers
    assert misfit(evolution, [thin(data, 1, 12)]).relative < 1e-3
    few = replace(data, time=data.time[:6], values=data.values[:, :6])
    assert misfit(evolution, [few]) is None


def test_times_too_far_apart_say_nothing():
    """u = sin(x - 8t) turns by more than half a period from time to time."""
    t, x = sp.symbols("t x", real=True)
    u = sp.Function("u")(t, x)
    advection = PDE(
        name="advection", title="Advection", equation=sp.Eq(u.diff(t) + 8 * u.diff(x), 0),
        region={t: (0, 8), x: (0, 1)}, points={t: 17, x: 64}, periodic=[x],
    )  # fmt: skip
    grid = Grid((Axis("x", 0.0, 2 * torch.pi, 64, True),))
    for step, told in ((0.5, False), (0.05, True)):
        time = step * torch.arange(17, dtype=torch.float64)
        values = torch.sin(grid.axes[0].coordinates() - 8 * time[:, None])[None, :, None]
        found = misfit(PDEDomain(advection).evolution, [Trajectories(time, grid, values, ("u",))])
        assert (found is not None) == told
    assert found.relative < 1e-3


@pytest.mark.parametrize("nodes", ["uniform", "uneven", "chebyshev"])
def test_open_axes_whatever_their_nodes(nodes):
    """An exact solution of u_t + u u_x = nu u_xx, the front x/t smoothed by Cole and Hopf."""
    nu, n = 0.1, 96
    s = torch.arange(n, dtype=torch.float64) / (n - 1)
    uniform = 2 * s - 1
    lines = {"uniform": uniform, "uneven": uniform + 0.1 * torch.sin(6 * s), "chebyshev": -torch.cos(torch.pi * s)}
    x = lines[nodes]
    t = torch.linspace(0, 1, 21, dtype=torch.float64)[:, None]
    k = torch.tensor([-3.0, 0.5, 2.0], dtype=torch.float64)[:, None, None]
    e = torch.exp(k * x + nu * k**2 * t)
    u = -2 * nu * (k * e).sum(0) / e.sum(0)
    axis = Axis("x", float(x[0]), float(x[-1]), n, nodes=None if nodes == "uniform" else tuple(x.tolist()))
    domain = PDEDomain(load_catalog().get("burgers").declaration)
    jets = domain.evolution.jets
    u_x, u_xx = (jets.symbol(0, (0, k)) for k in (1, 2))
    right = replace(domain.evolution, rhs=(nu * u_xx - jets.symbol(0, (0, 0)) * u_x,))
    data = Trajectories(t[:, 0], Grid((axis,)), u[None, :, None], ("u",))
    assert misfit(right, [data]).relative < 1e-4
    wrong = misfit(replace(right, rhs=(2 * nu * u_xx - jets.symbol(0, (0, 0)) * u_x,)), [data])
    assert wrong.better and wrong.factors[0][2] == pytest.approx(0.5, rel=1e-3)


def on_a_line(values):
    """One trajectory of the heat equation's unknown on [0, 1], at 41 times up to 1."""
    t = torch.linspace(0, 1, 41, dtype=torch.float64)
    grid = Grid((Axis("x", 0.0, 1.0, 64),))
    return Trajectories(t, grid, values(t[:, None], grid.axes[0].coordinates().double())[None, :, None], ("u",))


def test_terms_that_are_rounding_get_no_factor():
    """u_xx of a linear function is 1e-13 of u: least squares would take it 1e12 times."""
    found = misfit(heat(), [on_a_line(lambda t, x: 1 + 2 * x - 0.3 * t)])
    assert found.relative == found.fitted == 1 and found.factors == (("u", "u_xx", 1.0),)


def test_steady_data_tell_nothing():
    assert misfit(heat(), [on_a_line(lambda t, x: torch.sin(3 * x) + 0 * t)]) is None


def test_a_mean_far_off_hides_nothing():
    """A constant adds nothing to derivatives: it isn't what rounding is measured by."""
    found = misfit(heat(), [on_a_line(lambda t, x: 1e6 + torch.exp(-9 * t) * torch.sin(3 * x))])
    assert found.relative < 1e-4
