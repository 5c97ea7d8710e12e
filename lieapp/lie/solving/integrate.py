"""Integrating c ∂_vⁿ f = known, where other functions are constant in v or occur as derivatives in v."""

from __future__ import annotations

from lieapp.equations.coefficients import Element, FunctionOrderError
from lieapp.lie.linear import Form, Key, add, combined, lifted, raised
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.solving.state import State, Step, form_sort_key

MAX_SIZE = 12
"""Monomials in the coefficients of an equation beyond which it isn't multiplied to make it a derivative."""


def one_term(state: State, mixed: bool = False) -> bool:
    """Integrate one equation with a single term, the lowest orders first; ∂_x^m ∂_y^n f = 0 if `mixed`.

    Then f = Σ xʲ gⱼ(y, …) + Σ yᵏ hₖ(x, …). The parts overlap in the monomials xʲ yᵏ, so constants may come twice;
    the basis drops repetitions.
    """
    found = [next(iter(e)) for e in state.equations if len(e) == 1]
    found = [(f, K) for f, K in found if mixed or sum(map(bool, K)) <= 1]
    if not found:
        return False
    f, K = min(found, key=lambda key: (sum(key[1]), key))
    value: Form = {}
    for v, n in enumerate(K):
        if n:
            value |= polynomial(state, f, v, n)
    state.substitute(f, value, "integrate" if any(K) else "vanish")
    return True


def polynomial(state: State, f: int, v: int, degree: int) -> Form:
    """Σ_{k<degree} vᵏ gₖ with new functions gₖ of the other arguments of f."""
    rest = state.unknowns.arguments[f] - {v}
    x = state.field.field.gens[v]
    return {(state.unknowns.new(rest), state.unknowns.zero): x**k for k in range(degree)}


def integrate(state: State) -> bool:
    """Integrate the shortest equation in which some function occurs as one pure derivative."""
    for equation in sorted(state.equations, key=form_sort_key):
        for key in sorted(equation, key=lambda k: sum(k[1])):
            f, K = key
            moved = [v for v, n in enumerate(K) if n]
            if len(moved) != 1 or sum(g == f for g, _ in equation) > 1 or not state.entire(equation, f):
                continue
            tried = state.first_try("integrate", frozenset(equation.items()), key)
            if tried and _integrate(state, equation, key, moved[0]):
                return True
    return False


def _integrate(state: State, equation: Form, key: Key, v: int) -> bool:
    f, K = key
    # what was tried before may have brought new atoms
    equation = lifted(equation, state.field)
    pivot = equation[key]
    known = {other: -c / pivot for other, c in equation.items() if other != key}
    for _ in range(K[v]):
        result = form_antiderivative(state, known, v)
        if result is None:
            return False
        known = result
    homogeneous = polynomial(state, f, v, K[v])
    value = combined((state.field.one, known), (state.field.one, homogeneous))
    state.use(equation, key, value, "integrate")
    return True


def form_antiderivative(state: State, form: Form, v: int) -> Form | None:
    """∫ form dv by parts: ∫ r g_v = r g - ∫ r_v g, and ∫ r · g = g ∫ r where g doesn't depend on v.

    The highest derivatives first, so that what belongs together is added up: ∫ (g_v/v - g/v²) = g/v.
    """
    result: Form = {}
    moving = {key: c for key, c in form.items() if v in state.unknowns.arguments[key[0]]}
    while moving:
        g, K = max(moving, key=lambda key: (key[1][v], key))
        if not K[v]:
            return None
        r = moving.pop((g, K))
        lower = (g, raised(K, v, -1))
        add(result, lower, r)
        try:
            add(moving, lower, -state.field.diff(r, v))
        except FunctionOrderError:
            return None
        if lower in moving and not (rest := state.field.reduce(moving[lower])):
            del moving[lower]
        elif lower in moving:
            moving[lower] = rest
    for key, r in form.items():
        if v not in state.unknowns.arguments[key[0]]:
            value = antiderivative(state, state.field.lift(r), v)
            if value is None:
                return None
            result = lifted(result, state.field)
            add(result, key, value)
    return lifted(result, state.field)


def first_integral(state: State) -> bool:
    """Integrate one ordinary equation that is a derivative, times a coefficient of its own or the inverse of one.

    (a f)' + f'' = 0 says a f + f' + g = 0, where g doesn't depend on that variable: the order is lower by one.
    """
    for equation in sorted(state.equations, key=form_sort_key):
        for v in sorted(state.arguments(equation)):
            # of a partial equation the order isn't lower in all variables
            if any(sum(K) != K[v] for _, K in equation) or not any(K[v] for _, K in equation):
                continue
            if not state.first_try("first integral", frozenset(equation.items()), v):
                continue
            for factor in _factors(state, equation, v):
                scaled = {key: state.field.lift(factor) * c for key, c in lifted(equation, state.field).items()}
                found = form_antiderivative(state, scaled, v)
                if found is None:
                    continue
                here = lifted(equation, state.field)
                others = state.arguments(equation).union(*(state.field.depends(c) for c in equation.values()))
                state.remove(next(e for e in state.equations if e == here))
                state.settle(here)
                free = state.unknowns.new(others - {v})
                state.add_equations([{**found, (free, state.unknowns.zero): state.field.one}])
                state.steps.append(Step("first integral", state.equations[-1]))
                return True
    return False


def _factors(state: State, equation: Form, v: int) -> list[Element]:
    """1; and where the equation is small and known, coefficients that depend on v, and their inverses."""
    field = state.field
    parts = [p for c in equation.values() for p in (c.numer, c.denom)]
    known = not any(m[n] for p in parts for m in p for n in field.arbitrary())
    small = known and sum(len(c.numer) for c in equation.values()) <= MAX_SIZE
    varying = [c for c in equation.values() if small and field.involves(c, v)]
    return list(dict.fromkeys([field.one, *(field.one / c for c in varying), *varying]))
