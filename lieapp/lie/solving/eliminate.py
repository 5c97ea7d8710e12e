"""Algebraic elimination: a function that occurs undifferentiated is expressed through the others."""

from __future__ import annotations

from lieapp.lie.linear import Form, Key
from lieapp.lie.solving.state import State

MAX_TERMS = 9
"""Terms of an equation with derivatives beyond which a function isn't expressed by it: the others would swell."""


def eliminate(state: State) -> bool:
    """Solve one short equation for a function of all its arguments; f = Σ … then holds without conditions.

    Not yet where f is the source of a partial equation for another function, α_t - α_xx + f = 0: other equations
    may determine f, and then α is left as a family.
    """
    return _eliminate(state, [e for e in state.equations if not _is_partial(state, e)])


def eliminate_source(state: State) -> bool:
    """Solve for sources too, when nothing else determines them."""
    return _eliminate(state, state.equations)


def _is_partial(state: State, equation: Form) -> bool:
    """Whether some function occurs with derivatives by different variables, of second order or higher."""
    moved: dict[int, set[int]] = {}
    highest: dict[int, int] = {}
    for f, K in equation:
        if any(K):
            moved.setdefault(f, set()).update(v for v, n in enumerate(K) if n)
            highest[f] = max(highest.get(f, 0), sum(K))
    return any(len(variables) > 1 and highest[f] > 1 for f, variables in moved.items())


def _eliminate(state: State, equations: list[Form]) -> bool:
    best: tuple[tuple, Form, Key] | None = None
    for equation in equations:
        everything = state.arguments(equation)
        if len(equation) > MAX_TERMS and any(any(K) for _, K in equation):
            continue
        for f, K in equation:
            if any(K) or sum(1 for g, _ in equation if g == f) > 1:
                continue
            if state.unknowns.arguments[f] != everything or not _within(state, equation, everything):
                continue
            c = equation[(f, K)]
            constant = not state.field.depends(c)
            score = (len(equation), not c.numer.is_ground, not constant, len(c.numer), -f)
            if best is None or score < best[0]:
                best = (score, equation, (f, K))
    if best is None:
        return False
    _, equation, key = best
    pivot = equation[key]
    state.divide(pivot)
    state.remove(equation)
    value = {other: -c / pivot for other, c in equation.items() if other != key}
    state.substitute(key[0], value, "eliminate")
    return True


def _within(state: State, equation: Form, everything: frozenset[int]) -> bool:
    return all(state.field.depends(c) <= everything for c in equation.values())
