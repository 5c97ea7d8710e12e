"""Conservation laws from trajectories on an open axis: fluxes, proofs, what the data can't tell, errors."""

import itertools

import numpy as np
import pytest
import sympy as sp
import torch
import xarray as xr
from own_burgers import NU, cole_hopf

import lieapp
from lieapp.api import PDE, SumOfSines
from lieapp.config_laws import Laws
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import ConfigError, GridError
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.laws.flux_terms import flux_terms, open_class_of
from lieapp.pde.laws.fluxes import fluxes
from lieapp.pde.laws.open_axis import balance, outflow_of
from lieapp.pde.resolution import resolved_order

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
KDV = "u_t + u*u_x + u_xxx"
LAWS = ["u", "u**2", "u**3 - 3*u_x**2"]


def equation(residual, name="own", **given):
    settings = {
        "region": {t: (0, 4), x: (0, 16)}, "points": {t: 60, x: 64}, "periodic": [x],
        "initial": SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2)),
    }  # fmt: skip
    return PDE(name=name, title=name, equation=sp.Eq(residual, 0), **{**settings, **given})


PERIODIC = equation(u.diff(t) + u * u.diff(x) + u.diff(x, 3), "own-kdv")


def cut(pde, samples, nodes=40, noise=0.0, seed=0):
    """Simulated on a whole period, of which a part is left."""
    data = lieapp.simulate(pde, samples, seed=seed)
    values = data.values[:, :, 0, :nodes].numpy()
    values = values + noise * values.std() * np.random.default_rng(0).standard_normal(values.shape)
    z = data.grid.axes[0].coordinates()[:nodes].numpy()
    return xr.Dataset({"u": (("sample", "t", "x"), values)}, {"t": data.time.numpy(), "x": z})


def laws_of(data, eq=KDV, **settings):
    return lieapp.discover(data, equation=eq, sought="laws", out=None, **settings).result


def named(evolution):
    return {str(s): s for s in (evolution.jets.symbol(0, (0, k)) for k in range(4))}


@pytest.mark.parametrize(
    ("residual", "density"),
    [
        (u.diff(t) + u * u.diff(x) + u.diff(x, 3), "u**3 - 3*u_x**2"),
        (u.diff(t) + u * u.diff(x) + u.diff(x, 3), "5*u**4 - 60*u*u_x**2 + 36*u_xx**2"),
        (u.diff(t) + u**2 * u.diff(x) + u.diff(x, 5), "u**2"),
        (u.diff(t) + ((2 + sp.sin(x)) * u).diff(x), "u"),
        (u.diff(t) + sp.exp(t) * sp.cos(x) * u.diff(x, 2) + sp.cos(x) * sp.exp(t) * u, "u"),
        (u.diff(t) - u.diff(x, 2) - sp.sin(x), "u"),
    ],
)
def test_the_class_holds_the_divergence_of_the_flux(residual, density):
    """D_x X of the exact flux is a combination of those of the terms."""
    evolution = evolution_form(read_pde(equation(residual)))
    jets = evolution.jets
    (flux,) = fluxes(evolution, sp.sympify(density, locals=named(evolution))).values()
    columns = []
    for term in open_class_of(evolution, Laws(), 2).fluxes:
        ((J, E),) = term.divergence(evolution).items()
        for _ in range(J[1]):
            E = jets.total_derivative(E, 1)
        columns.append(E)
    expressions = [sp.expand(e) for e in (jets.total_derivative(flux, 1), *columns)]
    symbols = list({s for e in expressions for s in e.free_symbols})
    random = np.random.default_rng(0)
    points = random.uniform(0.5, 1.5, (3 * len(columns), len(symbols)))
    rows = np.stack([
        np.broadcast_to(sp.lambdify(symbols, e)(*points.T), len(points)) for e in expressions
    ], 1)  # fmt: skip
    best, *_ = np.linalg.lstsq(rows[:, 1:], rows[:, 0], rcond=None)
    np.testing.assert_allclose(rows[:, 1:] @ best, rows[:, 0], rtol=1e-7, atol=1e-8)


