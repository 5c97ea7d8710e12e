"""Structure constants [Vᵢ, Vⱼ] = Σ c^k_ij V_k modulo the families, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import sympy as sp
from msgspec.structs import replace

from lieapp.document import Formula
from lieapp.equations.coefficients import CoefficientField
from lieapp.lie.algebra import series
from lieapp.lie.algebra.ideal import Members
from lieapp.lie.algebra.scalars import Undecided
from lieapp.lie.algebra.simple import signature, type_of
from lieapp.lie.families import Group, relations_modulo
from lieapp.lie.linear import Unknowns
from lieapp.lie.normal_form import Row, Vector, coordinates_in, echelon
from lieapp.lie.vector_field import combination, formula_of
from lieapp.results.truth import Coefficient, LeviResult, StructureResult

T = TypeVar("T")


def summary(table: series.Table, size: int, nonzero: Sequence[sp.Expr] = ()) -> StructureResult:
    """What the structure constants say, without the brackets themselves."""
    try:
        g = series.Algebra.from_table(table, size, nonzero)
    except Undecided:
        return StructureResult()
    derived = _decided(lambda: series.derived_series(g))
    lower = _decided(lambda: series.lower_central_series(g))
    form = series.killing_form(g)
    root = None if derived is None else _decided(lambda: series.radical(g, form, derived[0]))
    factor = None if root is None else _decided(lambda: series.levi_factor(g, root))
    kind = _decided(lambda: type_of(g.subalgebra(factor))) if factor else None
    middle = _decided(lambda: series.center(g))
    nil = None if root is None else _decided(lambda: series.nilradical(g, root))
    levi = None
    if factor is not None:
        shown = {"factor_shown": _shown(factor, g), "radical_shown": _shown(root, g)}
        levi = LeviResult(factor=_written(factor, g), radical=_written(root, g), type=kind, **shown)
    return StructureResult(
        abelian=None if derived is None else derived[0] == [],
        nilpotent=None if lower is None else lower[-1] == [],
        solvable=None if derived is None else derived[-1] == [],
        semisimple=None if root is None else size > 0 and not root,
        perfect=None if derived is None else size > 0 and len(derived[0]) == size,
        center=_written(middle, g),
        derived_series=None if derived is None else [_written(member, g) for member in derived],
        lower_central_series=None if lower is None else [_written(member, g) for member in lower],
        killing=[[plain(g.scalars.expression(c)) for c in row] for row in form],
        killing_signature=_decided(lambda: list(signature(form, g.scalars))),
        radical=_written(root, g),
        nilradical=_written(nil, g),
        levi=levi,
        assumed_nonzero=[str(e) for e in g.scalars.assumed],
        center_shown=_shown(middle, g),
        derived_algebra_shown=_shown(derived[0] if derived else None, g),
        nilradical_shown=_shown(nil, g),
        assumed_nonzero_shown=list(map(formula_of, g.scalars.assumed)),
    )


def _decided(compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except Undecided:
        return None


def _written(A: series.Basis | None, g: series.Algebra) -> Any:
    return None if A is None else [[plain(c) for c in g.scalars.primitive(a)] for a in A]


def _shown(A: series.Basis | None, g: series.Algebra) -> list[Formula]:
    return [combination(g.scalars.primitive(a)) for a in A or []]


def plain(c: sp.Expr) -> Coefficient:
    """An integer as such, anything else in SymPy syntax."""
    return int(c) if c.is_Integer else str(c)


def bracket(V: Vector, slopes_V: list, W: Vector, slopes_W: list, field: CoefficientField) -> Vector:
    """[V, W]ᵏ = Vʲ ∂ⱼ Wᵏ - Wʲ ∂ⱼ Vᵏ, with the slopes ∂ⱼ Vᵏ and ∂ⱼ Wᵏ that don't vanish by j for each k."""
    result = []
    for k in range(len(V)):
        total = sum((V[j] * slope for j, slope in slopes_W[k].items() if V[j]), field.zero)
        total -= sum((W[j] * slope for j, slope in slopes_V[k].items() if W[j]), field.zero)
        result.append(field.reduce(total))
    return result


def structure_constants(
    vectors: Sequence[Vector], field: CoefficientField, groups: Sequence[Group], unknowns: Unknowns | None
) -> tuple[series.Table | None, bool]:
    """c^k_ij, i < j, for brackets that don't vanish, and whether they hold modulo the families only.

    No table if a bracket leaves the span of the vectors and families, as it may when generators are missing.
    """
    vectors = [[field.lift(c) for c in v] for v in vectors]
    n = len(vectors)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    slopes = [[{j: d for j in range(len(v)) if c and (d := field.diff(c, j))} for c in v] for v in vectors]
    brackets = [bracket(vectors[i], slopes[i], vectors[j], slopes[j], field) for i, j in pairs]
    rows: list[list[Any] | None] = [
        None if row is None else [row.get((k, ()), field.zero) for k in range(n)]
        for row in coordinates_in(vectors, brackets, field)
    ]
    outside = [k for k, row in enumerate(rows) if row is None]
    if outside and groups and unknowns:
        # modulo members of the families
        m = len(outside)
        relations = relations_modulo([*(brackets[k] for k in outside), *vectors], groups, field, unknowns) or []
        known: list[Row] = [{(k, ()): field.lift(c) for k, c in enumerate(r) if c} for r in relations]
        for (pivot, _), reduced in echelon(known, field):
            if pivot < m and all(k >= m or k == pivot for k, _ in reduced):
                rows[outside[pivot]] = [-reduced.get((m + k, ()), field.zero) for k in range(n)]
    table: series.Table = {}
    for pair, row in zip(pairs, rows, strict=True):
        if row is None:
            return None, bool(outside)
        if any(row):
            table[pair] = [sp.factor(field.expression(field.lift(c))) for c in row]
    return table, bool(outside)


def structure_of(
    vectors: Sequence[Vector],
    field: CoefficientField,
    groups: Sequence[Group] = (),
    unknowns: Unknowns | None = None,
    nonzero: Sequence[sp.Expr] = (),
) -> StructureResult:
    """The brackets of generators and what follows from them.

    Nothing follows if the algebra isn't closed, or is modulo families that aren't known to be an ideal.
    """
    table, modulo = structure_constants(vectors, field, groups, unknowns)
    ideal: bool | None = True
    assumed: list[sp.Expr] = []
    if groups and unknowns:
        members = Members(groups, field, unknowns)
        members.state.nonzero = tuple(nonzero)
        ideal = members.form_ideal(vectors)
        assumed = list(members.state.assumed)
    known = StructureResult() if table is None or (modulo and not ideal) else summary(table, len(vectors), nonzero)
    nonzero_shown = {f.text: f for f in (*known.assumed_nonzero_shown, *map(formula_of, assumed))}
    found = table or {}
    return replace(
        known,
        brackets=[(i, j, [plain(c) for c in cs]) for (i, j), cs in found.items()],
        closed=table is not None,
        modulo_families=modulo,
        ideal=ideal,
        assumed_nonzero=list(nonzero_shown) if assumed else known.assumed_nonzero,
        brackets_shown=[combination(cs) for cs in found.values()],
        opposite_shown=[combination([-c for c in cs]) for cs in found.values()],
        assumed_nonzero_shown=list(nonzero_shown.values()),
    )
