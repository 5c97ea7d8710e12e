"""Conservation laws from trajectories: totals, the quotient of variances, proofs, what can't be judged."""

import math

import numpy as np
import pytest
import sympy as sp
import torch
import xarray as xr

import lieapp
from lieapp.api import PDE, SumOfSines
from lieapp.config_laws import Laws
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.equations.monomials import Monomial
from lieapp.errors import ConfigError, DataError
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.beyond.quotient import directions
from lieapp.pde.beyond.readings import Combination, rational_choices
from lieapp.pde.beyond.sparse import search
from lieapp.pde.laws.densities import Density, class_of
from lieapp.pde.laws.fluxes import change, fluxes
from lieapp.pde.laws.totals import Totals, quotient, totals
from lieapp.pde.laws.written import Law, Proof, law_of

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
U, UX, UXX = ((0, (0, k)) for k in range(3))


def equation(residual, name="own", **given):
    settings = {
        "region": {t: (0, 4), x: (0, 16)}, "points": {t: 60, x: 64}, "periodic": [x],
        "initial": SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2)),
    }  # fmt: skip
    return PDE(name=name, title=name, equation=sp.Eq(residual, 0), **{**settings, **given})


KDV = equation(u.diff(t) + u * u.diff(x) + u.diff(x, 3), "own-kdv")


def waves(points=32):
    """a sin(kx + φ) for some a and k, at two times."""
    axis = Axis("x", 0.0, 2 * math.pi, points, True)
    z = axis.coordinates()
    values = torch.stack([a * torch.sin(k * z + a) for a, k in ((1.0, 1), (2.0, 3))])
    return Trajectories(torch.tensor([0.0, 1.0]).double(), Grid((axis,)), values[None, :, None], ("u",))


def test_totals_of_waves_are_the_integrals():
    """∫ sin² = π, ∫ cos² = π, ∫ sin⁴ = 3π/4; a product of five waves doesn't alias on few points."""
    evolution = evolution_form(read_pde(KDV))
    tried = [Density(Monomial(f)) for f in ((U, U), (UX, UX), (U,) * 4, (U,), (U, U, U, UX, UX))]
    found = totals(evolution, waves(), tried, 1e-9, 60)
    a, k = torch.tensor([1.0, 2.0]).double(), torch.tensor([1.0, 3.0]).double()
    expected = torch.stack([math.pi * a**2, math.pi * a**2 * k**2, 3 / 4 * math.pi * a**4, 0 * a, 0 * a], 1)
    torch.testing.assert_close(found.values[0], expected, atol=1e-12, rtol=1e-12)


def made(columns, seed=0, samples=6, times=20):
    """Totals made of constants of each trajectory and of random numbers."""
    random = torch.Generator().manual_seed(seed)
    still = torch.randn(samples, 1, 3, generator=random, dtype=torch.float64).expand(samples, times, 3)
    moving = torch.randn(samples, times, 3, generator=random, dtype=torch.float64)
    values = columns(still, moving)
    return Totals(torch.arange(times).double(), values, values.abs().mean(1))


def test_quotient_finds_what_is_constant_on_each_trajectory():
    def columns(c, r):
        return torch.stack([r[..., 0], 3 * c[..., 0] - 2 * r[..., 0], r[..., 1], c[..., 1], 0 * c[..., 0] + 7], -1)

    found = quotient([made(columns)])
    ordered = directions(found)
    assert ordered.nothing == 1  # the constant 7
    assert (ordered.eta[:2] < 1e-12).all() and ordered.eta[2] > 0.5
    laws = search(found, lambda path: Law((), False, path[0].eta))
    (first, _), (second, _) = laws
    assert first.columns == (0, 1) and second.columns == (3,)
    assert first.coefficients[0] / first.coefficients[1] == pytest.approx(2, abs=1e-9)


def test_one_trajectory_has_no_law_that_can_be_told():
    found = quotient([made(lambda c, r: torch.stack([c[..., 0], r[..., 0]], -1), samples=1)])
    assert directions(found).nothing == 1 and search(found, lambda path: Law((), False, 0.0)) == []


