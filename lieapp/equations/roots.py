"""An equation solved for one of its derivatives: linearly, by a root, or not at all but kept as a relation."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from lieapp.equations.factors import listed, refuse
from lieapp.equations.jets import JetSpace

MAX_DEGREE = 12
"""Highest power of a derivative."""


def solved_for(equation: sp.Expr, symbol: sp.Symbol) -> tuple[sp.Expr, sp.Expr, bool] | None:
    """The equation solved for a symbol that occurs linearly, as a square or as one pure power; else None.

    The value, what was divided by, and whether the symbol occurred linearly; if it didn't, the value is one real
    branch.
    """
    slope = sp.diff(equation, symbol)
    if not slope.has(symbol):
        return -(equation - slope * symbol) / slope, slope, True
    if not equation.is_polynomial(symbol):
        return None
    polynomial = sp.Poly(equation, symbol)
    degree = polynomial.degree()
    top, constant = polynomial.nth(degree), polynomial.nth(0)
    if degree == 2:
        middle = polynomial.nth(1)
        root = _root(middle**2 / 4 - top * constant, 2)
        return None if root is None else ((root - middle / 2) / top, top, False)
    if degree <= MAX_DEGREE and all(m in ((degree,), (0,)) for m in polynomial.monoms()):
        root = _root(-constant / top, degree)
        return None if root is None else (root, top, False)
    return None


def _root(radicand: sp.Expr, degree: int) -> sp.Expr | None:
    """The real root for generic values; None if there is no such root."""
    # √(u²) is the branch u, not |u|: one branch of an irreducible equation has the symmetries of all
    positive = {s: sp.Dummy(s.name, positive=True) for s in radicand.free_symbols}
    radicand = sp.factor(radicand.xreplace(positive))
    if radicand.is_negative and degree % 2 == 0:
        return None
    sign = -1 if radicand.is_negative else 1
    root = sign * (sign * radicand) ** sp.Rational(1, degree)
    return root.xreplace({dummy: s for s, dummy in positive.items()})


def check_one_branch(equation: sp.Expr, symbol: sp.Symbol, jets: JetSpace, name: str) -> None:
    """Raises EquationError if the roots of u_J² + b u_J + c = 0, or of u_Jⁿ = c, are equations of their own.

    That is so where the root is taken of a square in the derivatives, times what is free of derivatives. Else going
    around a point at which the derivatives let the root vanish leads from one root to the other at the same (x, u),
    and both have the same symmetries.
    """
    polynomial = sp.Poly(equation, symbol)
    degree = polynomial.degree()
    if degree % 2:
        return
    top, half = polynomial.nth(degree), degree // 2
    middle = polynomial.nth(1) / top if degree == 2 else sp.S.Zero
    radicand = sp.together(middle**2 / 4 - polynomial.nth(0) / top)
    sides = (listed(side) for side in sp.fraction(radicand))
    if any(n % 2 and jets.order([f]) for side in sides for f, n in side):
        return
    root = _root(radicand, 2)
    if root is not None:
        refuse([symbol**half + middle / 2 + sign * root for sign in (-1, 1)], name)


@dataclass(frozen=True)
class Relation:
    """An equation F = 0 of degree d in a derivative p that is kept: p is algebraic over everything else.

    With c before pᵈ, p = `root`/c, and root**degree = power, a polynomial of lower degree in the root.
    """

    equation: sp.Expr
    derivative: sp.Symbol
    value: sp.Expr
    root: sp.Symbol
    degree: int
    power: sp.Expr


def relation_of(equation: sp.Expr, symbol: sp.Symbol) -> Relation | None:
    """The equation as a relation for a derivative; None if it isn't polynomial in it."""
    if not equation.is_polynomial(symbol):
        return None
    polynomial = sp.Poly(equation, symbol)
    degree = polynomial.degree()
    if not 1 < degree <= MAX_DEGREE:
        return None
    root, top = sp.Dummy(f"{symbol}_root", real=True), polynomial.nth(degree)
    power = -sum(
        (polynomial.nth(k) * top ** (degree - 1 - k) * root**k for k in range(degree)), start=sp.S.Zero
    )
    return Relation(equation, symbol, root / top, root, degree, sp.expand(power))
