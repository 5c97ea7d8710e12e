"""Which divisions assume something of the parameters: factors that some parameter values make vanish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp


def vanishing_factors(
    expression: sp.Expr, constants: Iterable[sp.Symbol], known: Sequence[sp.Expr] = ()
) -> list[sp.Expr]:
    """The factors of a divisor that may vanish identically for some values of the constants.

    Coordinates are generic, so `nu*u` may vanish only through nu, and `u + nu` never vanishes identically.
    `known` are expressions declared nonzero.
    """
    free = set(constants)
    if not expression.free_symbols & free:
        return []
    bases = [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.numer(sp.together(expression))))]
    return [b for b in bases if _may_vanish(b, free, known)]


def _may_vanish(factor: sp.Expr, constants: set[sp.Symbol], known: Sequence[sp.Expr]) -> bool:
    if not factor.free_symbols & constants or factor.is_nonzero or factor.is_positive or factor.is_negative:
        return False
    if any(sp.expand(factor - sign * k) == 0 for k in known for sign in (1, -1)):
        return False
    generic = factor.free_symbols - constants
    if generic and factor.is_polynomial(*generic):
        return not any(c.is_nonzero for c in sp.Poly(factor, *generic).coeffs())
    return True
