"""Structure constants [Vᵢ, Vⱼ] = Σ c^k_ij V_k modulo the families, and what follows from them.

The generators modulo the families are a Lie algebra where the members of these form an ideal. Brackets [V, F(α)]
and [F(α), F(β)] with general members F are forms Σ c ∂_K α ∂_L β. Such a form is a member F(γ) when the γ read
off from components where a single function occurs, undifferentiated, satisfy all else: their arguments, the
conditions of the families, the other components; each modulo the conditions on α and β.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any, TypeVar

import sympy as sp
from msgspec.structs import replace

from lieapp.document import Formula
from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.equations.jets import directions
from lieapp.lie.algebra import series
from lieapp.lie.algebra.scalars import Undecided
from lieapp.lie.algebra.simple import signature, type_of
from lieapp.lie.families import Group, relations_modulo
from lieapp.lie.linear import Form, Key, Unknowns, add, primitive, raised, reduced
from lieapp.lie.normal_form import Row, Vector, coordinates_in, echelon
from lieapp.lie.solving import State
from lieapp.lie.solving.complete import cross, lead, reduced_form
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
        for (pivot, _), one in echelon(known, field):
            if pivot < m and all(k >= m or k == pivot for k, _ in one):
                rows[outside[pivot]] = [-one.get((m + k, ()), field.zero) for k in range(n)]
    table: series.Table = {}
    for pair, row in zip(pairs, rows, strict=True):
        if row is None:
            return None, bool(outside)
        if any(row):
            table[pair] = [sp.factor(field.expression(field.lift(c))) for c in row]
    return table, bool(outside)


Product = tuple[Key, ...]
MultiForm = dict[Product, Element]
"""Products of derivatives of functions, one of each general member, with their coefficients."""

Equation = tuple[Form, MultiForm]
"""A member's form in unknown functions, and what it must equal."""


