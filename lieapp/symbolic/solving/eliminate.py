"""Algebraic elimination: a function that occurs undifferentiated is expressed through the others."""

from __future__ import annotations

from lieapp.symbolic.linear import Form, Key
from lieapp.symbolic.solving.state import State

MAX_TERMS = 9
"""Terms of an equation with derivatives beyond which a function isn't expressed by it: the others would swell."""


def eliminate(state: State) -> bool:
    """Solve one short equation for a function of all its arguments; f = Σ … then holds without conditions."""
    best: tuple[tuple, Form, Key] | None = None
    for equation in state.equations:
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
