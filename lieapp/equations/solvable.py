"""One equation solved for one derivative: linearly where it can be, else by a root."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from lieapp.equations.jets import JetSpace
from lieapp.equations.products import refuse

MAX_DEGREE = 12
"""Highest pure power of a derivative that is solved by a root."""


@dataclass(frozen=True)
class Solved:
    """A derivative in terms of the others.

    Args:
        value: what it equals.
        divisor: what was divided by.
        linear: whether the derivative occurred linearly; else the value is one real branch.
    """

    value: sp.Expr
    divisor: sp.Expr
    linear: bool


def solved_for(equation: sp.Expr, symbol: sp.Symbol) -> Solved | None:
    """The equation solved for a symbol that occurs linearly, as a square or as one pure power; else None."""
    slope = sp.diff(equation, symbol)
    if not slope.has(symbol):
        return Solved(-(equation - slope * symbol) / slope, slope, linear=True)
    if not equation.is_polynomial(symbol):
        return None
    polynomial = sp.Poly(equation, symbol)
    degree = polynomial.degree()
    top, constant = polynomial.nth(degree), polynomial.nth(0)
    if degree == 2:
        middle = polynomial.nth(1)
        root = _root(middle**2 / 4 - top * constant, 2)
        return None if root is None else Solved((root - middle / 2) / top, top, linear=False)
    if degree <= MAX_DEGREE and all(m in ((degree,), (0,)) for m in polynomial.monoms()):
        root = _root(-constant / top, degree)
        return None if root is None else Solved(root, top, linear=False)
    return None


def _root(radicand: sp.Expr, degree: int) -> sp.Expr | None:
    """The real root for generic values; None if there is no such root."""
    # √(u²) is the branch u, not |u|: one branch of an irreducible equation has the symmetries of all
    positive = {s: sp.Dummy(s.name, positive=True) for s in radicand.free_symbols}
    radicand = sp.factor(radicand.xreplace(positive))
    if radicand.is_negative and degree % 2:
        root = -((-radicand) ** sp.Rational(1, degree))
    elif radicand.is_negative:
        return None
    else:
        root = radicand ** sp.Rational(1, degree)
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
    sides = (sp.factor_list(side)[1] for side in sp.fraction(radicand))
    if any(n % 2 and jets.order([f]) for side in sides for f, n in side):
        return
    root = _root(radicand, 2)
    if root is not None:
        refuse([symbol**half + middle / 2 + sign * root for sign in (-1, 1)], name)
