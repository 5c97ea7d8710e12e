"""The equation of data: exact solutions, noise, several unknowns, and data that don't tell."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from lieapp.data.trajectories import Trajectories, noisy
from lieapp.errors import DataError, UsageError
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.identify.exact import exact, rounded
from lieapp.pde.identify.find import Wanted, identify

LENGTH = 20.0
X, T = np.arange(128) * LENGTH / 128, np.linspace(0, 4, 81)
K = 2 * np.pi / LENGTH


def data(values, t=T, x=X, unknowns=("u",), periodic=True):
    """One trajectory of values (time, space), or (unknown, time, space)."""
    u = torch.as_tensor(np.asarray(values, dtype=float))
    u = u[None, :, None] if u.ndim == 2 else u.movedim(0, 1)[None]
    axis = Axis("x", float(x[0]), float(x[0] + LENGTH if periodic else x[-1]), len(x), periodic)
    return Trajectories(torch.as_tensor(t), Grid((axis,)), u, unknowns)


def modes(factor, seed=0, t=T, count=5):
    """Σ a factor(k, t) cos(k x + p)."""
    rng, k = np.random.default_rng(seed), K * np.arange(1, count + 1)
    return sum(rng.normal() * factor(n, t[:, None]) * np.cos(n * X + rng.uniform(0, 6)) for n in k)


def heat(rate, **more):
    return data(modes(lambda k, t: np.exp(-rate * k * k * t), **more))


def burgers(times=21, nu=0.1, samples=3):
    """Cole-Hopf solutions on an open interval."""
    rng, t, x = np.random.default_rng(1), np.linspace(0, 1, times), np.linspace(-1, 1, 4 * times)
    found = []
    for _ in range(samples):
        k, a = rng.uniform(-4, 4, (3, 1, 1)), rng.uniform(0.3, 1, (3, 1, 1))
        terms = a * np.exp(nu * k**2 * t[:, None] + k * x)
        found.append(-2 * nu * (terms * k).sum(0) / (1 + terms.sum(0)))
    values = torch.as_tensor(np.stack(found))[:, :, None]
    return Trajectories(torch.as_tensor(t), Grid((Axis("x", -1.0, 1.0, len(x)),)), values, ("u",))


def terms(found, place=0):
    return {term.term: term.coefficient for term in found.equations[place].terms}


def test_burgers_on_an_open_axis_with_exact_numbers():
    found = identify([burgers()], Wanted())
    assert terms(found) == pytest.approx({"u*u_x": -1.0, "u_xx": 0.1}, rel=1e-4)
    assert {term.term: term.exact for term in found.equations[0].terms} == {"u*u_x": "-1", "u_xx": "1/10"}
    assert found.equations[0].text == "u_t + u*u_x - 0.1*u_xx"
    assert not found.undecided


def test_coefficients_converge_with_the_grid():
    wanted = Wanted(terms=("u_xx", "u*u_x"))
    errors = [abs(terms(identify([burgers(n)], wanted))["u_xx"] - 0.1) for n in (11, 21)]
    assert errors[1] < errors[0] / 8


@pytest.mark.parametrize("seed", range(3))
def test_noise_of_two_per_cent(seed):
    """The spread is about the error, and the held-out error what the noise explains."""
    found = identify([noisy(heat(0.3, seed=seed + 3), 0.02, seed)], Wanted(terms=("u", "u_x", "u_xx", "u*u_x")))
    assert set(terms(found)) == {"u_xx"}
    (term,) = found.equations[0].terms
    assert abs(term.coefficient - 0.3) < 5 * term.spread < 0.1
    assert found.equations[0].error < 3 * found.equations[0].noise


def test_a_system():
    """i z_t = -z_xx of z = u + i v."""
    rng, t = np.random.default_rng(2), T[:, None]
    z = sum(rng.normal() * np.exp(1j * (k * X - k * k * t + rng.uniform(0, 6))) for k in K * np.arange(-4, 6))
    found = identify([data(np.stack([z.real, z.imag]), unknowns=("u", "v"))], Wanted(order=2, degree=2))
    assert [equation.text for equation in found.equations] == ["u_t + v_xx", "v_t - u_xx"]


def test_second_order_in_time_with_damping():
    """u_tt = u_xx - u - 2c u_t, which no u_t = … is."""
    c = 0.2
    wave = modes(lambda k, t: np.exp(-c * t) * np.cos(np.sqrt(k * k + 1 - c * c) * t + 3 * k))
    found = identify([data(wave)], Wanted(order=2, degree=2))
    assert found.equations[0].left == "u_tt"
    assert terms(found) == pytest.approx({"u_xx": 1.0, "u": -1.0, "u_t": -2 * c}, rel=1e-6)


def test_a_coefficient_that_grows_in_time():
    """u_t = .3 (1 + t) u_xx."""
    found = identify([data(modes(lambda k, t: np.exp(-0.3 * k * k * (t + t * t / 2))))], Wanted(order=2, degree=2))
    assert terms(found) == pytest.approx({"u_xx": 0.3, "t*u_xx": 0.3}, rel=1e-6)
    assert "explicit t" in " ".join(found.notes)


def test_a_coefficient_that_no_polynomial_in_time_is():
    """u_t = .3 u_xx - u / (2 (t + 1)): nothing is claimed, and that it drifts is said."""
    spoilt = data(modes(lambda k, t: np.exp(-0.3 * k * k * t) / np.sqrt(t + 1)))
    found = identify([spoilt], Wanted(order=2, degree=1))
    assert not found.equations
    assert "drifts" in " ".join(found.undecided) or "changes in t" in " ".join(found.notes)


def test_one_wave_that_travels_decides_nothing():
    """u_x and u u_x + u_xxx are the same on a solitary wave of unit speed."""
    wave = 3 / np.cosh((X - 8 - T[:, None]) / 2) ** 2
    found = identify([data(wave)], Wanted())
    assert not found.equations
    assert "can't tell u_x and u_xxx + u*u_x apart" in found.undecided[0]


def test_a_shape_that_travels_unchanged():
    """Any shape of u_t = -u_x: alone it decides nothing, two of them do."""
    shapes = [np.sin(np.cos(K * (X - T[:, None]) + p)) + np.cos(2 * K * (X - T[:, None]) + 2 * p) for p in (1, 2)]
    alone = identify([data(shapes[0])], Wanted())
    assert not alone.equations and "u_t and u_x are proportional" in alone.undecided[0]
    assert terms(identify([data(shape) for shape in shapes], Wanted())) == pytest.approx({"u_x": -1.0})


def test_proportional_terms_are_named():
    """One Fourier mode: u_xx = -k² u."""
    found = identify([heat(0.3, count=1)], Wanted())
    assert not found.equations and "proportional" in found.undecided[0]


def test_files_of_different_equations():
    found = identify([heat(0.3), heat(0.1, seed=3)], Wanted(), ["a.npz", "b.npz"])
    assert not found.equations
    assert "0.3*u_xx in a.npz" in found.undecided[0] and "0.1*u_xx in b.npz" in found.undecided[0]
    found = identify([heat(0.3), burgers()], Wanted())
    assert "- 1*u*u_x" in found.undecided[0] and "+ -" not in found.undecided[0]


def test_the_only_candidate():
    found = identify([heat(0.3)], Wanted(terms=("u_x",)))
    assert "of this candidate: it leaves 100 % of u_t" in found.undecided[0]


def test_files_of_one_equation():
    assert terms(identify([heat(0.3), heat(0.3, seed=3)], Wanted())) == pytest.approx({"u_xx": 0.3}, rel=1e-8)


def test_noise_above_the_signal():
    found = identify([noisy(heat(0.3), 2.0, 0)], Wanted())
    assert not found.equations and "noise hides" in found.undecided[0]


def test_the_path_goes_from_all_candidates_to_none():
    found = identify([burgers()], Wanted())
    assert [step.terms for step in found.path] == list(range(len(found.candidates), -1, -1))
    (chosen,) = [step for step in found.path if step.chosen]
    assert set(chosen.kept) == {"u*u_x", "u_xx"} and found.path[-1].error == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.full((81, 128), 2.0), "u is 2 at every time"),
        (np.ones((81, 1)) * np.sin(K * X), "doesn't change in time"),
        (modes(lambda k, t: np.exp(6 * t**1.5 - k * t)), "the values grow"),
        (1e200 * modes(lambda k, t: np.exp(-0.1 * k * k * t)), r"the largest value of u is 2\.53e\+200"),
    ],
    ids=["constant", "still", "growing", "huge"],
)
def test_data_from_which_nothing_can_be_told(values, said):
    with pytest.raises(DataError, match=said):
        identify([data(values)], Wanted())


def test_too_few_windows_and_how_many_are_needed():
    few = data(modes(lambda k, t: np.exp(-k * k * t))[:9, ::8], T[:9], X[::8])
    with pytest.raises(DataError, match=r"the data hold \d+ windows; \d+ candidates need \d+"):
        identify([few], Wanted())


@pytest.mark.parametrize("term", ["u_xx + u", "u_t", "sin(u)"])
def test_candidates_that_are_no_terms(term):
    with pytest.raises(UsageError, match=r"isn't one polynomial term|is no term of these data"):
        identify([heat(0.3)], Wanted(terms=(term,)))


def test_numbers_are_exact_within_the_spread_alone():
    assert exact(-1.0002, 4e-4) == -1
    assert exact(-1.0002, 4e-6) is None
    assert str(exact(0.01 / math.pi, 1e-8)) == "1/(100*pi)"
    assert exact(0.37, 0.01) is None


def test_chance_seldom_finds_a_number():
    rng = np.random.default_rng(0)
    values = 10 ** rng.uniform(-3, 2, 300)
    assert np.mean([exact(v, 1e-3 * v) is not None for v in values]) < 0.05


def test_rounding_stays_within_the_spread():
    for value, spread in ((0.0031693, 4.1e-6), (1234.567, 0.3), (-0.1, 1e-9)):
        assert abs(float(Fraction(rounded(value, spread))) - value) <= spread / 10
