"""Splitting by every variable v that no function of an equation depends on, and by the atoms of v.

Powers of v and of atoms that contain v (exp, sqrt, log, …, reduced by their relations) are linearly independent
over functions of the other variables. With Pⱼ made of k(u), k'(u), … and of u, and Eⱼ independent of u, Σ Pⱼ Eⱼ = 0
says Eⱼ = 0 for all j unless the Pⱼ are linearly dependent: if they depend on u alone, unless their Wronskian
vanishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.coefficients import Element, parted
from lieapp.equations.coincidences import coincidences
from lieapp.equations.factors import vanishing_factors
from lieapp.lie.linear import Form
from lieapp.lie.solving.state import State, Step, simplest

MAX_PARTS = 5
"""Coefficients beyond which their Wronskian isn't written out."""

MAX_TERMS = 4
"""Terms of a factor of the Wronskian beyond which the coefficients are said to be independent instead."""


def assume_independent(state: State, equation: Form) -> None:
    """Record that the coefficients are independent, by their Wronskian if that is short."""
    field = state.field
    outside, movers = _outside(state, equation)
    parts = [p.numer for p in _parts(state, equation, movers).values()]
    if not any(m[n] for p in parts for m in p for n in field.arbitrary()):
        return
    common = reduce(lambda common, p: common.gcd(p), parts)
    state.divide(field.field.raw_new(common))
    if len(parts) == 1:
        return
    elements = [field.field.raw_new(p.exquo(common)) for p in parts]
    expressions = simplest([field.expression(e) for e in elements])
    moving = {v for e in elements for v in outside if field.involves(e, v)}
    if len(moving) == 1 and len(expressions) <= MAX_PARTS:
        value = _wronskian(expressions, field.variables[moving.pop()])
        factors = vanishing_factors(value, field.constants, state.nonzero)
        if all(len(sp.Add.make_args(sp.expand(f))) <= MAX_TERMS for f in factors):
            state.assume(value)
            return
    state.assume_independent(expressions)


def _outside(state: State, equation: Form) -> tuple[list[int], list[int]]:
    """Variables that no function of an equation depends on, and the positions of the generators with them."""
    outside = sorted(set(range(len(state.field.variables))) - state.arguments(equation))
    return outside, sorted(state.field.movers(*outside))


def _wronskian(expressions: Sequence[sp.Expr], x: sp.Symbol) -> sp.Expr:
    rows = [list(expressions)]
    for _ in expressions[1:]:
        # as expressions: the field has no atoms for derivatives this high
        rows.append([sp.diff(e, x) for e in rows[-1]])
    # by polynomials in the functions and their derivatives
    matrix = sp.Matrix(rows)
    found = sorted(matrix.atoms(AppliedUndef, sp.Derivative), key=lambda e: (-e.count_ops(), str(e)))
    names = {e: sp.Dummy(real=True) for e in found}
    value = DomainMatrix.from_Matrix(matrix.xreplace(names)).to_field().det()
    return value.as_expr().xreplace({s: e for e, s in names.items()})


def _parts(state: State, equation: Form, movers: list[int]) -> dict[frozenset, Element]:
    """Pⱼ by Eⱼ, where Eⱼ that differ by a number are the same."""
    field = state.field
    ring = field.field.ring
    by_monomial: dict[tuple[int, ...], dict[Any, int]] = {}
    for key, c in equation.items():
        for on, rest in parted(c.numer, movers).items():
            by_monomial.setdefault(on, {}).update({(key, m): number for m, number in rest.items()})
    result: dict[frozenset, Element] = {}
    for on, terms in by_monomial.items():
        first = terms[min(terms)]
        same = frozenset((place, sp.Rational(int(c), int(first))) for place, c in terms.items())
        result[same] = result.get(same, field.zero) + field.field.raw_new(ring.from_dict({on: first}))
    return {same: p for same, p in result.items() if p}


def split(state: State, arbitrary: bool = False) -> bool:
    """Split every equation by every variable that its functions don't depend on.

    By `arbitrary` functions k(u) too only late, so that as few special cases as possible are excluded; these are
    recorded. They are generic, their derivatives satisfy no equation.
    """
    changed = False
    for equation in list(state.equations):
        outside, movers = _outside(state, equation)
        special = _contains(equation, state.field.arbitrary().intersection(movers))
        if not _contains(equation, movers) or (special and not arbitrary):
            continue
        found: dict[tuple[int, ...], Form] = {}
        for key, c in equation.items():
            for on, rest in parted(c.numer, movers).items():
                found.setdefault(on, {})[key] = state.field.field.raw_new(rest)
        if len(found) > 1:
            parts = [part for _, part in sorted(found.items())]
            if special:
                assume_independent(state, equation)
            for condition in coincidences(state.field, found, outside):
                state.divide(condition)
            state.remove(equation)
            state.steps.append(Step("split", equation, parts=tuple(parts)))
            state.add_equations(parts)
            changed = True
    return changed


def _contains(equation: Form, generators: Iterable[int]) -> bool:
    return any(m[n] for c in equation.values() for m in c.numer for n in generators)
