"""SymPy's fields of fractions over ℤ, quick where denominators are 1.

Most coefficients of determining equations are polynomials. SymPy looks for common divisors of numerator and
denominator after each sum, product and derivative, also where the denominator is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub
from typing import Any

import sympy as sp
from sympy import ZZ
from sympy.polys.fields import FracElement, FracField
from sympy.polys.orderings import MonomialOrder


class Quotient(FracElement):
    """An element, numerator and denominator without common divisors."""

    def new(self, numer: Any, denom: Any) -> Quotient:
        """numer/denom; as SymPy's, which all sums, products and quotients use."""
        return self.raw_new(*_cancelled(numer, denom))

    def slope(self, n: int) -> Quotient:
        """∂ by the generator number n, all others fixed."""
        numer, denom = derivative(self.numer, n), derivative(self.denom, n)
        if not denom:
            return self.new(numer, self.denom)
        return self.new(numer * self.denom - self.numer * denom, self.denom**2)


class QuotientField(FracField):
    """ℚ(symbols), with elements that are fractions of polynomials over ℤ."""

    def __new__(cls, symbols: Sequence[sp.Symbol], order: MonomialOrder) -> Any:
        field: Any = super().__new__(cls, symbols, ZZ, order)
        field.dtype = Quotient(field, field.ring.zero).raw_new
        field.zero, field.one = field.dtype(field.ring.zero), field.dtype(field.ring.one)
        field.gens = tuple(map(field.dtype, field.ring.gens))
        return field

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.symbols, self.order

    def new(self, numer: Any, denom: Any = None) -> Quotient:
        """numer/denom, by default 1."""
        one = self.ring.one
        result: Quotient = self.raw_new(*_cancelled(numer, one if denom is None else denom))
        return result


def _cancelled(numer: Any, denom: Any) -> tuple[Any, Any]:
    """Both without common divisors, and with the highest coefficient below positive."""
    if len(denom) == 1 and denom.get(denom.ring.zero_monom) == 1:
        return numer, denom
    cancelled: tuple[Any, Any] = numer.cancel(denom)
    return cancelled


def divided(polynomial: Any, by: Any) -> Any:
    """The quotient of polynomials over ℤ, one that is a divisor of the other; terms in order, as division has them.

    Which way the solver takes depends on it: of heat with k(x) and f(x) the other one takes five times as long.
    """
    if len(by) > 1:
        return polynomial.exquo(by)
    ((low, c),) = by.items()
    return polynomial.new([(tuple(map(sub, m, low)), n // c) for m, n in polynomial.terms()])


def derivative(polynomial: Any, n: int) -> Any:
    """∂ by the generator number n of a polynomial over ℤ."""
    return polynomial.new(
        [((*m[:n], m[n] - 1, *m[n + 1 :]), c * m[n]) for m, c in polynomial.items() if m[n]]
    )
