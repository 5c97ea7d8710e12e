"""Flows of slots to an s of their own: order, closed forms, group law, grouping, gradients, what goes wrong."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_solutions import ARGUMENTS, Formulas

from lieapp.errors import ConfigError, DiscoveryError
from lieapp.methods.fields import Scaled
from lieapp.methods.flow import ADAPTIVE, FIXED, Flow, Solver, orbit
from lieapp.methods.network import GeneratorNetwork

POINTS = torch.rand(1, 4, 3, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
"""One slot, four pieces of five nodes, in coordinates t, x, u."""


def known(points):
    """Rotation of (x, u) by 2 s, growth exp(1.5 s) of u, and t d_x + d_u."""
    t, x, u = points.unbind(1)
    zero, one = torch.zeros_like(t), torch.ones_like(t)
    return torch.stack([torch.stack(v, 1) for v in ((zero, -2 * u, 2 * x), (zero, zero, 1.5 * u), (zero, t, one))])


def exactly(points, s):
    t, x, u = points.unbind(2)
    angle, grown, pushed = 2 * s[0], torch.exp(1.5 * s[1]), s[2]
    c, d = torch.cos(angle), torch.sin(angle)
    parts = [(t[0], c * x[0] - d * u[0], d * x[0] + c * u[0]), (t[1], x[1], grown * u[1]),
             (t[2], x[2] + pushed * t[2], u[2] + pushed)]  # fmt: skip
    return torch.stack([torch.stack(part, 1) for part in parts])


def bent(points):
    """A field without a closed form."""
    t, x, u = points.unbind(1)
    w = 2 * torch.pi * x
    return torch.stack([0.5 + u * torch.sin(w), torch.cos(w + t) + u, torch.sin(3 * t) - u * torch.cos(w)], 1)[None]


def network(slots=6, seed=0):
    torch.manual_seed(seed)
    return GeneratorNetwork(ARGUMENTS, 3, slots, width=8, head=4).double()


def spread(slots):
    return POINTS.expand(slots, *POINTS.shape[1:])


@pytest.mark.parametrize(("name", "order"), [("rk4", 4), ("midpoint", 2), ("euler", 1)])
def test_order(name, order):
    steps, s = [0.2, 0.1, 0.05, 0.025], torch.tensor([0.4, -0.4, 0.4], dtype=torch.float64)
    truth = exactly(spread(3), s)
    errors = [
        (Flow(Formulas(known), Solver(name, h))(spread(3), s) - truth).flatten(1).abs().amax(1) for h in steps
    ]
    for slot in (0, 1):
        line = [float(e[slot]) for e in errors]
        slope = np.polyfit(np.log(steps), np.log(line), 1)[0]
        assert abs(slope - order) < 0.15 * order, (slot, line)
    assert max(float(e[2]) for e in errors) < 1e-14, "every solver is exact where the speed doesn't change"


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_closed_forms_at_any_s(values):
    s = torch.tensor(values, dtype=torch.float64)
    moved = Flow(Formulas(known), Solver(step=0.02))(spread(3), s)
    torch.testing.assert_close(moved, exactly(spread(3), s), rtol=1e-7, atol=1e-7)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_group_law(s, t):
    flow = Flow(Formulas(bent), Solver(step=0.02))
    one, other, sum_ = (torch.tensor([v], dtype=torch.float64) for v in (s, t, s + t))
    torch.testing.assert_close(flow(flow(POINTS, one), other), flow(POINTS, sum_), rtol=0, atol=3e-6)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.floats(-0.8, 0.8))
def test_the_inverse_is_the_flow_to_minus_s(s):
    flow = Flow(Formulas(bent), Solver(step=0.02))
    s = torch.tensor([s], dtype=torch.float64)
    torch.testing.assert_close(flow(flow(POINTS, s), -s), POINTS, rtol=0, atol=3e-6)


class Counting:
    """Fields that record how many slots are evaluated."""

    def __init__(self, fields):
        self.fields, self.calls = fields, []

    def each(self, points, which=None):
        self.calls.append(list(which))
        assert len(points) == len(which)
        return self.fields.each(points, which)


def test_every_slot_goes_where_it_goes_alone():
    fields, flow = network(), Solver(step=0.2)
    s = torch.tensor([0.05, -0.5, 0.2, 0.35, 0.0, -0.6], dtype=torch.float64)
    together = Flow(fields, flow)(spread(6), s)
    assert together.shape == (6, *POINTS.shape[1:])
    for slot, value in enumerate(s):
        alone = Flow(fields, flow)(spread(6), value.expand(6))[slot]
        torch.testing.assert_close(together[slot], alone, rtol=1e-13, atol=1e-13)
    torch.testing.assert_close(together[4], POINTS[0], rtol=0, atol=0)
    assert not torch.equal(together[0], POINTS[0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_slot_costs_what_its_own_steps_cost(dtype):
    s = torch.tensor([0.05, -0.5, 0.2, 0.35, -0.2, 0.6], dtype=dtype)  # in float32 .6 is more than three times .2
    fields = Counting(network().to(dtype))
    Flow(fields, Solver(step=0.2))(spread(6).to(dtype), s)
    for slot, steps in enumerate([1, 3, 1, 2, 1, 3]):
        assert sum(slot in which for which in fields.calls) == 4 * steps, "RK4 has four stages"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_no_step_is_wasted_by_round_off(dtype):
    for steps in (1, 3, 7, 25, 49, 93, 98):
        fields = Counting(network(1).to(dtype))
        Flow(fields, Solver("euler", step=1 / steps))(POINTS[:, :1].to(dtype), torch.ones(1, dtype=dtype))
        assert len(fields.calls) == steps


def gradients(solver, points, s):
    """Of a function of moved points: by all parameters of a network and of its factors, and by the points."""
    fields = network(3)
    factors = 1 / fields.each(spread(3)).flatten(1).square().mean(1).sqrt()
    moved = Flow(Scaled(fields, factors), solver)(points, s)
    (moved.square() * torch.arange(1.0, 4.0).reshape(-1, 1, 1, 1)).sum().backward()
    return torch.cat([p.grad.flatten() for p in fields.parameters()]), points.grad


def value(solver, points, s, shift):
    fields, offset = network(3), 0
    with torch.no_grad():
        for p in fields.parameters():
            p += shift[offset : offset + p.numel()].reshape(p.shape)
            offset += p.numel()
        factors = 1 / fields.each(points).flatten(1).square().mean(1).sqrt()
        moved = Flow(Scaled(fields, factors), solver)(points, s)
    return float((moved.square() * torch.arange(1.0, 4.0).reshape(-1, 1, 1, 1)).sum())


S = torch.tensor([0.4, -0.15, 0.3], dtype=torch.float64)


@pytest.mark.parametrize(
    "solver",
    [Solver(step=0.1), Solver(step=0.1, adjoint=True), Solver("dopri5", tolerance=1e-9),
     Solver("dopri5", tolerance=1e-9, adjoint=True)],
    ids=["steps", "adjoint", "adaptive", "adaptive adjoint"],
)  # fmt: skip
def test_gradients_are_difference_quotients(solver):
    """Normalised fields: their factors depend on the parameters too, also for the adjoint."""
    points = spread(3).clone().requires_grad_()
    slopes, _ = gradients(solver, points, S)
    generator, h = torch.Generator().manual_seed(1), 1e-4
    for _ in range(3):
        direction = torch.randn(len(slopes), generator=generator, dtype=torch.float64) * 0.1
        ahead, behind = (value(solver, spread(3), S, sign * h * direction) for sign in (1, -1))
        expected = (ahead - behind) / (2 * h)
        assert float(slopes @ direction) == pytest.approx(expected, rel=2e-4, abs=1e-6 * float(slopes.norm()))


@pytest.mark.parametrize("name", ["rk4", "dopri5"])
def test_adjoint_and_back_propagation_agree(name):
    found = {}
    for adjoint in (False, True):
        points = spread(3).clone().requires_grad_()
        found[adjoint] = gradients(Solver(name, step=0.02, adjoint=adjoint, tolerance=1e-10), points, S)
    for through, around in zip(found[False], found[True], strict=True):
        assert through.abs().max() > 1e-3
        torch.testing.assert_close(around, through, rtol=1e-5, atol=1e-6 * float(through.abs().max()))


def test_gradient_in_s_is_the_field_where_the_point_went():
    s = S.clone().requires_grad_()
    fields = network(3)
    moved = Flow(fields, Solver(step=0.02))(spread(3), s)
    moved.sum().backward()
    arrived = fields.each(moved.detach()).flatten(1).sum(1)
    torch.testing.assert_close(s.grad, arrived.detach(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_solvers_hold_their_tolerance(name):
    s = torch.tensor([0.9, -1.1, 0.3], dtype=torch.float64)
    truth = exactly(spread(3), s)
    for tolerance in (1e-3, 1e-6, 1e-9):
        moved = Flow(Formulas(known), Solver(name, tolerance=tolerance))(spread(3), s)
        assert (moved - truth).abs().max() < 50 * tolerance


def explosive(points):
    """u' = 40 u³: infinite before s = 1 from every u above .12."""
    u = points[:, 2:]
    return torch.cat([torch.zeros_like(points[:, :2]), 40 * u**3], 1)[None]


