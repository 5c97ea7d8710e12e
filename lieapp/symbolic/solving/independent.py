"""Which arbitrary functions are excluded by splitting an equation: those that make its coefficients dependent.

Σ Pⱼ Eⱼ = 0, with Pⱼ made of k(u), k'(u), … and of u, and Eⱼ independent of u, says Eⱼ = 0 for all j unless the
Wronskian of the Pⱼ vanishes.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.matrices import DomainMatrix

from lieapp.symbolic.coefficients import Element
from lieapp.symbolic.linear import Form
from lieapp.symbolic.solving.state import State

MAX_PARTS = 5


def assume_independent(state: State, equation: Form) -> None:
    """Record that the Wronskian of the coefficients, as functions of one variable, doesn't vanish."""
    field = state.field
    for v in sorted(set(range(len(field.variables))) - state.arguments(equation)):
        movers = sorted(field.movers(v))
        if not set(movers) & field.arbitrary():
            continue
        parts = list(_parts(state, equation, movers).values())
        if not 1 < len(parts) <= MAX_PARTS:
            continue
        x = field.variables[v]
        rows = [[field.expression(p) for p in parts]]
        for _ in parts[1:]:
            # as expressions: the field has no atoms for derivatives this high
            rows.append([sp.diff(e, x) for e in rows[-1]])
        state.assume(_determinant(rows))


def _parts(state: State, equation: Form, movers: list[int]) -> dict[frozenset, Element]:
    """Pⱼ by Eⱼ, where Eⱼ that differ by a number are the same."""
    field = state.field
    ring = field.field.ring
    by_monomial: dict[tuple[int, ...], dict[Any, int]] = {}
    for key, c in equation.items():
        for m, number in c.numer.items():
            on = tuple(e if n in movers else 0 for n, e in enumerate(m))
            rest = tuple(0 if n in movers else e for n, e in enumerate(m))
            by_monomial.setdefault(on, {})[(key, rest)] = number
    result: dict[frozenset, Element] = {}
    for on, terms in by_monomial.items():
        first = terms[min(terms)]
        same = frozenset((place, sp.Rational(int(c), int(first))) for place, c in terms.items())
        result[same] = result.get(same, field.zero) + field.field.raw_new(ring.from_dict({on: first}))
    return {same: p for same, p in result.items() if p}


def _determinant(rows: list[list[sp.Expr]]) -> sp.Expr:
    """By polynomials in the functions and their derivatives."""
    matrix = sp.Matrix(rows)
    found = sorted(matrix.atoms(AppliedUndef, sp.Derivative), key=lambda e: (-e.count_ops(), str(e)))
    names = {e: sp.Dummy(real=True) for e in found}
    value = DomainMatrix.from_Matrix(matrix.xreplace(names)).to_field().det()
    return value.as_expr().xreplace({s: e for e, s in names.items()})
