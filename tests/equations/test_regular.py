"""Coefficients that are infinite, not real or not periodic on a box are named with the place."""

import pytest
import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.equations.regular import check_periodic, check_regular, has_pole
from lieapp.errors import EquationError

T, X, Y = sp.symbols("t x y", real=True)
JETS = JetSpace((T, X), ("u",))
U, UX = JETS.symbol(0, (0, 0)), JETS.symbol(0, (0, 1))
BOX = {T: (0, 2), X: (0, 20)}


@pytest.mark.parametrize(
    ("coefficient", "place"),
    [
        (1 / (2 * T), "at t = 0;"),
        (1 / (T - 1), "at t = 1;"),
        (1 / (T**2 - 2), "at t = 1.41421;"),
        (1 / (T - sp.Rational(1, 7)) ** 2, "at t = 0.142857;"),
        (1 / (sp.exp(T) - 3), "at t = 1.09861;"),
        (1 / (1 - sp.sin(T)), "at t = 1.5708;"),
        (sp.tan(T), "at t = 1.5708;"),
        (sp.log(T), "at t = 0;"),
        (sp.log(T - 1), "at t = 1;"),
        (sp.sqrt(1 - T), "at t = 1.00195;"),
        (1 / (X - 3), "at x = 3;"),
        (1 / (X - 3 - T), "at t = "),
    ],
    ids=str,
)
def test_a_singular_coefficient(coefficient, place):
    with pytest.raises(EquationError) as caught:
        check_regular([UX - coefficient * U], JETS, BOX, "mine")
    assert caught.value.message.startswith(f"mine: the coefficient {-coefficient} of u isn't a finite real ")
    assert place in caught.value.message and "region" in caught.value.hint


@pytest.mark.parametrize(
    "coefficient",
    [
        1 / (T + 1), 1 / (T - 3), 1 / (1 + T**2), sp.exp(-T) * sp.sqrt(T), sp.log(1 + T), 1 / (2 + sp.cos(X)),
        T**3 * X, sp.Abs(X - 1), sp.tanh(X), sp.Heaviside(T - 1), sp.pi,
    ],
    ids=str,
)  # fmt: skip
def test_a_regular_coefficient(coefficient):
    check_regular([coefficient * UX - U**2 / (1 + U**2)], JETS, BOX, "mine")


def test_what_stands_inside_of_a_function_of_the_unknown():
    with pytest.raises(EquationError, match="t = 0"):
        check_regular([sp.sin(U / T) * UX], JETS, BOX, "mine")


@pytest.mark.parametrize(
    ("coefficient", "words"),
    [
        (X, "it is 0 at one end, 20 at the other"),
        (T * X**2, "it is 0 at one end"),
        ((X - 10) ** 2, "its derivative in x is -20 at one end, 20 at the other"),
        (sp.sin(X), "it is 0 at one end, 0.912945 at the other"),
    ],
    ids=str,
)
def test_a_coefficient_that_is_not_periodic(coefficient, words):
    with pytest.raises(EquationError) as caught:
        check_periodic([UX * coefficient + U], JETS, BOX, [X], "mine")
    assert f"of u_x isn't periodic in x over (0, 20): {words}" in caught.value.message
    assert caught.value.hint
    check_periodic([UX * coefficient + U], JETS, BOX, [], "mine")


@pytest.mark.parametrize(
    "coefficient", [sp.sin(sp.pi * X / 10), 1 / sp.cosh(X - 10) ** 2, sp.exp(-((X - 10) ** 2)) * T, T**2], ids=str
)
def test_a_periodic_coefficient(coefficient):
    check_periodic([UX * coefficient + U], JETS, BOX, [X], "mine")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (1 / sp.cos(sp.pi * X / 8), True),
        (U / sp.cos(sp.pi * X / 8), True),
        (1 / (T - 2), True),
        (sp.log(5 - T), False),
        (sp.log(2 - T), True),
        (1 / (2 + sp.sin(X)), False),
        (1 / U, False),
        (sp.exp(-76 * T) * U, False),
    ],
    ids=str,
)
def test_poles_in_the_window(expression, expected):
    """A factor that depends on an unknown isn't judged: nobody knows its values."""
    assert has_pole(expression, {T: (0, 4), X: (0, 16)}) is expected