@pytest.mark.parametrize("name", [*FIXED, *ADAPTIVE])
def test_a_field_that_blows_up_names_the_settings(name):
    with pytest.raises(DiscoveryError, match=r"can't be followed to s = 2: ") as caught:
        Flow(Formulas(explosive), Solver(name, step=0.1))(
            POINTS + 1, torch.tensor([-2.0], dtype=torch.float64).abs()
        )
    assert all(word in caught.value.hint for word in ("sigma", "tau", "flow_rate", "solver_step"))


def test_the_far_one_of_several_slots_is_named():
    fields = Formulas(lambda z: torch.cat([0 * explosive(z), explosive(z)]))
    s = torch.tensor([0.01, -0.9], dtype=torch.float64)
    torch.testing.assert_close(Flow(fields)((POINTS + 1).expand(2, -1, -1, -1), s * 0.1)[0], POINTS[0] + 1)
    with pytest.raises(DiscoveryError, match=r"s = 0\.9"):
        Flow(fields)((POINTS + 1).expand(2, -1, -1, -1), -s)


def test_unknown_solver():
    with pytest.raises(ConfigError, match="no solver is called 'rk5'") as caught:
        Solver("rk5")
    assert all(name in caught.value.hint for name in (*FIXED, *ADAPTIVE))


