"""Integrating c ∂_vⁿ f = known, where other functions are constant in v or occur as derivatives in v."""

from __future__ import annotations

from lieapp.lie.linear import Form, Key, add, combined, raised
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.solving.monomial import polynomial
from lieapp.lie.solving.state import State, form_sort_key


def integrate(state: State) -> bool:
    """Integrate the shortest equation in which some function occurs as one pure derivative."""
    for equation in sorted(state.equations, key=form_sort_key):
        everything = state.arguments(equation)
        for key in sorted(equation, key=lambda k: sum(k[1])):
            f, K = key
            moved = [v for v, n in enumerate(K) if n]
            if len(moved) != 1 or sum(1 for g, _ in equation if g == f) > 1:
                continue
            if state.unknowns.arguments[f] != everything:
                continue
            if any(not state.field.depends(c) <= everything for c in equation.values()):
                continue
            if not state.first_try("integrate", frozenset(equation.items()), key):
                continue
            if _integrate(state, equation, key, moved[0]):
                return True
    return False


def _integrate(state: State, equation: Form, key: Key, v: int) -> bool:
    f, K = key
    # what was tried before may have brought new atoms
    equation = {other: state.field.lift(c) for other, c in equation.items()}
    pivot = equation[key]
    known = {other: -c / pivot for other, c in equation.items() if other != key}
    for _ in range(K[v]):
        result = form_antiderivative(state, known, v)
        if result is None:
            return False
        known = result
    state.divide(pivot)
    state.remove(_same(state, equation))
    homogeneous = polynomial(state, f, v, K[v])
    state.substitute(f, combined((state.field.one, known), (state.field.one, homogeneous)), "integrate")
    return True


def form_antiderivative(state: State, form: Form, v: int) -> Form | None:
    """∫ form dv by parts: ∫ r g_v = r g - ∫ r_v g, and ∫ r · g = g ∫ r where g doesn't depend on v."""
    result: Form = {}
    pending = list(form.items())
    while pending:
        (g, K), r = pending.pop()
        r = state.field.lift(r)
        if v not in state.unknowns.arguments[g]:
            value = antiderivative(state, r, v)
            if value is None:
                return None
            result = {k: state.field.lift(c) for k, c in result.items()}
            add(result, (g, K), value)
        elif K[v]:
            lower = raised(K, v, -1)
            add(result, (g, lower), r)
            slope = state.field.diff(r, v)
            if slope:
                pending.append(((g, lower), -slope))
        else:
            return None
    return result


def _same(state: State, equation: Form) -> Form:
    """The equation as it stands in the state, which may have been lifted meanwhile."""
    lifted = {key: state.field.lift(c) for key, c in equation.items()}
    return next(e for e in state.equations if e == lifted)
