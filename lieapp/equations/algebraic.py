"""Real roots of polynomials as numbers: RealRoot(0, 1, 0, 1, 1) is the lowest real zero of z³ + z + 1.

SymPy's CRootOf keeps a variable inside, which a substitution would replace, and takes integers only. Here the
coefficients may contain other real roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp
from mpmath import mp, mpf
from mpmath.libmp import prec_to_dps


class RealRoot(sp.Function):
    """RealRoot(k, aₙ, …, a₀): the real zero number k, counted from 0 in ascending order, of aₙ zⁿ + … + a₀.

    The coefficients are rational, or polynomials in other such roots. With rational ones it becomes the root of a
    monic irreducible polynomial over ℤ divided by an integer, or a formula up to degree 2. Raises ValueError where
    there is no such zero, or the coefficients aren't real algebraic numbers.
    """

    is_real = is_finite = is_algebraic = True
    is_zero = False

    @classmethod
    def eval(cls, *arguments: sp.Expr) -> sp.Expr | None:
        """A simpler form, or None if this is the simplest."""
        number, coefficients = arguments[:1], arguments[1:]
        if not (number and number[0].is_Integer and len(coefficients) > 1):
            raise ValueError("RealRoot takes the number of the root and at least two coefficients")
        if not all(map(_is_algebraic, coefficients)):
            raise ValueError("coefficients are rational numbers, or polynomials over the integers in real roots")
        if coefficients[0] == 0:
            raise ValueError("the first coefficient is 0")
        rational = all(c.is_Rational for c in coefficients)
        if rational:
            coefficients = tuple(sp.Poly(list(coefficients), sp.Dummy("z")).sqf_part().all_coeffs())
        elif coefficients[0] != 1:
            raise ValueError("a polynomial with irrational coefficients must begin with 1")
        if not 0 <= number[0] < (size := len(_real_zeros(coefficients, 15))):
            raise ValueError(f"there is no real root number {number[0]}: the polynomial has {size}, counted from 0")
        if not rational:
            return None
        found = _simplest(int(number[0]), coefficients)
        simplest = found == arguments and found[1] == 1 and len(found) > 4
        return None if simplest else _written(*found)

    def _eval_evalf(self, prec: int) -> sp.Expr:
        digits = prec_to_dps(prec) + 5
        return sp.Float(_real_zeros(self.args[1:], digits)[int(self.args[0])], digits).n(prec_to_dps(prec))

    def _eval_is_extended_positive(self) -> bool:
        return bool(_real_zeros(self.args[1:], 15)[int(self.args[0])] > 0)

    def _eval_is_extended_negative(self) -> bool:
        return not self._eval_is_extended_positive()


def highest_root(coefficients: tuple[sp.Expr, ...]) -> sp.Expr:
    """The highest real zero of a polynomial, as RealRoot has its coefficients."""
    return RealRoot(len(_real_zeros(coefficients, 15)) - 1, *coefficients)


def _is_algebraic(c: sp.Expr) -> bool:
    roots = sorted((e for e in c.atoms(RealRoot)), key=str)
    if c.is_Rational or not roots or not c.is_polynomial(*roots):
        return bool(c.is_Rational)
    names = {root: sp.Dummy() for root in roots}
    return bool(sp.Poly(c.xreplace(names), *names.values()).domain.is_ZZ)


@lru_cache(maxsize=256)
def _real_zeros(coefficients: tuple[sp.Expr, ...], digits: int) -> list[mpf]:
    """The real zeros of a polynomial in ascending order, each once."""
    with mp.workdps(2 * digits + 30):
        numbers: list[Any] = [mp.mpf(str(sp.N(c, 2 * digits + 40))) for c in coefficients]
        try:
            zeros = mp.polyroots(numbers, maxsteps=200, extraprec=8 * digits + 200)
        except (mp.NoConvergence, ZeroDivisionError):
            raise ValueError("the roots of this polynomial can't be told apart") from None
        real = sorted(z.real for z in zeros if abs(z.imag) <= mp.mpf(10) ** (-digits) * (1 + abs(z)))
        return [z for k, z in enumerate(real) if not k or z - real[k - 1] > mp.mpf(10) ** (-digits)]


def _simplest(k: int, coefficients: Sequence[sp.Expr]) -> tuple[int, ...]:
    """The number and the coefficients, coprime integers, of the irreducible factor that has the root."""
    z = sp.Dummy("z")
    value = _real_zeros(coefficients, 15)[k]
    found = []
    for factor, _ in sp.Poly(list(coefficients), z).factor_list()[1]:
        numbers = tuple(factor.clear_denoms()[1].primitive()[1].all_coeffs())
        zeros = _real_zeros(numbers, 15)
        found += [(abs(zero - value), n, numbers) for n, zero in enumerate(zeros)]
    _, n, numbers = min(found, key=lambda entry: entry[0])
    sign = -1 if numbers[0] < 0 else 1
    return (n, *(int(sign * c) for c in numbers))


def _written(k: int, top: int, *rest: int) -> sp.Expr:
    """A root of an irreducible polynomial: by a formula, or by a monic polynomial, c z as a root of cⁿ⁻¹ f(z/c)."""
    degree = len(rest)
    if degree == 1:
        return sp.Rational(-rest[0], top)
    if degree == 2:
        b, c = rest
        root = sp.sqrt(b**2 - 4 * top * c)
        return (-b + (root if k else -root)) / (2 * top)
    return RealRoot(k, 1, *(a * top**n for n, a in enumerate(rest))) / top
