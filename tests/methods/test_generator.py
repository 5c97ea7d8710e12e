"""The paper's network: its shape, its periods, its derivative along tangents, fields at points of their own."""

import pytest
import torch
from small_solutions import ARGUMENTS

from lieapp.domains.base import Arguments
from lieapp.methods.fields import Scaled, values
from lieapp.methods.network import GeneratorNetwork

POINTS = torch.rand(2, 3, 4, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
TANGENTS = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def network(slots=4, seed=0, modes=2, **widths):
    torch.manual_seed(seed)
    return GeneratorNetwork(ARGUMENTS, 3, slots, modes=modes, **{"width": 16, "head": 8, **widths}).double()


def test_shapes_of_the_paper():
    """Two shared layers of 256, then one of 32 and an output of its own for each field."""
    made = GeneratorNetwork(ARGUMENTS, 3, slots=5)
    layers = [tuple(layer.weight.shape) for layer in made.trunk]
    assert layers == [(256, 4), (256, 256)], "inputs: t, cos, sin, u"
    assert made.inner.shape == (5, 256, 32) and made.inner_bias.shape == (5, 1, 32)
    assert made.outer.shape == (5, 32, 3) and made.outer_bias.shape == (5, 1, 3)
    trunk = 4 * 256 + 256 + 256 * 256 + 256
    assert sum(p.numel() for p in made.parameters()) == trunk + 5 * (256 * 32 + 32 + 32 * 3 + 3)
    assert all(p.requires_grad for p in made.parameters())


def test_what_it_computes():
    """V_a = W'_a silu(W_a trunk + b_a) + b'_a, written out for one point."""
    made, (t, x, u) = network(modes=1), (torch.tensor(v, dtype=torch.float64) for v in (0.3, 0.7, -0.4))
    silu, root = torch.nn.functional.silu, 12**0.5
    z = torch.stack([root * (t - 0.5), torch.cos(2 * torch.pi * x), torch.sin(2 * torch.pi * x), root * u])
    for layer in made.trunk:
        z = silu(layer.weight @ z + layer.bias)
    found = values(made, torch.stack([t, x, u]).reshape(1, 3, 1))
    for a in range(4):
        hidden = silu(z @ made.inner[a] + made.inner_bias[a, 0])
        torch.testing.assert_close(found[a, 0, :, 0], hidden @ made.outer[a] + made.outer_bias[a, 0])


def test_periodic_with_its_derivatives_and_nowhere_else():
    made = network()
    period = torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64).reshape(1, 3, 1, 1)
    here, there = made.jvp(POINTS, TANGENTS), made.jvp(POINTS + period, TANGENTS)
    for one, other in zip(here, there, strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=1e-12)
    for other in (period.roll(1, 1), period.roll(-1, 1), 0.5 * period):
        assert (made.jvp(POINTS + other, TANGENTS)[0] - here[0]).abs().max() > 1e-3


def test_smooth_across_the_seam():
    """No kink: second differences across x = 1 are those of a smooth function."""
    made, h = network(), 1e-3
    line = (1 + h * torch.arange(-2, 3, dtype=torch.float64)).reshape(1, 1, 5)
    points = torch.cat([torch.full_like(line, 0.3), line, torch.full_like(line, 0.2)], 1)
    second = values(made, points).diff(n=2, dim=-1) / h**2
    assert (second[..., 1:] - second[..., :-1]).abs().max() < 0.1 * second.abs().max()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning")
def test_jvp_is_the_derivative():
    made = network()
    found = made.jvp(POINTS, TANGENTS)

    def function(z):
        return made.each(z.expand(4, *z.shape))

    v, dv = torch.func.jvp(function, (POINTS,), (TANGENTS,))
    assert v.shape == (4, *POINTS.shape)
    torch.testing.assert_close(found[0], v)
    torch.testing.assert_close(found[1], dv)
    h = 1e-5
    quotient = (values(made, POINTS + h * TANGENTS) - values(made, POINTS - h * TANGENTS)) / (2 * h)
    torch.testing.assert_close(found[1], quotient, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("which", [None, [0, 1, 2, 3], [2], [3, 0], [1, 1, 2]])
def test_each_is_the_diagonal_of_the_stack(which):
    made, slots = network(), range(4) if which is None else which
    generator = torch.Generator().manual_seed(2)
    own = torch.rand(len(slots), 2, 3, 4, 5, generator=generator, dtype=torch.float64)
    found = made.each(own, which)
    assert found.shape == own.shape
    for place, slot in enumerate(slots):
        torch.testing.assert_close(found[place], values(made, own[place])[slot], rtol=1e-12, atol=1e-13)


def test_only_the_heads_asked_for_get_a_gradient():
    made = network()
    made.each(POINTS[None], [2]).square().sum().backward()
    for p in (made.inner, made.inner_bias, made.outer, made.outer_bias):
        touched = p.grad.flatten(1).abs().sum(1) > 0
        assert touched.tolist() == [False, False, True, False]
    assert all(layer.weight.grad.abs().sum() > 0 for layer in made.trunk)


@pytest.mark.parametrize("which", [None, [2, 0]])
def test_scaled_fields(which):
    made, factors = network(), torch.tensor([2.0, 0.5, -3.0, 1.0], dtype=torch.float64)
    scaled, slots = Scaled(made, factors), [0, 1, 2, 3] if which is None else which
    own = POINTS.expand(len(slots), *POINTS.shape)
    expected = factors[slots].reshape(-1, 1, 1, 1, 1)
    torch.testing.assert_close(scaled.each(own, which), expected * made.each(own, which))
    for found, plain in zip(scaled.jvp(POINTS, TANGENTS), made.jvp(POINTS, TANGENTS), strict=True):
        torch.testing.assert_close(found, factors.reshape(-1, 1, 1, 1, 1) * plain)


def test_seeds_repeat_and_slots_differ():
    one, same, other = network(seed=1), network(seed=1), network(seed=2)
    for name, p in one.named_parameters():
        assert torch.equal(p, same.get_parameter(name)) and not torch.equal(p, other.get_parameter(name))
    v = values(one, POINTS).flatten(1)
    assert torch.linalg.matrix_rank(v) == 4, "every slot begins with a field of its own"


def test_first_fields_have_the_size_of_a_linear_layers_output():
    """Neither dead nor saturated: every weight within 1/sqrt(fan in), as torch draws linear layers."""
    made = network(slots=3, width=256, head=32)
    for weight, bound in ((made.inner, 256**-0.5), (made.inner_bias, 256**-0.5), (made.outer, 32**-0.5)):
        weight = weight.detach()
        assert 0.9 * bound < weight.abs().max() <= bound and weight.mean().abs() < 0.2 * bound
    assert 0.01 < values(made, POINTS).square().mean().sqrt() < 1


def test_two_periodic_axes_and_two_unknowns():
    torch.manual_seed(0)
    known = Arguments(tuple("txyuv"), (False, True, True, False, False), (False, False, False, True, True))
    made = GeneratorNetwork(known, 5, 2, 8, 4, 3).double()
    points = torch.rand(1, 5, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = values(made, points)
    assert found.shape == (2, 1, 5, 6)
    for i, repeats in enumerate(made.arguments.periodic):
        step = torch.zeros(1, 5, 1, dtype=torch.float64)
        step[:, i] = 1
        away = (values(made, points + step) - found).abs().max()
        assert away < 1e-12 if repeats else away > 1e-3
