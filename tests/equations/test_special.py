"""Special functions in coefficients: their slopes and recurrences against those of mpmath, by SymPy."""

from functools import partial

import pytest
import sympy as sp

from lieapp.api import symmetries
from lieapp.equations.coefficients import CoefficientField
from lieapp.errors import EquationError

x, n, q = sp.symbols("x n q", real=True)
AT = {x: sp.Rational(7, 10), n: sp.Rational(3, 10)}

BESSEL = [f(n + k, 2 * x) for f in (sp.besselj, sp.bessely, sp.besseli, sp.besselk) for k in (-2, -1, 0, 1, 2)]
AIRY = [f(x**2 + 1) for f in (sp.airyai, sp.airybi, sp.airyaiprime, sp.airybiprime)]


@pytest.mark.parametrize("function", [*BESSEL, *AIRY], ids=str)
def test_slopes_and_values(function):
    field = CoefficientField([x], [n])
    element = field.element(function)
    slope = field.expression(field.diff(field.element(function), 0))
    assert abs(sp.N((field.expression(field.lift(element)) - function).subs(AT), 20)) < 1e-15
    assert abs(sp.N((slope - sp.diff(function, x)).subs(AT), 20)) < 1e-15


@pytest.mark.parametrize(
    ("function", "equation"),
    [
        (sp.mathieuc(n, q, x), lambda y: sp.diff(y, x, 2) + (n - 2 * q * sp.cos(2 * x)) * y),
        (sp.hermite(n, x), lambda y: sp.diff(y, x, 2) - 2 * x * sp.diff(y, x) + 2 * n * y),
        (sp.legendre(n, x), lambda y: (1 - x**2) * sp.diff(y, x, 2) - 2 * x * sp.diff(y, x) + n * (n + 1) * y),
    ],
)
def test_functions_solve_their_equations(function, equation):
    field = CoefficientField([x], [n, q])
    y = sp.Function("y")(x)
    found = {y: field.element(function)}
    first = field.diff(found[y], 0)
    second = field.diff(first, 0)
    values = {sp.diff(y, x, 2): second, sp.diff(y, x): first, y: found[y]}
    total = field.zero
    left = sp.expand(equation(y))
    for part, value in values.items():
        coefficient = left.coeff(part)
        left = sp.expand(left - coefficient * part)
        total = field.lift(total) + field.lift(field.element(coefficient)) * field.lift(value)
    assert left == 0 and not field.reduce(total)


def test_second_solutions_hide_no_relation():
    """Ai Bi' - Ai' Bi = 1/pi and J Y1 - J1 Y = -2/(pi x) hold exactly."""
    field = CoefficientField([x], [n])
    w = sp.airyai(x) * sp.airybiprime(x) - sp.airyaiprime(x) * sp.airybi(x) - 1 / sp.pi
    v = sp.besselj(n, x) * sp.bessely(n + 1, x) - sp.besselj(n + 1, x) * sp.bessely(n, x) + 2 / (sp.pi * x)
    assert not field.element(w) and not field.element(v)


def test_what_cannot_be_held_leaves_nothing_behind():
    """An order that isn't allowed is refused, and the table goes on."""
    field = CoefficientField([x], [n])
    with pytest.raises(EquationError):
        field.element(sp.besselj(sp.Abs(n), x))
    assert field.expression(field.element(sp.besselj(n, x))) == sp.besselj(n, x)


@pytest.mark.parametrize("n", [sp.Rational(k, 2) for k in (-5, -3, -1, 1, 3, 5)])
@pytest.mark.parametrize("f", [sp.besselj, sp.bessely, sp.besseli, sp.besselk])
def test_half_orders_are_elementary(f, n):
    field = CoefficientField([x], [])
    found = field.expression(field.element(f(n, 2 * x)))
    assert not found.has(f) and abs(sp.N((found - f(n, 2 * x)).subs(AT), 20)) < 1e-15


ORDERS = [n, sp.Rational(1, 3)]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("f", [sp.besselj, sp.bessely, sp.besseli, sp.besselk])
def test_orders_of_either_sign_depend_on_one_another(f, order):
    """DLMF 10.2.3, 10.27.2, 10.27.3: in the functions of one order, and of those that differ by integers."""
    field = CoefficientField([x], [n])
    field.element(f(order, x))
    for other in (-order, 1 - order, -order - 2):
        found = field.expression(field.element(f(other, x)))
        assert found != f(other, x)
        assert abs(sp.N((found - f(other, x)).subs(AT), 20)) < 1e-14


