"""Families of symmetries with arbitrary functions: their formulas, check, and the quotient by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.lie.linear import Form, Unknowns, add, derivative
from lieapp.lie.normal_form import Vector
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.complete import reduced_form
from lieapp.lie.vector_field import Field

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "mu", "rho", "sigma")


@dataclass(frozen=True, repr=False)
class Family:
    """Generators with arbitrary functions, in formulas.

    Args:
        functions: the arguments of each arbitrary function.
        conditions: what must vanish, in jet notation (`alpha_t - alpha_xx`).
        field: the generator; derivatives of the functions in jet notation.
    """

    functions: dict[str, tuple[str, ...]]
    conditions: tuple[sp.Expr, ...]
    field: Field

    def as_json(self) -> dict[str, Any]:
        """The object of the JSON contract."""
        return {
            "functions": {name: list(arguments) for name, arguments in self.functions.items()},
            "conditions": [str(c) for c in self.conditions],
            "field": self.field.as_json(),
        }

    def text(self) -> str:
        """One line: `alpha d_u for every alpha(t, x) where alpha_t - alpha_xx = 0`."""
        functions = ", ".join(f"{name}({', '.join(arguments)})" for name, arguments in self.functions.items())
        where = "; ".join(f"{condition} = 0" for condition in self.conditions)
        return f"{self.field.text()} for every {functions}" + (f" where {where}" if where else "")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Group:
    """Functions coupled by conditions, and what they put into each component, as forms."""

    functions: tuple[int, ...]
    conditions: tuple[Form, ...]
    values: tuple[Form, ...]

    def lifted(self, field: CoefficientField) -> Group:
        """The same group in the field as it is now."""
        conditions, values = (
            tuple({key: field.lift(c) for key, c in form.items()} for form in forms)
            for forms in (self.conditions, self.values)
        )
        return Group(self.functions, conditions, values)


def family_of(
    group: Group, field: CoefficientField, unknowns: Unknowns, coordinates: Sequence[sp.Symbol]
) -> Family:
    """The formulas of a group."""
    taken = {str(s) for s in (*field.variables, *field.constants)}
    free = [n for n in (*NAMES, *(f"f{k}" for k in range(1, len(group.functions) + 40))) if n not in taken]
    names = dict(zip(group.functions, free, strict=False))
    functions = {
        names[f]: tuple(str(field.variables[v]) for v in sorted(unknowns.arguments[f])) for f in group.functions
    }
    conditions = tuple(_signed(_written(c, field, names)) for c in group.conditions)
    components = {str(x): _written(value, field, names) for x, value in zip(coordinates, group.values, strict=True)}
    return Family(functions, conditions, Field(components))


def _written(form: Form, field: CoefficientField, names: dict[int, str]) -> sp.Expr:
    total = sp.S.Zero
    # lengths of periods are named L_x and never differentiated by
    short = all(len(str(v)) == 1 for v in field.variables if not isinstance(v, sp.Dummy))
    for (f, K), c in sorted(form.items()):
        letters = [str(v) for v, n in zip(field.variables, K, strict=True) for _ in range(n)]
        name = names[f] + ("_" + ("" if short else "_").join(letters) if letters else "")
        total += field.expression(c) * sp.Symbol(name, real=True)
    return total


def _signed(expression: sp.Expr) -> sp.Expr:
    """± the expression, so that it doesn't begin with a minus sign."""
    return -expression if str(expression).startswith("-") else expression


def family_holds(
    group: Group,
    equations: Sequence[Form],
    components: Sequence[int],
    field: CoefficientField,
    unknowns: Unknowns,
) -> bool:
    """Whether a family solves the determining equations modulo its own conditions, exactly."""
    state = State(field, unknowns, [], [])
    group = group.lifted(field)
    for equation in equations:
        total: Form = {}
        for (f, K), c in equation.items():
            for key, d in derivative(group.values[components.index(f)], K, field, unknowns).items():
                add(total, key, field.lift(c) * d)
        total = {k: c for k, c in ((k, field.reduce(c)) for k, c in total.items()) if c}
        if total and reduced_form(state, total, list(group.conditions), only_lead=False):
            return False
    return True


def modulo_families(
    vectors: Sequence[Vector], groups: Sequence[Group], field: CoefficientField, unknowns: Unknowns
) -> list[Vector]:
    """A basis of the span of the vectors modulo members of the families.

    Solves Σ cᵢ Vᵢ = member for the constants cᵢ; each relation found drops one vector.
    """
    if not groups or not vectors:
        return list(vectors)
    vectors = [[field.lift(c) for c in v] for v in vectors]
    relations = relations_modulo(vectors, groups, field, unknowns)
    return (
        [[field.lift(c) for c in v] for v in vectors] if relations is None else _outside(vectors, relations, field)
    )


def relations_modulo(
    vectors: Sequence[Vector], groups: Sequence[Group], field: CoefficientField, unknowns: Unknowns
) -> list[list[Any]] | None:
    """All rows c with Σ cᵢ Vᵢ a member of the families; None if the solver can't tell."""
    vectors = [[field.lift(c) for c in v] for v in vectors]
    groups = [group.lifted(field) for group in groups]
    own = unknowns.copy()
    constants = [own.new(()) for _ in vectors]
    equations: list[Form] = []
    for k in range(len(vectors[0])):
        form: Form = {}
        for c, vector in zip(constants, vectors, strict=True):
            add(form, (c, own.zero), vector[k])
        for group in groups:
            for key, c in group.values[k].items():
                add(form, key, -c)
        equations.append(form)
    equations += [dict(c) for group in groups for c in group.conditions]
    state = State(field, own, equations, [own.form(field, c) for c in constants])
    solution = solve(state)
    if state.equations and any(any(f in g for f, _ in v) for v in state.values for g, _ in solution.groups):
        return None
    relations = [[value.get((f, own.zero), field.zero) for value in state.values] for f in solution.constants]
    return [r for r in relations if any(r)]


def _outside(vectors: Sequence[Vector], relations: list[list[Any]], field: CoefficientField) -> list[Vector]:
    """Drop one vector for each independent relation among them."""
    dropped: set[int] = set()
    rows = [[field.lift(c) for c in r] for r in relations]
    while rows:
        row = rows.pop()
        k = next((k for k in range(len(row) - 1, -1, -1) if row[k]), None)
        if k is None:
            continue
        dropped.add(k)
        rows = [
            [field.reduce(a - r[k] / row[k] * b) for a, b in zip(r, row, strict=True)] if r[k] else r for r in rows
        ]
    return [[field.lift(c) for c in v] for k, v in enumerate(vectors) if k not in dropped]
