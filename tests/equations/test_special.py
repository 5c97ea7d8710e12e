"""Special functions in coefficients: their slopes and recurrences against those of mpmath, by SymPy."""

import pytest
import sympy as sp

from lieapp.equations.coefficients import CoefficientField

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
    from lieapp.errors import EquationError

    field = CoefficientField([x], [n])
    with pytest.raises(EquationError):
        field.element(sp.besselj(sp.Abs(n), x))
    assert field.expression(field.element(sp.besselj(n, x))) == sp.besselj(n, x)
