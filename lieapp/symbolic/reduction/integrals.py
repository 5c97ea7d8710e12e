"""Antiderivatives in one variable with real generic branches, each verified by differentiation."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.integrals.manualintegrate import manualintegrate

from lieapp.symbolic.reduction.exact import LARGE, vanishes


def primitive(expression: sp.Expr, x: sp.Symbol, at_zero: bool = False) -> sp.Expr | None:
    """An antiderivative, None if it isn't found; with `at_zero` the one that vanishes at x = 0.

    Arguments of logarithms are made positive at small positive x; logarithms of numbers are left out.
    """
    if not expression.has(x):
        return expression * x
    found = sp.S.Zero
    for term in sp.Add.make_args(_apart(expression, x)):
        factor, rest = term.as_independent(x, as_Add=False)
        part = _known(rest, x)
        if part is None:
            return None
        found += factor * part
    found = found.replace(sp.log, lambda a: _logarithm(a, x, at_zero))
    if at_zero:
        start = found.subs(x, 0)
        if start.has(sp.zoo, sp.oo, sp.nan, -sp.oo):
            return None
        found -= start
    return found if vanishes(sp.diff(found, x) - expression) else None


def _apart(expression: sp.Expr, x: sp.Symbol) -> sp.Expr:
    if expression.is_rational_function(x):
        try:
            return sp.apart(sp.together(expression), x)
        except (sp.PolynomialError, NotImplementedError):
            return sp.expand(expression)
    return sp.expand(expression)


def _known(rest: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """∫ rest dx for one term without constant factors."""
    found = _of_linear_argument(rest, x)
    if found is not None:
        return found
    if rest.count_ops() > LARGE:
        return None
    try:
        found = manualintegrate(rest, x)
    except (NotImplementedError, ValueError, TypeError, RecursionError, AttributeError):
        return None
    if isinstance(found, sp.Piecewise):
        found = found.args[0][0]
    return None if found.has(sp.Integral, sp.Piecewise, sp.I) else found


TABLE: dict[tuple[type, int], Callable[[sp.Expr], sp.Expr]] = {
    (sp.sin, 1): lambda y: -sp.cos(y), (sp.cos, 1): sp.sin,
    (sp.sinh, 1): sp.cosh, (sp.cosh, 1): sp.sinh,
    (sp.sin, -1): lambda y: sp.log(sp.tan(y / 2)), (sp.cos, -1): lambda y: sp.atanh(sp.sin(y)),
    (sp.sin, -2): lambda y: -1 / sp.tan(y), (sp.cos, -2): sp.tan,
    (sp.sinh, -2): lambda y: -1 / sp.tanh(y), (sp.cosh, -2): sp.tanh,
}  # fmt: skip
"""∫ f(y)**n dy, in a form that can be inverted."""


def _of_linear_argument(rest: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Powers, exponentials and circular functions of a x + b."""
    base, exponent = rest.as_base_exp()
    if base is sp.E and not rest.is_Pow:
        base, exponent = rest, sp.S.One
    if exponent.has(x) and not base.has(x):
        rate = sp.diff(exponent, x)
        return None if rate.has(x) else rest / (rate * sp.log(base))
    if exponent.has(x):
        return None
    if isinstance(base, tuple(kind for kind, _ in TABLE)) and (type(base), exponent) in TABLE:
        inner = base.args[0]  # type: ignore[attr-defined]
        rate = sp.diff(inner, x)
        return None if rate.has(x) else TABLE[type(base), exponent](inner) / rate
    rate = sp.diff(base, x) if base == x or base.is_Add else x
    if rate.has(x):
        return None
    return (sp.log(base) if exponent == -1 else base ** (exponent + 1) / (exponent + 1)) / rate


def _logarithm(argument: sp.Expr, x: sp.Symbol, at_zero: bool) -> sp.Expr:
    if at_zero:
        start = argument.subs(x, 0)
        return sp.log(argument) if start == 0 else sp.log(sp.cancel(sp.together(argument / start)))
    argument = sp.factor(sp.together(argument))
    rest = argument.as_coeff_Mul()[1]
    if not rest.free_symbols:
        return sp.S.Zero
    if rest.is_Add and rest.subs(x, 0).could_extract_minus_sign() and not rest.subs(x, 0).is_positive:
        rest = -rest
    return sp.expand_log(sp.log(rest)) if rest.is_Mul or rest.is_Pow else sp.log(rest)


def exponential(exponent: sp.Expr) -> sp.Expr:
    """exp of a sum in which c·log(g) gives g**c."""
    result, left = sp.S.One, sp.S.Zero
    for term in sp.Add.make_args(sp.expand(exponent)):
        logs = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
        if len(logs) == 1:
            result *= logs[0].args[0] ** (term / logs[0])
        else:
            left += term
    return result * sp.exp(left)