def test_numbers_are_read_and_proved_or_refused():
    tried = class_of(evolution_form(read_pde(KDV)), Laws(), 2)
    names = [str(m.expression(tried.ring.jets)) for m in tried.densities]
    proof = Proof(tried.ring, tried.densities)
    cube, slope = names.index("u**3"), names.index("u_x**2")
    assert proof.holds([cube, slope], [sp.S.One, sp.Integer(-3)])
    assert not proof.holds([cube, slope], [sp.S.One, sp.Rational(-301, 100)])
    good = Combination((cube, slope), (0.5, -1.50001), (1e-5, 1e-5), 1e-5)
    law = law_of([good], tried.densities, proof, rational_choices([]))
    assert law.proved and [c for _, c in law.terms] == [1, -3]
    wrong = Combination((cube, slope), (0.5, -1.4), (1e-5, 1e-5), 1e-5)
    assert not law_of([wrong], tried.densities, proof, rational_choices([])).proved


def test_fluxes_close_the_laws():
    evolution = evolution_form(read_pde(KDV))
    jets = evolution.jets
    v, v_x = jets.symbol(0, (0, 0)), jets.symbol(0, (0, 1))
    for density in (v, v**2, v**3 - 3 * v_x**2):
        (flux,) = fluxes(evolution, density).values()
        assert sp.expand(change(evolution, density) + jets.total_derivative(flux, 1)) == 0
    assert fluxes(evolution, v_x**2) == {}


@pytest.fixture(scope="module")
def nls(pytestconfig):
    return lieapp.discover(
        "nls", sought="laws", out=None, plugins=[pytestconfig.rootpath / "tests" / "plugins"]
    ).result


def test_mass_momentum_energy_of_nls_are_proved(nls):
    found = [law.density for law in nls.laws]
    assert found[:3] == ["u**2 + v**2", "u*v_x", "u**4 + 2*u**2*v**2 - u_x**2 + v**4 - v_x**2"]
    assert all(law.proved and law.drift < 1e-3 for law in nls.laws) and nls.count == len(found) == nls.derived
    assert nls.angle < 1e-3 and nls.spectrum.gap_after == nls.count
    assert nls.laws[0].multiplier == ["2*u", "2*v"] and nls.laws[0].flux == {"x": "2*u*v_x - 2*u_x*v"}
    assert nls.unconserved is not None and nls.unconserved.drift > 0.05


def test_kdv_has_its_laws_and_the_mass_cant_be_judged():
    found = lieapp.discover(KDV, sought="laws", out=None, samples=8).result
    assert [law.density for law in found.laws if law.proved][:2] == ["u**2", "u**3 - 3*u_x**2"]
    assert found.count == 4
    (mass,) = found.same
    assert mass.density == "u" and mass.proved is True and abs(mass.value) < 1e-12
    assert found.derived == 5 and "can't be judged" in found.sentence


def test_dissipation_keeps_the_mass_alone():
    """Of a mean that differs between trajectories."""
    burgers = equation(
        u.diff(t) + u * u.diff(x) - u.diff(x, 2), "own-burgers",
        initial=SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2), shape=lambda s: s**2),
    )  # fmt: skip
    found = lieapp.discover(burgers, sought="laws", out=None).result
    assert [(law.density, law.proved) for law in found.laws] == [("u", True)] and found.same == []


def test_nothing_is_conserved_of_a_source():
    grows = equation(
        u.diff(t) - u.diff(x, 2) - u * (1 - u), "own-fisher",
        initial=SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2), shape=lambda s: s**2),
    )  # fmt: skip
    found = lieapp.discover(grows, sought="laws", out=None).result
    assert found.count == 0 == found.derived and found.level == "info" and "no conservation law" in found.sentence


def test_errors_before_a_run():
    with pytest.raises(ConfigError, match="one trajectory"):
        lieapp.discover(KDV, sought="laws", out=None, samples=1)
    with pytest.raises(ConfigError, match="each factor weighs 2"):
        lieapp.discover(KDV, sought="laws", out=None, laws={"weight": 1})
    with pytest.raises(ConfigError, match="at most 400"):
        lieapp.discover(KDV, sought="laws", out=None, laws={"weight": 60})


