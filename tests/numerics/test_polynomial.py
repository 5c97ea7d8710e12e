"""Legendre series on open axes: exact for polynomials, of a degree that the nodes allow."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from lieapp.numerics.grid import Axis
from lieapp.numerics.polynomial import ENDS, LARGEST, NODES, STEEPEST, Fit, GaussAxis, white_noise, windows

LEFT, RIGHT = -3.0, 5.0


def axis_of(kind: str, points: int) -> Axis:
    """An axis with uniform, Chebyshev or uneven nodes."""
    if kind == "uniform":
        return Axis("x", LEFT, RIGHT, points)
    if kind == "chebyshev":
        nodes = (LEFT + RIGHT) / 2 - (RIGHT - LEFT) / 2 * np.cos(np.pi * np.arange(points) / (points - 1))
    else:
        steps = np.random.default_rng(points).uniform(0.5, 1.5, points - 1)
        nodes = LEFT + (RIGHT - LEFT) * np.concatenate([[0], np.cumsum(steps) / steps.sum()])
    return Axis("x", LEFT, RIGHT, points, nodes=tuple(nodes.tolist()))


def values_of(polynomial: Polynomial, axis: Axis) -> torch.Tensor:
    return torch.as_tensor(polynomial(axis.coordinates().numpy()))


coefficients = st.lists(st.floats(-1, 1), min_size=1, max_size=LARGEST + 1)


@given(coefficients, st.integers(1, 5))
def test_derivatives_of_polynomials_are_exact_on_gauss_nodes(c, order):
    axis = GaussAxis("x", LEFT, RIGHT, 24)
    p = Polynomial(c, domain=[LEFT, RIGHT])
    found = axis.derivative(values_of(p, axis), order)
    right = values_of(p.deriv(order), axis)
    # round-off is a polynomial through the nodes too; its derivatives may be as large as Markov's inequality allows
    size = sum(map(abs, c)) * (axis.points**2 * 2 / (RIGHT - LEFT)) ** order
    assert (found - right).abs().max() <= 1e-13 * max(size, 1e-3)


@pytest.mark.parametrize("points", [6, 17, 40])
def test_weighted_sums_over_gauss_nodes_are_integrals(points):
    axis = GaussAxis("x", LEFT, RIGHT, points)
    weights, nodes = axis.weights(torch.float64, "cpu"), axis.coordinates()
    assert math.isclose(weights.mean(), 1, rel_tol=1e-14) and weights.min() >= 0
    xi = Polynomial([0, 1], domain=[LEFT, RIGHT])
    omega = (1 - xi**2) ** ENDS
    # degree 2 points - 1 is integrated exactly
    for degree in range(0, 2 * points - 2 * ENDS, 3):
        f = xi**degree
        whole = (omega * f).integ()
        right = (whole(RIGHT) - whole(LEFT)) / (omega.integ()(RIGHT) - omega.integ()(LEFT))
        found = (weights * torch.as_tensor(f(nodes.numpy()))).mean()
        assert abs(float(found) - right) < 1e-13
    assert torch.all(nodes.diff() > 0) and nodes[0] > LEFT and nodes[-1] < RIGHT


@given(st.sampled_from(["uniform", "chebyshev", "uneven"]), st.integers(8, 60), st.data())
def test_a_fit_holds_every_polynomial_up_to_its_degree(kind, points, draw):
    axis = axis_of(kind, points)
    fit = Fit(axis, slice(0, points))
    c = draw.draw(st.lists(st.floats(-1, 1), min_size=fit.degree + 1, max_size=fit.degree + 1))
    p = Polynomial(c, domain=[LEFT, RIGHT])
    values = values_of(p, axis)
    found = fit.coefficients(values)
    assert found.shape == (fit.degree + 1,)
    size = max(1e-3, sum(map(abs, c)))
    for nodes in (axis, fit.target(3)):
        assert (fit.at(found, nodes) - values_of(p, nodes)).abs().max() < 1e-13 * STEEPEST * size


@given(st.sampled_from(["uniform", "chebyshev", "uneven"]), st.integers(8, 60))
def test_values_at_the_nodes_bound_the_fit_between_them(kind, points):
    """No oscillation between nodes, as an interpolant at uniform nodes would have (Runge)."""
    axis = axis_of(kind, points)
    fit = Fit(axis, slice(0, points))
    signs = torch.as_tensor(np.where(np.arange(points) % 2, 1.0, -1.0))
    fine = fit.at(fit.coefficients(torch.stack([signs, signs.roll(points // 3)])), Axis("x", LEFT, RIGHT, 500))
    assert fine.abs().max() < STEEPEST


@pytest.mark.parametrize(
    ("kind", "points", "degree"),
    [
        ("uniform", 5, 4), ("uniform", 10, 8), ("uniform", 12, 10), ("uniform", NODES, LARGEST),
        ("chebyshev", 6, 5), ("chebyshev", 12, 11), ("chebyshev", 24, LARGEST),
    ],
)  # fmt: skip
def test_the_degree_is_what_the_nodes_allow(kind, points, degree):
    assert Fit(axis_of(kind, points), slice(0, points)).degree == degree


def test_clustered_nodes_with_a_gap_have_a_low_degree():
    nodes = (*np.linspace(0, 0.1, 12), 1.0)
    fit = Fit(Axis("x", 0.0, 1.0, 13, nodes=tuple(map(float, nodes))), slice(0, 13))
    assert fit.degree < 6
    uniform = Fit(Axis("x", 0.0, 1.0, 13), slice(0, 13))
    assert fit.degree < uniform.degree


@pytest.mark.parametrize(("kind", "order"), [("uniform", 9), ("chebyshev", 12), ("uneven", 8)])
def test_fits_of_analytic_functions_converge_with_their_order(kind, order):
    """Halving the window divides the error by 2^(degree + 1): by less if the degree is lower, as on few nodes."""
    axis = axis_of(kind, 96)
    errors, sizes = [], []
    for part in (slice(0, 24), slice(0, 24)):
        scale = 0.5 if errors else 1.0
        nodes = axis.coordinates()[part] if kind != "chebyshev" else axis_of(kind, 24).coordinates()
        nodes = (nodes - nodes[0]) / (nodes[-1] - nodes[0]) * 4 * scale
        short = Axis("x", 0.0, float(nodes[-1]), 24, nodes=tuple(nodes.tolist()))
        fit = Fit(short, slice(0, 24))
        assert fit.degree >= order
        found = fit.at(fit.coefficients(torch.sin(2 * nodes)), fine := Axis("x", 0.0, float(nodes[-1]), 300))
        errors.append(float((found - torch.sin(2 * fine.coordinates())).abs().max()))
        sizes.append(fit.degree)
    assert errors[0] / errors[1] > 2 ** (min(sizes) + 0.5)


@given(st.integers(8, 400))
def test_windows_cover_an_axis(points):
    axis = Axis("x", LEFT, RIGHT, points)
    found = windows(axis)
    assert [i for part in found for i in range(points)[part]] == list(range(points))
    lengths = [part.stop - part.start for part in found]
    assert max(lengths) - min(lengths) <= 1
    assert max(lengths) <= 1.5 * NODES + 1 and (len(found) == 1 or min(lengths) >= NODES / 1.5)


@pytest.mark.parametrize("kind", ["uniform", "chebyshev", "uneven"])
@pytest.mark.parametrize("share", [0.0, 1e-4, 0.01, 0.3])
def test_noise_is_measured_on_any_nodes(kind, share):
    axis = axis_of(kind, 96)
    x = axis.coordinates()
    smooth = torch.stack([torch.sin(2 * x + k) + torch.exp(-((x - k) ** 2)) for k in range(-2, 4)])
    noise = torch.randn(smooth.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    values = smooth + share * smooth.std() * noise
    assert white_noise(values, axis) == pytest.approx(share * float(smooth.std() / values.std()), rel=0.2)


def test_a_front_is_no_noise():
    axis = axis_of("uniform", 96)
    assert white_noise(torch.tanh((axis.coordinates() - 1) / 0.3)[None], axis) == 0
    assert white_noise(torch.ones(3, 96, dtype=torch.float64), axis) == 0
    assert white_noise(torch.rand(3, 8, dtype=torch.float64), axis_of("uniform", 8)) == 0
