"""Generalised symmetries from data: the exact condition, kinds, the null space on slices, published hierarchies."""

import numpy as np
import pytest
import sympy as sp
import torch
import xarray as xr

import lieapp
from lieapp.api import PDE, SumOfSines
from lieapp.config_laws import Generalised
from lieapp.equations.evolution import evolution_form
from lieapp.equations.monomials import Monomial
from lieapp.equations.parsing import parse_system
from lieapp.errors import ConfigError
from lieapp.lie.invariance import characteristic_defect
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.beyond.quotient import directions
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import PDEDomain
from lieapp.pde.generalised.characteristics import Condition, Term, expressions, kind_of, terms_of
from lieapp.pde.generalised.network import JetTraining, Products, learned
from lieapp.pde.generalised.values import TermValues, quotient

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)


def equation(residual, name="own", **given):
    settings = {
        "region": {t: (0, 4), x: (0, 16)}, "points": {t: 40, x: 64}, "periodic": [x],
        "initial": SumOfSines(terms=4, amplitude=0.4, wavenumbers=(1, 2, 3)),
    }  # fmt: skip
    return PDE(name=name, title=name, equation=sp.Eq(residual, 0), **{**settings, **given})


KDV = equation(u.diff(t) + u * u.diff(x) + u.diff(x, 3), "own-kdv")


def system(text):
    return parse_system([text], ["t", "x"], ["u"])


@pytest.mark.parametrize(
    ("text", "order", "weight", "beyond"),
    [
        ("u_t + u*u_x + u_xxx", 7, None, 2),  # two flows of the hierarchy
        ("u_t + 6*u**2*u_x + u_xxx", 5, None, 1),
        ("u_t - 6*u*u_x - u**2*u_x - u_xxx", 5, None, 1),
        ("u_t + u*u_x - u_xx", 4, None, 2),
        ("u_t + u_x**2 - u_xx", 3, 9, 1),  # u_x**3 has the weight 9
        ("u_t + u*u_x + u_xx + u_xxxx", 6, None, 0),
        ("u_t - u_xx - u*(1 - u)", 4, None, 0),
    ],
)
def test_exact_condition_gives_the_known_hierarchies(text, order, weight, beyond):
    """Olver 1993, ch. 5; none beyond point symmetries for Kuramoto-Sivashinsky and Fisher."""
    own = system(text)
    evolution = evolution_form(own)
    terms = terms_of(evolution, order, 1, weight)
    found = [
        expressions([(term, c) for term, c in zip(terms, row, strict=True) if c != 0], evolution)
        for row in Condition(evolution, terms).symmetries()
    ]
    assert all(left == 0 for q in found for left in characteristic_defect(own, q))
    assert sum(kind_of(evolution, q) == "generalised" for q in found) == beyond


def test_condition_refuses_what_is_no_symmetry():
    evolution = evolution_form(system("u_t + u*u_x + u_xxx"))
    terms = terms_of(evolution, 3, 1)
    condition = Condition(evolution, terms)
    names = [str(term.expression(evolution)) for term in terms]
    boost = [names.index("1"), names.index("t*u_x")]
    assert condition.holds(boost, [sp.S.One, sp.S.NegativeOne])
    assert not condition.holds(boost, [sp.S.One, sp.S.One]) and not condition.holds([names.index("u")], [sp.S.One])


@pytest.mark.parametrize(
    ("equations", "q", "kind"),
    [
        (["u_t + u*u_x + u_xxx"], ["u*u_x + u_xxx"], "point"),
        (["u_t + u*u_x + u_xxx"], ["1 - t*u_x"], "point"),
        (["u_t + u*u_x + u_xxx"], ["u_xxx"], "point"),  # no symmetry, but the field ∂t + u ∂x
        (["u_t + u*u_x + u_xxx"], ["u_xx"], "generalised"),
        (["u_t - u_x**2 - u_xx"], ["u_x**2"], "contact"),
        (["u_t - u_x**2 - u_xx"], ["t*(u_xx + u_x**2) + x*u_x/2"], "point"),
        (["u_t - v_xx", "v_t + u_xx"], ["v", "-u"], "point"),
        (["u_t - v_xx", "v_t + u_xx"], ["v_x", "u_x"], "generalised"),
        (["u_t - v_xx", "v_t + u_xx"], ["u_x", "v_x"], "point"),
        (["u_t - v_xx", "v_t + u_xx"], ["u_x", "2*v_x"], "generalised"),
    ],
)
def test_kinds(equations, q, kind):
    names = ["u", "v"][: len(equations)]
    evolution = evolution_form(parse_system(equations, ["t", "x"], names))
    for a in range(len(names)):
        for k in range(4):
            evolution.jets.symbol(a, (0, k))
    symbols = {str(s): s for s in (*evolution.jets.independent, *evolution.jets._jets)}
    assert kind_of(evolution, [sp.sympify(part, locals=symbols) for part in q]) == kind


