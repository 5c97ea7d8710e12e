"""The finite flow exp(sV) in closed form: dX/ds = V(X), X(0) = X, checked by substitution.

Triangular fields are integrated coordinate by coordinate. Where that stops, all others are found along one
coordinate first (they are invariants times known functions of it), which then moves by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import sympy as sp

from lieapp.errors import EquationError
from lieapp.lie.certificate.counting import TooLargeError, check_time
from lieapp.lie.reduction.exact import Positive, tidy, vanishes, without_moduli
from lieapp.lie.reduction.orbits import orbits
from lieapp.lie.vector_field import Field

SECONDS = 20.0
"""Time for one field when no deadline is given."""

Values = dict[sp.Symbol, sp.Expr]


def flow(field: Field, parameter: str = "s", deadline: float | None = None) -> dict[str, sp.Expr] | None:
    """Where exp(sV) moves a point: each coordinate's expression in s and the old coordinates.

    None if no closed form is found or a check fails: the differential equation, the value at s = 0, and the
    group law X(s₁; X(s₂; X)) = X(s₁ + s₂; X). Valid near s = 0; see `domain`.
    Raises EquationError if the parameter is a name in use.
    """
    deadline = time.perf_counter() + SECONDS if deadline is None else deadline
    symbols = _coordinates(field)
    used = {str(s) for s in symbols} | {str(s) for e in field.components.values() for s in e.free_symbols}
    if parameter in used:
        raise EquationError(
            f"{parameter} is a name in {field}; the flow's parameter needs one of its own.",
            hint="Give another parameter, such as epsilon.",
        )
    s = sp.Symbol(parameter, real=True)
    positive = Positive([s, *symbols])
    rates = {positive.stand_in[X]: positive.enter(field.components[X.name]) for X in symbols}
    try:
        for found in _candidates(rates, positive.stand_in[s], deadline):
            if is_flow(found, rates, positive.stand_in[s], deadline):
                return {X.name: positive.leave(found[positive.stand_in[X]]) for X in symbols}
    except (TooLargeError, NotImplementedError, sp.PolynomialError, RecursionError):
        return None
    return None


def is_flow(values: Values, rates: Values, s: sp.Symbol, deadline: float) -> bool:
    """Whether values solve dX/ds = rates(X), are the coordinates at s = 0, and form a group; decided exactly."""
    first, second = (sp.Dummy(f"s{k}", positive=True) for k in (1, 2))
    inner = {X: value.xreplace({s: second}) for X, value in values.items()}
    for X, value in values.items():
        check_time(deadline)
        start = value.subs(s, 0)
        if start.has(sp.nan, sp.zoo) or not vanishes(start - X):
            return False
        if not vanishes(sp.diff(value, s) - rates[X].xreplace(values), [s]):
            return False
        check_time(deadline)
        # xreplace at once: the coordinates occur on both sides
        composed = value.xreplace({**inner, s: first})
        if not vanishes(composed - value.xreplace({s: first + second}), [first, second]):
            return False
    return True


def domain(values: dict[str, sp.Expr], parameter: str = "s") -> list[sp.Expr]:
    """What must stay positive for a flow to exist, as `1 - s*t`; empty if it exists for all s.

    Only what can reach zero as s grows counts: exp(s) stands nowhere here.
    """
    s = sp.Symbol(parameter, real=True)
    found: dict[sp.Expr, None] = {}
    for value in values.values():
        for node in sp.preorder_traversal(value):
            base = None
            if node.is_Pow and node.base.has(s) and not (node.exp.is_Integer and node.exp.is_positive):
                base = node.base
            elif isinstance(node, sp.log) and node.args[0].has(s):
                base = node.args[0]
            elif isinstance(node, sp.tan) and node.has(s):
                base = sp.cos(node.args[0])
            if base is not None and not base.is_positive:
                found[sp.together(base)] = None
    factors = [f for e in found for f in sp.Mul.make_args(sp.factor(e)) if f.has(s) and not f.is_positive]
    return list(dict.fromkeys(_positive_at_zero(f.as_base_exp()[0], s) for f in factors))


def _positive_at_zero(expression: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """± the expression, positive at s = 0 for positive coordinates."""
    start = expression.subs(s, 0)
    positive = {x: sp.Dummy(positive=True) for x in start.free_symbols}
    return -expression if start.xreplace(positive).is_negative else expression


def _coordinates(field: Field) -> list[sp.Symbol]:
    """The symbols of the coordinates, as they stand in the components."""
    known = {s.name: s for e in field.components.values() for s in e.free_symbols}
    return [known.get(name, sp.Symbol(name, real=True)) for name in field.components]


def _candidates(rates: Values, s: sp.Symbol, deadline: float) -> Iterator[Values]:
    found = orbits(rates, s, deadline, at_zero=True)
    if found is not None:
        back = {K: X for X, K in found.constant.items()}
        yield {X: _near_zero(tidy(value.xreplace(back)), s) for X, value in found.values.items()}
    yield from _along_one(rates, s, deadline)


def _near_zero(expression: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """Signs as they are at s = 0: t/(1 - s t) for -t/(s t - 1), and roots of powers simplified with them."""
    if expression.is_Atom:
        return expression
    e = expression.func(*(_near_zero(a, s) for a in expression.args))
    if isinstance(e, sp.Abs):
        return without_moduli(e, [s])
    if not e.is_Pow:
        return e
    base, exponent = e.as_base_exp()
    if base.is_Pow and not exponent.is_Integer and base.base.subs(s, 0).is_positive:
        return base.base ** (base.exp * exponent)
    if base.is_Add and exponent.is_Integer and exponent.is_negative and base.subs(s, 0).is_negative:
        return (-1) ** exponent * sp.expand(-base) ** exponent
    return e


def _along_one(rates: Values, s: sp.Symbol, deadline: float) -> Iterator[Values]:
    """The others along a coordinate τ, then dτ/ds = V^τ on the orbit of the point, for each τ that moves."""
    for tau, rate in rates.items():
        if rate == 0:
            continue
        check_time(deadline)
        others = orbits({X: tidy(f / rate) for X, f in rates.items() if tau != X}, tau, deadline)
        if others is None:
            continue
        moved = orbits({tau: tidy(rate.xreplace(others.values))}, s, deadline, at_zero=True)
        if moved is None:
            continue
        own = moved.values[tau].xreplace({moved.constant[tau]: tau})
        values = {tau: own} | {X: value.xreplace({tau: own}) for X, value in others.values.items()}
        # the constants are functions of where the point starts
        start = others.invariants
        yield {X: _near_zero(tidy(values[X].xreplace(start)), s) for X in rates}
