"""Linear ODEs in one variable: first order (also in a derivative), constant coefficients, Euler; else SymPy.

All verified. Σ aₖ ∂_vᵏ f + Σ r g = 0 where no other function depends on v. The solution is a combination of a
fundamental system with new functions of the other variables, plus a particular solution for each g
(variation of constants).
"""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from lieapp.equations.coefficients import Element
from lieapp.errors import EquationError
from lieapp.lie.linear import Form
from lieapp.lie.solving.antiderivative import antiderivative, integral
from lieapp.lie.solving.integrate import _same
from lieapp.lie.solving.second_order import (
    Method,
    indicial,
    new_variable,
    normal_form,
    second_solution,
    symmetric_square,
)
from lieapp.lie.solving.state import State, form_sort_key

MAX_ORDER = 6


def ordinary(state: State) -> bool:
    """Solve one equation that is an ODE for one of its functions."""
    for equation in sorted(state.equations, key=form_sort_key):
        everything = state.arguments(equation)
        if any(not state.field.depends(c) <= everything for c in equation.values()):
            continue
        signature = frozenset(equation.items())
        for f in sorted({g for g, _ in equation}):
            if state.unknowns.arguments[f] != everything:
                continue
            for v in sorted(everything):
                if not _is_ode(state, equation, f, v):
                    continue
                if state.first_try("ordinary", signature, f, v) and _solve(state, equation, f, v):
                    return True
    return False


def _is_ode(state: State, equation: Form, f: int, v: int) -> bool:
    orders = 0
    for g, K in equation:
        if g == f:
            if any(n for i, n in enumerate(K) if i != v):
                return False
            orders = max(orders, K[v])
        elif v in state.unknowns.arguments[g]:
            return False
    return 0 < orders <= MAX_ORDER


def _solve(state: State, equation: Form, f: int, v: int) -> bool:
    field = state.field
    # what was tried before may have brought new atoms
    equation = {key: field.lift(c) for key, c in equation.items()}
    order = max(K[v] for g, K in equation if g == f)
    zero = state.unknowns.zero
    keys = [(f, (*zero[:v], k, *zero[v + 1 :])) for k in range(order + 1)]
    pivot = equation[keys[-1]]
    coefficients = [equation.get(key, field.zero) / pivot for key in keys]
    known = {key: -c / pivot for key, c in equation.items() if key[0] != f}
    basis = fundamental_system(state, coefficients, v)
    if basis is None:
        return False
    value: Form = {}
    for (g, K), r in known.items():
        particular = _particular(state, basis, field.lift(r), v)
        if particular is None:
            return False
        value[(g, K)] = particular
    state.divide(field.lift(pivot))
    state.remove(_same(state, equation))
    rest = state.unknowns.arguments[f] - {v}
    for y in basis:
        value[(state.unknowns.new(rest), zero)] = y
    state.substitute(f, {key: field.lift(c) for key, c in value.items()}, "linear ODE")
    return True


def fundamental_system(state: State, coefficients: list[Element], v: int) -> list[Element] | None:
    """Solutions of Σ aₖ y⁽ᵏ⁾ = 0 with a_n = 1, each verified; None if not all are found."""
    field = state.field
    x = field.variables[v]
    expressions = [sp.factor(field.expression(a)) for a in coefficients]
    for method in METHODS:
        candidates = method(state, expressions, x)
        if candidates is None or len(candidates) != len(coefficients) - 1:
            continue
        try:
            basis = field.elements(candidates)
        except EquationError:
            continue
        finally:
            state.lift()
        lifted = [field.lift(a) for a in coefficients]
        if all(_solves(state, lifted, y, v) for y in basis):
            return basis
    return None


def _solves(state: State, coefficients: list[Element], y: Element, v: int) -> bool:
    total = state.field.zero
    for a in coefficients:
        total += a * y
        y = state.field.diff(y, v)
    return not state.field.reduce(total)