def test_quotient_vanishes_on_symmetries_alone():
    domain = PDEDomain(KDV)
    data = domain.trajectories(8, 0)
    scales = measure_scales([data], domain.arguments.names)
    u1, u3 = Monomial(((0, (0, 1)),)), Monomial(((0, (0, 3)),))
    terms = [
        Term(0, 0, Monomial(())), Term(0, 1, u1), Term(0, 0, u3), Term(0, 0, Monomial(((0, (0, 0)), (0, (0, 1))))),
        Term(0, 0, Monomial(((0, (0, 0)),))),
    ]  # fmt: skip
    slices = SliceData([data], domain.linearisation, scales, 5, 3e-2)
    found = quotient(domain, TermValues(domain, terms, scales), slices.batches(48, 8))
    ordered = directions(found)
    assert (ordered.eta[:2] < 1e-9).all() and ordered.eta[2] > 0.1 and ordered.nothing == 0
    physical = ordered.coefficients[:2] / found.sizes
    assert abs(physical[:, 4]).max() < 1e-6 * abs(physical).max()  # u is none
    assert (physical[:, 0] + physical[:, 1]).abs().max() < 1e-6 * physical.abs().max()  # 1 - t u_x
    assert (physical[:, 2] - physical[:, 3]).abs().max() < 1e-6 * physical.abs().max()  # u u_x + u_xxx


def test_fifth_order_flow_of_kdv_is_proved_from_data():
    found = lieapp.discover(KDV, sought="generalised", method="spectrum", out=None).result
    rows = {row.characteristic["u"]: row for row in found.generalised}
    flow = rows["5*u**2*u_x + 10*u*u_xxx + 20*u_x*u_xx + 6*u_xxxxx"]
    assert flow.proved and flow.kind == "generalised" and flow.order == 5 and flow.eta < 1e-5
    assert found.count == len(rows) == found.derived == 4 and found.angle < 1e-5
    assert [row.kind for row in rows.values()].count("point") == 3
    change = np.abs(np.array(flow.moved) - np.array(found.solution)).max()
    assert change == pytest.approx(0.1 * np.ptp(found.solution))


def test_a_solution_moved_by_a_translation_is_the_shifted_one():
    """u + s Q with Q = u_x is u(x + s) up to s²."""
    from lieapp.pde.laws.slices import OnSlices

    places = np.arange(64) * 16 / 64
    axis = np.sin(2 * np.pi * places / 16)
    own = evolution_form(system("u_t + u*u_x + u_xxx"))
    grid = Grid((Axis("x", 0.0, 16.0, 64, True),))
    values = torch.tensor(axis)[None, None]
    inside = OnSlices([own.jets.symbol(0, (0, 1))], own.jets, own.time, grid)
    (q,) = inside.values(values, torch.zeros(1, dtype=torch.float64))
    s = 1e-4
    expected = np.sin(2 * np.pi * (places + s) / 16)
    assert np.abs(axis + s * q[0].numpy() - expected).max() < s**2


def test_nothing_beyond_point_symmetries_where_there_is_none():
    ks = equation(u.diff(t) + u * u.diff(x) + u.diff(x, 2) + u.diff(x, 4), "own-ks")
    found = lieapp.discover(ks, sought="generalised", generalised={"order": 4}, out=None).result
    assert found.count == 3 and {row.kind for row in found.generalised} == {"point"}
    assert "all of them point symmetries" in found.sentence


def test_order_that_the_data_dont_resolve():
    """On one wave u, u_xx, u_xxxx, … are the same up to a factor."""
    waves = equation(
        u.diff(t) - u.diff(x, 3), "own-wave", initial=SumOfSines(terms=2, amplitude=1.0, wavenumbers=(1,))
    )
    with pytest.raises(ConfigError, match="highest order that they resolve is 1"):
        lieapp.discover(waves, sought="generalised", generalised={"order": 4, "weight": 5}, out=None)


