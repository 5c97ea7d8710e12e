"""Families of symmetries with arbitrary functions: their formulas, check, the quotient by them, and what of them
and of the generators a domain with periodic variables keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.factors import spelled
from lieapp.equations.jets import jet_name
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.linear import Form, Unknowns, add, lifted, reduced, substituted
from lieapp.lie.normal_form import Row, Vector, echelon, normal_basis
from lieapp.lie.solving import Solution, State, solve
from lieapp.lie.solving.complete import reduced_form
from lieapp.lie.vector_field import Field

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "mu", "rho", "sigma")

MAX_TOLD, MAX_IN_LINE = 20, 3
"""Conditions of an unsolved group that are written out; those that stand in one line with their generator."""


@dataclass(frozen=True, repr=False)
class Family:
    """Generators with arbitrary functions, whose arguments are told, in formulas.

    The `conditions` must vanish; in them and in the field derivatives stand in jet notation, `alpha_t - alpha_xx`.
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
        where = "; ".join(f"{spelled(condition)} = 0" for condition in self.conditions)
        return f"{self.field.text()} for every {functions}" + (f" where {where}" if where else "")

    def left_open(self, count: int | None = None) -> list[str]:
        """Lines for one that isn't solved: `alpha d_y with alpha_xx - alpha*f = 0: 2 constants`."""
        conditions = [f"{spelled(c)} = 0" for c in self.conditions]
        ending = "" if count is None else f": {count} constant{'' if count == 1 else 's'}"
        field = self.field.text()
        if len(conditions) <= MAX_IN_LINE:
            return [field + (f" with {', '.join(conditions)}" if conditions else "") + ending]
        more = len(conditions) - MAX_TOLD
        lines = [f"{field} with {len(conditions)} equations{ending}", *conditions[:MAX_TOLD]]
        return lines if more <= 0 else [*lines, f"and {more} more equations in {', '.join(self.functions)}"]

    __repr__ = text


@dataclass(frozen=True)
class Group:
    """Functions coupled by conditions, and what they put into each component, as forms."""

    functions: tuple[int, ...]
    conditions: tuple[Form, ...]
    values: tuple[Form, ...]

    def lifted(self, field: CoefficientField) -> Group:
        """The same group in the field as it is now."""
        conditions, values = (tuple(lifted(f, field) for f in forms) for forms in (self.conditions, self.values))
        return Group(self.functions, conditions, values)


def group_of(solution: Solution, functions: Sequence[int], conditions: Sequence[Form]) -> Group:
    """One of the groups of a solution; of functions that only occur in a sum α + β, or α + 2β, one is enough."""
    values = [{key: c for key, c in value.items() if key[0] in functions} for value in solution.state.values]
    kept = list(functions)
    for f, g in combinations(functions, 2):
        if f in kept and g in kept and _always_together(solution.state, [*values, *conditions], f, g):
            kept.remove(g)

    def of_kept(forms: Iterable[Form]) -> tuple[Form, ...]:
        return tuple({key: c for key, c in form.items() if key[0] in kept} for form in forms)

    return Group(tuple(kept), of_kept(conditions), of_kept(values))


def _always_together(state: State, forms: Sequence[Form], f: int, g: int) -> bool:
    """Whether two functions of the same variables occur in constant proportion everywhere."""
    if state.unknowns.arguments[f] != state.unknowns.arguments[g]:
        return False
    ratios = set()
    for form in forms:
        own, other = ({K: c for (h, K), c in form.items() if h == k} for k in (f, g))
        if own.keys() != other.keys():
            return False
        ratios |= {state.field.reduce(other[K] / c) for K, c in own.items()}
    return len(ratios) == 1 and not state.field.depends(ratios.pop())


def family_of(
    group: Group, field: CoefficientField, unknowns: Unknowns, coordinates: Sequence[sp.Symbol]
) -> Family:
    """The formulas of a group."""
    taken = {str(s) for s in (*field.variables, *field.constants)}
    taken |= {str(e.func) for e in field.table.expressions().values() if isinstance(e, AppliedUndef)}
    free = [n for n in (*NAMES, *(f"f{k}" for k in range(1, len(group.functions) + 40))) if n not in taken]
    names = dict(zip(group.functions, free, strict=False))
    functions = {
        names[f]: tuple(str(field.variables[v]) for v in sorted(unknowns.arguments[f])) for f in group.functions
    }
    written = [_written(c, field, names, unknowns) for c in group.conditions]
    # without a minus sign in front
    conditions = tuple(-c if str(c).startswith("-") else c for c in written)
    values = [_written(value, field, names, unknowns) for value in group.values]
    components = dict(zip(map(str, coordinates), values, strict=True))
    return Family(functions, conditions, Field(components))


def _written(form: Form, field: CoefficientField, names: dict[int, str], unknowns: Unknowns) -> sp.Expr:
    terms = []
    for (f, K), c in sorted(form.items()):
        own = sorted(unknowns.arguments[f])
        name = jet_name(names[f], [field.variables[v] for v in own], tuple(K[v] for v in own))
        terms.append(field.expression(c) * sp.Symbol(name, real=True))
    return sp.Add(*terms)


