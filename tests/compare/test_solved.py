"""Functions of restricted determining equations: known solutions, and what is measured of a field."""

import pytest
import sympy as sp
import torch
from small_solutions import declaration

from lieapp.compare.closed_form.solved import dependence, functions_of
from lieapp.domains.formulas import FixedFields
from lieapp.equations.parsing import parse_system
from lieapp.pde.domain import PDEDomain

T = sp.Symbol("t", real=True)


def system(text):
    return parse_system([text], ["t", "x"], ["u"])


def test_a_boost_with_an_integral_that_is_not_elementary():
    """u_t + u/2 + 2 sqrt(t+1) u u_x = u_xx has g ∂x + e^(-t/2) ∂u with g' = 2 sqrt(t+1) e^(-t/2)."""
    found = functions_of(system("u_t + u/2 + 2*sqrt(t + 1)*u*u_x - u_xx"), {"x": ("t",), "u": ("t",)}, 300)
    damped = [f for f in found if sp.simplify(sp.diff(f, T) + f / 2) == 0]
    rate = sp.sqrt(T + 1) * sp.exp(-T / 2)
    integrals = [f for f in found if sp.simplify(sp.diff(f, T) / rate).is_number]
    assert damped and integrals


@pytest.mark.parametrize(
    ("text", "depends", "rates"),
    [
        ("u_t - u_xx - u*log(u)", {"u": ("t", "u")}, {1}),
        ("u_t - u_xx - x*u_x - u", {"x": ("t",), "u": ("t", "x", "u")}, {1, -1}),
    ],
)
def test_exponentials(text, depends, rates):
    """exp(t) u ∂u of u log u; exp(±t) ∂x + … of a drift."""
    found = functions_of(system(text), depends, 300)
    got = {sp.simplify(sp.diff(f, T) / f) for f in found if f.free_symbols == {T}}
    assert rates <= got


def test_nothing_beyond_polynomials():
    assert functions_of(system("u_t + u*u_x + u_xxx"), {"t": (), "x": ("t",), "u": ()}) == []


def test_what_a_field_depends_on():
    """t ∂x + x u ∂u, in scaled points."""
    domain = PDEDomain(declaration("kdv"))
    data = domain.dataset(2, 1, 0)
    x, u = domain.evolution.jets.coordinates[1:]
    field = domain.scaled_field({"t": sp.S.Zero, "x": T, "u": x * u}, data.scales)
    stack = FixedFields(lambda points: torch.cat([field(points)]))
    assert dependence(domain, stack, data.held_out.batches(4, 4)) == {"x": ("t",), "u": ("x", "u")}
