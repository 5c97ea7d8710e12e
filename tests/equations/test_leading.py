"""Solving for leading derivatives: rankings, reduction, hidden conditions."""

import pytest
import sympy as sp

from lieapp.equations.leading import TooLargeError, solve_for_leading, solve_ranked
from lieapp.equations.parsing import parse_system
from lieapp.errors import EquationError


def system(*equations, independent="t,x", dependent="u"):
    return parse_system(equations, independent.split(","), dependent.split(","))


@pytest.mark.parametrize(
    ("equation", "lead"),
    [
        ("u_t + u*u_x + u_xxx", "u_xxx"),
        ("exp(-t)*u_t + u*u_x + u_xxx", "u_xxx"),
        ("u_t - u_txx + 3*u*u_x - 2*u_x*u_xx - u*u_xxx", "u_txx"),
        ("u_tx - u - u**2*u_xx/2 - u*u_x**2", "u_tx"),
    ],
)
def test_the_simplest_highest_derivative_leads(equation, lead):
    found = system(equation)
    (jet,) = solve_for_leading(found).rules
    assert str(found.jets.symbol(*jet)) == lead


def test_reduction_leaves_no_principal_derivative():
    found = system("u_t + u*u_x + u_xxx")
    leading = solve_for_leading(found)
    jets = found.jets
    reduced = leading.reduce(jets.symbol(0, (1, 4)) + jets.symbol(0, (0, 5)) ** 2)
    assert all(not leading.is_principal(jet) for jet in jets.jets(reduced).values())
    # the equation differentiated twice vanishes on solutions
    assert sp.expand(leading.reduce(jets.total_derivatives(found.residuals[0], (1, 1)))) == 0


def test_cross_derivatives_give_the_laplace_equation():
    """Cauchy-Riemann: both components are harmonic, and no further condition appears."""
    found = system("u_x - v_y", "u_y + v_x", independent="x,y", dependent="u,v")
    leading = solve_for_leading(found)
    for a in range(2):
        laplacian = found.jets.symbol(a, (2, 0)) + found.jets.symbol(a, (0, 2))
        assert sp.expand(leading.reduce(laplacian)) == 0


def test_contradiction_is_reported():
    with pytest.raises(EquationError, match="inconsistent: they imply 1 = 0"):
        solve_for_leading(system("u_x - 1", "u_t - x"))
    with pytest.raises(EquationError, match=r"inconsistent: they imply .*t.* = 0"):
        solve_for_leading(system("u_x - t*x", "u_t + x**2*t"))


@pytest.mark.parametrize(
    ("equation", "value"),
    [
        ("u_x**2 + u_t**2 - 1", "sqrt(1 - u_t)*sqrt(1 + u_t)"),
        ("u_x**2 + u_x*u_t + u_t**2 - 1", "-u_t/2 + sqrt(4 - 3*u_t**2)/2"),
        ("u_xx**3 + u_tt**3 - u_x", "cbrt(u_x - u_tt**3)"),
    ],
)
def test_squares_and_pure_powers_are_solved_by_a_root(equation, value):
    found = system(equation)
    (jet, rule) = next(iter(solve_for_leading(found).rules.items()))
    symbols = {str(s): s for J in ((1, 0), (0, 1), (2, 0)) for s in [found.jets.symbol(0, J)]}
    assert sp.simplify(rule - sp.sympify(value, symbols)) == 0
    assert sp.simplify(found.residuals[0].subs(found.jets.symbol(*jet), rule)) == 0


def test_a_linear_derivative_is_preferred_to_a_root():
    found = system("u_x**2 + u_t - u")
    (jet,) = solve_for_leading(found).rules
    assert str(found.jets.symbol(*jet)) == "u_t"


@pytest.mark.parametrize("equation", ["sin(u_x) + u_x + sin(u_t) + u_t", "sin(u_x) + u_x"])
def test_not_solvable_for_any_derivative(equation):
    with pytest.raises(EquationError, match="can't be solved for leading derivatives"):
        solve_for_leading(system(equation))


def test_a_product_of_equations_is_refused():
    with pytest.raises(EquationError, match="product of equations") as caught:
        solve_for_leading(system("u_x**2 - u_t**2"))
    assert "u_t" in caught.value.hint


PLASMA = (
    "w_t + s_y*w_x - s_x*w_y - a_y*j_x + a_x*j_y", "s_xx + s_yy - w", "a_xx + a_yy - j", "a_t + s_y*a_x - s_x*a_y",
)  # fmt: skip


@pytest.mark.parametrize(
    ("equations", "independent", "dependent", "leads"),
    [
        # both divide by an unknown
        (("q_t + u*q_x + q*u_x", "q*(u_t + u*u_x) + p_x", "p_t + u*p_x + 3*p*u_x"), "t,x", "q,u,p", "q_t u_t p_t"),
        # the rules of nearly every other ranking grow without end
        (PLASMA, "t,x,y", "w,s,a,j", "w_t s_xx a_t a_xx j_t"),
    ],
)
def test_small_rules_are_preferred(equations, independent, dependent, leads):
    found = system(*equations, independent=independent, dependent=dependent)
    jets = solve_for_leading(found).rules
    assert {str(found.jets.symbol(*jet)) for jet in jets} == set(leads.split())


def test_a_ranking_is_given_up_when_its_expressions_grow():
    found = system(*PLASMA, independent="t,x,y", dependent="w,s,a,j")
    with pytest.raises(TooLargeError):
        solve_ranked(found, (2, 1, 0), orderly=True, how="linear", effort=2_000)
