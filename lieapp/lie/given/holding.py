"""Whether a given field generates symmetries, and for which values of its unknowns and of the parameters.

The invariance condition pr V(Δ) = 0 on Δ = 0 (Olver 1993, Thm 2.31) is linear in V. What the solver divides by is
set to 0 and solved for a parameter or constant, case after case, so that special values are found too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.equation import System
from lieapp.equations.factors import named
from lieapp.errors import BudgetError, EquationError, LieappError
from lieapp.lie.classes.special_values import Values, roots, specialised
from lieapp.lie.deadline import Clock, OutOfTimeError
from lieapp.lie.given.field import GivenField, given_field
from lieapp.lie.given.forms import Answer, Parts, parts_of, question, solved_values
from lieapp.lie.given.told import in_jets, sentence, told
from lieapp.lie.invariance import defect
from lieapp.lie.symmetries import Given, seconds
from lieapp.lie.vector_field import Field

MAX_CASES = 60
"""Special values that are tried."""


@dataclass(frozen=True)
class Case:
    """What holds for some special values of parameters and constants.

    Args:
        special: those values.
        holds: None if it couldn't be decided.
        values: of the unknowns that aren't free, in those that are.
        conditions: what functions that are left must satisfy, in jet notation, `= 0` understood.
        freedom: how many constants and functions are left free.
        assumed: what was divided by.
        independent: sets of expressions with arbitrary functions that were taken as linearly independent.
        left: what the condition leaves if it doesn't hold.
    """

    special: Values
    holds: bool | None
    values: dict[sp.Expr, sp.Expr]
    conditions: tuple[sp.Expr, ...] = ()
    freedom: int = 0
    assumed: tuple[sp.Expr, ...] = ()
    independent: tuple[tuple[sp.Expr, ...], ...] = ()
    left: tuple[sp.Expr, ...] = ()

    @property
    def told(self) -> dict[str, sp.Expr]:
        """All values by name."""
        found: dict[sp.Expr, sp.Expr] = {**self.special, **self.values}
        return {str(e.func) if isinstance(e, AppliedUndef) else str(e): value for e, value in found.items()}


@dataclass(frozen=True, repr=False)
class Holding:
    """Whether a field is a symmetry of a system.

    Args:
        field: as given, with its `unknowns`.
        holds: for some values of its unknowns, which aren't all 0; None if it couldn't be decided.
        cases: the values of the unknowns for which it holds, whatever the parameters.
        special: the same for special values of the parameters.
        leftover: what the invariance condition leaves, if it doesn't hold.
        unexamined: what was divided by and couldn't be solved for a parameter; it may hold where this vanishes.
    """

    system: System
    field: Field
    unknowns: tuple[sp.Expr, ...]
    holds: bool | None
    cases: tuple[Case, ...] = ()
    special: tuple[Case, ...] = ()
    leftover: tuple[sp.Expr, ...] = ()
    unexamined: tuple[sp.Expr, ...] = ()
    independent: tuple[tuple[sp.Expr, ...], ...] = ()
    seconds: float = 0.0

    @property
    def values(self) -> list[dict[str, sp.Expr]]:
        """Values of the unknowns that aren't free, one mapping for each solution."""
        return [case.told for case in self.cases]

    def __repr__(self) -> str:
        """The field and the outcome."""
        return f"{self.field.text()}: {sentence(told(self))}"

    def as_json(self) -> dict[str, Any]:
        """The object of `lieapp holds --json`."""
        document: dict[str, Any] = msgspec.to_builtins(told(self))
        return document


def holding(system: System, given: GivenField, clock: Clock) -> Holding:
    """Whether a field generates symmetries of a system, for which values of its unknowns and parameters.

    Raises UsageError if unknown functions don't occur linearly, EquationError as `derive` does, and BudgetError if
    the budget doesn't suffice for the determining equations.
    """
    try:
        with clock.limit():
            search = _Search(system, given, clock)
            first = search.case({})
    except OutOfTimeError:
        raise BudgetError(f"{system.name}: {clock.told()}.", hint="Raise the budget.") from None
    others = [] if first.holds and not (first.values or first.conditions) else search.others(first)
    unknown = {*given.constants}
    own = [case for case in others if {*case.special} <= unknown]
    cases = [*([first] if first.holds else []), *own]
    missed = [e for e in search.unsolved if unknown & e.free_symbols] or search.late
    holds = True if cases else None if first.holds is None or missed else False
    field = Field({name: in_jets(e) for name, e in given.components.items()})
    return Holding(
        system,
        field,
        (*given.constants, *given.functions),
        holds,
        tuple(cases),
        tuple(case for case in others if case not in own),
        () if cases else first.left,
        tuple(dict.fromkeys(search.unsolved)),
        first.independent,
        time.perf_counter() - clock.started,
    )