def test_terms_of_fluxes_take_no_more_derivatives_than_densities_have():
    evolution = evolution_form(read_pde(PERIODIC))
    for term in flux_terms(open_class_of(evolution, Laws(), 1)):
        assert term.monomial.order <= 2 and term.derivatives >= 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mass_momentum_and_energy_of_kdv_are_proved(seed):
    """The mass too, which is the same on all data of a whole period."""
    found = laws_of(cut(PERIODIC, 8, seed=seed))
    assert [law.density for law in found.laws if law.proved][:3] == LAWS
    assert 4 <= found.count <= found.derived and found.same == []
    assert found.laws[0].flux == {"x": "u**2/2 + u_xx"} and found.laws[0].drift < 1e-3
    assert found.laws[2].drift < 1e-2 and found.unconserved.drift > 0.3
    assert len(found.laws[0].values) == len(found.time) and found.flux_terms > 20
    assert found.trajectories == 6 and found.held_out == 2


def test_one_trajectory_tells_laws_too():
    found = laws_of(cut(PERIODIC, 1))
    assert [law.density for law in found.laws if law.proved][:2] == LAWS[:2]
    assert found.held_out == 0 and any("none is held out" in words for words in found.warnings)


def test_noise_leaves_the_laws_without_derivatives():
    found = laws_of(cut(PERIODIC, 8, noise=0.002))
    assert [law.density for law in found.laws if law.proved] == LAWS[:2] and found.order <= 1


def test_dissipation_keeps_the_mass_alone():
    """Exact solutions on [-1, 1]."""
    z, time = np.linspace(-1, 1, 96), np.linspace(0, 1, 60)
    data = xr.Dataset({"u": (("sample", "t", "x"), cole_hopf(z, time, 8))}, {"t": time, "x": z})
    found = laws_of(data, f"u_t + u*u_x - {NU}*u_xx")
    assert [law.density for law in found.laws if law.proved] == ["u"] and found.derived == 1
    assert not any(law.verdict == "undecided" for law in found.laws)


def test_nothing_is_conserved_of_a_source():
    grows = equation(
        u.diff(t) - u.diff(x, 2) - u * (1 - u), "own-fisher",
        initial=SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2), shape=lambda s: s**2),
    )  # fmt: skip
    found = laws_of(cut(grows, 8), "u_t - u_xx - u + u**2")
    assert found.count == 0 == found.derived and "no conservation law" in found.sentence


@pytest.mark.parametrize(
    ("residual", "typed"),
    [
        (((2 + sp.sin(sp.pi * x / 8)) * u).diff(x), "u_t + (2 + sin(pi*x/8))*u_x + pi*cos(pi*x/8)*u/8"),
        (-u.diff(x, 2) - sp.sin(sp.pi * x / 8), "u_t - u_xx - sin(pi*x/8)"),
    ],
)
def test_coefficients_and_sources_that_depend_on_the_place(residual, typed):
    found = laws_of(cut(equation(u.diff(t) + residual), 8), typed, laws={"order": 1})
    assert "u" in [law.density for law in found.laws if law.proved]


def solitons(*ks):
    z, time = np.linspace(-3, 3, 80), np.linspace(0, 1, 40)
    waves = [12 * k**2 / np.cosh(k * (z - 4 * k**2 * time[:, None])) ** 2 for k in ks]
    return xr.Dataset({"u": (("sample", "t", "x"), np.stack(waves))}, {"t": time, "x": z})


def test_one_wave_leaves_undecided_what_its_speed_explains():
    """u_t = -c u_x: every density has the flux c T."""
    found = laws_of(solitons(0.5))
    assert [law.density for law in found.laws if law.proved] == LAWS[:2]
    others = [law for law in found.laws if not law.proved]
    assert others and all(law.verdict == "undecided" for law in others) and "undecided" in found.sentence


