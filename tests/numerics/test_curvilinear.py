"""Curvilinear and bilinear derivatives where the answer is known in closed form; finite-difference weights."""

import math

import pytest
import torch

from lieapp.numerics.bilinear import Bilinear
from lieapp.numerics.curvilinear import Curvilinear
from lieapp.numerics.differences import central_weights, difference, radius
from lieapp.numerics.grid import Axis, Grid


@pytest.mark.parametrize("accuracy", [2, 4, 6, 8])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_central_weights_are_exact_for_polynomials(order, accuracy):
    weights, r = central_weights(order, accuracy), radius(order, accuracy)
    assert len(weights) == 2 * r + 1 and weights[0] != 0
    for m in range(order + accuracy):
        moment = sum(w * k**m for w, k in zip(weights, range(-r, r + 1), strict=True))
        assert moment == pytest.approx(math.factorial(order) if m == order else 0, abs=1e-8), m


def test_known_weights():
    assert central_weights(1, 2) == (-0.5, 0, 0.5)
    assert central_weights(2, 2) == (1, -2, 1)
    assert central_weights(3, 2) == (-0.5, 1, 0, -1, 0.5)
    assert central_weights(1, 4) == pytest.approx((1 / 12, -2 / 3, 0, 2 / 3, -1 / 12))


def test_differences_wrap_or_shorten():
    x = torch.arange(12, dtype=torch.float64) * math.pi / 6
    wrapped = difference(torch.sin(x), -1, 1, math.pi / 6, 8, periodic=True)
    short = difference(torch.sin(x), -1, 1, math.pi / 6, 8, periodic=False)
    torch.testing.assert_close(wrapped, torch.cos(x), rtol=0, atol=1e-4)
    torch.testing.assert_close(short, wrapped[4:-4])


def test_affine_maps_are_exact_in_three_dimensions():
    """ũ = (a·x̃)³ with x̃ = A ξ + b on open axes, where the differences are exact."""
    g = Grid(tuple(Axis(name, 0.0, 1.0 + i, 9 + i) for i, name in enumerate("txy")))
    A = torch.tensor([[1.0, 0.3, -0.2], [0.4, 0.9, 0.1], [-0.3, 0.2, 1.2]], dtype=torch.float64)
    mesh = torch.stack(g.mesh(torch.float64, "cpu"))
    positions = torch.einsum("ij,j...->i...", A, mesh)[None] + 0.7
    a = torch.tensor([0.5, -1.0, 0.8], dtype=torch.float64)
    s = torch.einsum("i,i...->...", a, positions[0])
    orders = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 0, 2), (0, 2, 0)]
    found = Curvilinear(g, orders, accuracy=4).jets(positions, (s**3)[None, None])
    there = found.valid[0]
    assert there.sum() == 1 * 2 * 3 and there[4:-4, 4:-4, 4:-4].all()
    for J, d in found.derivatives.items():
        c = math.prod(float(ai) ** k for ai, k in zip(a, J, strict=True))
        truth = c * math.perm(3, sum(J)) * s ** (3 - sum(J))
        torch.testing.assert_close(d[0, 0][there], truth[there], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("orders", "trim"), [([(0, 0)], 0), ([(1, 0)], 2), ([(0, 2)], 4), ([(1, 0), (1, 2)], 6)])
def test_ends_are_trimmed_as_far_as_needed(orders, trim):
    g = Grid((Axis("t", 0, 1, 20), Axis("x", 0, 1, 16, periodic=True)))
    positions = torch.stack(g.mesh(torch.float64, "cpu"))[None]
    found = Curvilinear(g, orders, accuracy=4).jets(positions, torch.ones(1, 2, 20, 16, dtype=torch.float64))
    expected = torch.zeros(1, 20, 16, dtype=torch.bool)
    expected[:, trim : 20 - trim] = True
    assert torch.equal(found.valid, expected)


