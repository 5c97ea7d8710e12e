"""A table of the flow moves as the flow does, or isn't used."""

import pytest
import torch

from lieapp.augment.flows import SIZES, TOLERANCE, Box, moved_by_table

BOX = Box((0, 1, 2), 2.0)
"""x has the period 2, from 5 on."""


def graph(samples=2, times=60, points=64):
    t, x = torch.meshgrid(
        torch.linspace(1, 3, times, dtype=torch.float64),
        5 + 2 * torch.arange(points).double() / points,
        indexing="ij",
    )
    u = torch.stack([torch.sin(torch.pi * x * (n + 1)) * t + n for n in range(samples)])
    return torch.stack([t.expand_as(u), x.expand_as(u), u], 1)


class Counted:
    """A flow that knows at how many points it was asked."""

    def __init__(self, shift):
        self.shift, self.points = shift, 0

    def __call__(self, points):
        self.points += points[:, 0].numel()
        return points + torch.stack(self.shift(*points.unbind(1)), 1)


SMOOTH = {
    "translation": lambda t, x, u: (torch.full_like(t, 0.2), torch.zeros_like(t), torch.zeros_like(t)),
    "boost": lambda t, x, u: (torch.zeros_like(t), 0.3 * t, torch.full_like(t, 0.3)),
    "bent": lambda t, x, u: (
        torch.exp(-t / 3),
        torch.sin(torch.pi * x) * t / (1 + t**2 / 9),
        u * torch.sqrt(t) * (1 + 0.2 * torch.cos(torch.pi * x)),
    ),
}


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_smooth_flows_are_tabulated(name):
    flow, points = Counted(SMOOTH[name]), graph()
    moved = moved_by_table(flow, points, BOX)
    assert moved is not None
    assert flow.points < points[:, 0].numel() / 2
    assert float((moved - flow(points)).abs().max()) < 30 * TOLERANCE


def test_a_constant_solution_has_a_table_too():
    points = graph()
    points[:, 2] = 1.5
    flow = Counted(SMOOTH["bent"])
    moved = moved_by_table(flow, points, BOX)
    assert float((moved - flow(points)).abs().max()) < 30 * TOLERANCE


@pytest.mark.parametrize(
    "shift",
    [
        lambda t, x, u: ((t - 2).abs(), 0 * x, 0 * u),
        lambda t, x, u: (0 * t, x, 0 * u),
        lambda t, x, u: (1 / (t - 3), 0 * x, 0 * u),
    ],
    ids=["kink", "not periodic", "infinite"],
)
def test_what_a_table_does_not_hold_is_left_to_the_flow(shift):
    assert moved_by_table(Counted(shift), graph(), BOX) is None


def test_of_few_points_no_table_is_made():
    flow = Counted(SMOOTH["boost"])
    small = graph(times=8, points=8)
    assert 2 * SIZES[0][0] * SIZES[0][1] * SIZES[0][2] > 64
    assert moved_by_table(flow, small, BOX) is None


def test_coordinates_may_stand_in_another_order():
    order = [2, 0, 1]
    points = graph()[:, order]
    moved = moved_by_table(lambda z: z + 0.1, points, Box((1, 2, 0), 2.0))
    torch.testing.assert_close(moved, points + 0.1, rtol=0, atol=1e-9)