def test_what_never_changes_cant_be_judged():
    """Steady states of the heat equation, u = a x + 1."""
    z, time = np.linspace(-3, 3, 80), np.linspace(0, 1, 40)
    waves = np.stack([(a * z + 1) * np.ones((40, 1)) for a in (1.0, 2.0)])
    data = xr.Dataset({"u": (("sample", "t", "x"), waves)}, {"t": time, "x": z})
    found = laws_of(data, "u_t - u_xx", laws={"order": 1})
    assert found.count == 0 and len(found.same) == len(found.candidates) and "never change" in found.sentence
    assert all(row.value is None for row in found.same)


def test_a_source_may_give_open_axes():
    def waves(samples, seed):
        data = solitons(*np.random.default_rng(seed).uniform(0.3, 0.9, samples))
        return {"t": data.t.values, "x": data.x.values, "u": data.u.values}

    pde = equation(u.diff(t) + u * u.diff(x) + u.diff(x, 3), periodic=[], source=waves)
    found = lieapp.discover(pde, sought="laws", out=None, samples=8, held_out=2).result
    assert [law.density for law in found.laws if law.proved][:2] == LAWS[:2] and found.flux_terms


def test_errors_before_a_run():
    y = sp.Symbol("y", real=True)
    w = sp.Function("u")(t, x, y)
    plane = PDE(
        name="plane", title="plane", equation=sp.Eq(w.diff(t), w.diff(x, 2) + w.diff(y, 2)),
        region={t: (0, 1), x: (0, 1), y: (0, 1)}, points={t: 10, x: 16, y: 16}, periodic=[y],
        source=lambda samples, seed: {},
    )  # fmt: skip
    with pytest.raises(GridError, match=r"x is not periodic.* one axis of space only"):
        lieapp.discover(plane, sought="laws", out=None)
    with pytest.raises(GridError, match="isn't polynomial"):
        laws_of(cut(PERIODIC, 4), "u_t + exp(u)*u_x")
    with pytest.raises(ConfigError, match=r"densities of weight up to 12 .* allow 40 in all"):
        laws_of(cut(PERIODIC, 1), laws={"weight": 12, "order": 2})
    with pytest.raises(ConfigError, match="resolve derivatives up to order"):
        laws_of(cut(PERIODIC, 4, noise=0.05), laws={"order": 3})


def sines(points, noise=0.0):
    axis = Axis("x", 0.0, 3.0, points)
    values = torch.sin(3 * axis.coordinates() + torch.linspace(0, 1, 20).double()[:, None])
    random = torch.Generator().manual_seed(0)
    values = values + noise * torch.randn(values.shape, generator=random, dtype=values.dtype)
    return Trajectories(torch.linspace(0, 1, 20).double(), Grid((axis,)), values[None, :, None], ("u",))


def test_order_that_open_axes_resolve():
    """More nodes resolve more, noise less."""
    few, many = (resolved_order([sines(n)], 1e-9, 6) for n in (10, 80))
    assert few < many == 6
    noisy = [resolved_order([sines(80, noise)], 1e-9, 6) for noise in (1e-6, 1e-3, 0.1)]
    assert all(a > b for a, b in itertools.pairwise(noisy))


def test_balance_is_constant_where_derivatives_are_barely_resolved():
    """Flows out of bumps need none at their ends."""
    data = lieapp.simulate("kdv", 2)
    axis = data.grid.axes[0]
    half = Axis("x", 0.0, 127 * axis.spacing, 128)
    piece = Trajectories(data.time, Grid((half,)), data.values[..., :128], ("u",))
    evolution = evolution_form(read_pde(PERIODIC))
    density = sp.sympify(LAWS[2], locals=named(evolution))
    (flux,) = fluxes(evolution, density).values()
    assert balance(density, outflow_of(flux, evolution), evolution, piece).drift < 0.02
    assert balance(density, {}, evolution, piece).drift > 1