def of_equations(given: Given, field: Any, budget: float | None) -> Holding:
    """See `lieapp.derived.holds`."""
    clock = Clock(seconds(budget))
    system = given.system(clock)
    return holding(system, given_field(field, system), clock)


class _Search:
    """The special values that are tried, one after the other."""

    def __init__(self, system: System, given: GivenField, clock: Clock) -> None:
        self.system, self.given, self.clock = system, given, clock
        self.parts = parts_of(given, system.jets.coordinates)
        self.seen: set[frozenset[tuple[sp.Symbol, sp.Expr]]] = {frozenset()}
        self.unsolved: list[sp.Expr] = []
        self.late = False

    def others(self, first: Case) -> list[Case]:
        """The cases in which it holds, or holds with more freedom than in the case before."""
        found: list[Case] = []
        pending = [(first, e) for e in first.assumed]
        while pending:
            before, condition = pending.pop(0)
            if self.clock.left(self.clock.reserve) <= 0 or len(self.seen) > MAX_CASES:
                self.late = True
                break
            for case in self._where(before, condition):
                if case.holds and (not before.holds or case.freedom > before.freedom):
                    found.append(case)
                pending += [(case, e) for e in case.assumed]
        return found

    def _where(self, before: Case, condition: sp.Expr) -> Iterator[Case]:
        """The cases in which a condition vanishes: for values of the unknowns if they can be found."""
        own, others = ([c for c in some if c not in before.special]
                       for some in (self.parts.parameters, self.system.parameters))  # fmt: skip
        for symbols, kept in ((own, others), ([*own, *others], [])):
            solved = roots(condition, symbols, self.clock, kept)
            found = None if solved is None else [self._tried(before, one) for one in solved]
            if found is not None and None not in found:
                yield from (case for cases in found for case in cases or [])
                return
        self.unsolved.append(named(condition)[0])

    def _tried(self, before: Case, one: Values) -> list[Case] | None:
        """The case of further special values, none if it is known; None if it can't be told."""
        values = {**{c: e.subs(one) for c, e in before.special.items()}, **one}
        key = frozenset(values.items())
        if key in self.seen:
            return []
        try:
            case = self.clock.within(self.clock.reserve, partial(self.case, values), None)
        except LieappError:
            return None
        if case is None:
            return None
        self.seen.add(key)
        return [case]

    def case(self, special: Values) -> Case:
        """What holds for special values. Raises EquationError where there is no system then."""
        system = specialised(self.system, special) if special else self.system
        if system is None:
            return Case(special, False, {})
        given = self.given.replaced(special)
        if all(e == 0 for e in given.components.values()):
            return Case(special, False, {})
        parts = parts_of(given, system.jets.coordinates)
        answer = question(system, parts).solved(self.clock)
        return _judged(special, system, given, parts, answer)


def _judged(special: Values, system: System, given: GivenField, parts: Parts, answer: Answer) -> Case:
    """The case that a solution is; a claim that it holds is proved by substitution."""
    state = answer.state
    try:
        found = solved_values(answer)
    except EquationError:
        found, open_ = None, True
    else:
        open_ = not answer.solution.exhausted
    independent = tuple(state.independent)
    if found is None or all(e == 0 for e in found[1]):
        left = () if open_ else tuple(_leftover(system, given, parts, answer))
        return Case(special, None if open_ else False, {}, (), 0, tuple(state.assumed), independent, left)
    values, components = found
    conditions = tuple(answer.condition(e) for e in state.equations)
    holds = answer.is_proved() and not (open_ and state.equations)
    if holds and not conditions and not any(e.atoms(sp.Integral, AppliedUndef) for e in components):
        names = map(str, system.jets.coordinates)
        holds = not any(defect(system, dict(zip(names, components, strict=True))))
    changed = {e: value for e, value in values.items() if e != value}
    free = {s for value in values.values() for s in (value.free_symbols | value.atoms(AppliedUndef))}
    freedom = len(free & {*answer.names.values(), *values})
    return Case(special, holds or None, changed, conditions, freedom, tuple(state.assumed), independent)


def _leftover(system: System, given: GivenField, parts: Parts, answer: Answer) -> Iterator[sp.Expr]:
    """pr V(Δ) on solutions; for unknown functions the equations that it falls into."""
    if not parts.jets:
        yield from (named(e)[0] for e in defect(system, given.components) if e != 0)
        return
    # as they were before they were solved
    fresh = Answer(answer.question, answer.solution)
    yield from dict.fromkeys(fresh.condition(e) for e in answer.question.state.equations)
