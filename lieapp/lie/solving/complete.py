"""Completion: reduce equations by each other, and add the cross-derivative conditions (Riquier, Janet)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lieapp.equations.coefficients import Element, FunctionOrderError
from lieapp.equations.jets import divides
from lieapp.lie.linear import Form, Key, combined, derivative, differentiated, reduced
from lieapp.lie.solving.state import State, Step, form_sort_key

MAX_TERMS = 60
MAX_ORDER = 8


def rank(state: State, key: Key) -> tuple:
    """Order of the derivatives: |K| first, then functions of more variables."""
    f, K = key
    return (sum(K), len(state.unknowns.arguments[f]), f, K)


def lead(state: State, form: Form) -> Key:
    """The highest derivative of a form."""
    return max(form, key=lambda key: rank(state, key))


def complete(state: State) -> bool:
    """One round: a reduction if there is one, else one new integrability condition."""
    ordered = sorted(state.equations, key=lambda e: rank(state, lead(state, e)))
    for k in range(len(ordered) - 1, -1, -1):
        others = [e for e in ordered if e is not ordered[k]]
        if state.kept(partial(_reduced_by, state, ordered[k], others)):
            return True
    for i, first in enumerate(ordered):
        for second in ordered[:i]:
            divisors = first[lead(state, first)], second[lead(state, second)]
            crossed = partial(cross, state, first, second)
            if state.kept(partial(_taken, state, crossed, ordered, "cross-differentiate", *divisors)):
                return True
    for equation in ordered:
        # variables on which its leading function f doesn't depend: f_v = 0 crosses with it
        top, used = lead(state, equation), (state.field.depends(c) for c in equation.values())
        pivot = equation[top]
        for v in sorted(state.arguments(equation).union(*used) - state.unknowns.arguments[top[0]]):
            scaled = {key: c / pivot for key, c in equation.items()}
            condition = partial(differentiated, scaled, v, state.field, state.unknowns)
            if state.kept(partial(_taken, state, condition, ordered, "differentiate", pivot)):
                return True
    return False


def _taken(
    state: State, condition: Callable[[], Form | None], ordered: list[Form], rule: str, *divisors: Element
) -> bool:
    """Reduce a condition, and add what is new."""
    try:
        form = condition()
        rest = None if form is None else reduced_form(state, form, ordered, only_lead=False)
    except FunctionOrderError:
        return False
    return rest is not None and 0 < len(rest) <= MAX_TERMS and state.add_consequence(rest, rule, *divisors)


def common_divisor(state: State) -> bool:
    """Reduce two ODEs in one and the same function by each other.

    Before either is solved by itself: what both demand is of lower order, often nothing, and the integrals of the
    single ones may take for ever.
    """
    alone: dict[int, list[Form]] = {}
    for equation in state.equations:
        functions = {f for f, _ in equation}
        if len(functions) == 1 and len(state.arguments(equation)) == 1:
            alone.setdefault(functions.pop(), []).append(equation)
    for equations in alone.values():
        *lower, highest = sorted(equations, key=lambda e: rank(state, lead(state, e)))
        if _reduced_by(state, highest, lower):
            return True
    return False


def _reduced_by(state: State, equation: Form, others: list[Form]) -> bool:
    """Put what others leave of an equation in its place; whether they leave less."""
    rest = reduced_form(state, equation, others, only_lead=True)
    if rest is equation:
        return False
    state.remove(equation)
    state.add_equations([rest])
    state.steps.append(Step("reduce", equation))
    return True


def cross(state: State, first: Form, second: Form) -> Form | None:
    """The difference of the derivatives of two equations that cancels their common leading derivative."""
    (f, J), (g, K) = lead(state, first), lead(state, second)
    if f != g:
        return None
    top = tuple(max(a, b) for a, b in zip(J, K, strict=True))
    # Buchberger's first criterion holds for constant coefficients in one function
    known = sum(top) == sum(J) + sum(K) and len({f for form in (first, second) for f, _ in form}) == 1
    if sum(top) > MAX_ORDER or (
        known and not any(state.field.depends(c) for form in (first, second) for c in form.values())
    ):
        return None
    up = tuple(a - b for a, b in zip(top, J, strict=True))
    down = tuple(a - b for a, b in zip(top, K, strict=True))
    one = state.field.one
    return combined(
        (one / first[(f, J)], derivative(first, up, state.field, state.unknowns)),
        (-one / second[(g, K)], derivative(second, down, state.field, state.unknowns)),
    )


def reduced_form(state: State, form: Form, rules: list[Form], only_lead: bool) -> Form:
    """The form modulo the rules; the very same object if nothing can be reduced."""
    leads = [(lead(state, rule), rule) for rule in sorted(rules, key=form_sort_key)]
    result = form
    for _ in range(200):
        keys = [lead(state, result)] if only_lead else sorted(result, key=lambda k: rank(state, k), reverse=True)
        match = next(((k, r, e) for k in keys for r, e in leads if k[0] == r[0] and divides(r[1], k[1])), None)
        if match is None or len(result) > 2 * MAX_TERMS:
            return result
        key, (_, K), rule = match
        up = tuple(a - b for a, b in zip(key[1], K, strict=True))
        state.divide(rule[(key[0], K)])
        raised_rule = derivative(rule, up, state.field, state.unknowns)
        result = combined((state.field.one, result), (-result[key] / raised_rule[key], raised_rule))
        result = reduced(result, state.field)
        if not result:
            return {}
    return result


def is_finite(state: State, functions: list[int], conditions: list[Form]) -> bool:
    """Whether the leading derivatives leave finitely many Taylor coefficients free."""
    leads = [lead(state, e) for e in conditions]
    for f in functions:
        pure = {next(i for i, n in enumerate(K) if n) for g, K in leads if g == f and sum(map(bool, K)) == 1}
        if any(g == f and not any(K) for g, K in leads):
            continue
        if not state.unknowns.arguments[f] <= pure:
            return False
    return True