def _first_order(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    """y' + a₀ y = 0: y = exp(-∫a₀)."""
    if len(a) != 2:
        return None
    exponent = integral(state, sp.apart(a[0], x) if a[0].is_rational_function(x) else a[0], x)
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
    if found is None:
        return None
    return [y.subs(logarithm, sp.log(base)) for y in found]


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
    positive = {s: sp.Dummy(s.name, positive=True) for s in characteristic.free_symbols - {z}}
    back = {d: s for s, d in positive.items()}
    polynomial = sp.Poly(characteristic.xreplace(positive), z)
    roots = sp.roots(polynomial, z)
    if sum(roots.values()) != polynomial.degree():
        return None
    for first, second in combinations(roots, 2):
        state.assume((first - second).xreplace(back))
    result = []
    for root, multiplicity in roots.items():
        real, imaginary = root.expand(complex=True).as_real_imag()
        real, imaginary = (sp.nsimplify(sp.simplify(part)).xreplace(back) for part in (real, imaginary))
        waves = [sp.S.One]
        if imaginary != 0:
            if imaginary.could_extract_minus_sign():
                continue
            waves = [sp.cos(imaginary * x), sp.sin(imaginary * x)]
        result += [x**k * sp.exp(real * x) * w for w in waves for k in range(multiplicity)]
    return result


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
    constants = sorted(
        (s for s in solved.rhs.free_symbols if s.name in {f"C{k}" for k in range(1, len(a))}), key=str
    )
    return [sp.expand(solved.rhs).coeff(c) for c in constants]


def _by_normal_form(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    return normal_form(state, a, x, (_constant, _euler))


def _by_new_variable(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    return new_variable(state, a, x, _constant)


def _by_indicial(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    return indicial(state, a, x, (_constant, _by_new_variable))


def _by_square(state: State, a: list[sp.Expr], x: sp.Symbol) -> list[sp.Expr] | None:
    def solve(lower: list[sp.Expr]) -> list[sp.Expr] | None:
        found = (method(state, lower, x) for method in METHODS[:-1])
        return next((basis for basis in found if basis is not None), None)

    return symmetric_square(state, a, x, solve)


METHODS: tuple[Method, ...] = (
    _first_order,
    _constant,
    _euler,
    _lowered,
    _by_normal_form,
    _by_new_variable,
    _by_indicial,
    second_solution,
    _by_square,
    _by_sympy,
)


def _particular(state: State, basis: list[Element], r: Element, v: int) -> Element | None:
    """A solution of Σ aₖ y⁽ᵏ⁾ = r: Σ yⱼ ∫ uⱼ with Σ yⱼ⁽ⁱ⁾ uⱼ = δ_{i,n-1} r."""
    field = state.field
    if not r:
        return r
    n = len(basis)
    columns = [[y] for y in basis]
    for column in columns:
        for _ in range(n - 1):
            column.append(field.diff(column[-1], v))
    rows = [[columns[j][i] for j in range(n)] + [r if i == n - 1 else field.zero] for i in range(n)]
    weights = solve_square(state, rows)
    if weights is None:
        return None
    total = field.zero
    for y, w in zip(basis, weights, strict=True):
        if not w:
            continue
        primitive = antiderivative(state, field.lift(w), v)
        if primitive is None:
            return None
        total = field.lift(total) + field.lift(y) * primitive
    return field.reduce(total)


def solve_square(state: State, rows: list[list[Element]]) -> list[Element] | None:
    """Gauss elimination of an augmented square system in the field."""
    field, n = state.field, len(rows)
    # what was tried before may have brought new atoms
    rows = [[field.lift(c) for c in row] for row in rows]
    for k in range(n):
        pivot = next((i for i in range(k, n) if field.reduce(rows[i][k])), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [field.reduce(c / rows[k][k]) for c in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [field.reduce(c - factor * p) for c, p in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
