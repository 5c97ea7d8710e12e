"""Real roots of polynomials as numbers, and roots that hide no relation: against SymPy's roots and by squares."""

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lieapp.equations.algebraic import RealRoot
from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.independence import without
from lieapp.equations.parsing import parse_expression, parse_system
from lieapp.errors import EquationError, ParseError

x, y, a, z = sp.symbols("x y a z", real=True)
sqrt, sin, cos = sp.sqrt, sp.sin, sp.cos
THIRD = sp.Rational(1, 3)
R = RealRoot(0, 1, 0, 1, 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=3, max_size=6))
@pytest.mark.slow
def test_real_roots_are_those_of_the_polynomial_in_ascending_order(coefficients):
    assume(coefficients[0] and any(coefficients[1:]))
    expected = sp.Poly(coefficients, z).real_roots(multiple=False)
    for k, (root, _) in enumerate(expected):
        assert abs(sp.N(RealRoot(k, *coefficients) - root, 30)) < 1e-25
    with pytest.raises(ValueError, match="there is no real root"):
        RealRoot(len(expected), *coefficients)


def test_one_number_has_one_form():
    """The factor that has the root, made monic; up to degree 2 a formula."""
    product = sp.Poly((2 * z**3 + z + 1) * (z - 5) * (z**2 + 1), z)
    assert RealRoot(0, *product.all_coeffs()) == RealRoot(0, 2, 0, 1, 1) == RealRoot(0, 1, 0, 2, 4) / 2
    assert RealRoot(1, *product.all_coeffs()) == 5
    assert RealRoot(1, 1, 0, -2) == sqrt(2)


def test_signs_of_real_roots_are_known():
    assert R.is_negative and not R.is_positive and RealRoot(1, 1, 0, -3, 1).is_positive


def test_the_field_has_the_polynomial_as_relation():
    nested = RealRoot(0, 1, R, 0, -2 + R)
    field = CoefficientField([x], [])
    assert not field.element(R**3 + R + 1)
    assert not field.element(nested**3 + R * nested**2 - 2 + R)
    # 1/r = -(r² + 1), which a relation of several terms gives
    assert field.expression(field.element(1 / R)) == -1 - R**2
    assert field.element(R**2 + 1)


def test_exponentials_of_a_root_solve_its_equation():
    field = CoefficientField([x], [])
    u = [field.element(sp.exp(R * x))]
    for _ in range(3):
        u.append(field.diff(u[-1], 0))
    assert not field.reduce(u[3] + u[1] + u[0])


@pytest.mark.parametrize("e", [sp.exp(x * R) * cos(x * sqrt(3 * R**2 + 4) / 2), RealRoot(0, 1, R, 0, -2 + R)])
def test_roots_can_be_typed_back(e):
    assert parse_expression(str(e), {"x": x}, typed=True) == e


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("RealRoot(0, 1, 0, 1)", "no real root number 0"),
        ("RealRoot(3, 1, 0, -2)", "the polynomial has 2, counted from 0"),
        ("RealRoot()", "takes the number of the root"),
        ("RealRoot(0, x, 1)", "coefficients are rational numbers"),
        ("RealRoot(0, 1, pi, 0)", "coefficients are rational numbers"),
        ("RealRoot(0, 1, RealRoot(0, 1, 0, 1, 1)/2, 1)", "coefficients are rational numbers"),
        ("RealRoot(0, 2, RealRoot(0, 1, 0, 1, 1), 1)", "must begin with 1"),
        ("RealRoot(0, 0, 1, 1)", "the first coefficient is 0"),
        ("RealRoot(0, 1, 0, 0, 0, 0, 0, 0, 2)", "degree 6 is the largest"),
    ],
)
def test_what_is_no_real_root_is_refused_where_it_stands(text, problem):
    with pytest.raises(ParseError, match=problem):
        parse_expression(text, {"x": x}, typed=True)


def test_equations_have_no_real_roots():
    with pytest.raises(ParseError, match="not a known function"):
        parse_system(["y_x - RealRoot(0, 1, 0, 1, 1)*y"], ["x"], ["y"])


