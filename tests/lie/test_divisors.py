"""What a reduction divides by is said as it stands: solutions where it vanishes are lost otherwise."""

import pytest
import sympy as sp

from lieapp.equations.parsing import parse_system
from lieapp.lie.reduction.reduce import reduce
from lieapp.lie.vector_field import Field

DIVISORS = {
    "k(u)": "k(w)", "sin(u)": "sin(w)", "log(u)": "log(w)", "u**2": "w", "sqrt(u)": "w", "exp(u)": None,
    "exp(-u)": None, "k(u)**2": "k(w)", "k_u": "Derivative(k(w), w)",
}  # fmt: skip
"""Of u_t = f(u) (u_xx + 1), reduced by time translation: what must not vanish. Nothing for exp(u), which can't."""


def steady(text: str, functions=()):
    found = parse_system([text], ["t", "x"], ["u"], (), functions)
    return reduce(found, Field({"t": sp.S.One, "x": sp.S.Zero, "u": sp.S.Zero}))


@pytest.mark.parametrize("factor", DIVISORS)
def test_the_divisor_itself(factor):
    reduction = steady(f"u_t = {factor}*(u_xx + 1)", ["k:u"] if "k" in factor else [])
    assert list(map(str, reduction.residuals)) == ["w_xx + 1"]
    assert list(map(str, reduction.assumed_nonzero)) == ([DIVISORS[factor]] if DIVISORS[factor] else [])


def test_solutions_that_are_lost_are_those_where_it_vanishes():
    reduction = steady("u_t = sin(u)*(u_xx + 1)")
    w = sp.Symbol("w", real=True)
    (divisor,) = reduction.assumed_nonzero
    x = reduction.jets.independent[0]
    for lost in (0, sp.pi, 2 * sp.pi):
        # u = π solves the equation, as its factor sin(u) vanishes, and not the reduced one
        assert divisor.subs(w, lost) == 0
        assert reduction.equations[0].subs(reduction.functions[0], sp.Integer(0) * x + lost).doit() == 1


def test_what_is_declared_not_to_vanish_is_not_assumed():
    assert steady("u_t = k(u)*(u_xx + 1)", ["k:u; k != 0"]).assumed_nonzero == ()


def test_what_is_left_of_an_equation_is_not_divided_by():
    reduction = steady("u_t = sin(u)")
    assert list(map(str, reduction.residuals)) == ["sin(w)"] and reduction.assumed_nonzero == ()
