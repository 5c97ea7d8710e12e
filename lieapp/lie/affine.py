"""Symmetries affine in the coordinates, by linear algebra: translations, scalings, rotations, Galilean boosts.

Two thirds of the known generators are of this kind. They are what can always be told when the solver of the
determining equations wasn't given the time to end.
"""

from __future__ import annotations

from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.linear import Form, Key, add, derivative
from lieapp.lie.normal_form import Vector
from lieapp.lie.solving import State, solve


def affine_symmetries(determining: DeterminingSystem) -> list[Vector]:
    """A basis of the symmetries with ξ and φ affine in x and u."""
    field, unknowns = determining.field, determining.unknowns.copy()
    field_gens = field.field.gens
    values: dict[int, Form] = {}
    constants: list[int] = []
    for f in determining.components:
        values[f] = {}
        for v in range(-1, len(field.variables)):
            c = unknowns.new(())
            constants.append(c)
            values[f][(c, unknowns.zero)] = field.one if v < 0 else field_gens[v]
    known: dict[Key, Form] = {}
    equations: list[Form] = []
    for equation in determining.equations:
        form: Form = {}
        for (f, K), c in equation.items():
            if sum(K) > 1:
                continue
            if (f, K) not in known:
                known[(f, K)] = derivative(values[f], K, field, unknowns)
            for key, d in known[(f, K)].items():
                add(form, key, field.lift(c) * d)
        equations.append(form)
    state = State(field, unknowns, equations, [values[f] for f in determining.components])
    solution = solve(state)
    zero = unknowns.zero
    return [[value.get((c, zero), field.zero) for value in state.values] for c in solution.constants]
