"""WENO on displaced nodes: exact for polynomials, deaf to jumps and to singular stencils."""

import math

import pytest
import torch

from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.interpolation import (
    family,
    interpolate,
    lattice,
    monomials,
    shifted,
    smoothness_root,
    zigzag,
)
from lieapp.numerics.weno import CHUNK, WENO


def random_polynomial(n, p, generator):
    alphas = monomials(n, p)
    return dict(zip(alphas, torch.randn(len(alphas), generator=generator, dtype=torch.float64), strict=True))


def derivative(polynomial, J, positions):
    """∂^J of a polynomial at positions (axis, *rest)."""
    total = torch.zeros_like(positions[0])
    for alpha, c in polynomial.items():
        if all(a >= d for a, d in zip(alpha, J, strict=True)):
            term = c * math.prod(math.perm(a, d) for a, d in zip(alpha, J, strict=True))
            total = total + term * math.prod(x ** (a - d) for x, a, d in zip(positions, alpha, J, strict=True))
    return total


@pytest.mark.parametrize(
    ("n", "p", "points"), [(1, 3, 9), (1, 5, 9), (2, 1, 7), (2, 3, 8), (2, 4, 9), (3, 2, 5), (3, 3, 6)]
)
def test_polynomials_of_total_degree_p_are_differentiated_exactly(n, p, points):
    generator = torch.Generator().manual_seed(n + p)
    g = Grid(tuple(Axis(f"x{i}", 0.0, (i + 1) / 2, points + i) for i in range(n)))
    mesh = torch.stack(g.mesh(torch.float64, "cpu"))
    spacing = torch.tensor([a.spacing for a in g.axes]).reshape(-1, *[1] * n)
    jitter = torch.rand(2, *mesh.shape, generator=generator, dtype=torch.float64) - 0.5
    positions = mesh + 0.4 * spacing * jitter
    pair = [random_polynomial(n, p, generator) for _ in range(2)]
    values = torch.stack([torch.stack([derivative(q, (0,) * n, x) for q in pair]) for x in positions])
    orders = monomials(n, p)
    found = WENO(g, orders).jets(positions, values)
    assert found.valid.all() and set(found.derivatives) == set(orders)
    for J, d in found.derivatives.items():
        truth = torch.stack([torch.stack([derivative(q, J, x) for q in pair]) for x in positions])
        torch.testing.assert_close(d, truth, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize(("n", "p"), [(1, 4), (2, 3), (2, 4), (3, 3)])
def test_stencils_have_as_many_nodes_as_monomials_and_reflect(n, p):
    nodes = lattice(n, p, 1)
    assert len(nodes) == len(set(nodes)) == math.comb(n + p, n) == len(monomials(n, p))
    assert {tuple(-z for z in node) for node in nodes} == set(lattice(n, p, -1))
    members = {(m.sign, m.shift, m.weight) for m in family(n)}
    assert members == {(-sign, tuple(-s for s in shift), weight) for sign, shift, weight in members}
    assert sorted({weight for *_, weight in members}) == [1, 100]
    assert [zigzag(a) for a in range(5)] == [0, 1, -1, 2, -2]


@pytest.mark.parametrize(("n", "p"), [(1, 3), (2, 2), (2, 3)])
def test_smoothness_is_the_integral_over_the_cell(n, p):
    generator = torch.Generator().manual_seed(p)
    polynomial = random_polynomial(n, p, generator)
    root = math.sqrt(3 / 5) / 2  # three Gauss points, exact to degree 5
    line = torch.tensor([-root, 0, root], dtype=torch.float64)
    weight = torch.tensor([5, 8, 5], dtype=torch.float64) / 18
    points = torch.stack(torch.meshgrid(*[line] * n, indexing="ij"))
    weights = math.prod(torch.meshgrid(*[weight] * n, indexing="ij"))
    total = sum((weights * derivative(polynomial, beta, points) ** 2).sum() for beta in monomials(n, p)[1:])
    coefficients = torch.stack([polynomial[a] for a in monomials(n, p)[1:]])
    torch.testing.assert_close((smoothness_root(n, p) @ coefficients).square().sum(), total)


def test_shifted_polynomials_are_the_same_functions():
    generator = torch.Generator().manual_seed(1)
    n, p = 2, 4
    alphas = monomials(n, p)[1:]
    c = torch.randn(1, len(alphas), 1, 1, generator=generator, dtype=torch.float64)
    step, y = torch.randn(2, n, generator=generator, dtype=torch.float64)
    moved = shifted(c, step.reshape(1, n, 1), p)
    before, after = ({a: z.flatten()[k] for k, a in enumerate(alphas)} for z in (c, moved))
    zero = (0,) * n
    torch.testing.assert_close(
        derivative(after, zero, y), derivative(before, zero, y + step) - derivative(before, zero, step)
    )


def test_gradients_of_interpolation_and_shift():
    generator = torch.Generator().manual_seed(2)
    nodes = torch.tensor(lattice(2, 3, 1)[1:], dtype=torch.float64)[..., None].repeat(1, 1, 3)
    nodes += 0.3 * torch.randn(nodes.shape, generator=generator, dtype=torch.float64)
    rises = torch.randn(9, 2, 3, generator=generator, dtype=torch.float64)
    step = torch.randn(1, 2, 3, generator=generator, dtype=torch.float64)

    def coefficients(nodes, rises, step):
        made, exists = interpolate(nodes, rises, 3)
        assert exists.all()
        return shifted(made[None], step, 3)

    torch.autograd.gradcheck(coefficients, (nodes.requires_grad_(), rises.requires_grad_(), step.requires_grad_()))


@pytest.mark.parametrize("kind", ["coinciding", "on a line", "far", "close"])
def test_singular_node_sets_have_no_polynomial(kind):
    nodes = torch.tensor(lattice(2, 3, 1)[1:], dtype=torch.float32)[..., None].repeat(1, 1, 2)
    bad = nodes[..., 1]
    if kind == "coinciding":
        bad[3] = bad[4]
    elif kind == "on a line":
        bad[:, 1] = 2 * bad[:, 0]
    else:
        bad *= {"far": 1e5, "close": 1e-5}[kind]
    rises = torch.ones(9, 1, 2).requires_grad_()
    found, exists = interpolate(nodes.requires_grad_(), rises, 3)
    assert exists.tolist() == [True, False]
    assert (found[..., 1] == 0).all() and found[..., 0].abs().max() > 0.1
    found.square().sum().backward()
    assert (nodes.grad[..., 1] == 0).all() and (rises.grad[..., 1] == 0).all()
    assert nodes.grad.isfinite().all() and (rises.grad[..., 0] != 0).any()


def test_neighbours_of_coinciding_nodes_keep_their_derivatives():
    g = Grid((Axis("t", 0, 1, 40), Axis("x", 0, 1, 40)))
    clean = torch.stack(g.mesh(torch.float64, "cpu"))[None]
    broken = clean.clone()
    broken[0, :, 20, 20] = broken[0, :, 20, 21]
    made, near = WENO(g, [(0, 1), (1, 0), (0, 2)], extra=1), slice(12, 28)
    for positions in (clean, broken):
        values = torch.sin(3 * positions[:, 1:]) * torch.exp(positions[:, :1])
        found = made.jets(positions, values)
        assert found.valid[:, near, near].all()
        slope = 3 * torch.cos(3 * positions[:, 1:]) * torch.exp(positions[:, :1])
        truth = {(0, 1): slope, (1, 0): values, (0, 2): -9 * values}
        for J, exact in truth.items():
            error = (found.derivatives[J] - exact)[..., near, near].abs().max()
            # stencils with both nodes get weight 0; those left are one-sided, of a larger constant
            assert error < (1e-3 if positions is clean else 1e-2) * exact.abs().max()


@pytest.mark.parametrize("n", [1, 2])
def test_a_jump_does_not_pollute_the_smooth_sides(n):
    """Against the derivatives of each side's own continuation; the plain centre stencil is off by 1/h³."""
    g = Grid((*[Axis("t", 0, 1, 24)] * (n - 1), Axis("x", 0, 1, 60)))
    positions = torch.stack(g.mesh(torch.float64, "cpu"))[None].clone()
    x = positions[0, -1].clone()
    positions[0, -1] += 0.02 * torch.sin(7 * x) * (positions[0, 0] if n == 2 else 1)
    left, right = torch.sin(4 * positions[:, -1:]), 2 + torch.cos(3 * positions[:, -1:])
    side = x < 0.5
    values = torch.where(side, left, right)
    orders = [(*(0,) * (n - 1), d) for d in (1, 2, 3)]
    made = WENO(g, orders)
    found, smooth = made.jets(positions, values), [made.jets(positions, v) for v in (left, right)]
    for J in orders:
        expected = torch.where(side, smooth[0].derivatives[J], smooth[1].derivatives[J])
        error = (found.derivatives[J] - expected).abs()
        # weights differ near the jump, so the error there is that of one-sided stencils, not of the jump
        assert error.max() < {1: 5e-3, 2: 0.6, 3: 20}[J[-1]], (J, error.max())
        away = (x - 0.5).abs() > 4 * g.axes[-1].spacing
        assert error[..., away].max() < 1e-9 * expected.abs().max()


def test_chunks_change_nothing(monkeypatch):
    g = Grid((Axis("t", 0, 1, 13), Axis("x", 0, 1, 11, periodic=True)))
    generator = torch.Generator().manual_seed(0)
    mesh = torch.stack(g.mesh(torch.float64, "cpu"))
    positions = mesh + 0.02 * torch.randn(5, 2, 13, 11, generator=generator, dtype=torch.float64)
    values = torch.sin(positions * 6)
    results = []
    for chunk in (CHUNK["cpu"], 10, 50, 200, 300):
        monkeypatch.setitem(CHUNK, "cpu", chunk)
        p, v = positions.clone().requires_grad_(), values.clone().requires_grad_()
        found = WENO(g, [(1, 0), (0, 2)]).jets(p, v)
        sum(d.square().sum() for d in found.derivatives.values()).backward()
        results.append((*found.derivatives.values(), found.valid, p.grad, v.grad))
    for other in results[1:]:
        for expected, got in zip(results[0], other, strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-10)


def test_values_alone_are_an_order_too():
    g = Grid((Axis("x", 0, 1, 9),))
    positions = torch.linspace(0, 1, 9)[None, None]
    found = WENO(g, [(0,)]).jets(positions, positions**2)
    assert torch.equal(found.derivatives[(0,)], positions**2) and found.valid.all()
