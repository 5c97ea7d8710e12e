"""Derivatives of moved data converge with the orders their files claim: slopes of log error over log h."""

import numpy as np
import pytest
import torch

from lieapp.numerics.differentiator import differentiator
from lieapp.numerics.grid import Axis, Grid

ORDERS = [(0, 1), (1, 0), (0, 2), (1, 1), (0, 3), (1, 2), (2, 1), (0, 4), (3, 0)]
WAVES = [(0.4 + 1j, 1, 0.8), (-0.3 - 2j, 2, 0.5j), (1j, -1, 0.4)]
"""(λ, κ, A) of u = Σ Re A exp(λ t + i κ x)."""
TURNING = [(1j, 1, 0.8), (-2j, 2, 0.5j), (1j, -1, 0.4)]
"""The same with a period of 2π in t too."""


def exact(waves, J, t, x):
    return sum((A * (L ** J[0]) * (1j * k) ** J[1] * torch.exp(L * t + 1j * k * x)).real for L, k, A in waves)


def grid(points, periods):
    ends = {True: 2 * np.pi, False: 2.0}
    return Grid(tuple(Axis(n, 0, ends[p], points, periodic=p) for n, p in zip("tx", periods, strict=True)))


def errors(name, points, periods, amplitude, orders, waves, middle=False, **options):
    """Root mean square error of each derivative at the valid nodes, or those of them far from open ends."""
    g = grid(points, periods)
    t, x = g.mesh(torch.float64, "cpu")
    moved_t = t + amplitude * torch.sin(x) * torch.cos(t)
    moved_x = x + amplitude * torch.cos(x + t)
    positions = torch.stack([moved_t, moved_x])[None]
    values = exact(waves, (0, 0), moved_t, moved_x)[None, None]
    made = differentiator(name, g, orders, **options).jets(positions, values)
    assert made.folded.item() == 0
    there, where = made.valid[0], made.positions[0]
    for axis, coordinate in zip(g.axes, (t, x), strict=True):
        if middle and not axis.periodic:
            there = there & ((coordinate - 1).abs() < 0.6)
    assert there.any()
    return {
        J: (d[0, 0] - exact(waves, J, *where))[there].square().mean().sqrt().item()
        for J, d in made.derivatives.items()
    }


def slopes(name, sizes, periods, amplitude, orders, waves, **options):
    found = [errors(name, n, periods, amplitude, orders, waves, **options) for n in sizes]
    log_h = -np.log(sizes)
    return {J: np.polyfit(log_h, np.log([e[J] for e in found]), 1)[0] for J in orders}


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("highest", [1, 2, 3, 4])
@pytest.mark.parametrize("periods", [(False, True), (False, False)])
@pytest.mark.parametrize("amplitude", [0.0, 0.2])
def test_weno_converges_with_order_p_plus_one_minus_d(amplitude, periods, highest, extra):
    orders = [J for J in ORDERS if sum(J) <= highest]
    found = slopes("weno", (32, 48, 64, 96), periods, amplitude, orders, WAVES, extra=extra)
    for J, slope in found.items():
        assert slope > highest + extra + 1 - sum(J) - 0.25, f"{J}: {slope:.2f}"


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("highest", [1, 2, 3, 4])
def test_weno_gains_one_order_on_uniform_nodes_where_that_is_odd(highest, extra):
    orders = [J for J in ORDERS if sum(J) <= highest]
    # with p = 1 the weights feel the stationary points of u until IS ~ h⁴ falls under ε
    sizes = (32, 48, 64, 96) if highest + extra > 2 else (128, 192, 256)
    found = slopes("weno", sizes, (True, True), 0.0, orders, TURNING, extra=extra)
    for J, slope in found.items():
        order = highest + extra + 1 - sum(J)
        assert slope > order + order % 2 - 0.25, f"{J}: {slope:.2f}"


@pytest.mark.parametrize(
    ("accuracy", "sizes"), [(2, (56, 80, 112, 160)), (4, (56, 80, 112, 160)), (6, (48, 56, 64))]
)
@pytest.mark.parametrize("periods", [(False, True), (False, False)])
def test_curvilinear_converges_with_its_accuracy_on_open_axes(periods, accuracy, sizes):
    orders = [(1, 0), (2, 0), (1, 1), (1, 2), (2, 1)]
    found = slopes("curvilinear", sizes, periods, 0.15, orders, WAVES, accuracy=accuracy, middle=True)
    for J, slope in found.items():
        assert slope > accuracy - 0.25, f"{J}: {slope:.2f}"


def test_curvilinear_is_spectral_on_periodic_axes(monkeypatch):
    monkeypatch.setattr("lieapp.numerics.curvilinear.PADDING", 1)
    found = {n: errors("curvilinear", n, (True, True), 0.15, ORDERS, TURNING) for n in (12, 18, 24)}
    for J in ORDERS[2:]:  # first ones are at round-off: a quotient, with no product to differentiate
        assert found[12][J] > 30 * found[18][J] > 900 * found[24][J], f"{J}: {[e[J] for e in found.values()]}"
        assert found[24][J] < 1e-6


def test_padding_lessens_the_aliasing_of_a_function_barely_resolved(monkeypatch):
    """Modes fall to 1e-4 at the last one; the truth is the same function on a grid eight times finer."""

    def second_derivative(points, padding):
        g = Grid((Axis("x", 0, 2 * np.pi, points, periodic=True),))
        (x,) = g.mesh(torch.float64, "cpu")
        u = sum(0.74**k * torch.cos(k * x + k**2) for k in range(1, 32))
        moved = (x + 0.15 * torch.sin(x))[None, None]
        monkeypatch.setattr("lieapp.numerics.curvilinear.PADDING", padding)
        made = differentiator("curvilinear", g, [(2,)])
        return made.jets(moved, u[None, None]).derivatives[(2,)][0, 0, :: points // 64]

    truth = second_derivative(512, 1)
    plain, padded = ((second_derivative(64, p) - truth).norm() / truth.norm() for p in (1, 2))
    assert plain > 1e-4 and padded < plain / 50


def test_bilinear_is_of_second_order_on_unmoved_nodes():
    for J, slope in slopes("bilinear", (32, 48, 64, 96), (False, True), 0.0, ORDERS, WAVES).items():
        assert slope > 1.75, f"{J}: {slope:.2f}"


def test_bilinear_does_not_converge_on_displaced_nodes():
    # measured: -.1 for first derivatives, -1 for second ones; its file says so
    for J, slope in slopes("bilinear", (32, 48, 64, 96), (False, True), 0.2, ORDERS[:4], WAVES).items():
        assert slope < 0.5, f"{J}: {slope:.2f}"
