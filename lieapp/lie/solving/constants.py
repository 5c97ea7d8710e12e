"""Constants that a condition couples with arbitrary functions, α_t - α_xx + c = 0, taken out of it.

With one solution α = p for c = 1 in closed form, α = p c + β leaves c free and β_t - β_xx = 0 (superposition).
"""

from __future__ import annotations

from lieapp.equations.coefficients import Element
from lieapp.lie.linear import Form, add
from lieapp.lie.solving.complete import is_finite
from lieapp.lie.solving.count import coupled
from lieapp.lie.solving.guess import ansatz, around_sources
from lieapp.lie.solving.state import State

TRIES = ((ansatz, 1), (around_sources, 1), (ansatz, 2), (around_sources, 2), (ansatz, 3), (ansatz, 4))


def free_constants(state: State) -> bool:
    """Take the constants out of one group of functions, if the ansatz finds a solution for each of them."""
    for functions, equations in coupled(state):
        constants = [f for f in functions if not state.unknowns.arguments[f]]
        if not constants or len(constants) == len(functions) or is_finite(state, functions, equations):
            continue
        if not state.first_try("constants", *functions):
            continue
        for method, degree in TRIES:
            chosen = _independent(state, method(state, functions, equations, degree), constants)
            if len(chosen) == len(constants):
                _take_out(state, functions, constants, chosen)
                return True
    return False


def _independent(state: State, found: list[dict[int, Element]], constants: list[int]) -> list[dict[int, Element]]:
    """Solutions whose values of the constants are independent."""
    chosen, pivots = [], list[tuple[int, list[Element]]]()
    for solution in found:
        row = [solution[c] for c in constants]
        for k, other in pivots:
            row = [a - row[k] * b for a, b in zip(row, other, strict=True)] if row[k] else row
        first = next((n for n, a in enumerate(row) if a), None)
        if first is not None:
            pivots.append((first, [a / row[first] for a in row]))
            chosen.append(solution)
    return chosen


def _take_out(state: State, functions: list[int], constants: list[int], chosen: list[dict[int, Element]]) -> None:
    zero, field = state.unknowns.zero, state.field
    new = [state.unknowns.new(()) for _ in chosen]
    for f in functions:
        value: Form = {} if f in constants else {(state.unknowns.new(state.unknowns.arguments[f]), zero): field.one}
        for c, solution in zip(new, chosen, strict=True):
            add(value, (c, zero), solution[f])
        state.substitute(f, value, "particular solution")
