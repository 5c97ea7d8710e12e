"""The closed flow, the ODE flow and a learned field's flow of one generator are one flow."""

from functools import cache

import numpy as np
import pytest
import torch
from moving_cases import as_learned, field, formulas, mover, samples, system
from small_solutions import ARGUMENTS, TRUE, small

from lieapp.augment.along import Along, LearnedSlots
from lieapp.augment.flows import TOLERANCE, ClosedFlow, OdeFlow
from lieapp.augment.learned import Learned
from lieapp.augment.moving import Mover, Moving
from lieapp.methods.fields import Combination
from lieapp.methods.network import FeatureNetwork

S = torch.tensor([[0.2], [-0.15]], dtype=torch.float64)
STEPS = (0.1, 0.05, 0.025)

BENT = {
    "nkdv": (f"{TRUE['nkdv'][0][0]}", "0", "0"),
    "ckdv": ("sqrt(t + 1)", "2", "u"),
    "burgers": ("t**2/4", "t", "-t*u/4"),
}
"""Fields whose flows RK4 doesn't follow exactly; that they are no symmetries doesn't matter to a flow."""


@cache
def moved(name, kind, step=0.1):
    """Samples along one generator."""
    if kind == "learned":
        along = Along(learned=[LearnedSlots(as_learned(name, BENT[name]), [0])])
    else:
        along = Along({"V": field(name, BENT[name])})
    made = Mover.of(along, system(name), small(name).trajectories, Moving(step=step, closed=kind == "closed"))
    (motion,) = made._motions
    assert isinstance(motion, ClosedFlow if kind == "closed" else OdeFlow)
    if kind != "closed":
        # not from a table, whose own error would hide the integrator's
        motion = OdeFlow(motion._velocity, motion._norm, step)
    return motion(made._points(samples(name)), S)


@pytest.mark.parametrize("name", sorted(BENT))
@pytest.mark.parametrize("kind", ["ode", "learned"])
def test_the_order_is_that_of_the_integrator(name, kind):
    errors = [float((moved(name, kind, step) - moved(name, "closed")).abs().max()) for step in STEPS]
    slope = np.polyfit(np.log(STEPS), np.log(errors), 1)[0]
    assert abs(slope - 4) < 0.3, (slope, errors)


@pytest.mark.parametrize("name", sorted(BENT))
def test_a_learned_field_moves_as_the_formula_that_it_is(name):
    torch.testing.assert_close(moved(name, "learned"), moved(name, "ode"), rtol=1e-11, atol=1e-11)


def test_a_closed_form_with_a_gap_that_the_flow_has_not_gives_way_to_the_ode():
    """Its u has log(1 - s t/4)/t, nothing at t = 0, where the data begin."""
    along = Along({"V": field("burgers", ("t**2/4", "t", "1 - t*u/4"))})
    made = Mover.of(along, system("burgers"), small("burgers").trajectories)
    (motion,) = made._motions
    assert isinstance(motion, OdeFlow)
    assert motion(made._points(samples("burgers")), S).isfinite().all()


def test_a_flow_is_a_one_parameter_group():
    made = mover("nkdv")
    points = made._points(samples("nkdv"))
    motion = made._motions[0]
    torch.testing.assert_close(motion(motion(points, S), -S), points, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(motion(motion(points, S), S), motion(points, 2 * S), rtol=1e-12, atol=1e-12)


def test_a_combination_of_learned_fields_is_one_flow_and_commuting_ones_compose():
    """Translations commute, so a combination must do what they do one after the other."""
    shifts = [("1", "0", "0"), ("0", "1", "0")]
    both = Along(learned=[LearnedSlots(as_learned("kdv", *shifts), [0, 1])])
    made = Mover.of(both, system("kdv"), small("kdv").trajectories)
    (motion,) = made._motions
    one_by_one = mover("kdv", formulas_of_shifts())
    points, c = made._points(samples("kdv")), torch.tensor([[0.1, 0.3], [-0.2, 0.05]], dtype=torch.float64)
    after = points
    for k, closed in enumerate(one_by_one._motions):
        after = closed(after, c[:, k : k + 1])
    torch.testing.assert_close(motion(points, c), after, rtol=1e-12, atol=1e-12)


@cache
def formulas_of_shifts():
    return Shifts(formulas("kdv", 0, 1).formulas)


class Shifts(Along):
    """Hashable, so that the mover is made once."""

    __hash__ = object.__hash__


def test_generators_have_norm_one_on_the_data():
    """Moved by a small s, data change by s in the mean, in scaled coordinates."""
    data = small("ckdv")
    made = mover("ckdv")
    points = made._points(samples("ckdv"))
    size = torch.tensor(data.scales.size, dtype=torch.float64)[:, None, None]
    for motion in made._motions:
        change = (motion(points, torch.full((2, 1), 1e-5, dtype=torch.float64)) - points) / size
        assert abs(float(change.square().sum(1).mean().sqrt()) / 1e-5 - 1) < 0.05


def test_a_network_s_field_moves_from_a_table_as_it_does_point_by_point():
    """And there and back, though its positions depend on x and u."""
    data = small("kdv")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = FeatureNetwork(ARGUMENTS, 8, 5).double().requires_grad_(False)
    c = torch.randn(1, network.count, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    c[..., 0] = 0
    learned = Learned(Combination(network, c), data.domain.arguments.names, data.domain.components, data.scales)
    made = Mover.of(Along(learned=[LearnedSlots(learned, [0])]), system("kdv"), data.trajectories)
    (motion,) = made._motions
    points, s = made._points(samples("kdv")), S / 4
    direct = OdeFlow(motion._velocity, motion._norm, 0.1)
    sizes = torch.tensor(data.scales.size, dtype=torch.float64)[:, None, None]
    assert float(((motion(points, s) - direct(points, s)) / sizes).abs().max()) < 30 * TOLERANCE
    there = made.resampled(samples("kdv"), s)
    assert bool(there.valid.all())
    back = made.resampled(there.values, -s)
    assert float((there.values - samples("kdv")).abs().max()) > 0.01
    torch.testing.assert_close(back.values, samples("kdv"), rtol=0, atol=1e-6)
