"""Solving F(X) = value for one variable, on the branch that positive variables are on."""

from __future__ import annotations

import sympy as sp

from lieapp.lie.reduction.exact import tidy

INVERSES = {
    sp.log: sp.exp, sp.exp: sp.log, sp.tan: sp.atan, sp.atan: sp.tan, sp.sin: sp.asin, sp.asin: sp.sin,
    sp.cos: sp.acos, sp.acos: sp.cos, sp.sinh: sp.asinh, sp.asinh: sp.sinh, sp.tanh: sp.atanh, sp.atanh: sp.tanh,
}  # fmt: skip


def solved(expression: sp.Expr, X: sp.Symbol, value: sp.Expr) -> sp.Expr | None:
    """X with expression(X) = value, peeled from outside in; None where X can't be isolated."""
    for _ in range(40):
        if expression == X:
            return tidy(value)
        if expression.is_Add:
            rest, core = expression.as_independent(X, as_Add=True)
            if rest != 0:
                expression, value = core, value - rest
                continue
            together = sp.factor(sp.together(_joined(core)))
            if together != expression and not together.is_Add:
                expression = together
                continue
            return _of_polynomial(expression, X, value)
        if expression.is_Mul:
            factor, core = expression.as_independent(X, as_Add=False)
            if factor != 1:
                expression, value = core, value / factor
                continue
            return _of_polynomial(expression, X, value)
        if isinstance(expression, sp.exp) or (expression.is_Pow and not expression.base.has(X)):
            base = sp.E if isinstance(expression, sp.exp) else expression.base
            expression, value = expression.exp, sp.log(value) / sp.log(base)
        elif expression.is_Pow and not expression.exp.has(X):
            expression, value = expression.base, value ** (1 / expression.exp)
        elif type(expression) in INVERSES:
            value = INVERSES[type(expression)](value)
            expression = expression.args[0]
            value = value.replace(sp.tan, lambda y: _sum(y, sp.tan, 1)).replace(
                sp.tanh, lambda y: _sum(y, sp.tanh, -1)
            )
        else:
            return None
    return None


def _sum(argument: sp.Expr, tangent: type, sign: int) -> sp.Expr:
    """tan(a + b) = (tan a + tan b)/(1 - tan a tan b) and tanh likewise, where one of them is an inverse."""
    inverses = [a for a in sp.Add.make_args(argument) if isinstance(a, INVERSES[tangent])]
    rest = argument - sp.Add(*inverses)
    if len(inverses) != 1 or rest == 0:
        return tangent(argument)
    one, two = inverses[0].args[0], tangent(rest)
    return (one + two) / (1 - sign * one * two)


def _joined(expression: sp.Expr) -> sp.Expr:
    """Sums of logarithms as one logarithm."""
    return sp.logcombine(expression, force=True) if expression.has(sp.log) else expression


def _of_polynomial(expression: sp.Expr, X: sp.Symbol, value: sp.Expr) -> sp.Expr | None:
    """Roots of degree 1 and of the form X**n = value, and of quadratics the larger root."""
    numerator = sp.numer(sp.together(expression - value))
    if not numerator.is_polynomial(X):
        return None
    p = sp.Poly(numerator, X)
    if p.degree() == 1:
        return tidy(-p.nth(0) / p.nth(1))
    if p.degree() == 2:
        a, b, c = p.all_coeffs()
        return tidy((-b + sp.sqrt(sp.factor(b**2 - 4 * a * c))) / (2 * a))
    return None
