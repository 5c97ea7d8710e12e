"""The paper's losses: values that are known, what they don't change under, gradients that stay finite."""

import math

import numpy as np
import pytest
import torch

from lieapp.domains.base import Line
from lieapp.methods.losses import lipschitz, norms, orthonormality, roughness, sobolev

GENERATOR = torch.Generator().manual_seed(0)
POINTS = torch.rand(2, 3, 7, 9, generator=GENERATOR, dtype=torch.float64)
WEIGHT = torch.rand(2, 7, 9, generator=GENERATOR, dtype=torch.float64) + 0.1
FIELDS = torch.randn(3, 2, 3, 7, 9, generator=GENERATOR, dtype=torch.float64)
LINES = [Line(-1, 1 / 9, True), Line(-2, 0.1, False)]


def normalised(v, weight=WEIGHT):
    return v / norms(v, weight).reshape(-1, *[1] * (v.ndim - 1))


def constant(*vectors, points=POINTS):
    """Constant fields."""
    return torch.stack([torch.zeros_like(points) + torch.tensor(v, dtype=points.dtype).reshape(1, -1, 1, 1)
                        for v in vectors])  # fmt: skip


def linear(*matrices, points=POINTS):
    """Fields A z."""
    return torch.einsum("ncd,bd...->nbc...", torch.tensor(matrices, dtype=points.dtype), points)


# norm and orthonormality


def test_norm_is_a_weighted_mean_over_all_nodes():
    assert norms(constant([3, 0, 4], [0, 0, 0.5]), WEIGHT).tolist() == pytest.approx([5, 0.5])
    found = norms(FIELDS, WEIGHT)
    expected = ((WEIGHT[:, None] * FIELDS**2).sum((1, 2, 3, 4)) / WEIGHT.sum()).sqrt()
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(norms(normalised(FIELDS), WEIGHT), torch.ones(3, dtype=torch.float64))


def test_a_soft_loss_has_no_kink_and_the_same_growth():
    weight = torch.ones_like(WEIGHT)

    def loss(tilt, soft):
        slope = torch.tensor(tilt, dtype=torch.float64, requires_grad=True)
        first, second = constant([1, 0, 0], [0, 1, 0])
        fields = torch.stack([first, slope.cos() * second + slope.sin() * first])
        found = orthonormality(fields, weight, soft)
        return float(found.detach()), float(torch.autograd.grad(found, slope)[0])

    for tilt in (0.3, 0.02, 1e-4):
        value, slope = loss(tilt, 0.1)
        assert value == pytest.approx((tilt**2 + 0.01) ** 0.5 - 0.1, rel=1e-6)
        assert slope == pytest.approx(tilt / (tilt**2 + 0.01) ** 0.5, rel=1e-6)
        assert loss(tilt, 0.0) == pytest.approx((tilt, 1.0), rel=1e-6)
    assert loss(-0.02, 0.1)[1] == pytest.approx(-loss(0.02, 0.1)[1])


def test_orthonormal_fields_cost_nothing():
    assert float(orthonormality(constant([1, 0, 0], [0, 1, 0], [0, 0, 1]), WEIGHT)) == pytest.approx(0, abs=1e-14)


def test_functions_are_orthogonal_under_the_weight_only():
    x = torch.arange(9, dtype=torch.float64).expand(2, 7, 9) / 9
    v = torch.stack([torch.sin(2 * torch.pi * x), torch.cos(2 * torch.pi * x)])[:, :, None].expand(2, 2, 3, 7, 9)
    even, odd = torch.ones_like(WEIGHT), 1 + torch.sin(4 * torch.pi * x)
    assert float(orthonormality(normalised(v, even), even)) == pytest.approx(0, abs=1e-14)
    # <sin, cos> = mean (1 + sin 4πx) sin 2πx cos 2πx = 1/4, both of square 1/2
    assert float(orthonormality(normalised(v, odd), odd)) == pytest.approx(math.asin(0.5))


@pytest.mark.parametrize("angle", [0.0, 0.2, 0.9, math.pi / 2, 2.0, math.pi])
def test_two_fields_at_a_known_angle(angle):
    v = constant([1, 0, 0], [math.cos(angle), 0, math.sin(angle)])
    expected = math.pi / 2 - min(angle, math.pi - angle)
    # the cosine is kept 1e-6 below 1: 1.4e-3 in the angle
    assert float(orthonormality(v, WEIGHT)) == pytest.approx(expected, abs=1.5e-3 if expected > 1.5 else 1e-12)


def test_all_pairs_count_once():
    angles = (0.3, 1.1, 1.7)
    v = constant(*([math.cos(a), math.sin(a), 0] for a in angles))
    assert float(orthonormality(v, WEIGHT)) == pytest.approx(sum(math.pi / 2 - a for a in (0.8, 1.4, 0.6)))


