"""Antiderivatives of coefficients in one variable, always verified by differentiation."""

from __future__ import annotations

import sympy as sp

from lieapp.errors import EquationError
from lieapp.symbolic.coefficients import CoefficientField, Element
from lieapp.symbolic.solving.state import State


def antiderivative(state: State, element: Element, v: int) -> Element | None:
    """∫ element dv, or None when it isn't elementary in the supported functions. The field may grow."""
    field = state.field
    if not field.involves(element, v):
        return element * field.field.gens[v]
    polynomial = _of_polynomial(field, element, v)
    if polynomial is not None:
        return polynomial
    before = len(field.field.symbols)
    primitive = integral(state, field.expression(element), field.variables[v])
    result = None
    if primitive is not None:
        try:
            candidate = field.element(primitive)
            if not field.reduce(field.diff(candidate, v) - field.lift(element)):
                result = candidate
        except EquationError:
            result = None
    if len(field.field.symbols) != before:
        state.lift()
    return result


def integral(state: State, expression: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """SymPy's antiderivative for positive symbols; of a Piecewise the generic branch, recorded."""
    positive = {s: sp.Dummy(s.name, positive=True) for s in expression.free_symbols | {v}}
    back = {d: s for s, d in positive.items()}
    try:
        found = sp.integrate(sp.expand(expression.xreplace(positive)), positive[v])
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    if isinstance(found, sp.Piecewise):
        found, condition = found.args[0]
        if isinstance(condition, sp.Ne):
            state.assume((condition.lhs - condition.rhs).xreplace(back))
    if found.has(sp.Integral, sp.Piecewise, sp.I):
        return None
    return found.xreplace(back)


def _of_polynomial(field: CoefficientField, element: Element, v: int) -> Element | None:
    """Term by term when v occurs only as a power above the line."""
    movers = field.movers(v)
    if any(m[n] for m in element.denom for n in movers):
        return None
    if any(m[n] for m in element.numer for n in movers[1:]):
        return None
    result = field.zero
    gen = field.field.gens[v]
    by_power: dict[int, dict] = {}
    for m, c in element.numer.items():
        by_power.setdefault(m[v], {})[(*m[:v], 0, *m[v + 1 :])] = c
    for power, terms in by_power.items():
        part = field.field.raw_new(field.field.ring.from_dict(terms))
        result += part * gen ** (power + 1) / (power + 1)
    return result / field.field.raw_new(element.denom)
