"""Splitting by every variable v that no function of an equation depends on, and by the atoms of v.

Powers of v and of atoms that contain v (exp, sqrt, log, …, reduced by their relations) are linearly
independent over functions of the other variables.
"""

from __future__ import annotations

from lieapp.lie.linear import Form, add
from lieapp.lie.solving.independent import assume_independent
from lieapp.lie.solving.state import State, Step


def split(state: State) -> bool:
    """Split every equation by every variable that its functions don't depend on, but not yet by k(u)."""
    return _split(state, [e for e in state.equations if not _has_arbitrary(state, e)])


def split_arbitrary(state: State) -> bool:
    """Split by arbitrary functions k(u) too: generic, their derivatives satisfy no equation.

    Late, so that as few special cases as possible are excluded; these are recorded.
    """
    return _split(state, state.equations)


def _split(state: State, equations: list[Form]) -> bool:
    changed = False
    for equation in list(equations):
        parts = split_form(state, equation)
        if len(parts) > 1:
            if _has_arbitrary(state, equation):
                assume_independent(state, equation)
            state.remove(equation)
            state.steps.append(Step("split", equation, parts=tuple(parts)))
            state.add_equations(parts)
            changed = True
    return changed


def _has_arbitrary(state: State, equation: Form) -> bool:
    """Whether arbitrary functions of a variable occur that none of the equation's functions depends on."""
    outside = set(range(len(state.field.variables))) - state.arguments(equation)
    movers = {n for v in outside for n in state.field.movers(v)} & state.field.arbitrary()
    return any(m[n] for c in equation.values() for m in c.numer for n in movers)


def split_form(state: State, form: Form) -> list[Form]:
    """The parts of one primitive form."""
    outside = set(range(len(state.field.variables))) - state.arguments(form)
    movers = sorted({n for v in outside for n in state.field.movers(v)})
    if not any(m[n] for c in form.values() for m in c.numer for n in movers):
        return [form]
    ring = state.field.field.ring
    parts: dict[tuple[int, ...], dict] = {}
    for key, c in form.items():
        for monomial, number in c.numer.items():
            on = tuple(monomial[n] for n in movers)
            rest = list(monomial)
            for n in movers:
                rest[n] = 0
            part = parts.setdefault(on, {})
            part.setdefault(key, {})[tuple(rest)] = number
    result = []
    for _, part in sorted(parts.items()):
        split_part: Form = {}
        for key, polynomial in part.items():
            add(split_part, key, state.field.field.raw_new(ring.from_dict(polynomial)))
        result.append(split_part)
    return result