def test_one_axis():
    g = Grid((Axis("x", 0, 2 * math.pi, 40, periodic=True),))
    (x,) = g.mesh(torch.float64, "cpu")
    y = x + 0.3 * torch.sin(x)
    found = Curvilinear(g, [(1,), (3,)]).jets(y[None, None], torch.exp(torch.sin(y))[None, None])
    u, s, c = torch.exp(torch.sin(y)), torch.sin(y), torch.cos(y)
    torch.testing.assert_close(found.derivatives[(1,)][0, 0], c * u, rtol=0, atol=1e-8)
    torch.testing.assert_close(found.derivatives[(3,)][0, 0], c * (c**2 - 3 * s - 1) * u, rtol=0, atol=1e-5)


def test_a_singular_map_is_not_valid_there():
    """x̃ = x³ about 0 on an open axis: one node without derivative, and what its neighbours take of it."""
    g = Grid((Axis("x", -1, 1, 81),))
    (x,) = g.mesh(torch.float64, "cpu")
    found = Curvilinear(g, [(1,), (2,)], accuracy=2).jets((x**3)[None, None], (x**6)[None, None])
    assert torch.nonzero(~found.valid[0]).flatten().tolist() == [0, 1, 39, 40, 41, 79, 80]
    torch.testing.assert_close(found.derivatives[(1,)][0, 0][50:78], (2 * x**3)[50:78], rtol=0.05, atol=0)


def bilinear_grid():
    return Grid((Axis("t", 0, 1, 11), Axis("x", 0, 1, 10, periodic=True)))


def test_bilinear_takes_weighted_means():
    """Two nodes a quarter of a cell apart: the corner's value is their mean, weighted by nearness."""
    g = Grid((Axis("x", 0, 4, 5),))
    positions = torch.tensor([[[0.25, 0.5, 2.0, 3.0, 9.0]]], dtype=torch.float64)  # the last left the window
    values = torch.tensor([[[1.0, 4.0, 5.0, 7.0, 100.0]]], dtype=torch.float64)
    found = Bilinear(g, [(0,)]).jets(positions, values)
    expected = [(0.75 * 1 + 0.5 * 4) / 1.25, (0.25 * 1 + 0.5 * 4) / 0.75, 5, 7, 0]
    torch.testing.assert_close(found.derivatives[(0,)][0, 0], torch.tensor(expected, dtype=torch.float64))
    assert found.valid[0].tolist() == [True] * 4 + [False]


def test_empty_cells_make_what_touches_them_invalid():
    g = bilinear_grid()
    positions = torch.stack(g.mesh(torch.float64, "cpu"))[None].clone()
    positions[0, 1, 5, 4] += 0.1  # node (5, 4) sits on (5, 5) now
    values = torch.ones(1, 1, 11, 10, dtype=torch.float64)
    found = Bilinear(g, [(0, 1), (1, 0)]).jets(positions, values)
    expected = torch.ones(11, 10, dtype=torch.bool)
    expected[0] = expected[-1] = False
    for i, j in [(5, 3), (5, 5), (4, 4), (6, 4)]:
        expected[i, j] = False
    # (5, 4) itself is empty, though central first differences pass over it
    assert not found.valid[0, 5, 4]
    expected[5, 4] = False
    assert torch.equal(found.valid[0], expected)
    assert torch.equal(found.positions[0], torch.stack(g.mesh(torch.float64, "cpu")))


def test_bilinear_on_unmoved_nodes_is_the_central_difference():
    g = bilinear_grid()
    positions = torch.stack(g.mesh(torch.float64, "cpu"))[None]
    values = torch.randn(1, 2, 11, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = Bilinear(g, [(0, 2), (2, 0)]).jets(positions, values)
    expected = (values.roll(-1, -1) - 2 * values + values.roll(1, -1)) / 0.1**2
    torch.testing.assert_close(found.derivatives[0, 2][:, :, 1:-1], expected[:, :, 1:-1], rtol=1e-6, atol=1e-6)
    assert found.valid[0, 1:-1].all() and not found.valid[0, 0].any()