def dataset(samples, noise=0.0):
    data = lieapp.simulate(KDV, samples)
    values = data.values[:, :, 0].numpy()
    values = values + noise * values.std() * np.random.default_rng(0).standard_normal(values.shape)
    z = data.grid.axes[0].coordinates().numpy()
    return xr.Dataset(
        {"u": (("sample", "t", "x"), values)}, {"t": data.time.numpy(), "x": z},
    )  # fmt: skip


def test_laws_of_files():
    found = lieapp.discover(dataset(6), equation="u_t + u*u_x + u_xxx", sought="laws", out=None).result
    assert [law.density for law in found.laws if law.proved][:2] == ["u**2", "u**3 - 3*u_x**2"]
    assert found.trajectories == 4 and found.held_out == 2
    with pytest.raises(DataError, match="one trajectory"):
        lieapp.discover(dataset(1), equation="u_t + u*u_x + u_xxx", sought="laws", out=None)


def test_noise_limits_the_derivatives():
    with pytest.raises(ConfigError, match="resolve derivatives up to order"):
        lieapp.discover(
            dataset(6, noise=0.05), equation="u_t + u*u_x + u_xxx", sought="laws", out=None, laws={"order": 6}
        )
    found = lieapp.discover(dataset(6, noise=0.05), equation="u_t + u*u_x + u_xxx", sought="laws", out=None).result
    assert found.order < 6 and "u**2" in [law.density for law in found.laws if law.proved]


def test_proof_where_the_equation_is_no_polynomial():
    """u_t + (c(x) u)_x = 0 and u_t = exp(-u) u_x keep their mass."""
    positive = SumOfSines(terms=3, amplitude=0.3, wavenumbers=(1, 2), shape=lambda s: 1 + s**2)
    moved = equation(u.diff(t) + ((2 + sp.sin(sp.pi * x / 8)) * u).diff(x), "moved", initial=positive)
    found = lieapp.discover(moved, sought="laws", out=None).result
    assert [(law.density, law.proved) for law in found.laws] == [("u", True)] and found.derived is None


def test_laws_of_an_equation_that_is_identified_first():
    found = lieapp.discover(dataset(6), sought="laws", out=None).result
    assert found.identified is not None and found.count == 4 and found.laws[1].density == "u**3 - 3*u_x**2"


@pytest.mark.parametrize(
    ("damping", "density", "mass"),
    [
        (u / (2 * (t + 1)), "u**2*(t + 1)", "u*sqrt(t + 1)"),  # the cylindrical equation
        (sp.Rational(1, 5) * u, "u**2*exp(2*t/5)", "u*exp(t/5)"),
    ],
)
@pytest.mark.slow
def test_damping_is_undone_by_a_factor(damping, density, mass):
    damped = equation(u.diff(t) + damping + u * u.diff(x) + u.diff(x, 3), "own-damped")
    found = lieapp.discover(damped, sought="laws", out=None).result
    (law,) = [law for law in found.laws if law.proved]
    assert law.density == density and law.drift < 1e-3 and law.flux
    assert {row.density: row.proved for row in found.same} == {"u": False, mass: True}


def test_energy_in_the_plane_beside_a_slow_total():
    """Zakharov-Kuznetsov: ∫ u_y² hardly changes here, so its coefficient in the energy is known less well."""
    y = sp.Symbol("y", real=True)
    w = sp.Function("u")(t, x, y)
    plane = PDE(
        name="zk", title="zk", equation=sp.Eq(w.diff(t) + w * w.diff(x) + w.diff(x, 3) + w.diff(x, y, 2), 0),
        region={t: (0, 2), x: (0, 16), y: (0, 16)}, points={t: 24, x: 32, y: 32}, periodic=[x, y],
        initial=SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2)),
    )  # fmt: skip
    settings = {"order": 1, "weight": 6}
    found = lieapp.discover(plane, sought="laws", out=None, samples=8, held_out=2, laws=settings).result
    assert [law.density for law in found.laws if law.proved] == ["u**2", "u**3 - 3*u_x**2 - 3*u_y**2"]
    assert set(found.laws[1].flux) == {"x", "y"} and found.derived == 3
