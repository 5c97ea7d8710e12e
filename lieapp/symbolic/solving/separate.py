"""Indirect separation: divide by the coefficient of a function constant in v, then differentiate in v.

The function is gone from the result, a shorter consequence; the equation itself stays.
"""

from __future__ import annotations

from lieapp.symbolic.coefficients import Element
from lieapp.symbolic.linear import Form, differentiated
from lieapp.symbolic.solving.complete import reduced_form
from lieapp.symbolic.solving.state import State, Step, form_sort_key

MAX_TERMS = 40


def separate(state: State) -> bool:
    """Add the shortest new consequence."""
    for equation in sorted(state.equations, key=form_sort_key):
        if len(equation) > MAX_TERMS:
            return False
        best: tuple[Form, Element] | None = None
        for key, c in equation.items():
            for v in sorted(state.arguments(equation) - state.unknowns.arguments[key[0]]):
                scaled = {k: d / c for k, d in equation.items()}
                form = differentiated(scaled, v, state.field, state.unknowns)
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
