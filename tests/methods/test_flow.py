"""Flows: closed forms, the group law, and the inverse."""

import math

import numpy as np
import torch
from small_solutions import ARGUMENTS

from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.fields import Combination
from lieapp.methods.flow import orbit

BASIS = TensorBasis(ARGUMENTS, Degrees(modes=1, chebyshev=2, unknowns=1))
S = torch.linspace(-0.4, 0.4, 9, dtype=torch.float64)
START = torch.rand(3, 5, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


STEP = 0.02


def field(**terms):
    """A field from {coordinate index: {term of the basis: coefficient}}."""
    c = torch.zeros(1, BASIS.count, 3, dtype=torch.float64)
    for name, entries in terms.items():
        for term, value in entries.items():
            c[0, BASIS.terms.index(term), "txu".index(name)] = value
    return Combination(BASIS, c)


def moved_by(fields, points, s, step=STEP):
    """s x coordinate x index."""
    return orbit(fields, points[None, None], s, step)[:, 0, 0]


def test_a_linear_field_has_the_exponential_as_its_flow():
    moved = moved_by(field(u={(0, 0, 1): 1.5}), START, S, STEP)
    torch.testing.assert_close(moved[:, 2], START[2] * torch.exp(1.5 * S)[:, None, None], rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(moved[:, :2], START[:2].expand(9, 2, 5, 6))


def test_galilei():
    # t d_x + d_u with t = (1 + T_1)/2
    moved = moved_by(field(x={(0, 0, 0): 0.5, (1, 0, 0): 0.5}, u={(0, 0, 0): 1.0}), START, S, STEP)
    s = S[:, None, None]
    torch.testing.assert_close(moved[:, 1], START[1] + s * START[0])
    torch.testing.assert_close(moved[:, 2], START[2] + s)


def test_group_law_and_inverse():
    bent = field(t={(0, 1, 0): 0.7, (1, 0, 1): 0.3}, x={(2, 0, 0): 0.4}, u={(0, 2, 1): 0.9})
    moved = moved_by(bent, START, S, STEP)
    twice = moved_by(bent, moved[6], S, STEP)
    torch.testing.assert_close(twice[6], moved[8], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(twice[2], START, rtol=1e-5, atol=1e-6)


def test_order_four():
    """Error of the exponential at s = .4 against the step: slope 4 (one step of .4 up to eight of .05)."""
    steps = [0.4, 0.2, 0.1, 0.05]
    s = torch.tensor([0.0, 0.4], dtype=torch.float64)
    exact = START[2] * math.exp(0.6)
    errors = [float((moved_by(field(u={(0, 0, 1): 1.5}), START, s, h)[-1, 2] - exact).abs().max()) for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert abs(slope - 4) < 0.25, errors


def test_rk4_is_that_of_torchdiffeq():
    from torchdiffeq import odeint

    from lieapp.methods.flow import _nodes, _rk4

    start, times = torch.rand(5, 3, dtype=torch.float64), torch.tensor([0.0, 0.3, 1.0], dtype=torch.float64)

    def rate(z):
        return torch.sin(z) * z.roll(1, -1)

    known = odeint(lambda _, z: rate(z), start, times, method="rk4", options={"grid_constructor": _nodes(0.07)})
    torch.testing.assert_close(_rk4(rate, start, times, 0.07), known, rtol=1e-13, atol=1e-14)
