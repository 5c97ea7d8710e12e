"""Which divisions assume something of the parameters: factors that some parameter values make vanish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef


def vanishing_factors(
    expression: sp.Expr, constants: Iterable[sp.Symbol], known: Sequence[sp.Expr] = ()
) -> list[sp.Expr]:
    """The factors of a divisor that may vanish identically for some values of the constants.

    Coordinates are generic, so `nu*u` may vanish only through nu, and `u + nu` never vanishes identically.
    Of arbitrary functions k(u) everything counts that vanishes for special ones; `k_u` is the derivative.
    `known` are expressions declared nonzero.
    """
    expression, functions = named(expression)
    free = {*constants, *functions}
    if not expression.free_symbols & free:
        return []
    bases = [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.numer(sp.together(expression))))]
    return [b for b in bases if _may_vanish(b, free, functions, known)]


def _may_vanish(
    factor: sp.Expr, constants: set[sp.Symbol], functions: Mapping[sp.Symbol, sp.Expr], known: Sequence[sp.Expr]
) -> bool:
    if not factor.free_symbols & constants or factor.is_nonzero or factor.is_positive or factor.is_negative:
        return False
    if any(sp.expand(factor - sign * k) == 0 for k in known for sign in (1, -1)):
        return False
    # u k_u + 1 vanishes for a special k(u)
    tied = {x for s in factor.free_symbols & functions.keys() for x in functions[s].free_symbols}
    generic = factor.free_symbols - constants - tied
    if generic and factor.is_polynomial(*generic):
        return not any(c.is_nonzero for c in sp.Poly(factor, *generic).coeffs())
    return True


def named(expression: sp.Expr) -> tuple[sp.Expr, dict[sp.Symbol, sp.Expr]]:
    """The expression with k(u) and derivatives of it written k and k_uu, and what these symbols stand for."""
    found = sorted(expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef), key=str)
    names: dict[sp.Expr, sp.Symbol] = {}
    for e in found:
        function = e.expr if isinstance(e, sp.Derivative) else e
        letters = "".join(str(v) * int(n) for v, n in e.variable_count) if isinstance(e, sp.Derivative) else ""
        names[e] = sp.Symbol(f"{function.func}" + (f"_{letters}" if letters else ""), real=True)
    return expression.xreplace(names), {s: e for e, s in names.items()}