def test_products_of_both_signs():
    """J(n) J(1-n) + J(-n) J(n-1) = 2 sin(n pi)/(pi x), DLMF 10.5.1."""
    field = CoefficientField([x], [n])
    J = sp.besselj
    w = J(n, x) * J(1 - n, x) + J(-n, x) * J(n - 1, x) - 2 * sp.sin(n * sp.pi) / (sp.pi * x)
    assert not field.element(w)


@pytest.mark.parametrize("factor", ["x*besselj(n, x)**2 + x*bessely(n, x)**2", "besseli(0, x)/besseli(0, n*x)"])
def test_parameters_in_special_functions_are_told_to_be_generic(factor):
    """The first is constant for n = 1/2, the second for n = 1: the heat equation."""
    assert symmetries(f"u_t - u_xx - ({factor})*u", "t,x", "u", "n").assumed_generic == ("n",)


@pytest.mark.parametrize("function", [sp.besselj(x, q), sp.besselk(n + x, x), sp.mathieuc(x, q, x)], ids=str)
def test_orders_are_constant(function):
    with pytest.raises(EquationError, match="order varies with x"):
        CoefficientField([x], [n, q]).element(function)


def test_what_is_constant_is_seen():
    """J(1/2)² + Y(1/2)² = 2/(pi x): a heat equation with constant coefficients."""
    squares = "x*besselj(1/2, x)**2 + x*bessely(1/2, x)**2"
    assert symmetries(f"u_t - u_xx - ({squares})*u", "t,x", "u").dimension == 6
    assert symmetries("u_t - u_xx - besselk(-n, x)/besselk(n, x)*u", "t,x", "u", "n").dimension == 6


ZERO = sp.besselj(n + 2, x) - 2 * (n + 1) / x * sp.besselj(n + 1, x) + sp.besselj(n, x)


@pytest.mark.parametrize(
    "function",
    [1 / ZERO, sp.log(ZERO), sp.sqrt(ZERO), sp.exp(1 / ZERO), ZERO**n, sp.besselj(n, ZERO)],
)
def test_what_divides_by_a_hidden_zero_is_refused_and_leaves_the_field_as_it_was(function):
    field = CoefficientField([x], [n])
    with pytest.raises(EquationError, match="divides by 0"):
        field.element(function)
    grown = sp.exp(x) * sp.besselj(n, x)
    slope = field.element(sp.diff(grown, x))
    assert not field.reduce(field.diff(field.element(grown), 0) - field.lift(slope))


SAME = [
    ((x + 1) ** 2, x**2 + 2 * x + 1),
    (sp.log(x**2), 2 * sp.log(x)),
    (sp.sin(2 * x), 2 * sp.sin(x) * sp.cos(x)),
    (1 / x + 1 / (x + 1), (2 * x + 1) / (x * (x + 1))),
    (sp.sqrt(x**2 + x), sp.sqrt(x) * sp.sqrt(x + 1)),
    (sp.cosh(x) ** 2, 1 + sp.sinh(x) ** 2),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=str)
@pytest.mark.parametrize("f", [sp.airyai, sp.airybiprime, partial(sp.besselk, n), partial(sp.mathieuc, n, q)])
def test_the_same_argument_written_otherwise(f, one, other):
    field = CoefficientField([x], [n, q])
    first, second = field.elements([f(one), f(other)])
    assert not field.reduce(first - second)


@pytest.mark.parametrize(("one", "other"), [
    (1 / (x + 1) - 1, -x / (x + 1)),
    (1 / x + 1 / (x + 1), (2 * x + 1) / (x**2 + x)),
    (q / (q + 1), 1 - 1 / (q + 1)),
    (n * x / (x + q), n - n * q / (x + q)),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("f", [sp.exp, sp.cos, partial(sp.Pow, x), partial(sp.Pow, 2)])
def test_exponents_and_angles_written_otherwise(f, one, other):
    field = CoefficientField([x], [n, q])
    first, second = field.elements([f(one), f(other)])
    assert not field.reduce(first - second)


def test_airy_beside_bessel_of_a_third_is_refused():
    """Ai(x) = sqrt(x/3)/pi K_1/3(2/3 x**(3/2)): as independent functions they gave 2 symmetries of 6."""
    field = CoefficientField([x], [n])
    field.element(sp.airyai(x))
    with pytest.raises(EquationError, match="a third"):
        field.element(sp.besselk(sp.Rational(1, 3), x))
    field.element(sp.besselk(sp.Rational(1, 4), x))
