"""Linear ODEs of second order y'' + p y' + q y = 0 in closed form, and of third order that come from them.

Each method returns candidates or None; they are verified by `ode`. (Kamke, Differentialgleichungen I, C 25.)
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from lieapp.errors import EquationError
from lieapp.lie.solving.antiderivative import integral
from lieapp.lie.solving.state import State

Method = Callable[[State, list[sp.Expr], sp.Symbol], "list[sp.Expr] | None"]


def normal_form(state: State, a: list[sp.Expr], x: sp.Symbol, methods: tuple[Method, ...]) -> list[sp.Expr] | None:
    """y = w exp(-∫p/2) with w'' + I w = 0, I = q - p²/4 - p'/2, where that is solved by one of the methods."""
    if len(a) != 3 or a[1] == 0:
        return None
    q, p, _ = a
    invariant = sp.factor(sp.trigsimp(sp.factor(q - p**2 / 4 - sp.diff(p, x) / 2)))
    exponent = integral(state, _apart(p, x), x)
    if exponent is None:
        return None
    factor = sp.exp(sp.expand(-exponent / 2))
    for method in methods:
        found = method(state, [invariant, sp.S.Zero, sp.S.One], x)
        if found is not None:
            return [factor * w for w in found]
    return None


def new_variable(state: State, a: list[sp.Expr], x: sp.Symbol, constant: Method) -> list[sp.Expr] | None:
    """s = ∫√q dx, where y_ss + c y_s + y = 0 with a constant c = (p + q'/(2q))/√q."""
    if len(a) != 3 or not a[0].has(x):
        return None
    q, p, _ = a
    root = _root(sp.trigsimp(sp.factor(q)))
    c = _exact(state, (p + sp.diff(root, x) / root) / root)
    if c is None or c.has(x):
        return None
    s = sp.Dummy("s", real=True)
    basis = constant(state, [sp.S.One, c, sp.S.One], s)
    path = integral(state, root, x)
    return None if basis is None or path is None else [y.subs(s, path) for y in basis]


def indicial(state: State, a: list[sp.Expr], x: sp.Symbol, methods: tuple[Method, ...]) -> list[sp.Expr] | None:
    """y = xᵐ w with a rational root m of the indicial equation at 0, where w is solved by one of the methods."""
    if len(a) != 3 or not all(c.is_rational_function(x) for c in a):
        return None
    q, p, _ = a
    first, second = (sp.cancel(c * x**k).subs(x, 0) for c, k in ((p, 1), (q, 2)))
    if not (first.is_Rational and second.is_Rational):
        return None
    m = sp.Dummy("m")
    for exponent in sp.roots(m * (m - 1) + first * m + second, m):
        if exponent == 0 or not exponent.is_Rational:
            continue
        lower = [
            sp.factor(q + exponent * p / x + exponent * (exponent - 1) / x**2),
            sp.cancel(p + 2 * exponent / x),
        ]
        for method in methods:
            found = method(state, [*lower, sp.S.One], x)
            if found is not None:
                return [x**exponent * w for w in found]
    return None


def second_solution(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
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


def symmetric_square(
    state: State, a: list[sp.Expr], x: sp.Symbol, solve: Callable[[list[sp.Expr]], list[sp.Expr] | None]
) -> list[sp.Expr] | None:
    """y''' + 3p y'' + (2p² + p' + 4q) y' + (4pq + 2q') y = 0: products of solutions of w'' + p w' + q w = 0."""
    if len(a) != 4:
        return None
    p = a[2] / 3
    q = sp.factor((a[1] - 2 * p**2 - sp.diff(p, x)) / 4)
    if _exact(state, a[0] - 4 * p * q - 2 * sp.diff(q, x)) != 0:
        return None
    found = solve([q, p, sp.S.One])
    if found is None:
        return None
    y, w = found
    return [y**2, y * w, w**2]


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