RELATED = {
    # the product of the radicands is a square, or a square times a number
    "cos(x)": [sqrt(1 - sin(x)), sqrt(1 + sin(x))],
    "the same, in one root": [sqrt(1 - sin(x) ** 2)],
    "sin(x)": [sqrt(1 - cos(x)), sqrt(1 + cos(x))],
    "half the angle": [sqrt(1 + cos(2 * x)), cos(x)],
    "half the angle, later": [sqrt(1 + sin(2 * x)), cos(x)],
    "roots of half the angle": [sqrt(sin(x)), sqrt(sin(x / 2)), sqrt(cos(x / 2))],
    "a root inside": [sqrt(sqrt(x) + 1), sqrt(sqrt(x) - 1), sqrt(x - 1)],
    "cubes": [(1 - sin(x)) ** THIRD, (1 + sin(x)) ** THIRD, cos(x) ** THIRD],
    "two waves": [sqrt(1 - sin(x) * sin(y)), sqrt(1 + sin(x) * sin(y)), sqrt(cos(x) ** 2 + (sin(x) * cos(y)) ** 2)],
    "numbers": [R, RealRoot(0, 1, -3, 4, -1)],
}


@pytest.mark.parametrize("name", RELATED)
def test_roots_that_would_hide_a_relation_are_refused(name):
    field = CoefficientField([x, y], [a])
    with pytest.raises(EquationError, match="may depend on"):
        field.elements(RELATED[name])


INDEPENDENT = {
    "one": [sqrt(1 - sin(x)), cos(x)],
    "sin, cos and tan": [sqrt(sin(x)), sqrt(cos(x))],
    "several": [sqrt(2 + sin(x)), sqrt(1 + sp.exp(x)), sqrt(2), sqrt(x + 1)],
    "powers": [sqrt(1 + x**a), sqrt(x ** (2 * a) + 1)],
    "cubes": [(1 - sin(x)) ** THIRD, (1 + sin(x)) ** THIRD],
    "roots inside": [sqrt(y**2 + 1), sqrt(1 + y * sqrt(y**2 + 1))],
    "numbers": [R, sqrt(3 * R**2 + 4), RealRoot(0, 1, 0, 0, 0, -1, -1), sqrt(5)],
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_roots_are_accepted(name):
    field = CoefficientField([x, y], [a])
    product = sp.Mul(*INDEPENDENT[name])
    at = {x: sp.Rational(1, 2), y: sp.Rational(2, 3), a: sp.Rational(3, 7)}
    found = field.expression(field.element(product))
    assert abs(sp.N((found - product).subs(at), 20)) < 1e-15


ZEROS = {
    "hyperbolic": sqrt(sp.cosh(x) - 1) * sqrt(sp.cosh(x) + 1) - sp.sinh(x),
    "a square below": sqrt(sp.cosh(x) - 1) ** 2 - sp.cosh(x) + 1,
    "tan": sqrt(sp.tan(x) - 1) ** 2 - sp.tan(x) + 1,
    "a pole below": sqrt(1 + x ** (a - 1)) ** 2 - 1 - x ** (a - 1),
    "numbers": sqrt(5 - sqrt(5)) * sqrt(5 + sqrt(5)) - 2 * sqrt(5),
    "signs": sqrt((sin(x) - 1) * (cos(x) - 1)) ** 2 - (1 - sin(x)) * (1 - cos(x)),
}


@pytest.mark.parametrize("name", ZEROS)
def test_what_roots_say_of_one_another_is_known(name):
    assert not CoefficientField([x], [a]).element(ZEROS[name])


NEVER = [sin(x) - 1, sin(x) ** 2 - 1, sin(x) + cos(x) - 2, -3 - 2 * sin(x), -1 - sp.exp(x)]


@pytest.mark.parametrize("radicand", NEVER, ids=str)
def test_roots_that_are_never_real_are_refused(radicand):
    with pytest.raises(EquationError, match="is not real"):
        CoefficientField([x], []).element(sqrt(radicand))


def test_a_refused_expression_leaves_the_field_as_it_was():
    field = CoefficientField([x], [])
    kept = field.element(sqrt(1 - sin(x)) * sp.exp(x))
    atoms, known = list(field.table.atoms), dict(field.table._known)
    for refused in (sqrt(1 + sin(x)) * sp.log(x), sin(x / 2), sp.exp(x / 2) * sqrt(sin(x) - 1)):
        with pytest.raises(EquationError):
            field.element(refused)
        assert (field.table.atoms, field.table._known) == (atoms, known)
    assert field.lift(kept) == field.element(sqrt(1 - sin(x)) * sp.exp(x))


def test_atoms_that_contain_one_are_left_out():
    field = CoefficientField([x], [])
    field.element(sqrt(2) + sqrt(1 + sqrt(2)) + sqrt(3))
    inner = next(atom for atom in field.table.atoms if atom.expression == sqrt(2))
    assert [atom.expression for atom in without(inner, field.table.atoms)] == [sqrt(3)]
