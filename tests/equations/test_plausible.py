"""Equations that can't be meant are refused when they are read, with what is wrong in them."""

import pytest
import sympy as sp

from lieapp.equations.equation import read_equations
from lieapp.errors import EquationError

T, X = sp.symbols("t x", real=True)
A, B = sp.symbols("a b")
U = sp.Function("u")(T, X)


def read(equation, **values):
    return read_equations([equation], (T, X), {sp.Symbol(k): v for k, v in values.items()}, "mine")


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        (U.diff(T) + U.diff(X, 3) / (A - B), "1/(a - b) of u_xxx isn't a finite number with a = 1, b = 1"),
        (U.diff(T) + sp.log(A - B) * U.diff(X), "the coefficient log(a - b) of u_x isn't a finite number with"),
        (U.diff(T) + sp.oo * U.diff(X), "the coefficient oo of u_x isn't a finite number."),
        (U.diff(T) + U.diff(X) / (A - B) - U / (A - B), "isn't a finite number with a = 1, b = 1"),
        (sp.I * U.diff(T) + U.diff(X, 2), "I*u_t + u_xx = 0 is complex; an equation must be real"),
        (U.diff(T) + sp.sqrt(-A) * U.diff(X, 2), "is complex"),
        (U.diff(T) + sp.Pow(-1, sp.Rational(1, 3)) * U.diff(X, 2), "is complex"),
        (U.diff(T) + sp.Integral(U, X), "Integral(u, x) is no expression in the unknowns"),
        (U.diff(T) + sp.Integral(U, (X, 0, 1)), "is no expression in the unknowns"),
        (U.diff(T) + sp.Sum(U**A, (A, 0, sp.oo)), "is no expression in the unknowns"),
        (U.diff(T) + U.diff(X).subs(X, 0), ""),
    ],
    ids=str,
)  # fmt: skip
def test_refused(equation, words):
    with pytest.raises(EquationError) as caught:
        read(equation, a=1, b=1)
    assert caught.value.message.startswith("mine: ") and words in caught.value.message and caught.value.hint


def test_read():
    read(U.diff(T) + U.diff(X, 3) / (A - B), a=1, b=2)
    read(U.diff(T) + sp.Integral(sp.exp(-X), X) * U.diff(X))
    read(U.diff(T) + sp.Abs(U) * sp.sqrt(1 + U**2) * U.diff(X) + sp.cbrt(U) + sp.Heaviside(X))
