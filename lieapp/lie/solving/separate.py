"""Indirect separation: divide by the coefficient of a function constant in v, then differentiate in v.

The function is gone from the result, a shorter consequence; the equation itself stays.
"""

from __future__ import annotations

from lieapp.equations.coefficients import Element, FunctionOrderError
from lieapp.lie.linear import Form, differentiated
from lieapp.lie.solving.complete import reduced_form
from lieapp.lie.solving.state import State, Step, form_sort_key

MAX_TERMS = 40
MAX_DIVISOR = 4
"""Monomials in the coefficient that such an equation may be divided by."""

MAX_SIZE = 24
"""Monomials in the coefficients of an equation beyond which it is differentiated only when all else fails."""


def separate(state: State) -> bool:
    """Add the shortest new consequence of the small equations."""
    return _separate([e for e in state.equations if _size(e) <= MAX_SIZE], state, MAX_DIVISOR)


def separate_large(state: State) -> bool:
    """Add the shortest new consequence of all equations, also where the derivatives may swell."""
    return _separate(state.equations, state, None)


def _size(equation: Form) -> int:
    return sum(len(c.numer) for c in equation.values())


def _separate(equations: list[Form], state: State, divisor: int | None) -> bool:
    for equation in sorted(equations, key=form_sort_key):
        if len(equation) > MAX_TERMS:
            return False
        best: tuple[Form, Element] | None = None
        for key, c in equation.items():
            if divisor is not None and len(c.numer) > divisor:
                continue
            for v in sorted(state.arguments(equation) - state.unknowns.arguments[key[0]]):
                scaled = {k: d / c for k, d in equation.items()}
                try:
                    form = differentiated(scaled, v, state.field, state.unknowns)
                except FunctionOrderError:
                    continue
                if len({g for g, _ in form}) >= len({g for g, _ in equation}):
                    continue
                if form and (best is None or form_sort_key(form)[:2] < form_sort_key(best[0])[:2]):
                    best = (form, c)
        if best is None:
            continue
        # not by the equation itself, of which it is a derivative
        others = [e for e in state.equations if e is not equation]
        consequence = reduced_form(state, best[0], others, only_lead=False)
        if consequence and state.add_consequence(consequence):
            state.divide(best[1])
            state.steps.append(Step("differentiate", state.equations[-1]))
            return True
    return False
