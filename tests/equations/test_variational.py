"""The Euler operator annihilates total divergences and nothing else, and potentials invert them."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.jets import JetSpace, raised
from lieapp.equations.variational import NoPotentialError, euler, potentials

t, x = sp.symbols("t x", real=True)
PLANE = JetSpace((t, x), ("u", "v"))
JETS = [PLANE.symbol(a, J) for a in (0, 1) for J in ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))]
u, v = PLANE.unknowns
u_x, u_t, u_xx = (PLANE.symbol(0, J) for J in ((0, 1), (1, 0), (0, 2)))

terms = st.tuples(
    st.integers(-3, 3),
    st.integers(0, 2),
    st.integers(0, 1),
    st.lists(st.sampled_from(JETS), min_size=1, max_size=3),
)
polynomials = st.lists(terms, min_size=1, max_size=3).map(
    lambda found: sp.Add(*(c * x**n * t**m * sp.Mul(*jets) for c, n, m, jets in found))
)


def divergence(parts: list[sp.Expr]) -> sp.Expr:
    return sp.expand(sum((PLANE.total_derivative(p, i) for i, p in enumerate(parts)), sp.S.Zero))


@settings(max_examples=25, deadline=None)
@given(polynomials, polynomials)
def test_divergences_have_no_euler_derivative_and_their_potentials_give_them_back(first, second):
    whole = divergence([first, second])
    assert all(euler(whole, PLANE, a) == 0 for a in (0, 1))
    for order in ([0, 1], [1, 0]):
        assert sp.expand(divergence(potentials(whole, PLANE, order)) - whole) == 0


@settings(max_examples=25, deadline=None)
@given(polynomials)
def test_euler_is_the_slope_of_the_action(density):
    """d/dε of L[u + ε w], integrated by parts, is w E(L): their difference is a divergence again."""
    wide = JetSpace((t, x), ("u", "v", "w"))
    own = {s: jet for s in JETS if wide.symbol(*(jet := PLANE.index(s))) == s and jet[0] == 0}
    slope = sum((sp.diff(density, s) * wide.symbol(2, J) for s, (_, J) in own.items()), sp.S.Zero)
    rest = slope - wide.symbol(2, wide.zero) * euler(density, wide, 0)
    assert all(euler(rest, wide, a) == 0 for a in range(3))


@pytest.mark.parametrize(
    "parts",
    [
        (sp.sin(u), sp.cos(u)), (sp.exp(u) * u_x, u_t**2), (u**sp.Rational(1, 2), sp.log(u)),
        (1 / u, u_x / u**2), (sp.log(u) * v, sp.S.Zero), (sp.sqrt(u_xx), u_x),
        (4 * u / v - u_x**2 / v**3, u_xx / v),
    ],
    ids=str,
)  # fmt: skip
def test_potentials_of_functions_that_are_no_polynomials(parts):
    whole = divergence(list(parts))
    found = potentials(whole, PLANE, [1, 0])
    assert sp.simplify(divergence(found) - whole) == 0


def test_what_is_no_divergence_has_an_euler_derivative():
    assert euler(u_x**2, PLANE, 0) == -2 * u_xx
    assert euler(u * v, PLANE, 1) == u


def test_a_divergence_without_closed_form_is_told():
    f = sp.Function("f", real=True)
    whole = PLANE.total_derivative(f(u_x) * u, 1)
    with pytest.raises(NoPotentialError):
        potentials(whole, PLANE, [1, 0])


def test_derivatives_are_lowered_in_the_named_variables_only():
    from lieapp.equations.by_parts import by_parts

    mixed = PLANE.symbol(0, (1, 2))
    parts = by_parts(u * mixed, PLANE, [1])
    assert all(J[0] == 0 for J in parts)
    whole = sum((PLANE.total_derivatives(E, J) for J, E in parts.items()), sp.S.Zero)
    assert sp.expand(whole - u * mixed) == 0
    assert raised((0, 0), 1) in parts or (0, 2) in parts
