"""Special values of parameters: where an expression that was divided by vanishes, and the equations there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.equation import INFINITE, System
from lieapp.lie.classes.special_functions import UnsolvedError, asked
from lieapp.lie.deadline import Clock

Values = dict[sp.Symbol, sp.Expr]


def roots(
    condition: sp.Expr, constants: Sequence[sp.Symbol], clock: Clock, kept: Sequence[sp.Symbol] = ()
) -> list[Values] | None:
    """Where an expression vanishes identically: real values of the first constant that it can be solved for.

    The constants in which it is linear come first; those that are `kept` may stand in the values. None if it can't
    be solved.
    """
    found = [c for c in constants if c in condition.free_symbols]
    if not found or condition.atoms(AppliedUndef, sp.Derivative):
        return None
    variables = sorted(condition.free_symbols - {*found, *kept}, key=str)
    if variables:
        # at a point, and then for all others
        try:
            at = asked(sp.simplify, condition.subs(dict.fromkeys(variables, 1)))
            values = [] if at.is_number and at != 0 else roots(at, constants, clock, kept)
            return values and [one for one in values if asked(sp.simplify, condition.subs(one)) == 0]
        except UnsolvedError:
            return None
    for c in sorted(found, key=lambda c: (_degree(condition, c), found.index(c))):
        values = clock.part(0.5).within(0.0, partial(_solved, condition, c), None)
        if values is not None:
            return [{c: value} for value in values if _allowed(c, value)]
    return None


def _degree(condition: sp.Expr, c: sp.Symbol) -> int:
    return int(sp.degree(condition, c)) if condition.is_polynomial(c) else 10**6


def _solved(condition: sp.Expr, c: sp.Symbol) -> list[sp.Expr] | None:
    """All real values of c; None if they can't be written down."""
    try:
        return _roots_of(condition, c)
    except UnsolvedError:
        return None


def _roots_of(condition: sp.Expr, c: sp.Symbol) -> list[sp.Expr] | None:
    if condition.is_polynomial(c):
        if condition.free_symbols == {c}:
            found = asked(sp.real_roots, asked(sp.Poly, condition, c), multiple=False)
            return None if any(r.has(sp.CRootOf) for r, _ in found) else [r for r, _ in found]
        polynomial = asked(sp.Poly, condition, c)
        values, degree = asked(sp.roots, polynomial), polynomial.degree()
        real = [value for value in values if not value.has(sp.I)]
        # real roots of a cubic equation may be written with I, but for cⁿ = d
        plain = degree < 3 or len(polynomial.terms()) == 2 or len(real) == len(values)
        return real if sum(values.values()) == degree and plain else None
    found = asked(sp.solveset, condition, c, sp.S.Reals)
    return list(found) if isinstance(found, sp.FiniteSet) else [] if found is sp.S.EmptySet else None


def _allowed(c: sp.Symbol, value: sp.Expr) -> bool:
    """Whether a value agrees with what is assumed of the constant."""
    if value.is_extended_real is False or value.has(*INFINITE):
        return False
    assumed = (name for name in CHECKED if c.assumptions0.get(name))
    return all(getattr(value, f"is_{name}") is not False for name in assumed)


CHECKED = ("positive", "negative", "nonzero", "integer")
"""What may be assumed of a parameter."""


def specialised(system: System, values: Mapping[sp.Symbol, sp.Expr]) -> System | None:
    """The system with some of its parameters replaced; None where it is none any more, or against what is known."""
    nonzero = tuple(e.subs(values) for e in system.nonzero)
    residuals = tuple(e.subs(values).doit() for e in system.residuals)
    if any(sp.expand(e) == 0 or e.has(*INFINITE) for e in (*nonzero, *residuals)):
        return None
    left = tuple(p for p in system.parameters if p not in values)
    nonzero = tuple(e for e in nonzero if e.free_symbols)
    return replace(system, residuals=residuals, parameters=left, nonzero=nonzero)
