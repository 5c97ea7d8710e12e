"""Linear ODEs in one variable, Σ aₖ ∂_vᵏ f + Σ r g = 0 where no other function depends on v.

The solution is a combination of a fundamental system with new functions of the other variables, plus a particular
solution for each g (variation of constants). Methods give candidates, which are verified.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations

import sympy as sp

from lieapp.equations.coefficients import Element
from lieapp.errors import EquationError
from lieapp.lie.linear import Form, lifted, raised
from lieapp.lie.normal_form import echelon
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.solving.fundamental import METHODS
from lieapp.lie.solving.state import State, form_sort_key

MAX_WRONSKIAN = 3
"""Solutions of which the Wronskian is taken."""

MAX_ORDER = 6


def ordinary(state: State) -> bool:
    """Solve one equation that is an ODE for one of its functions."""
    for equation in sorted(state.equations, key=form_sort_key):
        signature = frozenset(equation.items())
        for f in sorted({g for g, _ in equation}):
            if not state.entire(equation, f):
                continue
            for v in sorted(state.unknowns.arguments[f]):
                tried = _is_ode(state, equation, f, v) and state.first_try("ordinary", signature, f, v)
                if tried and state.kept(partial(_solve, state, equation, f, v)):
                    return True
    return False


def _is_ode(state: State, equation: Form, f: int, v: int) -> bool:
    own = [K for g, K in equation if g == f]
    others = {g for g, _ in equation} - {f}
    alone = all(sum(K) == K[v] for K in own) and not any(v in state.unknowns.arguments[g] for g in others)
    return alone and 0 < max(K[v] for K in own) <= MAX_ORDER


def _solve(state: State, equation: Form, f: int, v: int) -> bool:
    field = state.field
    # what was tried before may have brought new atoms
    equation = lifted(equation, field)
    order = max(K[v] for g, K in equation if g == f)
    zero = state.unknowns.zero
    keys = [(f, raised(zero, v, k)) for k in range(order + 1)]
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
    rest = state.unknowns.arguments[f] - {v}
    for y in basis:
        value[(state.unknowns.new(rest), zero)] = y
    state.use(equation, keys[-1], lifted(value, field), "linear ODE")
    return True


def fundamental_system(state: State, coefficients: list[Element], v: int) -> list[Element] | None:
    """Solutions of Σ aₖ y⁽ᵏ⁾ = 0 with a_n = 1, each verified; None if not all are found."""
    expressions = [sp.factor(state.field.expression(a)) for a in coefficients]
    attempts = (partial(_verified, state, coefficients, v, partial(m, state, expressions)) for m in METHODS)
    return next((basis for attempt in attempts if (basis := state.kept(attempt)) is not None), None)


def _verified(
    state: State, coefficients: list[Element], v: int, method: Callable[[sp.Symbol], list[sp.Expr] | None]
) -> list[Element] | None:
    """The solutions that a method gives, if they are all there and solve the equation."""
    field = state.field
    candidates = method(field.variables[v])
    if candidates is None or len(candidates) != len(coefficients) - 1:
        return None
    try:
        basis = field.elements(candidates)
    except EquationError:
        return None
    finally:
        state.lift()
    if not all(_solves(state, list(map(field.lift, coefficients)), y, v) for y in basis):
        return None
    _assume_fundamental(state, basis, v)
    return basis


def _assume_fundamental(state: State, basis: list[Element], v: int) -> None:
    """Record for which parameters solutions become dependent, exp(k x) and 1 for k = 0: by their Wronskian."""
    field = state.field
    if not field.constants or len(basis) > MAX_WRONSKIAN:
        return
    rows = [list(basis)]
    for _ in basis[1:]:
        rows.append([field.diff(y, v) for y in rows[-1]])
    value = field.zero
    for columns, sign in _permutations(len(basis)):
        term = field.one
        for row, column in zip(rows, columns, strict=True):
            term *= row[column]
        value += sign * term
    state.divide(field.reduce(value))


def _permutations(size: int) -> list[tuple[tuple[int, ...], int]]:
    """All orders of the first numbers, with their signs."""
    return [
        (order, -1 if sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 else 1)
        for order in permutations(range(size))
    ]


def _solves(state: State, coefficients: list[Element], y: Element, v: int) -> bool:
    total = state.field.zero
    for a in coefficients:
        total += a * y
        y = state.field.diff(y, v)
    return not state.field.reduce(total)


def _particular(state: State, basis: list[Element], r: Element, v: int) -> Element | None:
    """A solution of Σ aₖ y⁽ᵏ⁾ = r: Σ yⱼ ∫ uⱼ with Σ yⱼ⁽ⁱ⁾ uⱼ = δ_{i,n-1} r."""
    field = state.field
    if not r:
        return r
    n = len(basis)
    rows = [list(basis)]
    for _ in range(n - 1):
        rows.append([field.diff(y, v) for y in rows[-1]])
    right = [*[field.zero] * (n - 1), r]
    # Σ yⱼ⁽ⁱ⁾ uⱼ = δ r has one solution u; what was tried before may have brought new atoms
    square = [[field.reduce(field.lift(c)) for c in (*row, b)] for row, b in zip(rows, right, strict=True)]
    pivots = echelon([{(k, ()): c for k, c in enumerate(row) if c} for row in square], field)
    if [column for (column, _), _ in pivots] != list(range(n)):
        return None
    weights = [row.get((n, ()), field.zero) for _, row in pivots]
    total = field.zero
    for y, w in zip(basis, weights, strict=True):
        if not w:
            continue
        primitive = antiderivative(state, field.lift(w), v)
        if primitive is None:
            return None
        total = field.lift(total) + field.lift(y) * primitive
    return field.reduce(total)