class Members:
    """The general member of all families, and the conditions on its functions."""

    def __init__(self, groups: Sequence[Group], field: CoefficientField, unknowns: Unknowns) -> None:
        self.field, self.unknowns = field, unknowns
        lifted = [g.lifted(field) for g in groups]
        self.functions = {f for g in lifted for f in g.functions}
        self.conditions = [c for g in lifted for c in g.conditions]
        self.components: list[Form] = [
            {key: c for g in lifted for key, c in g.values[k].items()} for k in range(len(field.variables))
        ]
        self.general: list[MultiForm] = [{(key,): c for key, c in form.items()} for form in self.components]
        self.state = State(field, unknowns, [], [])

    def form_ideal(self, vectors: Sequence[Vector]) -> bool | None:
        """Whether brackets with the vectors, and of two members, are members; None if that can't be told."""
        plain: Iterator[list[MultiForm]] = ([{(): self.field.lift(c)} if c else {} for c in v] for v in vectors)
        brackets = (self._bracket(one) for one in chain([self.general], plain))
        return next((answer for one in brackets if (answer := self.contain(one)) is not True), True)

    def _bracket(self, V: Sequence[MultiForm]) -> list[MultiForm]:
        """[V, F(β)], functions of V before β."""
        result = []
        for v, form in zip(V, self.general, strict=True):
            total: MultiForm = {}
            for j, (factor, other) in enumerate(zip(V, self.general, strict=True)):
                for a, c in factor.items():
                    _accumulate(total, c, {(*a, *b): d for b, d in self._differentiated(form, j).items()})
                for a, c in self._differentiated(v, j).items():
                    _accumulate(total, -c, {(*a, *b): d for b, d in other.items()})
            result.append(total)
        return result

    def contain(self, components: Sequence[MultiForm]) -> bool | None:
        """Whether these components are those of a member."""
        functions: dict[int, MultiForm] = {}
        equations = [e for pair in zip(self.components, components, strict=True) for e in self._split(*pair)]
        while found := next((e for e in equations if self._single_unknown(e[0], functions)), None):
            equations = [e for e in equations if e is not found]
            f, c = self._single_unknown(found[0], functions) or (0, self.field.one)
            self.state.divide(c)
            rest = self._residual(*found, functions)
            functions[f] = {key: self.field.reduce(-a / c) for key, a in rest.items()}
        if functions.keys() != self.functions:
            return None
        demands = [self._residual(*e, functions) for e in equations]
        for f, value in functions.items():
            others = set(range(len(self.field.variables))) - self.unknowns.arguments[f]
            demands += [self._differentiated(value, v) for v in others]
        demands += [self._substituted(condition, functions) for condition in self.conditions]
        if not any(self._normal(d) for d in demands):
            return True
        return False if self._complete() else None

    def _split(self, member: Form, given: MultiForm) -> list[Equation]:
        """The equation member = given, split by the variables that no function in it depends on."""
        both: Any = {(0, (key,)): c for key, c in member.items()} | {
            (1, product): c for product, c in given.items()
        }
        tagged: Any
        tagged, content = primitive(both, self.field)
        self.state.assume(self.field.expression(self.field.field.raw_new(content)))
        bound = set().union(*(self.unknowns.arguments[f] for _, product in tagged for f, _ in product))
        movers = self.field.movers(*set(range(len(self.field.variables))) - bound)
        parts: dict[tuple[int, ...], Equation] = {}
        for (side, product), c in tagged.items():
            for on, rest in parted(c.numer, movers).items():
                term = self.field.field.raw_new(rest)
                form, right = parts.setdefault(on, ({}, {}))
                if side:
                    add(right, product, term)
                else:
                    add(form, product[0], term)
        return list(parts.values())

    def _single_unknown(self, form: Form, functions: dict[int, MultiForm]) -> tuple[int, Element] | None:
        """The function that alone isn't known yet in a form, and its coefficient."""
        terms = [(key, c) for key, c in form.items() if key[0] not in functions]
        return (terms[0][0][0], terms[0][1]) if len(terms) == 1 and not any(terms[0][0][1]) else None

    def _residual(self, form: Form, given: MultiForm, functions: dict[int, MultiForm]) -> MultiForm:
        """The form, as far as its functions are known, less what is given."""
        total = self._substituted({key: c for key, c in form.items() if key[0] in functions}, functions)
        _accumulate(total, -self.field.one, given)
        return total

    def _substituted(self, form: Form, functions: dict[int, MultiForm]) -> MultiForm:
        total: MultiForm = {}
        for (f, K), c in form.items():
            _accumulate(total, c, reduce(self._differentiated, directions(K), functions[f]))
        return total

    def _differentiated(self, form: MultiForm, v: int) -> MultiForm:
        total: MultiForm = {}
        for product, c in form.items():
            _accumulate(total, self.field.diff(c, v), {product: self.field.one})
            for slot, (f, K) in enumerate(product):
                if v in self.unknowns.arguments[f]:
                    higher = (*product[:slot], (f, raised(K, v)), *product[slot + 1 :])
                    _accumulate(total, c, {higher: self.field.one})
        return total

    def _normal(self, form: MultiForm) -> MultiForm:
        """The form modulo the conditions on each of its functions."""
        for slot in range(len(next(iter(form), ()))):
            parts: dict[Product, Form] = {}
            for product, c in form.items():
                parts.setdefault((*product[:slot], *product[slot + 1 :]), {})[product[slot]] = c
            form = {}
            for rest, part in parts.items():
                part = reduced(part, self.field)
                if part:
                    part = reduced_form(self.state, part, self.conditions, only_lead=False)
                for key, c in part.items():
                    form[(*rest[:slot], key, *rest[slot:])] = c
        return form

    def _complete(self) -> bool:
        """Whether the conditions imply no others, so that a form that isn't reduced to 0 isn't 0."""
        for i, first in enumerate(self.conditions):
            for second in self.conditions[:i]:
                condition = cross(self.state, first, second)
                if condition and reduced_form(self.state, condition, self.conditions, only_lead=False):
                    return False
                (f, J), (g, K) = lead(self.state, first), lead(self.state, second)
                # a condition of too high an order
                if condition is None and f == g and any(a and b for a, b in zip(J, K, strict=True)):
                    return False
        return True


def _accumulate(total: MultiForm, factor: Element, form: MultiForm) -> None:
    if factor:
        for product, c in form.items():
            add(total, product, factor * c)


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
