"""The coefficient field: exact zero tests, derivatives through atoms, growth."""

import pytest
import sympy as sp
from sympy import ZZ
from sympy.polys.fields import FracField
from sympy.polys.orderings import grevlex

from lieapp.equations.coefficients import CoefficientField
from lieapp.errors import EquationError

t, x, u = sp.symbols("t x u", real=True)
n = sp.Symbol("n", positive=True)

ZEROS = [
    sp.exp(2 * t) - sp.exp(t) ** 2,
    sp.exp(t + x) - sp.exp(t) * sp.exp(x),
    sp.exp(t / 2) ** 2 - sp.exp(t),
    sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1,
    sp.cos(2 * x + t) - sp.cos(2 * x) * sp.cos(t) + sp.sin(2 * x) * sp.sin(t),
    sp.sqrt(t + 1) ** 3 / (t + 1) - sp.sqrt(t + 1),
    (t + 1) ** sp.Rational(1, 3) * (t + 1) ** sp.Rational(1, 6) - sp.sqrt(t + 1),
    u**n / u - u ** (n - 1),
    sp.cosh(x) ** 2 - sp.sinh(x) ** 2 - 1,
    sp.log(2 * t * x) - sp.log(t) - sp.log(x) - sp.log(2),
    1 / (1 + sp.sqrt(2)) - sp.sqrt(2) + 1,
    sp.exp(n * sp.log(u)) - u**n,
]


@pytest.mark.parametrize("expression", ZEROS, ids=str)
def test_identities_vanish(expression):
    assert not CoefficientField((t, x, u), (n,)).element(expression)


@pytest.mark.parametrize(
    "expression",
    [sp.exp(t / 50) * x, sp.sqrt(t + 1) / u, u**n * sp.log(u), sp.tan(x * t), sp.sinh(u), x ** sp.Rational(-4, 3)],
    ids=str,
)
def test_derivatives_are_sympys(expression):
    field = CoefficientField((t, x, u), (n,))
    element = field.element(expression)
    for k, v in enumerate((t, x, u)):
        expected = field.element(sp.diff(expression, v))
        assert not field.reduce(field.diff(field.lift(element), k) - field.lift(expected))


def test_elements_follow_when_the_field_grows():
    field = CoefficientField((t, x))
    before = field.element(x / (t + 1))
    after = field.element(sp.exp(t))
    assert field.expression(field.lift(before) * after) == x * sp.exp(t) / (t + 1)
    assert field.expression(field.diff(before, 1)) == 1 / (t + 1)


@pytest.mark.parametrize("expression", [x, x * t + 3, x / 2, -t / (x + t), (t**2 - x**2) / (2 * t - 2 * x)])
def test_fractions_are_in_lowest_terms_like_sympys(expression):
    field = CoefficientField((t, x))
    element, sympys = field.element(expression), FracField((t, x), ZZ, grevlex).from_expr(expression)
    for one, other in (
        (element, sympys), (element + element, sympys + sympys), (element * element, sympys * sympys),
        (field.diff(element, 1), sympys.diff(sympys.field.gens[1])), (element - element, sympys - sympys),
        (field.one / (element + 1), sympys.field.one / (sympys + 1)),
    ):  # fmt: skip
        assert (dict(one.numer), dict(one.denom)) == (dict(other.numer), dict(other.denom))


def test_a_root_below_the_line_goes_above():
    field = CoefficientField((t,))
    assert field.expression(field.element(1 / sp.sqrt(t + 1))) == sp.expand(sp.sqrt(t + 1)) / (t + 1)


@pytest.mark.parametrize("expression", [sp.sqrt(-2), sp.erf(x), sp.gamma(x)], ids=str)
def test_what_is_not_supported_is_named(expression):
    with pytest.raises(EquationError):
        CoefficientField((x,)).element(expression)
