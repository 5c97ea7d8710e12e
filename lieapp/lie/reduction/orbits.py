"""Orbits of a field, dX/dσ = F(σ, X), solved coordinate by coordinate with constants of integration.

The coordinates are ordered by what they depend on; each one alone is linear, separable or a Bernoulli equation, a
coupled group X' = A(σ) X + b(σ) is solved by exp(∫A) where ∫A commutes with A. Nothing else is tried: a general
solver has no bound on its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp
from sympy.utilities.iterables import strongly_connected_components

from lieapp.lie.certificate.counting import check_time
from lieapp.lie.reduction.exact import tidy, vanishes, without_moduli
from lieapp.lie.reduction.integrals import exponential, primitive

INVERSES = {
    sp.log: sp.exp, sp.exp: sp.log, sp.tan: sp.atan, sp.atan: sp.tan, sp.sin: sp.asin, sp.asin: sp.sin,
    sp.cos: sp.acos, sp.acos: sp.cos, sp.sinh: sp.asinh, sp.asinh: sp.sinh, sp.tanh: sp.atanh, sp.atanh: sp.tanh,
}  # fmt: skip


def solved(expression: sp.Expr, X: sp.Symbol, value: sp.Expr) -> sp.Expr | None:
    """X with expression(X) = value, peeled from outside in; None where X can't be isolated."""
    for _ in range(40):
        if expression == X:
            return tidy(value)
        if expression.is_Add or expression.is_Mul:
            rest, core = expression.as_independent(X, as_Add=expression.is_Add)
            if rest != expression.func.identity:
                expression, value = core, value - rest if expression.is_Add else value / rest
                continue
            if expression.is_Mul:
                return _of_polynomial(expression, X, value)
            # sums of logarithms as one
            joined = sp.logcombine(core, force=True) if core.has(sp.log) else core
            together = sp.factor(sp.together(joined))
            if together != expression and not together.is_Add:
                expression = together
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


def fundamental_matrix(A: sp.Matrix, sigma: sp.Symbol, at_zero: bool) -> tuple[sp.Matrix, sp.Matrix] | None:
    """Φ = exp(∫A) and its inverse; None if an entry has no antiderivative or the family doesn't commute."""
    entries = [primitive(e, sigma, at_zero) if e != 0 else sp.S.Zero for e in A]
    if any(e is None for e in entries):
        return None
    B = sp.Matrix(*A.shape, [tidy(e) for e in entries])
    if not all(vanishes(e) for e in A * B - B * A):
        return None
    forward, backward = matrix_exponential(B), matrix_exponential(-B)
    return None if forward is None or backward is None else (forward, backward)


def matrix_exponential(B: sp.Matrix) -> sp.Matrix | None:
    """exp B in real form: 2 x 2 blocks, nilpotent matrices plus a multiple of 1, and what SymPy's exp gives."""
    n = B.shape[0]
    trace = sp.expand(B.trace()) / n
    N = (B - trace * sp.eye(n)).applyfunc(sp.expand)
    front = exponential(trace)
    series, power = sp.eye(n), sp.eye(n)
    for k in range(1, n + 1):
        power = (power * N).applyfunc(sp.expand) / k
        if all(vanishes(e) for e in power):
            return front * series
        series += power
    if n == 2:
        # exp N = cosh r + N sinh r / r with r² = -det N; cos and sin where that is negative
        square = sp.factor(-N.det())
        negative = square.is_negative or (square.is_positive is not True and square.could_extract_minus_sign())
        # cosh r and sinh r / r are even, so the sign of r is free
        if N[0, 0] == 0 and sp.expand(N[0, 1] + N[1, 0] if negative else N[0, 1] - N[1, 0]) == 0:
            r = N[1, 0]
        else:
            r = sp.sqrt(-square if negative else square).replace(sp.Abs, lambda e: e)
        even, odd = (sp.cos(r), sp.sin(r)) if negative else (sp.cosh(r), sp.sinh(r))
        return front * (sp.eye(2) * even + (N / r).applyfunc(tidy) * odd)
    # a numeric matrix times one expression, if its entries come out real
    pivot = next(e for e in N if e != 0)
    M = (N / pivot).applyfunc(sp.cancel)
    if M.free_symbols:
        return None
    scale = sp.Dummy("c", positive=True)
    try:
        found = (M * scale).exp()
    except (NotImplementedError, ValueError):
        return None
    real = found.applyfunc(lambda e: sp.simplify(e.rewrite(sp.cos)))
    if real.has(sp.I):
        return None
    return front * real.subs(scale, pivot)


Rates = Mapping[sp.Symbol, sp.Expr]


@dataclass
class Orbits:
    """X(σ; K), and the constants as functions of the point: K(σ, X), which are invariants.

    `values` has X for each coordinate, `constant` the K that belongs to it, `invariants` K(σ, X) for each constant.
    """

    values: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    invariants: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    constant: dict[sp.Symbol, sp.Symbol] = field(default_factory=dict)


