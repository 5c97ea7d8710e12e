"""The periodic restriction: the part of an algebra that acts on a domain with periodic variables.

It is the kernel of V(x+L, u) - V(x, u) on the span of the generators and families, for every length L unless
lengths are given. Families keep members whose functions have the period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element
from lieapp.lie.families import Group, modulo_families
from lieapp.lie.linear import Form, Unknowns, add
from lieapp.lie.normal_form import Vector, normal_basis
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.engine import values_of

Restriction = tuple[list[Vector], list[Group], CoefficientField, Unknowns]


def restrict(
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    field: CoefficientField,
    unknowns: Unknowns,
    periodic: Sequence[sp.Symbol],
    lengths: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Restriction:
    """Periodic generators and families, in a field of their own that also holds the lengths as variables.

    The generators are in normal form, modulo the families.
    """
    own = {x: sp.Dummy(f"L_{x}", positive=True) for x in periodic if not lengths or x not in lengths}
    shifts = {x: own.get(x, (lengths or {}).get(x)) for x in periodic}
    wide = CoefficientField((*field.variables, *own.values()), field.constants)
    functions = unknowns.copy(len(wide.variables))
    pad = (0,) * len(own)
    convert = _Converter(field, wide)
    constants = [functions.new(()) for _ in vectors]
    values = []
    for k in range(len(field.variables)):
        form = {(c, functions.zero): v[k] for c, v in zip(constants, vectors, strict=True) if v[k]}
        for group in groups:
            for (f, K), c in group.values[k].items():
                add(form, (f, (*K, *pad)), c)
        values.append(form)
    conditions = [{(f, (*K, *pad)): c for (f, K), c in e.items()} for g in groups for e in g.conditions]
    equations = [convert.form(c) for c in conditions]
    for x, length in shifts.items():
        equations += [convert.difference(form, x, length) for form in (*values, *conditions)]
    equations = [{key: wide.lift(c) for key, c in e.items()} for e in equations]
    state = State(wide, functions, equations, [])
    state.values = [{key: wide.lift(c) for key, c in convert.form(v).items()} for v in values]
    state.lift()
    solution = solve(state)
    left = [
        Group(tuple(fs), tuple(cs), tuple(_part(value, fs) for value in state.values)) for fs, cs in solution.groups
    ]
    left = [group for group in left if any(group.values)]
    own_values = [values_of(solution, f)[: len(field.variables)] for f in solution.constants]
    kept = [[field.element(wide.expression(wide.lift(_single(c, wide)))) for c in v] for v in own_values]
    kept = normal_basis([[field.lift(c) for c in v] for v in kept], field)
    kept = [[wide.element(field.expression(c)) for c in v] for v in kept]
    kept = [[wide.lift(c) for c in v] for v in kept]
    return normal_basis(modulo_families(kept, left, wide, functions), wide), left, wide, functions


class _Converter:
    """Coefficients of one field as coefficients of another, also shifted in a variable."""

    def __init__(self, source: CoefficientField, target: CoefficientField) -> None:
        self.source, self.target = source, target

    def form(self, form: Form) -> Form:
        """The form over the target field."""
        return {key: self.target.element(self.source.expression(c)) for key, c in form.items()}

    def difference(self, form: Form, x: sp.Symbol, length: sp.Expr) -> Form:
        """Coefficients at x + length minus coefficients at x; functions count as periodic in x."""
        result: Form = {}
        for key, c in form.items():
            expression = self.source.expression(c)
            moved, here = self.target.elements([expression.xreplace({x: x + length}), expression])
            result = {k: self.target.lift(d) for k, d in result.items()}
            add(result, key, moved - here)
        return result


def _single(value: Form, field: CoefficientField) -> Element:
    """The coefficient of a form in one constant."""
    return next(iter(value.values()), field.zero)


def _part(value: Form, functions: Sequence[int]) -> Form:
    return {key: c for key, c in value.items() if key[0] in functions}
