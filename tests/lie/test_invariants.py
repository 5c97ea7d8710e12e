"""Invariants: known ones, and that they are annihilated and independent by a check of its own."""

import pytest
import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.equations.parsing import parse_expression
from lieapp.errors import EquationError
from lieapp.lie.reduction.flows import combined, invariants
from lieapp.lie.vector_field import Field

KNOWN = [
    ("t,x", "u", {"t": "2*t", "x": "x"}, ["x/sqrt(t)", "u"]),
    ("t,x", "u", {"t": "1", "x": "c"}, ["-c*t + x", "u"]),
    ("t,x", "u", {"t": "4*t**2", "x": "4*t*x", "u": "-(x**2+2*t)*u"}, ["x/t", "sqrt(t)*u*exp(x**2/(4*t))"]),
    ("t,x", "u", {"t": "x", "x": "t"}, ["-t**2 + x**2", "u"]),
    ("t,x,y", "u", {"x": "y", "y": "-x"}, ["t", "sqrt(x**2 + y**2)", "u"]),
    ("t,x", "u,v", {"u": "-v", "v": "u"}, ["t", "x", "sqrt(u**2 + v**2)"]),
    ("x", "y", {"x": "x", "y": "-2"}, ["y + 2*log(x)"]),
    ("t,x", "u", {"t": "2*t", "x": "x*(log(x) + 3*t)", "u": "u"}, ["(-3*t + log(x))/sqrt(t)", "u/sqrt(t)"]),
]


def given(independent, dependent, components):
    jets = JetSpace(tuple(sp.Symbol(n, real=True) for n in independent.split(",")), tuple(dependent.split(",")))
    names = {str(s): s for s in jets.coordinates} | {"c": sp.Symbol("c", real=True)}
    return jets, Field({str(X): parse_expression(components.get(str(X), "0"), names) for X in jets.coordinates})


@pytest.mark.parametrize(("independent", "dependent", "components", "expected"), KNOWN)
def test_invariants_in_their_usual_form(independent, dependent, components, expected):
    jets, field = given(independent, dependent, components)
    found = invariants(jets, field)
    assert [str(e) for e in found.expressions] == expected
    assert len(expected) == len(jets.coordinates) - 1


@pytest.mark.parametrize(("independent", "dependent", "components", "expected"), KNOWN)
def test_the_field_annihilates_them_and_they_are_independent(independent, dependent, components, expected):
    jets, field = given(independent, dependent, components)
    found = invariants(jets, field).expressions
    point = {X: sp.Rational(5 + 2 * k, 3 + k) for k, X in enumerate(jets.coordinates)}
    slopes = [[sp.diff(e, X) for X in jets.coordinates] for e in found]
    for row in slopes:
        rate = sum(field.components[str(X)] * d for X, d in zip(jets.coordinates, row, strict=True))
        assert abs(sp.N(rate.subs(point).subs(sp.Symbol("c", real=True), 2), 30)) < 1e-25
    values = sp.Matrix(slopes).subs(point).subs(sp.Symbol("c", real=True), 2).evalf(30)
    assert values.rank(iszerofunc=lambda e: abs(e) < 1e-20) == len(found)


def test_similarity_variables_come_first_and_are_counted():
    jets, field = given("t,x", "u", {"x": "t", "u": "1"})
    assert invariants(jets, field).similarity == 1
    jets, field = given("x,y", "u", {"x": "u**2", "y": "4*y**2", "u": "4*y*u"})
    assert invariants(jets, field).similarity == 0


def test_no_closed_form_and_a_zero_field_have_a_reason():
    jets, field = given("t,x", "u", {"t": "1", "x": "sin(x*t) + u", "u": "exp(u*x)"})
    assert "closed form" in invariants(jets, field).reason
    jets, field = given("t,x", "u", {})
    assert "zero" in invariants(jets, field).reason


def test_numbers_of_fields_and_coefficients_must_agree():
    _, field = given("t,x", "u", {"t": "1"})
    with pytest.raises(EquationError, match="2 coefficients for 1 fields"):
        combined([field], [sp.S.One, sp.S.One])


def test_integrals_of_an_unknown_function_have_no_value_at_a_point():
    jets, field = given("t,x", "u", {"t": "1"})
    x, u = jets.independent[1], jets.unknowns[0]
    rate = sp.exp(-sp.Integral(sp.Function("h")(x), x))
    found = invariants(jets, Field({**field.components, "u": rate})).expressions
    assert found[0] == x and len(found) == 2
    assert sp.simplify(sp.diff(found[1], jets.independent[0]) + rate * sp.diff(found[1], u)) == 0
