"""Functions taken out of equations: expressed through the others, or by consequences in which they are gone.

Indirect separation divides by the coefficient of a function constant in v and differentiates in v. Of coupled ODEs
the derivatives f, f', f'', … are combinations of finitely many parametric ones, so some of them depend on each
other: one ODE for f (cyclic vectors; elimination by linear algebra).
"""

from __future__ import annotations

from functools import partial

from lieapp.equations.coefficients import Element, FunctionOrderError
from lieapp.lie.linear import Form, Key, combined, differentiated, raised, reduced
from lieapp.lie.solving.complete import is_finite, reduced_form
from lieapp.lie.solving.state import State, coupled, form_sort_key

MAX_SWELLING = 9
"""Terms of an equation with derivatives beyond which a function isn't expressed by it: the others would swell."""


def _is_partial(state: State, equation: Form) -> bool:
    """Whether some function occurs with derivatives by different variables, of second order or higher."""
    for f in {f for f, _ in equation}:
        orders = [K for g, K in equation if g == f]
        moved = [v for v in range(state.unknowns.size) if any(K[v] for K in orders)]
        if len(moved) > 1 and max(map(sum, orders)) > 1:
            return True
    return False


def eliminate(state: State, sources: bool = False, varying: bool = False) -> bool:
    """Solve one short equation for a function of all its arguments; f = Σ … then holds without conditions.

    By a coefficient that is `varying` only when nothing can be integrated: f' = a(t) g with g'' = 0 is solved by
    integrals, and g = f'/a(t) by none. Where f is the source of a partial equation for another function,
    α_t - α_xx + f = 0, only when nothing else determines `sources`: if other equations do, α is left as a family.
    """
    found: list[tuple[tuple, Form, Key]] = []
    for equation in state.equations:
        if len(equation) > MAX_SWELLING and any(any(K) for _, K in equation):
            continue
        if not sources and _is_partial(state, equation):
            continue
        for (f, K), c in equation.items():
            if not any(K) and sum(g == f for g, _ in equation) == 1 and state.entire(equation, f):
                varies = bool(state.field.depends(c))
                if varies and not varying and any(any(K) for _, K in equation):
                    continue
                found.append(((len(equation), not c.numer.is_ground, varies, len(c.numer), -f), equation, (f, K)))
    if not found:
        return False
    _, equation, key = min(found, key=lambda candidate: candidate[0])
    value = {other: -c / equation[key] for other, c in equation.items() if other != key}
    state.use(equation, key, value, "eliminate")
    return True


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
            if state.add_consequence(form, "decouple", *divisors):
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
                row = reduced(combined((field.one, row), (-factor, other)), field)
                made = reduced(combined((field.one, made), (-factor, origin)), field)
        if not row:
            return made, divisors
        key = min(row)
        scale = row[key]
        divisors.append(scale)
        row, made = (reduced({k: c / scale for k, c in form.items()}, field) for form in (row, made))
        pivots.append((key, row, made))
    return None


MAX_SEPARATED = 40
MAX_DIVISOR = 4
"""Monomials in the coefficient that such an equation may be divided by."""

MAX_SIZE = 24
"""Monomials in the coefficients of an equation beyond which it is differentiated only when all else fails."""


def separate(state: State, large: bool = False) -> bool:
    """Add the shortest new consequence of the small equations, or of all, also where the derivatives may swell."""
    for equation in sorted(state.equations, key=form_sort_key):
        if not large and sum(len(c.numer) for c in equation.values()) > MAX_SIZE:
            continue
        if len(equation) > MAX_SEPARATED:
            return False
        best: tuple[Form, Element] | None = None
        for key, c in equation.items():
            if not large and len(c.numer) > MAX_DIVISOR:
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
        if state.kept(partial(_separated, state, equation, *best)):
            return True
    return False


def _separated(state: State, equation: Form, form: Form, divisor: Element) -> bool:
    """Take in a derivative of an equation, divided before, reduced by the others."""
    consequence = reduced_form(state, form, [e for e in state.equations if e is not equation], only_lead=False)
    return bool(consequence) and state.add_consequence(consequence, "differentiate", divisor)
