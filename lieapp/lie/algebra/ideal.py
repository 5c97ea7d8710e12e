"""Whether the members of the families form an ideal, so that the generators modulo them are a Lie algebra.

Brackets [V, F(α)] and [F(α), F(β)] with general members F are forms Σ c ∂_K α ∂_L β. Such a form is a member
F(γ) when the γ read off from components where a single function occurs, undifferentiated, satisfy all else:
their arguments, the conditions of the families, the other components; each modulo the conditions on α and β.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.lie.families import Group
from lieapp.lie.linear import Form, Key, Unknowns, add, differentiated, primitive, raised, reduced
from lieapp.lie.normal_form import Vector
from lieapp.lie.solving import State
from lieapp.lie.solving.complete import cross, lead, reduced_form

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
        self.state = State(field, unknowns, [], [])

    def form_ideal(self, vectors: Sequence[Vector]) -> bool | None:
        """Whether brackets with the vectors, and of two members, are members; None if that can't be told."""
        vectors = [[self.field.lift(c) for c in v] for v in vectors]
        answers = [self.contain(self._pair())]
        for v in vectors:
            if answers[-1] is not True:
                break
            answers.append(self.contain(self._bracket(v)))
        return answers[-1]

    def _bracket(self, V: Vector) -> list[MultiForm]:
        """[V, F(α)]."""
        result = []
        for k, form in enumerate(self.components):
            total: MultiForm = {}
            for j in range(len(V)):
                if V[j]:
                    _accumulate(total, V[j], _single(differentiated(form, j, self.field, self.unknowns)))
                if V[k]:
                    _accumulate(total, -self.field.diff(V[k], j), _single(self.components[j]))
            result.append(total)
        return result

    def _pair(self) -> list[MultiForm]:
        """[F(α), F(β)]."""
        result = []
        for form in self.components:
            total: MultiForm = {}
            for j, factor in enumerate(self.components):
                slope = differentiated(form, j, self.field, self.unknowns) if factor else {}
                for a, c in factor.items():
                    for b, d in slope.items():
                        _accumulate(total, c * d, {(a, b): self.field.one})
                        _accumulate(total, -c * d, {(b, a): self.field.one})
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
            value = functions[f]
            for v, times in enumerate(K):
                for _ in range(times):
                    value = self._differentiated(value, v)
            _accumulate(total, c, value)
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


def _single(form: Form) -> MultiForm:
    return {(key,): c for key, c in form.items()}


def _accumulate(total: MultiForm, factor: Element, form: MultiForm) -> None:
    if factor:
        for product, c in form.items():
            add(total, product, factor * c)
