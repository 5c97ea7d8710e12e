"""Slots that are kept orthonormal exactly: what they are, and what their gradients change."""

import math
from dataclasses import replace

import pytest
import torch
from scipy import linalg

from lieapp.methods.fields import SWIFT, Orthonormal, orthonormalising
from lieapp.methods.network import GeneratorNetwork
from lieapp.pictures.image import ImageDomain, pixel_grid

SLOTS = 4


@pytest.fixture
def slots():
    torch.manual_seed(3)
    points = pixel_grid(9, 11, torch.float64)
    weight = 0.1 + torch.rand(1, 9, 11, dtype=torch.float64)
    network = GeneratorNetwork(replace(ImageDomain.arguments, dependent=(True, True)), 2, SLOTS, 16, 8, unit=0.5)
    found = Orthonormal(network.double(), SLOTS, points, weight)
    torch.nn.init.normal_(found.turn, std=0.02)
    found.settle()
    return found


def gram(v, weight):
    return torch.einsum("axyij,bxyij,xij->ab", v, v, weight) / weight.sum()


def test_fields_are_orthonormal_under_the_weight(slots):
    mixed, v = slots.now()
    assert torch.allclose(gram(v, slots.weight), torch.eye(SLOTS, dtype=torch.float64), atol=1e-10)
    # values that are made along the way, alone, and with derivatives
    assert torch.allclose(mixed.each(slots.points.expand(SLOTS, *slots.points.shape)), v)
    assert torch.allclose(mixed.jvp(slots.points, torch.ones_like(slots.points))[0], v)
    some = torch.rand(2, 1, 2, 3, 3, dtype=torch.float64)
    assert torch.allclose(mixed.each(some, [3, 1])[0], mixed.each(some[:1].expand(SLOTS, -1, -1, -1, -1))[3])


def test_the_matrix_is_that_of_a_qr_decomposition():
    torch.manual_seed(0)
    columns = torch.randn(5, 40, dtype=torch.float64)
    made = orthonormalising(columns)
    assert torch.equal(made, made.tril())
    _, r = linalg.qr(columns.T.numpy(), mode="economic")
    signs = torch.from_numpy(r).diagonal().sign()
    assert torch.allclose(made @ (torch.from_numpy(r).T * signs), torch.eye(5, dtype=torch.float64), atol=1e-12)


def test_a_new_order_leaves_the_fields_as_they_are(slots):
    order = torch.tensor([2, 0, 3, 1])
    before = slots.now()[1]
    slots.reorder(order)
    assert torch.allclose(slots.now()[1], before[order])
    slots.reorder(order)
    assert torch.allclose(slots.now()[1], before[order][order])


def test_a_slot_changes_its_own_field_and_turns_into_later_ones_only(slots):
    slots.reorder(torch.tensor([2, 0, 3, 1]))
    points = torch.rand(SLOTS, 1, 2, 5, 5, dtype=torch.float64)
    slots.now()[0].each(points)[1].square().sum().backward()
    assert (slots.turn.grad.abs() > 1e-9).nonzero().tolist() == [[1, 2], [1, 3]]
    for parameter in slots.fields.own():
        changed = parameter.grad.flatten(1).abs().sum(1) > 1e-9
        assert changed.nonzero().flatten().tolist() == [slots.own[1]]


def test_two_slots_change_places_by_a_quarter_turn(slots):
    """Each gets what the other had, which nothing is lost of."""
    before = slots.now()[1]
    with torch.no_grad():
        slots.turn[0, 2] = math.pi / 2 / SWIFT
    slots.settle()
    after = slots.now()[1]
    assert torch.allclose(after[0], before[2]) and torch.allclose(after[2], -before[0])
    assert torch.allclose(after[1], before[1]) and torch.allclose(after[3], before[3])


def test_gradients_along_the_flow_are_those_of_the_fields(slots):
    """Of points: constants in the gradient of parameters are none in that of places."""
    points = torch.rand(SLOTS, 1, 2, 2, 2, dtype=torch.float64, requires_grad=True)
    mixed = slots.now()[0]
    (found,) = torch.autograd.grad(mixed.each(points)[1, 0, 0, 0, 0], points)
    step = torch.zeros(SLOTS, 1, 2, 2, 2, dtype=torch.float64)
    step[1, 0, 1, 0, 0] = 1e-6
    with torch.no_grad():
        ahead, behind = mixed.each(points + step), mixed.each(points - step)
    assert found[1, 0, 1, 0, 0].item() == pytest.approx(((ahead - behind)[1, 0, 0, 0, 0] / 2e-6).item(), rel=1e-6)
