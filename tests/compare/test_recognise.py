"""Exact numbers from measured ones."""

import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st

from lieapp.compare.closed_form.numbers import LARGEST, factors, numbers, simplest


@given(st.fractions(-100, 100, max_denominator=50), st.floats(1e-9, 1e-5))
def test_the_simplest_rational_near_a_rational_is_itself(value, width):
    assert simplest(float(value) - width, float(value) + width) == value


@given(st.floats(-100, 100), st.floats(1e-6, 0.5))
@example(36.99996496088335, 1e-06)
def test_no_rational_in_the_interval_has_a_smaller_denominator(centre, width):
    low, high = centre - width, centre + width
    found = simplest(low, high)
    if found is None:
        # an interval of this width holds a fraction over every denominator from here on
        least = math.ceil(1 / (high - low))
        assert least * (abs(centre) + width) > LARGEST
        return
    assert low <= found <= high
    for denominator in range(1, min(found.denominator, 200)):
        first = -((-Fraction(low) * denominator) // 1)
        assert Fraction(first) / denominator > Fraction(high)


def test_numbers_beyond_the_largest_are_not_recognised():
    assert simplest(1e-9, 1.1e-9) is None


@pytest.mark.parametrize(
    ("exact", "parameters"),
    [
        (sp.Rational(5, 3), ()),
        (sp.Integer(-2), ()),
        (sp.sqrt(2) / 2, ()),
        (2 * sp.pi, ()),
        (sp.Rational(123, 10000), (sp.Rational(123, 10000),)),
        (2 / sp.Rational(717, 1000), (sp.Rational(717, 1000),)),
    ],
    ids=str,
)
@pytest.mark.parametrize("error", [3e-5, -1e-6, 0.0])
def test_a_number_measured_with_an_error_is_recognised(exact, parameters, error):
    assert exact in numbers(float(exact) * (1 + error), 1e-4, factors(parameters))


def test_a_mere_decimal_is_recognised_as_nothing_simple():
    found = numbers(0.73519284, 1e-7, factors(()))
    assert all(
        max(abs(sp.numer(n / sp.S.One)).evalf(), 1) > 100 or n.has(sp.pi, sp.sqrt(2), sp.sqrt(3)) for n in found
    )
