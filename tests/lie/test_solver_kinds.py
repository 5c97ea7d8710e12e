"""What the solver of determining equations does with kinds of equations that it once didn't solve."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.parsing import parse_system
from lieapp.lie.linear import Unknowns
from lieapp.lie.solving import State
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.stages import derive

t, x = sp.symbols("t x", real=True)


def derived(equation, variables, unknowns, parameters=(), functions=()):
    system = parse_system([equation], variables.split(","), unknowns.split(","), parameters, functions)
    return derive(system, budget=100)


EQUIVALENT_TO_FREE_MOTION = {
    # a linear ODE of second order has the 8 symmetries of y'' = 0 (Lie 1883)
    "exact": ("y_xx - f*y_x - f_x*y", [], ["f:x"]),
    "factored by a function": ("y_xx - (f**2 + f_x)*y", [], ["f:x"]),
    "a solution in closed form": ("y_xx - f*y_x - (1+f)*y", [], ["f:x"]),
    "exact, with a pole": ("x*y_xx + (x*f+1)*y_x + f*y + x*f_x*y", [], ["f:x"]),
    "Airy": ("y_xx - x*y", [], []),
    "Airy, shifted": ("y_xx - (2*x+3)*y", [], []),
    "Bessel": ("x*y_xx + y_x + x*y", [], []),
    "Bessel, any order": ("x**2*y_xx + x*y_x + (x**2-n**2)*y", ["n"], []),
    "Bessel of x**2": ("y_xx + x**2*y", [], []),
    "modified Bessel of an exponential": ("y_xx - exp(x)*y", [], []),
    "Mathieu": ("y_xx + (a - 2*q*cos(2*x))*y", ["a", "q"], []),
    "parabolic cylinder": ("y_xx + (n + 1/2 - x**2/4)*y", ["n"], []),
    "Legendre": ("(1-x**2)*y_xx - 2*x*y_x + n*(n+1)*y", ["n"], []),
}
SLOW = (
    "parabolic cylinder", "Legendre", "exact, with a pole", "a solution in closed form", "factored by a function",
    "Bessel, any order", "Mathieu",
)  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in EQUIVALENT_TO_FREE_MOTION]
)
def test_linear_second_order_equations_have_eight(name):
    equation, parameters, functions = EQUIVALENT_TO_FREE_MOTION[name]
    found = derived(equation, "x", "y", parameters, functions)
    assert (found.dimension, found.certified, found.unsolved) == (8, True, ())


SAME_AS_HEAT = {
    # u_t = u_xx + a(t) x u: a moving frame makes it the heat equation (Ovsiannikov 1982), 6 and superposition
    "sin": "u_t - u_xx - sin(t)*x*u",
    "cos": "u_t - u_xx - cos(t)*x*u",
    "exp": "u_t - u_xx - exp(t)*x*u",
    "growing waves": "u_t - u_xx - t*sin(2*t)*x*u",
    "drift": "u_t - u_xx - sin(t)*u_x",
}


@pytest.mark.parametrize("name", SAME_AS_HEAT)
def test_coefficients_that_vary_are_not_divided_by_where_they_integrate(name):
    found = derived(SAME_AS_HEAT[name], "t,x", "u")
    assert (found.dimension, len(found.families), found.certified) == (6, 1, True)


def test_a_time_dependent_dispersion():
    """u_t = b(t) u_x + a(t) u_5x: u_y with y = x + ∫b, and dτ = a dt: the scaling and both translations."""
    found = derived("u_t - u_x*(t/4+1) + u_xxxxx*(sin(t)/2+1)", "t,x", "u")
    assert (found.dimension, len(found.families), found.certified) == (4, 1, True)


SPHERICAL = {
    # u = w/t makes u_tt + 2 u_t/t = u_xx the wave equation w_tt = w_xx; others by their Euler-Poisson-Darboux index
    "wave in disguise": ("u_tt + 2*u_t/t - u_xx", 1, 2),
    "Laplace in disguise": ("u_xx + 2*u_x/x + u_yy", 1, 2),
    "index 3": ("u_tt + 3*u_t/t - u_xx", 4, 1),
    "index 1": ("u_tt + u_t/t - u_xx", 4, 1),
}


@pytest.mark.parametrize("name", SPHERICAL)
def test_like_terms_are_collected_before_they_are_integrated(name):
    equation, dimension, families = SPHERICAL[name]
    found = derived(equation, "x,y" if "u_yy" in equation else "t,x", "u")
    assert (found.dimension, len(found.families), found.certified) == (dimension, families, True)


def test_assumptions_of_attempts_that_failed_are_forgotten():
    """Bessel's equation divides by nothing: its order is generic as that of the functions."""
    found = derived("x**2*y_xx + x*y_x + (x**2-n**2)*y", "x", "y", ["n"])
    assert len(found.assumed_nonzero) <= 3 and found.assumed_generic == ("n",)


WAVES = (t, sp.sin(t), t * sp.cos(t), t**2, sp.cos(t))
GROWTH = (t, sp.exp(t), t**2, t * sp.exp(t), sp.exp(2 * t))
KINDS = [(WAVES, sp.S.One), (WAVES, 2 + sp.sin(t)), (GROWTH, 1 + t**2), (GROWTH, 1 + sp.exp(t))]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=5, max_size=5), st.sampled_from(KINDS))
def test_antiderivatives_of_derivatives_are_found_without_new_functions(coefficients, kind):
    """(N/Q)' is integrated to N/Q for polynomials N in t and sin t, cos t or exp t, up to a constant."""
    terms, below = kind
    whole = sp.Add(*(c * term for c, term in zip(coefficients, terms, strict=True))) / below
    state = State(CoefficientField([t], []), Unknowns(1), [], [])
    slope, expected = state.field.elements([sp.diff(whole, t), whole])
    found = antiderivative(state, slope, 0)
    assert found is not None
    assert not state.field.diff(state.field.lift(found) - state.field.lift(expected), 0)