@pytest.mark.parametrize(("s", "steps"), [(0.0, 1), (0.2, 1), (-0.2, 1), (0.2001, 2), (0.6, 3), (-1.0, 5)])
def test_number_of_steps(s, steps):
    assert Solver(step=0.2).steps(s) == steps and Solver("dopri5", step=0.2).steps(s) == 1


LINE = torch.tensor([-0.41, -0.07, 0.0, 0.03, 0.25, 0.4], dtype=torch.float64)
"""Not multiples of the steps below."""


def test_orbit_is_the_flow_at_every_s():
    fields = network(2)
    moved = orbit(fields, spread(2), LINE, step=0.01)
    assert moved.shape == (len(LINE), 2, *POINTS.shape[1:])
    torch.testing.assert_close(moved[2], spread(2), rtol=0, atol=0)
    for place, value in zip(moved, LINE, strict=True):
        alone = Flow(fields, Solver(step=0.01))(spread(2), value.expand(2))
        torch.testing.assert_close(place, alone.detach(), rtol=0, atol=1e-8)


def test_orbit_has_order_four_between_its_steps_too():
    """Interpolating between steps would leave h²."""
    truth = torch.stack([exactly(spread(3), s.expand(3)) for s in LINE])
    steps = [0.2, 0.1, 0.05]
    errors = [float((orbit(Formulas(known), spread(3), LINE, h) - truth).abs().max()) for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope > 3.5, errors
    assert errors[0] < 1e-3


def test_orbit_through_infinity_isn_t_an_error():
    moved = orbit(Formulas(explosive), POINTS + 1, torch.tensor([0.0, 2.0], dtype=torch.float64), 0.1)
    assert moved[0].isfinite().all() and not moved[1, :, :, 2].isfinite().any()


@pytest.mark.parametrize("s", [[0.0], [0.0, 0.3], [-0.3, 0.0]])
def test_orbit_to_one_side(s):
    line = torch.tensor(s, dtype=torch.float64)
    moved = orbit(Formulas(known), spread(3), line, 0.01)
    truth = torch.stack([exactly(spread(3), v.expand(3)) for v in line])
    torch.testing.assert_close(moved, truth, rtol=1e-7, atol=1e-7)
    assert math.isfinite(float(moved.sum()))
