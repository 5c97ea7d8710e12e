"""Numbers of typed equations are read from their digits; those that can't be meant are refused."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from lieapp.equations.equation import exact
from lieapp.equations.limits import exact_number, too_large
from lieapp.equations.parsing import parse_expression
from lieapp.errors import ParseError


@given(st.integers(0, 10**30), st.integers(-60, 60))
def test_every_digit_counts(mantissa, power):
    assert parse_expression(f"{mantissa}e{power}", {}) == sp.Rational(Fraction(mantissa) * Fraction(10) ** power)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.12345678901234567890123", sp.Rational(12345678901234567890123, 10**23)),
        ("1e-90", sp.Rational(1, 10**90)),
        (".5", sp.Rational(1, 2)),
        ("3.", sp.Integer(3)),
        ("1_000", sp.Integer(1000)),
        ("0x10", sp.Integer(16)),
        ("0e0", sp.Integer(0)),
    ],
)
def test_exactly(text, value):
    assert parse_expression(text, {}) == value


@pytest.mark.parametrize(
    "text", ["1e-400", "1e400", "1e-101", "1e999999999", "1." + "3" * 60, "9" * 61, "0x" + "f" * 60]
)
def test_too_long(text):
    with pytest.raises(ParseError, match="too long") as caught:
        parse_expression(text, {})
    assert caught.value.hint and exact_number(text) is None


@pytest.mark.parametrize("text", ["exp(exp(exp(exp(50))))", "exp(1000001)", "sinh(-10**9)", "exp(exp(2)*10**6)"])
def test_too_large(text):
    with pytest.raises(ParseError, match="too large to be meant") as caught:
        parse_expression(text, {})
    assert "parameter" in caught.value.hint


def test_large_but_meant():
    x = sp.Symbol("x", real=True)
    assert parse_expression("exp(exp(7)) + sin(10**9) + exp(2000*x)", {"x": x}).has(sp.exp(sp.exp(7)))
    assert not too_large(sp.exp, 2000 * x)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (sp.Float("6.62607015e-34"), sp.Rational("6.62607015e-34")),
        (sp.Float("1e-400"), sp.Rational(1, 10**400)),
        (sp.Float("0.12345678901234567890123"), sp.Rational("0.12345678901234567890123")),
        (sp.Float(1 / 3), sp.Rational(1, 3)),
        (sp.Float(1.1) * 3, sp.Rational(33, 10)),
    ],
    ids=str,
)
def test_floats_of_sympy(value, meant):
    assert exact(value) == meant