def test_only_the_later_slot_is_pushed_away():
    v = normalised(FIELDS + 0.5).requires_grad_()
    (first,) = torch.autograd.grad(orthonormality(v, WEIGHT), v)
    assert first[0].abs().max() == 0 and first[1].abs().max() > 1e-4 and first[2].abs().max() > 1e-4
    # the last slot's push comes from both before it
    v = constant([1, 0, 0], [0, 1, 0], [0.6, 0.48, 0.64]).requires_grad_()
    (found,) = torch.autograd.grad(orthonormality(v, WEIGHT), v)
    assert found[:2].abs().max() < 1e-14
    slopes = [1 / math.sqrt(1 - c**2) for c in (0.6, 0.48)]
    for place, slope in enumerate(slopes):
        expected = slope * WEIGHT / WEIGHT.sum()
        torch.testing.assert_close(found[2, :, place], expected, rtol=1e-6, atol=1e-12)


# Lipschitz

ROTATION = [[0, 0, 0], [0, 0, -2], [0, 2, 0]]
STRETCH = [[3, 0, 0], [0, 3, 0], [0, 0, 3]]


def in_a_plane():
    """Points that differ in x and u only, where the rotation stretches every edge by 2."""
    points = POINTS.clone()
    points[:, 0] = 0.5
    return points


@pytest.mark.parametrize(("tau", "expected"), [(0.0, 5.0), (1.5, 2.0), (2.5, 0.5), (3.0, 0.0), (7.0, 0.0)])
def test_hinge_above_a_known_constant(tau, expected):
    points = in_a_plane()
    found = float(lipschitz(linear(ROTATION, STRETCH, points=points), points, tau))
    assert found == pytest.approx(expected, abs=1e-12)


def test_mean_over_pairs_of_neighbours():
    """On u(x) = x² the field u d_t stretches the edge from a to b by (a + b)/sqrt(1 + (a + b)²)."""
    x = torch.tensor([0.0, 0.1, 0.3, 0.7], dtype=torch.float64)
    points = torch.stack([torch.zeros_like(x), x, x**2])[None]
    slopes = torch.tensor([0.1, 0.4, 1.0], dtype=torch.float64)
    ratio = slopes / (1 + slopes**2).sqrt()
    field = linear([[0, 0, 1], [0, 0, 0], [0, 0, 0]], points=points)
    for tau in (0.0, 0.3):
        assert float(lipschitz(field, points, tau)) == pytest.approx(float((ratio - tau).clamp_min(0).mean()))