def family_holds(group: Group, determining: DeterminingSystem) -> bool:
    """Whether a family solves the determining equations modulo its own conditions, exactly."""
    field, unknowns = determining.field, determining.unknowns
    state = State(field, unknowns, [], [])
    group = group.lifted(field)
    values = dict(zip(determining.components, group.values, strict=True))
    for equation in determining.equations:
        total = reduced(substituted(lifted(equation, field), values, field, unknowns), field)
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
    relations = relations_modulo(vectors, groups, field, unknowns) or []
    # one for each relation, the last that occurs in it
    n = len(vectors)
    rows: list[Row] = [{(n - k, ()): field.lift(c) for k, c in enumerate(r) if c} for r in relations]
    dropped = {n - column for (column, _), _ in echelon(rows, field)}
    return [[field.lift(c) for c in v] for k, v in enumerate(vectors) if k not in dropped]


def relations_modulo(
    vectors: Sequence[Vector], groups: Sequence[Group], field: CoefficientField, unknowns: Unknowns
) -> list[list[Any]] | None:
    """All rows c with Σ cᵢ Vᵢ a member of the families; None if the solver can't tell."""
    vectors = [[field.lift(c) for c in v] for v in vectors]
    groups = [group.lifted(field) for group in groups]
    own = unknowns.copy()
    numbered = {own.new(()): v for v in vectors}
    equations = [general_component(k, numbered, groups, own) for k in range(len(vectors[0]))]
    equations += [c for group in groups for c in group.conditions]
    state = State(field, own, equations, [own.form(field, c) for c in numbered])
    solution = solve(state)
    if state.equations and any(any(f in g for f, _ in v) for v in state.values for g, _ in solution.groups):
        return None
    return [r for r in solution.vectors() if any(r)]


def general_component(k: int, vectors: dict[int, Vector], groups: Sequence[Group], unknowns: Unknowns) -> Form:
    """The k-th component of Σ cᵢ Vᵢ, vectors by the number of their constant, and the families' general members."""
    form = {(c, unknowns.zero): vector[k] for c, vector in vectors.items() if vector[k]}
    return form | {key: c for group in groups for key, c in group.values[k].items()}


def restrict(
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    field: CoefficientField,
    unknowns: Unknowns,
    periodic: Sequence[sp.Symbol],
    lengths: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> tuple[list[Vector], list[Group], CoefficientField, Unknowns]:
    """Periodic generators and families, in a field of their own that also holds the lengths as variables.

    They are the kernel of V(x+L, u) - V(x, u) on the span of the generators and families, for every length L unless
    lengths are given. Families keep members whose functions have the period. The generators are in normal form,
    modulo the families.
    """
    own = {x: sp.Dummy(f"L_{x}", positive=True) for x in periodic if not lengths or x not in lengths}
    shifts = {x: own.get(x, (lengths or {}).get(x)) for x in periodic}
    wide = CoefficientField((*field.variables, *own.values()), field.constants)
    functions = unknowns.copy(len(wide.variables))
    pad = (0,) * len(own)

    def widened(form: Form) -> Form:
        return {(f, (*K, *pad)): wide.element(field.expression(c)) for (f, K), c in form.items()}

    numbered = {functions.new(()): v for v in vectors}
    values = [general_component(k, numbered, groups, unknowns) for k in range(len(field.variables))]
    conditions = [c for g in groups for c in g.conditions]
    equations = [widened(c) for c in conditions]
    for x, length in shifts.items():
        moved = (_difference(form, x, length, field, wide) for form in (*values, *conditions))
        equations += [{(f, (*K, *pad)): c for (f, K), c in form.items()} for form in moved]
    equations = [lifted(e, wide) for e in equations]
    state = State(wide, functions, equations, [])
    state.values = [lifted(widened(v), wide) for v in values]
    state.lift()
    solution = solve(state)
    left = [group for fs, cs in solution.groups if any((group := group_of(solution, fs, cs)).values)]
    kept = [[field.element(wide.expression(wide.lift(c))) for c in v] for v in solution.vectors()]
    kept = normal_basis([[field.lift(c) for c in v] for v in kept], field)
    kept = [[wide.element(field.expression(c)) for c in v] for v in kept]
    kept = [[wide.lift(c) for c in v] for v in kept]
    return normal_basis(modulo_families(kept, left, wide, functions), wide), left, wide, functions


def _difference(
    form: Form, x: sp.Symbol, length: sp.Expr, source: CoefficientField, target: CoefficientField
) -> Form:
    """Coefficients at x + length minus coefficients at x, in another field; functions count as periodic in x.

    Arbitrary functions of the equation too, as g(x): else it isn't one on a periodic domain.
    """
    result: Form = {}
    for key, c in form.items():
        expression = source.expression(c)
        kept = {e: sp.Dummy() for e in expression.atoms(AppliedUndef, sp.Derivative)}
        moved = expression.xreplace(kept).xreplace({x: x + length}).xreplace({s: e for e, s in kept.items()})
        moved, here = target.elements([moved, expression])
        result = lifted(result, target)
        add(result, key, moved - here)
    return result
