"""Candidates for a fundamental system of Σ aₖ y⁽ᵏ⁾ = 0 with aₙ = 1: METHODS, the quick ones first.

First order (also in a derivative), constant coefficients, Euler; changes of variables; factors; special functions;
else SymPy. (Kamke, Differentialgleichungen I, C 25.)
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.factors import named
from lieapp.errors import EquationError
from lieapp.lie.solving.antiderivative import integral
from lieapp.lie.solving.real_roots import is_hard, waves
from lieapp.lie.solving.special import special
from lieapp.lie.solving.state import State

Method = Callable[[State, list[sp.Expr], sp.Symbol], "list[sp.Expr] | None"]
"""Of a state, the coefficients and the variable."""


def _first_order(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y' + a₀ y = 0: y = exp(-∫a₀)."""
    if len(a) != 2:
        return None
    exponent = integral(state, _apart(a[0], x), x)
    return None if exponent is None else [sp.exp(sp.expand(-exponent))]


def _lowered(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y⁽ᵏ⁺¹⁾ + aₖ y⁽ᵏ⁾ = 0: powers of x below the k-th, and the k-fold integral of exp(-∫aₖ)."""
    k = len(a) - 2
    if k < 1 or any(c != 0 for c in a[:k]):
        return None
    top = _first_order(state, a[k:], x)
    found = None if top is None else top[0]
    for _ in range(k):
        found = None if found is None else integral(state, found, x)
    return None if found is None else [*(x**n for n in range(k)), found]


def _constant(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """Constant coefficients: vᵏ exp(λ v)."""
    if any(c.has(x) for c in a):
        return None
    z = sp.Dummy("z")
    return _from_roots(state, sum((c * z**k for k, c in enumerate(a)), sp.S.Zero), z, x)


def _euler(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """aₖ = αₖ (v+s)^(k-n): powers of v+s, with logarithms for double roots."""
    n = len(a) - 1
    shift = _pole(a, x)
    if shift is None:
        return None
    base = x + shift
    alphas = [sp.cancel(c * base ** (n - k)) for k, c in enumerate(a)]
    if any(c.has(x) for c in alphas):
        return None
    z = sp.Dummy("z")
    falling = sum((c * sp.expand(sp.ff(z, k)) for k, c in enumerate(alphas)), sp.S.Zero)
    logarithm = sp.Dummy("l", positive=True)
    found = _from_roots(state, falling, z, logarithm)
    return None if found is None else [y.subs(logarithm, sp.log(base)) for y in found]


def _pole(a: list[sp.Expr], x: sp.Symbol) -> sp.Expr | None:
    for c in reversed(a):
        denominator = sp.denom(sp.together(c))
        if denominator.has(x) and denominator.is_polynomial(x):
            factors = [p for p, _ in sp.factor_list(denominator, x)[1] if p.has(x)]
            if len(factors) == 1 and sp.degree(factors[0], x) == 1:
                p = sp.Poly(factors[0], x)
                return sp.cancel(p.nth(0) / p.nth(1))
            return None
    return None


def _from_roots(state: State, characteristic: sp.Expr, z: sp.Symbol, x: sp.Symbol) -> list[sp.Expr] | None:
    """xᵏ exp(λ x) for each root λ, in real form."""
    hard: list[sp.Expr] = []
    if (whole := sp.Poly(characteristic, z)).domain in (sp.ZZ, sp.QQ):
        for factor, multiplicity in whole.factor_list()[1]:
            if is_hard(factor):
                characteristic = sp.quo(characteristic, factor.as_expr() ** multiplicity, z)
                hard += [w for p, q in waves(factor) for w in _waves(p, q, multiplicity, x)]
    positive = {s: sp.Dummy(s.name, positive=True) for s in characteristic.free_symbols - {z}}
    back = {d: s for s, d in positive.items()}
    polynomial = sp.Poly(characteristic.xreplace(positive), z)
    roots = sp.roots(polynomial, z)
    if sum(roots.values()) != polynomial.degree():
        return None
    for first, second in combinations(roots, 2):
        state.assume((first - second).xreplace(back))
    result = hard
    for root, multiplicity in roots.items():
        real, imaginary = root.expand(complex=True).as_real_imag()
        real, imaginary = (sp.nsimplify(sp.simplify(part)).xreplace(back) for part in (real, imaginary))
        if imaginary == 0 or not imaginary.could_extract_minus_sign():
            result += _waves(real, imaginary, multiplicity, x)
    return result


def _waves(real: sp.Expr, imaginary: sp.Expr, multiplicity: int, x: sp.Symbol) -> list[sp.Expr]:
    """The solutions of a root, or of a pair of conjugate ones."""
    shapes = [sp.cos(imaginary * x), sp.sin(imaginary * x)] if imaginary != 0 else [sp.S.One]
    return [x**k * sp.exp(real * x) * w for w in shapes for k in range(multiplicity)]


def _normal_form(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y = w exp(-∫p/2) with w'' + I w = 0, I = q - p²/4 - p'/2, where I is constant or c/(x + s)²."""
    if len(a) != 3 or a[1] == 0:
        return None
    q, p, _ = a
    invariant = sp.factor(sp.trigsimp(sp.factor(q - p**2 / 4 - sp.diff(p, x) / 2)))
    exponent = integral(state, _apart(p, x), x)
    if exponent is None:
        return None
    factor = sp.exp(sp.expand(-exponent / 2))
    found = _first(state, [invariant, sp.S.Zero, sp.S.One], x, (_constant, _euler))
    return None if found is None else [factor * w for w in found]


def _new_variable(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """s = ∫√q dx, where y_ss + c y_s + y = 0 with a constant c = (p + q'/(2q))/√q."""
    if len(a) != 3 or not a[0].has(x):
        return None
    q, p, _ = a
    root = _root(sp.trigsimp(sp.factor(q)))
    c = _exact(state, (p + sp.diff(root, x) / root) / root)
    if c is None or c.has(x):
        return None
    s = sp.Dummy("s", real=True)
    basis = _constant(state, [sp.S.One, c, sp.S.One], s)
    path = integral(state, root, x)
    return None if basis is None or path is None else [y.subs(s, path) for y in basis]


def _indicial(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y = xᵐ w with a rational root m of the indicial equation at 0, where w can be solved for."""
    if len(a) != 3 or not all(c.is_rational_function(x) for c in a):
        return None
    q, p, one = a
    first, second = (sp.cancel(c * x**k).subs(x, 0) for c, k in ((p, 1), (q, 2)))
    if not (first.is_Rational and second.is_Rational):
        return None
    m = sp.Dummy("m")
    for exponent in sp.roots(m * (m - 1) + first * m + second, m):
        if exponent == 0 or not exponent.is_Rational:
            continue
        lower = sp.factor(q + exponent * p / x + exponent * (exponent - 1) / x**2)
        found = _first(state, [lower, sp.cancel(p + 2 * exponent / x), one], x, (_constant, _new_variable))
        if found is not None:
            return [x**exponent * w for w in found]
    return None


def _second_solution(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """d'Alembert: beside a polynomial solution y the solution y ∫ exp(-∫p)/y²."""
    if len(a) != 3 or not all(c.is_rational_function(x) for c in a):
        return None
    first = _polynomial_solution(a, x)
    exponent = None if first is None else integral(state, _apart(a[1], x), x)
    if first is None or exponent is None:
        return None
    weight = sp.exp(-exponent).replace(sp.Abs, lambda e: e)
    other = integral(state, sp.factor(sp.simplify(weight) / first**2), x)
    return None if other is None else [first, sp.expand(first * other)]


MAX_FUNCTIONS = 3
"""Arbitrary functions in an equation that is factored by them."""


def _riccati(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y = exp ∫r with r' + r² + p r + q = 0, where r is a combination of 1, 1/x and arbitrary functions f(x)."""
    found: list[sp.Expr] = sorted(sp.Tuple(*a).atoms(AppliedUndef), key=str)
    if len(a) != 3 or not found or len(found) > MAX_FUNCTIONS:
        return None
    q, p, _ = a
    found += [1 / x] * any(sp.denom(sp.together(c)).has(x) for c in a)
    unknown = sp.symbols(f"c:{len(found) + 1}", cls=sp.Dummy)
    r = unknown[0] + sp.Add(*(c * f for c, f in zip(unknown[1:], found, strict=True)))
    left, functions = named(sp.numer(sp.together(sp.diff(r, x) + r**2 + p * r + q)))
    try:
        conditions = sp.Poly(left, x, *functions).coeffs()
    except sp.PolynomialError:
        return None
    for solution in sp.solve(conditions, unknown, dict=True):
        slope = r.xreplace(solution)
        if slope.has(*unknown) or not all(c.is_real for c in solution.values()):
            continue
        exponent, damping = integral(state, slope, x), integral(state, _apart(p, x), x)
        if exponent is None or damping is None:
            return None
        first = sp.exp(exponent)
        other = integral(state, sp.exp(sp.expand(-damping - 2 * exponent)), x)
        return None if other is None else [first, first * other]
    return None


def _symmetric_square(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y''' + 3p y'' + (2p² + p' + 4q) y' + (4pq + 2q') y = 0: products of solutions of w'' + p w' + q w = 0."""
    if len(a) != 4:
        return None
    p = a[2] / 3
    q = sp.factor((a[1] - 2 * p**2 - sp.diff(p, x)) / 4)
    if _exact(state, a[0] - 4 * p * q - 2 * sp.diff(q, x)) != 0:
        return None
    found = _first(state, [q, p, sp.S.One], x, METHODS[:-1])
    if found is None:
        return None
    y, w = found
    return [y**2, y * w, w**2]


def _first(state: State, a: list[sp.Expr], x: sp.Symbol, methods: tuple[Method, ...]) -> list[sp.Expr] | None:
    """What the first method gives that gives anything."""
    return next((found for method in methods if (found := method(state, a, x)) is not None), None)


def _exact(state: State, expression: sp.Expr) -> sp.Expr | None:
    """The expression reduced by the relations of its atoms, 0 if it vanishes; None if it has others."""
    try:
        return state.field.expression(state.field.element(expression))
    except EquationError:
        return None
    finally:
        state.lift()


def _polynomial_solution(a: list[sp.Expr], x: sp.Symbol, degree: int = 4) -> sp.Expr | None:
    unknown = sp.symbols(f"c:{degree + 1}", cls=sp.Dummy)
    y = sum((c * x**k for k, c in enumerate(unknown)), sp.S.Zero)
    left = sp.numer(sp.together(sum((c * sp.diff(y, x, k) for k, c in enumerate(a)), sp.S.Zero)))
    conditions = sp.Poly(sp.expand(left), x).coeffs()
    (solution,) = sp.linsolve(conditions, *unknown)
    y = y.subs(dict(zip(unknown, solution, strict=True)), simultaneous=True)
    free = sorted(y.free_symbols & set(unknown), key=str)
    return sp.factor(y.coeff(free[0]) if y.is_Add else y.subs(free[0], 1)) if free else None


def _root(q: sp.Expr) -> sp.Expr:
    """√q factor by factor, squares of either sign."""
    bases = [factor.as_base_exp() for factor in sp.Mul.make_args(sp.factor(q))]
    return sp.Mul(*(base ** (exponent / 2) for base, exponent in bases))


def _apart(expression: sp.Expr, x: sp.Symbol) -> sp.Expr:
    return sp.apart(expression, x) if expression.is_rational_function(x) else expression


def _by_sympy(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """dsolve on this single equation; special functions and series are refused by the field afterwards."""
    if len(a) > 3 or not all(c.is_rational_function(x) for c in a):
        return None
    y = sp.Function("y")(x)
    equation = sum((c * y.diff(x, k) for k, c in enumerate(a)), sp.S.Zero)
    try:
        solved = sp.dsolve(equation, y)
    except (NotImplementedError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    if isinstance(solved, list) or solved.rhs.has(sp.Order, sp.Integral):
        return None
    constants = {f"C{k}" for k in range(1, len(a))}
    return [sp.expand(solved.rhs).coeff(s) for s in sorted(solved.rhs.free_symbols, key=str) if s.name in constants]


METHODS: tuple[Method, ...] = (
    _first_order,
    _constant,
    _euler,
    _lowered,
    _normal_form,
    _new_variable,
    _indicial,
    _second_solution,
    _riccati,
    _symmetric_square,
    special,
    _by_sympy,
)
