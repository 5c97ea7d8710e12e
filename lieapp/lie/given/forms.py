"""The invariance condition of a given field as linear equations for its unknown constants and functions.

A field V = V₀ + Σ cᵢ Vᵢ + Σ a_{jK} ∂_K fⱼ is put into the determining equations. They are homogeneous: c₀ V₀ stands
for V₀, and solutions with c₀ = 1 are sought. Constants in which V isn't linear are parameters here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.equation import System
from lieapp.equations.jets import MultiIndex, jet_name
from lieapp.errors import EquationError, UsageError
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem, determining_equations
from lieapp.lie.families import Group, family_holds
from lieapp.lie.given.field import GivenField
from lieapp.lie.linear import Form, Unknowns, add, lifted, substituted
from lieapp.lie.solving import Solution, State, solve

KNOWN = sp.Dummy("c0", real=True)
"""The factor of what is known in a field."""


@dataclass(frozen=True)
class Parts:
    """A field taken apart.

    Args:
        jets: the function and the multi-index over the coordinates of each derivative ∂_K f in it.
        linear: the constants in which it is linear, beside functions; `parameters` the others.
        terms: for each component the coefficient of each of these, and of KNOWN.
    """

    jets: dict[sp.Expr, tuple[AppliedUndef, MultiIndex]]
    linear: tuple[sp.Symbol, ...]
    parameters: tuple[sp.Symbol, ...]
    terms: tuple[dict[sp.Expr, sp.Expr], ...]


def parts_of(given: GivenField, coordinates: Sequence[sp.Symbol]) -> Parts:
    """A field taken apart. Raises UsageError unless it is linear in its unknown functions."""
    own = {f.func for f in given.functions}
    found = sorted({e for c in given.components.values() for e in c.atoms(AppliedUndef, sp.Derivative)}, key=str)
    found = [e for e in found if (e.expr if isinstance(e, sp.Derivative) else e).func in own]
    names = {e: sp.Dummy(real=True) for e in found}
    components = [c.xreplace(names) for c in given.components.values()]
    if not _is_affine(components, list(names.values())):
        functions = ", ".join(map(str, given.functions))
        raise UsageError(
            f"the field isn't linear in its unknown functions {functions}.",
            hint="Write one unknown function in place of a product, f(t) in place of a*f(t) or f(t)**2.",
        )
    linear: list[sp.Symbol] = []
    for c in given.constants:
        if _is_affine(components, [*names.values(), *linear, c]):
            linear.append(c)
    sought = {**names, **{c: c for c in linear}}
    none = dict.fromkeys(sought.values(), 0)
    terms = tuple(
        {e: sp.diff(c, s) for e, s in sought.items()} | {KNOWN: c.subs(none)} for c in components
    )  # fmt: skip
    terms = tuple({e: value for e, value in row.items() if value != 0} for row in terms)
    jets = {e: _jet(e, coordinates) for e in found}
    return Parts(jets, tuple(linear), tuple(c for c in given.constants if c not in linear), terms)


def _is_affine(components: Sequence[sp.Expr], sought: Sequence[sp.Symbol]) -> bool:
    return all(sp.expand(sp.diff(c, a, b)) == 0 for c in components for a in sought for b in sought)


def _jet(e: sp.Expr, coordinates: Sequence[sp.Symbol]) -> tuple[AppliedUndef, MultiIndex]:
    counts = dict(e.variable_count) if isinstance(e, sp.Derivative) else {}
    return (e.expr if counts else e), tuple(int(counts.get(x, 0)) for x in coordinates)


@dataclass
class Question:
    """The linear equations for the unknowns of a field: `ids` are their numbers, `components` the field in them."""

    determining: DeterminingSystem
    unknowns: Unknowns
    ids: dict[sp.Expr, int]
    components: list[Form]
    state: State

    def solved(self, clock: Clock) -> Answer:
        """Solved, as far as the clock lets."""
        return Answer(self, solve(self.state, clock))


def question(system: System, parts: Parts) -> Question:
    """The equations of a field. Raises what `determining_equations` raises."""
    determining = determining_equations(replace(system, parameters=(*system.parameters, *parts.parameters)))
    field, unknowns = determining.field, determining.unknowns.copy()
    position = {x: n for n, x in enumerate(system.jets.coordinates)}
    functions = dict.fromkeys(f for f, _ in parts.jets.values())
    known = any(KNOWN in row for row in parts.terms)
    ids: dict[sp.Expr, int] = {c: unknowns.new(()) for c in (*([KNOWN] if known else []), *parts.linear)}
    ids |= {f: unknowns.new([position[a] for a in f.args]) for f in functions}
    # each new element may have made the field grow
    elements = [{e: field.element(c) for e, c in row.items()} for row in parts.terms]
    components: list[Form] = []
    for row in elements:
        form: Form = {}
        for e, c in row.items():
            f, K = parts.jets.get(e, (e, unknowns.zero))
            add(form, (ids[f], K), field.lift(c))
        components.append(form)
    values = dict(zip(determining.components, components, strict=True))
    equations = [substituted(lifted(e, field), values, field, unknowns) for e in determining.equations]
    # derivatives of coefficients brought atoms too
    equations = [lifted(e, field) for e in equations]
    sought = [unknowns.form(field, f) for f in ids.values()]
    state = State(field, unknowns, equations, [*(lifted(c, field) for c in components), *sought], system.nonzero)
    for divisor in determining.assumed_nonzero:
        state.assume(divisor)
    return Question(determining, unknowns, ids, components, state)


@dataclass
class Answer:
    """What the equations of a field say of its unknowns."""

    question: Question
    solution: Solution

    @property
    def state(self) -> State:
        """The solver's last state."""
        return self.solution.state

    @cached_property
    def names(self) -> dict[int, sp.Expr]:
        """What stands for each function that is left: the unknown itself, or c1 and f1(t)."""
        own = {f: e for e, f in self.question.ids.items()}
        used = {*own} | {f for form in (*self.state.values, *self.state.equations) for f, _ in form}
        taken = {str(e.func) if isinstance(e, AppliedUndef) else str(e) for e in own.values()}
        taken |= {str(s) for s in (*self.state.field.variables, *self.state.field.constants)}
        result = {}
        for f in sorted(used):
            arguments = [self.state.field.variables[v] for v in sorted(self.state.unknowns.arguments[f])]
            if f in own:
                result[f] = own[f]
                continue
            letter = "f" if arguments else "c"
            name = next(n for k in range(1, 10_000) if (n := f"{letter}{k}") not in taken)
            taken.add(name)
            result[f] = sp.Function(name, real=True)(*arguments) if arguments else sp.Symbol(name, real=True)
        return result

    def expression(self, form: Form) -> sp.Expr:
        """A form in these names."""
        field = self.state.field
        return sp.Add(*(field.expression(c) * self._derivative(*key) for key, c in sorted(form.items())))

    def _derivative(self, f: int, K: MultiIndex) -> sp.Expr:
        counts = [(v, n) for v, n in zip(self.state.field.variables, K, strict=True) if n]
        return sp.Derivative(self.names[f], *counts) if counts else self.names[f]

    def condition(self, form: Form) -> sp.Expr:
        """A form in jet notation, f_tt; c0 is 1."""
        field, terms = self.state.field, []
        for (f, K), c in sorted(form.items()):
            name = self.names[f]
            base = str(name.func) if isinstance(name, AppliedUndef) else str(name)
            jet = sp.S.One if name == KNOWN else sp.Symbol(jet_name(base, field.variables, K), real=True)
            terms.append(field.expression(c) * jet)
        return sp.Add(*terms)

    @property
    def components(self) -> list[Form]:
        """The field in what is left."""
        return self.state.values[: len(self.question.components)]

    def is_proved(self) -> bool:
        """Whether the solution satisfies the determining equations, put into them once more."""
        functions = tuple(self.names)
        group = Group(functions, tuple(self.state.equations), tuple(self.components))
        return family_holds(group, self.question.determining.grown(self.state))


