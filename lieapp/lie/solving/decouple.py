"""One ODE for one function out of a system of coupled ODEs: a linear relation among its derivatives.

Modulo the system the derivatives f, f', f'', … are combinations of finitely many parametric ones, so some of them
depend on each other (cyclic vectors; elimination by linear algebra).
"""

from __future__ import annotations

from lieapp.equations.coefficients import Element
from lieapp.lie.linear import Form, Key, raised
from lieapp.lie.solving.complete import is_finite, reduced_form
from lieapp.lie.solving.count import coupled
from lieapp.lie.solving.state import State, Step

MAX_ORDER = 5


def decouple(state: State) -> bool:
    """Add the ODE of lowest order that a coupled system implies for one of its functions."""
    for functions, equations in coupled(state):
        variables = frozenset().union(*map(state.arguments, equations))
        if len(variables) != 1 or len(functions) < 2 or not is_finite(state, functions, equations):
            continue
        (v,) = variables
        if not state.first_try("decouple", *functions):
            continue
        found = [relation for f in functions if (relation := _relation(state, f, v, equations)) is not None]
        for form, divisors in sorted(found, key=lambda relation: len(relation[0])):
            if state.add_consequence(form):
                for divisor in divisors:
                    state.divide(divisor)
                state.steps.append(Step("decouple", state.equations[-1]))
                return True
    return False


def _relation(state: State, f: int, v: int, equations: list[Form]) -> tuple[Form, list[Element]] | None:
    """Σ aₖ ∂ᵥᵏ f = 0 with the smallest highest derivative, and what was divided by.

    None beyond MAX_ORDER or if f isn't there.
    """
    if not state.unknowns.arguments[f]:
        return None
    field, zero = state.field, state.unknowns.zero
    pivots: list[tuple[Key, Form, Form]] = []
    divisors: list[Element] = []
    for k in range(MAX_ORDER + 1):
        derivative: Form = {(f, raised(zero, v, k)): field.one}
        row = reduced_form(state, derivative, equations, only_lead=False)
        made = derivative
        for key, other, origin in pivots:
            if key in row:
                factor = row[key]
                row = _minus(state, row, factor, other)
                made = _minus(state, made, factor, origin)
        if not row:
            return made, divisors
        key = min(row)
        scale = row[key]
        divisors.append(scale)
        pivots.append((key, _scaled(state, row, scale), _scaled(state, made, scale)))
    return None


def _scaled(state: State, form: Form, by: object) -> Form:
    return {key: state.field.reduce(c / by) for key, c in form.items()}


def _minus(state: State, form: Form, factor: object, other: Form) -> Form:
    result = dict(form)
    for key, c in other.items():
        result[key] = state.field.reduce(result.get(key, state.field.zero) - factor * c)
    return {key: c for key, c in result.items() if c}