def orbits(rates: Rates, sigma: sp.Symbol, deadline: float, at_zero: bool = False) -> Orbits | None:
    """The orbits of dX/dσ = rates[X], None if no closed form is found.

    With `at_zero` each constant is the value of its coordinate at σ = 0. Symbols are taken as positive.
    Raises TooLargeError after the deadline.
    """
    result = Orbits(constant={X: sp.Dummy(f"K_{X.name}", positive=True) for X in rates})
    small = [sigma] if at_zero else []
    order = {X: k for k, X in enumerate(rates)}
    edges = [(X, Y) for X, f in rates.items() for Y in rates if f.has(Y) and Y != X]
    # coupled groups, each after those that it depends on
    for group in strongly_connected_components((list(rates), edges)):
        block = sorted(group, key=order.__getitem__)
        check_time(deadline)
        known = [tidy(without_moduli(rates[X].xreplace(result.values), small)) for X in block]
        if len(block) == 1:
            found = _alone(known[0], block[0], result.constant[block[0]], sigma, at_zero)
        else:
            found = _coupled(known, block, [result.constant[X] for X in block], sigma, at_zero)
        if found is None:
            return None
        values, constants = found
        for X, value, constant in zip(block, values, constants, strict=True):
            result.values[X] = tidy(without_moduli(value, small))
            result.invariants[result.constant[X]] = tidy(constant.xreplace(result.invariants))
    return result


Solved = tuple[Sequence[sp.Expr], Sequence[sp.Expr]]
"""Values in terms of σ and constants, constants in terms of σ and values."""


def _alone(f: sp.Expr, X: sp.Symbol, K: sp.Symbol, sigma: sp.Symbol, at_zero: bool) -> Solved | None:
    expanded = sp.expand(f)
    slope = sp.diff(expanded, X)
    if not tidy(slope).has(X):
        slope = tidy(slope)
        return _linear(slope, tidy(expanded - slope * X), X, K, sigma, at_zero)
    return (
        _logarithmic(expanded, X, K, sigma, at_zero)
        or _separable(f, X, K, sigma, at_zero)
        or _bernoulli(expanded, X, K, sigma, at_zero)
    )


def _linear(
    a: sp.Expr,
    b: sp.Expr,
    X: sp.Symbol,
    K: sp.Symbol,
    sigma: sp.Symbol,
    at_zero: bool,
    of: Callable[[sp.Expr], sp.Expr] = lambda X: X,
    back: Callable[[sp.Expr], sp.Expr] = lambda Y: Y,
) -> Solved | None:
    """Y' = a Y + b for Y = of(X), X = back(Y): Y = K h + p."""
    exponent = primitive(a, sigma, at_zero)
    if exponent is None:
        return None
    h = tidy(exponential(exponent))
    weight = primitive(sp.expand(tidy(b / h)), sigma, at_zero)
    if weight is None:
        return None
    p = tidy(h * weight)
    return [back(h * (of(K) if at_zero else K) + p)], [(of(X) - p) / h]


def _separable(f: sp.Expr, X: sp.Symbol, K: sp.Symbol, sigma: sp.Symbol, at_zero: bool) -> Solved | None:
    """X' = g(σ) k(X): ∫dX/k = ∫g + const."""
    g, k = sp.factor(f).as_independent(X, as_Add=False)
    if k.has(sigma):
        return None
    left, right = primitive(1 / k, X), primitive(g, sigma, at_zero)
    if left is None or right is None:
        return None
    if at_zero:
        value = solved(left, X, left.xreplace({X: K}) + right)
        # flows don't use their constants; the value at 0 stands for them
        return None if value is None else ([value], [X])
    factor, core = left.as_independent(X, as_Add=False)
    constant, start = core - right / factor, K
    if core == X**2 and (-right / factor).is_positive:
        # the radius, not its square
        constant, start = sp.sqrt(constant), K**2
    value = solved(core, X, start + right / factor)
    return None if value is None else ([value], [constant])


def _bernoulli(f: sp.Expr, X: sp.Symbol, K: sp.Symbol, sigma: sp.Symbol, at_zero: bool) -> Solved | None:
    """X' = a X + b X**n is linear in X**(1-n)."""
    terms: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(f):
        c, n = sp.powsimp(term).as_coeff_exponent(X)
        if c.has(X):
            return None
        terms[n] = terms.get(n, sp.S.Zero) + c
    others = [n for n in terms if n != 1]
    if len(others) != 1:
        return None
    n = others[0]
    a, b = ((1 - n) * c for c in (terms.get(sp.S.One, sp.S.Zero), terms[n]))
    return _linear(a, b, X, K, sigma, at_zero, lambda X: X ** (1 - n), lambda Y: tidy(Y) ** (1 / (1 - n)))


def _logarithmic(f: sp.Expr, X: sp.Symbol, K: sp.Symbol, sigma: sp.Symbol, at_zero: bool) -> Solved | None:
    """X' = X (a log X + b) is linear in log X."""
    Y = sp.Dummy("Y", real=True)
    rate = sp.expand(sp.expand(f / X).subs(sp.log(X), Y))
    if not f.has(sp.log) or rate.has(X) or not rate.is_polynomial(Y) or sp.degree(rate, Y) != 1:
        return None
    return _linear(sp.diff(rate, Y), rate.subs(Y, 0), X, K, sigma, at_zero, sp.log, sp.exp)


def _coupled(
    rates: Sequence[sp.Expr], block: Sequence[sp.Symbol], K: Sequence[sp.Symbol], sigma: sp.Symbol, at_zero: bool
) -> Solved | None:
    vector = sp.Matrix(list(rates))
    A = vector.jacobian(list(block)).applyfunc(tidy)
    if A.has(*block):
        return None
    b = (vector - A * sp.Matrix(list(block))).applyfunc(tidy)
    found = fundamental_matrix(A, sigma, at_zero)
    if found is None:
        return None
    forward, backward = found
    weights = [primitive(sp.expand(e), sigma, at_zero) for e in backward * b]
    if any(w is None for w in weights):
        return None
    particular = (forward * sp.Matrix(weights)).applyfunc(tidy)
    values = forward * sp.Matrix(list(K)) + particular
    constants = backward * (sp.Matrix(list(block)) - particular)
    return list(values), list(constants)
