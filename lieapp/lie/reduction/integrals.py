"""Antiderivatives in one variable with real generic branches, each verified by differentiation."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from lieapp.lie.reduction.exact import LARGE, vanishes


def primitive(expression: sp.Expr, x: sp.Symbol, at_zero: bool = False) -> sp.Expr | None:
    """An antiderivative, None if it isn't found; with `at_zero` the one that vanishes at x = 0.

    Arguments of logarithms are made positive at small positive x; logarithms of numbers are left out.
    """
    if not expression.has(x):
        return expression * x
    found = primitive_of_terms(expression, x, depth=2)
    if found is None:
        return None
    found = found.replace(sp.log, lambda a: _logarithm(a, x, at_zero))
    if at_zero:
        start = found.subs(x, 0)
        if start.has(sp.zoo, sp.oo, sp.nan, -sp.oo):
            return None
        found -= start
    return found if vanishes(sp.diff(found, x) - expression) else None


def _apart(expression: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """Partial fractions in x; roots and functions of the constants count as symbols."""
    if not expression.is_rational_function(x) or expression.is_polynomial(x):
        return sp.expand(expression)
    fixed = {e for e in expression.atoms(sp.Function) if not e.has(x)}
    fixed |= {e for e in expression.atoms(sp.Pow) if not e.has(x) and not e.exp.is_Integer}
    names = {e: sp.Dummy(positive=True) for e in sorted(fixed, key=str)}
    try:
        found = sp.apart(sp.factor(sp.together(expression.xreplace(names))), x)
    except (sp.PolynomialError, NotImplementedError):
        return sp.expand(expression)
    return found.xreplace({d: e for e, d in names.items()})


def _known(rest: sp.Expr, x: sp.Symbol, depth: int = 2) -> sp.Expr | None:
    """∫ rest dx for one term without constant factors: a fixed number of rules, so that it always ends soon."""
    if rest.count_ops() > LARGE:
        return None
    for rule in (_of_linear_argument, _by_parts, _over_quadratic):
        found = rule(rest, x)
        if found is not None:
            return found
    return _by_substitution(rest, x, depth) if depth else None


def _by_parts(rest: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """A polynomial times exp, sin, cos, or log."""
    polynomial, other = sp.S.One, sp.S.One
    for factor in sp.Mul.make_args(rest):
        if factor.is_polynomial(x):
            polynomial *= factor
        else:
            other *= factor
    if isinstance(other, sp.log) and other.args[0] == x:
        first = sp.integrate(sp.Poly(polynomial, x).as_expr(), x)
        return first * other - sp.integrate(sp.expand(first / x), x)
    if not polynomial.has(x) or not isinstance(other, (sp.exp, sp.sin, sp.cos)):
        return None
    result, sign = sp.S.Zero, 1
    while polynomial != 0:
        integrated = _of_linear_argument(other, x)
        if integrated is None:
            return None
        factor, other = integrated.as_independent(x, as_Add=False)
        result += sign * polynomial * integrated
        polynomial, sign = sp.expand(sp.diff(polynomial, x) * factor), -sign
    return result


def _over_quadratic(rest: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """(b x + c)/(x² + p x + q) by logarithm and arctangent, and 1/sqrt(a² - x²)."""
    numerator, denominator = sp.fraction(sp.together(rest))
    if isinstance(denominator, sp.Pow) and denominator.exp == sp.S.Half and not numerator.has(x):
        square = sp.expand(denominator.base + x**2)
        return None if square.has(x) else numerator * sp.asin(x / sp.sqrt(square))
    if not (denominator.is_polynomial(x) and numerator.is_polynomial(x)):
        return None
    if sp.degree(denominator, x) != 2 or sp.degree(numerator, x) > 1:
        return None
    a, p, q = sp.Poly(denominator, x).all_coeffs()
    b = sp.Poly(numerator, x).nth(1)
    rest_of_it = sp.cancel(sp.Poly(numerator, x).nth(0) - b * p / (2 * a))
    square = sp.factor(4 * a * q - p**2)
    if rest_of_it == 0:
        return b * sp.log(denominator) / (2 * a)
    if square.is_negative or square == 0:
        return None
    root = sp.sqrt(square)
    return b * sp.log(denominator) / (2 * a) + 2 * rest_of_it / root * sp.atan((2 * a * x + p) / root)


def _by_substitution(rest: sp.Expr, x: sp.Symbol, depth: int) -> sp.Expr | None:
    """∫ g(f(x)) f'(x) dx for each f that stands in a function or below a root or power."""
    inner = {a for e in rest.atoms(sp.Function) for a in (*e.args, e)} | {
        e.base if e.base is not sp.E else e for e in rest.atoms(sp.Pow) if e.has(x)
    }
    y = sp.Dummy("y", positive=True)
    for f in sorted((f for f in inner if f.has(x) and f != x), key=lambda e: (-e.count_ops(), str(e)))[:6]:
        ratio = sp.cancel(sp.together(sp.expand((rest / sp.diff(f, x)).subs(f, y))))
        if ratio.has(x):
            continue
        found = primitive_of_terms(ratio, y, depth - 1)
        if found is not None:
            return found.xreplace({y: f})
    return None


def primitive_of_terms(expression: sp.Expr, x: sp.Symbol, depth: int) -> sp.Expr | None:
    """∫ of each term of the partial fractions."""
    found = sp.S.Zero
    for term in sp.Add.make_args(_apart(expression, x)):
        factor, rest = term.as_independent(x, as_Add=False)
        part = _known(rest, x, depth) if rest != 1 else x
        if part is None:
            return None
        found += factor * part
    return found


TABLE: dict[tuple[type, int], Callable[[sp.Expr], sp.Expr]] = {
    (sp.sin, 1): lambda y: -sp.cos(y), (sp.cos, 1): sp.sin,
    (sp.sinh, 1): sp.cosh, (sp.cosh, 1): sp.sinh,
    (sp.sin, 2): lambda y: y / 2 - sp.sin(2 * y) / 4, (sp.cos, 2): lambda y: y / 2 + sp.sin(2 * y) / 4,
    (sp.sin, -1): lambda y: sp.log(sp.tan(y / 2)), (sp.cos, -1): lambda y: sp.log(sp.tan(y / 2 + sp.pi / 4)),
    (sp.sin, -2): lambda y: -1 / sp.tan(y), (sp.cos, -2): sp.tan,
    (sp.sinh, -2): lambda y: -1 / sp.tanh(y), (sp.cosh, -2): sp.tanh,
}  # fmt: skip
"""∫ f(y)**n dy, in a form that can be inverted."""


def _of_linear_argument(rest: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Powers, exponentials and circular functions of a x + b."""
    base, exponent = rest.as_base_exp()
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
