"""Zeros p ± i q of irreducible polynomials over ℚ that have no short form in radicals: by one or two real roots.

A real root r leaves a quotient of lower degree. A quadratic one has a formula. A quartic w⁴ + P w² + Q w + R is
(w² - s w + m)(w² + s w + n), where s² is a positive zero of y³ + 2P y² + (P² - 4R) y - Q² (Descartes; van der
Waerden, Algebra I, § 64).
"""

from __future__ import annotations

import sympy as sp

from lieapp.equations.algebraic import RealRoot, highest_root

Wave = tuple[sp.Expr, sp.Expr]
"""p and q: a zero p if q = 0, else the two zeros p ± i q."""


def is_hard(factor: sp.Poly) -> bool:
    """Whether an irreducible polynomial over ℚ has no zeros in square and single roots, and is solved here.

    Of degree 6 those are solved that are cubic in the square of z, up to a shift.
    """
    degree = factor.degree()
    if not 3 <= degree <= 6:
        return False
    z = factor.gen
    rest = sp.Poly(_shifted(factor), z)
    if degree == 6:
        cubic = _halved(rest)
        return cubic is not None and is_hard(cubic)
    if degree == 4:
        P, Q, R = (rest.nth(k) for k in (2, 1, 0))
        return bool(Q != 0 and sp.Poly(z**3 + 2 * P * z**2 + (P**2 - 4 * R) * z - Q**2, z).is_irreducible)
    return any(rest.nth(k) != 0 for k in range(1, degree))


def _shift(f: sp.Poly) -> sp.Expr:
    """What all zeros are shifted by for their sum to be 0."""
    n = f.degree()
    return f.nth(n - 1) / (n * f.LC())


def _shifted(f: sp.Poly) -> sp.Expr:
    return f.monic().as_expr().subs(f.gen, f.gen - _shift(f))


def _halved(f: sp.Poly) -> sp.Poly | None:
    """g with f(z) = g(z²)."""
    if any(k % 2 for (k,) in f.monoms()):
        return None
    return sp.Poly(f.all_coeffs()[::2], f.gen)


def waves(factor: sp.Poly) -> list[Wave]:
    """All zeros of a hard irreducible polynomial over ℚ."""
    degree = factor.degree()
    if degree == 6:
        shift, cubic = _shift(factor), _halved(sp.Poly(_shifted(factor), factor.gen))
        return [(p - shift, q) for w in waves(cubic) for p, q in _square_roots(*w)] if cubic else []
    whole = factor.clear_denoms()[1].primitive()[1]
    top = whole.LC()
    # z = w/top is a zero where w is one of a monic polynomial over ℤ
    coefficients = [sp.S.One, *(c * top**k for k, c in enumerate(whole.all_coeffs()[1:]))]
    if degree == 4:
        found = _of_quartic(coefficients, None)
    else:
        root = RealRoot(0, *coefficients)
        field = _Number(root, coefficients)
        quotient = [sp.S.One]
        for c in coefficients[1:-1]:
            quotient.append(field.reduced(c + root * quotient[-1]))
        found = [(root, sp.S.Zero)]
        found += _of_quadratic(quotient, field) if degree == 3 else _of_quartic(quotient, field)
    return [(p / top, q / abs(top)) for p, q in found]


class _Number:
    """The field ℚ(r) of a root r of a monic polynomial."""

    def __init__(self, root: sp.Expr, coefficients: list[sp.Expr]) -> None:
        self.root, self._r = root, sp.Dummy("r")
        self._polynomial = sp.Poly(coefficients, self._r)

    def reduced(self, e: sp.Expr) -> sp.Expr:
        """A polynomial in r, to lower degree than that of r."""
        rest = sp.Poly(e.xreplace({self.root: self._r}), self._r).rem(self._polynomial)
        return rest.as_expr().xreplace({self._r: self.root})


def _of_quadratic(coefficients: list[sp.Expr], field: _Number) -> list[Wave]:
    """The zeros of z² + b z + c."""
    _, b, c = coefficients
    return _pair(-b / 2, field.reduced(b**2 - 4 * c), sp.S(2))


def _pair(middle: sp.Expr, square: sp.Expr, below: sp.Expr) -> list[Wave]:
    """The zeros m ± sqrt(square)/below."""
    if square.n() < 0:
        return [(middle, sp.sqrt(-square) / below)]
    return [(sp.expand(middle + sign * sp.sqrt(square) / below), sp.S.Zero) for sign in (-1, 1)]


def _square_roots(p: sp.Expr, q: sp.Expr) -> list[Wave]:
    """The zeros of z² = p, or of z² = p ± i q."""
    if q == 0:
        return _pair(sp.S.Zero, p, sp.S.One)
    # z = a ± i b with a² + b² = |p + i q|
    size = sp.sqrt(p**2 + q**2)
    a, b = (sp.sqrt((size + sign * p) / 2) for sign in (1, -1))
    return [(a, b), (-a, b)]


def _of_quartic(coefficients: list[sp.Expr], field: _Number | None) -> list[Wave]:
    """The zeros of a monic quartic over ℤ, or over ℤ[r]."""
    _, c3, c2, c1, c0 = coefficients

    def reduced(e: sp.Expr) -> sp.Expr:
        return field.reduced(e) if field else sp.expand(e)

    P, Q, R, scale = c2, c1, c0, 1
    if c3 != 0:
        # of w = 4z + c3
        P, Q, scale = reduced(16 * c2 - 6 * c3**2), reduced(64 * c1 - 32 * c2 * c3 + 8 * c3**3), 4
        R = reduced(256 * c0 - 64 * c1 * c3 + 16 * c2 * c3**2 - 3 * c3**4)
    resolvent = (sp.S.One, 2 * P, reduced(P**2 - 4 * R), reduced(-(Q**2)))
    y = highest_root(resolvent)
    s = sp.sqrt(y)
    found = []
    for sign in (1, -1):
        # of w² - sign s w + (P + y + sign Q/s)/2, times y
        found += _pair(sign * s / 2, sp.expand(-(y**2) - 2 * P * y - 2 * sign * Q * s), 2 * s)
    return [(sp.expand((w - c3) / scale) if scale > 1 else w, q / scale) for w, q in found]