def solved_values(answer: Answer) -> tuple[dict[sp.Expr, sp.Expr], list[sp.Expr]] | None:
    """The unknowns and the components of the field in what is left, with c₀ = 1; None if there are none.

    Raises EquationError if the solver left c₀ in terms of functions.
    """
    ids = answer.question.ids
    forms = dict(zip(ids, answer.state.values[len(answer.question.components) :], strict=True))
    values = {e: answer.expression(form) for e, form in forms.items()}
    components = list(map(answer.expression, answer.components))
    if KNOWN in values:
        whole = values.pop(KNOWN)
        if whole == 0:
            return None
        if whole.atoms(AppliedUndef, sp.Derivative) & {*answer.names.values()}:
            raise EquationError("the conditions couple what is known with unknown functions.")
        c = min(whole.free_symbols & {*answer.names.values()}, key=str)
        slope = sp.diff(whole, c)
        answer.state.assume(slope)
        values, components = _put({c: (1 - whole.subs(c, 0)) / slope}, values, components)
    for e, value in list(values.items()):
        fresh = sorted((value.free_symbols & {*answer.names.values()}) - {*values}, key=str)
        if isinstance(e, sp.Symbol) and fresh and values[e] != e:
            # a constant of the solver in terms of one that was asked for
            now = values[e]
            slope = sp.diff(now, fresh[0])
            values, components = _put({fresh[0]: (e - now.subs(fresh[0], 0)) / slope}, values, components)
            values[e] = e
    return values, components


def _put(
    by: Mapping[sp.Expr, sp.Expr], values: Mapping[sp.Expr, sp.Expr], components: Sequence[sp.Expr]
) -> tuple[dict[sp.Expr, sp.Expr], list[sp.Expr]]:
    return (
        {e: sp.expand(v.subs(by)) for e, v in values.items()},
        [sp.expand(c.subs(by)) for c in components],
    )