def test_neighbours_lie_along_every_axis():
    """A field that varies along one axis of the index grid is stretched by half of the pairs."""
    points = torch.stack(torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij"))[None].double()
    for axis in (0, 1):
        v = torch.zeros_like(points)[None]
        v[0, :, 0] = 5 * points[:, axis]
        assert float(lipschitz(v, points, 1.0)) == pytest.approx(4 / 2)


def test_gradient_of_the_hinge():
    """d/dA of the constant of A·rotation is 2 above tau, 0 below."""
    points = in_a_plane()
    for tau, expected in ((1.0, 2.0), (3.0, 0.0)):
        size = torch.ones((), dtype=torch.float64, requires_grad=True)
        lipschitz(size * linear(ROTATION, points=points), points, tau).backward()
        assert float(size.grad) == pytest.approx(expected)


def test_coinciding_points_cost_nothing():
    """Where data are constant neighbours may coincide; a function has one value there."""
    points = torch.full((1, 3, 4, 5), 0.3)
    v = constant([1, 2, 3], points=points).requires_grad_()
    for tau in (0.0, 0.5, 3.0):
        loss = lipschitz(v, points, tau)
        assert float(loss.detach()) == pytest.approx(0, abs=1e-12)
    assert torch.autograd.grad(loss, v)[0].isfinite().all()


# Sobolev


def rough(v, lines):
    return roughness(v, lines).sum()


def test_sobolev_is_the_log_of_roughness_slot_by_slot():
    expected = sum(math.log(1 + float(r)) for r in roughness(FIELDS, LINES))
    assert float(sobolev(FIELDS, LINES)) == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("count", [16, 17])
def test_parseval_on_a_periodic_axis(k, count):
    """∂ sin(2πkx) and ∂² have the mean squares (2πk)²/2 and (2πk)⁴/2: exact below the last mode."""
    x = torch.arange(count, dtype=torch.float64) / count
    v = torch.zeros(2, 3, 3, 5, count, dtype=torch.float64)
    v[0, :, 1] = torch.sin(2 * math.pi * k * x + 0.4)
    w = 2 * math.pi * k
    expected = (w**2 + w**4) / 2
    line = Line(-1, 1 / count, True)
    assert float(rough(v, [line])) == pytest.approx(expected)
    # slots and components add, and the length of the axis counts
    v[1] = 2 * v[0]
    v[0, :, 2] = 1.0
    assert float(rough(v, [line])) == pytest.approx(5 * expected)
    assert float(rough(v, [Line(-1, 2 / count, True)])) == pytest.approx(5 * (w**2 / 4 + w**4 / 16) / 2)


def test_converges_on_an_open_axis():
    counts, errors, w = (20, 40, 80, 160), [], 4 * math.pi
    for count in counts:
        x = torch.linspace(0, 1, count, dtype=torch.float64)
        v = torch.sin(w * x + math.pi / 4).expand(1, 2, 1, count)
        errors.append(abs(float(rough(v, [Line(-1, 1 / (count - 1), False)])) / ((w**2 + w**4) / 2) - 1))
    slope = np.polyfit(np.log([n - 1 for n in counts]), np.log(errors), 1)[0]
    assert abs(slope + 2) < 0.15, errors


def test_sobolev_axes():
    """Constants cost nothing; only the lines named count; two lines add up."""
    assert float(rough(constant([1, 2, 3]), LINES)) == pytest.approx(0, abs=1e-20)
    y = torch.arange(7, dtype=torch.float64)[:, None].expand(7, 9) * 0.1
    slanted = (2 * y).expand(1, 2, 1, 7, 9)
    assert float(rough(slanted, LINES[:1])) == pytest.approx(0, abs=1e-20)
    assert float(rough(slanted, LINES[1:])) == pytest.approx(4)
    both = float(rough(FIELDS, LINES))
    assert both == pytest.approx(sum(float(rough(FIELDS, [line])) for line in LINES))


# all of them


def losses(v, weight=WEIGHT, points=POINTS):
    """All losses of fields, normalised first."""
    v = normalised(v, weight)
    return [orthonormality(v, weight), lipschitz(v, points, 0.7), sobolev(v, LINES)]


def test_sizes_and_signs_of_fields_don_t_matter():
    once = [float(z) for z in losses(FIELDS)]
    assert min(once) > 1e-3
    factors = torch.tensor([3.0, 1e-4, 250.0], dtype=torch.float64).reshape(-1, 1, 1, 1, 1)
    for other in (factors * FIELDS, -FIELDS, torch.tensor([1.0, -1, 1]).double().reshape(-1, 1, 1, 1, 1) * FIELDS):
        assert [float(z) for z in losses(other)] == pytest.approx(once, rel=1e-9)
    assert [float(z) for z in losses(FIELDS, 7 * WEIGHT)] == pytest.approx(once, rel=1e-9)


def test_order_of_slots_matters_to_gradients_only():
    once = [float(z) for z in losses(FIELDS)]
    assert [float(z) for z in losses(FIELDS.flip(0))] == pytest.approx(once, rel=1e-12)


@pytest.mark.parametrize("case", ["coinciding", "parallel", "zero", "tiny", "huge", "orthogonal", "constant"])
def test_values_and_gradients_stay_finite(case):
    points, v = POINTS.float().clone(), FIELDS.float().clone()
    if case == "coinciding":
        points[:, :, 3] = points[:, :, 2]
        v[:, :, :, 3] = v[:, :, :, 2]
    elif case == "parallel":
        v[1], v[2] = v[0], -2 * v[0]
    elif case == "zero":
        v[1] = 0
    elif case == "tiny":
        v *= 1e-15
    elif case == "huge":
        v *= 1e12
    elif case == "orthogonal":
        v = constant([1, 0, 0], [0, 1, 0], [0, 0, 1]).float()
    elif case == "constant":
        v = torch.ones_like(v)
    v.requires_grad_()
    found = losses(v, WEIGHT.float(), points)
    assert all(z.isfinite() for z in found)
    for loss in found:
        assert torch.autograd.grad(loss, v, retain_graph=True)[0].isfinite().all()


def test_lipschitz_of_scattered_nodes_counts_the_pairs_that_are_given():
    points, v = POINTS.flatten(2)[..., :6], FIELDS.flatten(3)[..., :6]
    pairs = torch.tensor([[0, 0, 4], [3, 5, 1]])
    total = 0.0
    for field in v:
        for piece, place in zip(field, points, strict=True):
            for i, j in pairs.T.tolist():
                ratio = (piece[:, i] - piece[:, j]).norm() / (place[:, i] - place[:, j]).norm()
                total += max(float(ratio) - 0.7, 0.0)
    assert float(lipschitz(v, points, 0.7, pairs)) == pytest.approx(total / (2 * 3))