def test_too_many_terms():
    with pytest.raises(ConfigError, match="more than 400 terms"):
        lieapp.discover(KDV, sought="generalised", generalised={"order": 40}, out=None)


def dataset(part, noise=0.0):
    """Trajectories on a part of the period."""
    data = lieapp.simulate(KDV, 10)
    values, z = data.values[:, :, 0, :part].numpy(), data.grid.axes[0].coordinates().numpy()[:part]
    values = values + noise * values.std() * np.random.default_rng(0).standard_normal(values.shape)
    return xr.Dataset({"u": (("sample", "t", "x"), values)}, {"t": data.time.numpy(), "x": z})


def test_open_axes():
    """Symmetries need no boundary data; derivatives come from local fits."""
    order = {"order": 3}
    found = lieapp.discover(
        dataset(40), equation="u_t + u*u_x + u_xxx", sought="generalised", out=None, generalised=order
    ).result
    assert found.count == 3 == found.derived and found.kept == [-1]
    assert {row.characteristic["u"] for row in found.generalised} == {"u_x", "-t*u_x + 1", "u*u_x + u_xxx"}


def test_noise_is_cut_with_the_weak_modes():
    found = lieapp.discover(
        dataset(64, noise=0.01), equation="u_t + u*u_x + u_xxx", sought="generalised", out=None
    ).result
    assert found.count == 4 and max(row.order for row in found.generalised if row.proved) == 5


def trained(steps, **given):
    """A training of a network for KDV on twelve trajectories."""
    domain = PDEDomain(KDV)
    data = domain.trajectories(12, 0)
    scales = measure_scales([data], domain.arguments.names)
    sizes = {"degree": 2, "width": 16, "features": 24, "steps": 120, "batch": 6}
    settings = Generalised(order=3, **{f"network_{key}": n for key, n in {**sizes, **given}.items()})
    slices = SliceData([data], domain.linearisation, scales, 4, 3e-2)
    terms = TermValues(domain, terms_of(domain.evolution, 3, 1, degree=2), scales)
    training = JetTraining(domain, terms, settings, slices, 4, 1e-4, seed=0)
    for _ in range(steps):
        training.step()
    return domain, terms, slices, training


def test_features_of_a_network_are_polynomials_whose_rates_are_derivatives():
    torch.manual_seed(0)
    network = Products(3, Generalised(network_degree=4, network_width=5, network_features=2)).double()
    z, dz = torch.rand(2, 7, 3, dtype=torch.float64)
    h, dh = network.jvp(z, dz)
    assert h.shape == (network.count, 7)
    assert torch.allclose(dh, torch.func.jvp(lambda p: network.jvp(p, dz)[0], (z,), (dz,))[1])
    line = torch.linspace(-1, 1, 9, dtype=torch.float64)[:, None] * dz[:1]
    values = network.jvp(line, line)[0]
    fifth = values.diff(n=5, dim=1)
    assert fifth.abs().max() < 1e-12 * values.abs().max() and values.diff(n=4, dim=1)[4:].abs().max() > 1e-8


def test_a_network_learns_the_symmetries_without_a_class():
    domain, terms, slices, training = trained(120)
    with torch.no_grad():
        found = learned(domain, training.features, terms, lambda: slices.batches(48, 24))
    known = Condition(domain.evolution, terms.terms).symmetries()
    # a fourth direction is slow: η = .087, and ten times as much above it
    assert found.count >= len(known) == 3 and max(found.eta[:3]) < 1e-6 and found.eta[3] > 1e-2
    assert found.angle(known) < 1e-4
    # as many combinations of terms lie in the span as it has directions
    distances = directions(found.quotient).eta
    assert distances[len(known) - 1] < 1e-4 and distances[found.count] > 0.1


def test_a_network_goes_on_from_its_state():
    *_, whole = trained(6)
    *_, first = trained(3)
    *_, second = trained(0)
    second.load(first.state())
    for _ in range(3):
        second.step()
    assert all(torch.equal(value, second.state()[key]) for key, value in whole.state().items())


@pytest.mark.slow
def test_a_network_finds_the_fifth_order_flow(tmp_path):
    found = lieapp.discover("kdv", out=tmp_path, sought="generalised", generalised={"basis": "network"})
    result = found.result
    proved = [row for row in result.generalised if row.proved]
    assert result.method == "neural" and result.learned == result.derived == len(proved) == 4
    assert [row.order for row in proved if row.kind == "generalised"] == [5]
    assert result.angle < 0.02
