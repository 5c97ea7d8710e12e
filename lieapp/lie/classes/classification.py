"""Group classification: for which parameters and arbitrary functions an equation has more symmetries.

The derivation tells what it divided by and what it took as independent. Each such condition is solved: for a
parameter, or as an ordinary differential equation for a function. The special equation is derived in turn, and so
on: a tree. Scalings and translations take constants of integration to 0 and 1 (Ovsiannikov 1982, §6).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import sympy as sp
from sympy.core.function import AppliedUndef

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import INFINITE, System
from lieapp.equations.factors import named
from lieapp.errors import LieappError, UsageError
from lieapp.lie.classes.branches import Branch, Classification, Open, Where, called, matched
from lieapp.lie.classes.normal_functions import loosened, normal_functions, renamed
from lieapp.lie.classes.special_functions import (
    Constants,
    UnsolvedError,
    constants_in,
    particular,
    simple_forms,
    solutions,
    values_of,
)
from lieapp.lie.classes.special_values import roots, specialised
from lieapp.lie.deadline import Clock
from lieapp.lie.normal_form import echelon, rows_of
from lieapp.lie.stages import derive
from lieapp.lie.symmetries import Given, seconds
from lieapp.lie.vector_field import Field

MAX_BRANCHES = 200
MAX_SPAN = 3
"""Expressions beyond which linear dependence isn't looked into."""
MAX_ORDER = 8
"""Derivatives of a function in a condition."""


def classify(system: System, clock: Clock, begun: Classification | None = None) -> Classification:
    """The classification of a system with parameters or arbitrary functions, as far as the clock lets.

    `begun` is one that was ended by its budget, and is gone on with. Raises UsageError if there is nothing to
    classify, and what `derive` raises of the whole class.
    """
    work = begun or Classification(system)
    # first of all the whole class, should it have lacked time
    work.pending.sort(key=lambda o: not o.whole)
    if not (system.parameters or system.functions):
        raise UsageError(
            f"{system.name} has neither parameters nor arbitrary functions; there is nothing to classify.",
            hint="Declare some: a parameter n, or a function k:u.",
        )
    if work.system.residuals != system.residuals:
        raise UsageError("what was begun is a classification of another equation.", hint="Leave out `begun`.")
    search = _Search(work, clock)
    if not work.branches:
        search.first()
    while work.pending and not search.late and clock.left(clock.reserve) > 0:
        if len(work.seen) > MAX_BRANCHES:
            break
        search.step()
    work.tidy()
    work.seconds += time.perf_counter() - clock.started
    return work


def of_equations(given: Given, budget: float | None, begun: Classification | None) -> Classification:
    """See `lieapp.derived.classify`."""
    clock = Clock(seconds(budget))
    system = given.system(clock)
    return classify(system, clock, begun)


def functions_of(system: System) -> dict[str, AppliedUndef]:
    """k(u) for each arbitrary function of one variable or unknown: those that conditions are solved for."""
    coordinates = {str(c): c for c in system.jets.coordinates}
    return {
        name: sp.Function(name, real=True)(coordinates[arguments[0]])
        for name, arguments in system.functions.items()
        if len(arguments) == 1 and arguments[0] in coordinates
    }


class _Search:
    """One sitting at a classification."""

    def __init__(self, work: Classification, clock: Clock) -> None:
        self.work, self.clock, self.late, self.tried = work, clock, False, False
        self.functions = functions_of(work.system)

    def first(self) -> None:
        """The whole class; where the time doesn't suffice for it, it is derived anew after what it led to."""
        branch = self.derived({}, self.work.system)
        self._begin(branch)
        if branch.late:
            self.work.pending.append(Open(branch, 0, sp.S.Zero, ready=({}, self.work.system)))

    def _begin(self, branch: Branch) -> None:
        """A tree of the whole class alone."""
        work = self.work
        work.branches, work.pending, work.left, work.excluded, work.seen = [branch], [], [], [], {_key({})}
        self._open(branch, 0)

    def _again(self) -> None:
        """The whole class with all the time that is left, and the tree from its beginning if that suffices."""
        if self.tried:
            self.late = True
            return
        self.tried = True
        branch = self.clock.within(0.0, partial(self.derived, {}, self.work.system, 1.0), None)
        if branch is not None and not branch.late:
            self._begin(branch)
        else:
            # last, and first in the next sitting, which may be longer
            self.work.pending.append(self.work.pending.pop(0))

    def _short(self) -> bool:
        """Whether another sitting would have more time."""
        return self.clock.left() < 0.8 * (self.clock.seconds or 0.0)

    def step(self) -> None:
        """The next thing that is to be done; it stays first if the time ends before."""
        work, here = self.work, self.work.pending[0]
        self.clock.note(here.told)
        if here.whole:
            self._again()
            return
        if here.ready is not None:
            self._derive(here, *here.ready)
            return
        try:
            found = self.clock.within(self.clock.reserve, partial(self._next, here), None)
        except (UnsolvedError, LieappError):
            found = []
            work.left.append(here.told)
        if found is not None:
            work.pending[:1] = found

    def _next(self, here: Open) -> list[Open]:
        """What follows from a condition, or from a function with constants of integration."""
        if here.raw is not None:
            cases = self._normal(here.branch, *here.raw)
        else:
            inside = [k for k in self.functions.values() if k not in here.branch.where and _has(here.condition, k)]
            if len(inside) > 1 or self._has_others(here.condition):
                raise UnsolvedError
            if inside:
                return [replace(here, raw=(inside[0], y)) for y in self._functions(here, inside[0])]
            values = roots(here.condition, here.branch.system.parameters, self.clock)
            if values is None:
                raise UnsolvedError
            cases = [(dict(one), here.branch.system) for one in values]
        kept = self._kept(here.branch, cases)
        return [replace(here, ready=one) for one in kept if _key(one[0]) not in self.work.seen]

    def _has_others(self, condition: sp.Expr) -> bool:
        """Whether a function occurs that isn't solved for: of several arguments, of a derivative, F(x - t)."""
        heads = {re.split(r"[_(]", str(s))[0] for s in condition.free_symbols}
        return bool(heads & (self.work.system.functions.keys() - self.functions.keys()))

    def _functions(self, here: Open, k: AppliedUndef) -> list[sp.Expr]:
        """The functions k for which a condition holds; if not all can be found, those of simple form."""
        (x,), jets = k.args, _jets(k)
        known = {x, *jets, *here.branch.system.parameters}
        constants = Constants(constants_in(here.condition, known))
        try:
            found = solutions(here.condition, jets, x, constants)
        except UnsolvedError:
            if not (found := particular(here.condition, jets, x, constants)):
                raise
            constants.missed.append("all but exponentials and powers")
        self.work.left += [f"{here.told}, of its solutions {told}" for told in dict.fromkeys(constants.missed)]
        return found

    def _derive(self, here: Open, where: Where, system: System) -> None:
        """The symmetries of a special equation, unless they are known by now."""
        work, before = self.work, self.work.branches[here.shown]
        if _key(where) in work.seen:
            work.pending.pop(0)
            return
        short = self._short()
        try:
            branch = self.clock.within(self.clock.reserve / 2, partial(self.derived, where, system), None)
            new = branch is not None and branch.gains(before)
            known = self.clock.within(0.0, partial(self._is_known, branch), None) if branch and new else False
        except LieappError as error:
            branch, new, known = Branch(where, system, unsolved=(error.message,)), False, False
            work.left.append(f"{here.told}: {error.message}")
        if branch is None or known is None or (short and branch.late):
            # in the next sitting
            self.late = True
            return
        work.pending.pop(0)
        work.seen.add(_key(where))
        shown = here.shown
        if new and not known:
            work.branches.append(replace(branch, more=_more(branch, before), before=shown))
            shown = len(work.branches) - 1
        self._open(branch, shown)

    def _is_known(self, branch: Branch) -> bool:
        """Whether it is, after a transformation, one that was told, with the same symmetries."""
        if any(b.covers(branch) for b in self.work.branches):
            return True
        if len(branch.where) != 1:
            return False
        ((k, y),) = branch.where.items()
        if not isinstance(k, AppliedUndef):
            return False
        (x,), own = k.args, self.work.system.parameters
        if y.is_polynomial(x) and (degree := sp.degree(y, x)) > 1:
            # without the second highest power
            first, second = sp.Poly(y, x).all_coeffs()[:2]
            y = sp.expand(y.subs(x, x - second / (degree * first)))

        def within(e: sp.Expr, used: Sequence[sp.Symbol]) -> System | None:
            return specialised(replace(self.work.system, parameters=(*own, *used)), {k: e})

        try:
            found = next(normal_functions(loosened(y, x), x, own, within), None)
        except UnsolvedError:
            return False
        return found is not None and any(b.covers(replace(branch, where={k: found})) for b in self.work.branches)

    def _open(self, branch: Branch, shown: int) -> None:
        where = f" where {', '.join(branch.conditions())}" if branch.where else ""
        if branch.unsolved:
            self.work.left.append(f"more symmetries and special cases{where}: the derivation isn't complete")
        for e in branch.assumed:
            one = Open(branch, shown, e)
            (self.work.left.append(one.told) if self._has_others(e) else self.work.pending.append(one))
        for span in branch.spans:
            told = f"a linear dependence of {', '.join(map(str, span))}{where}"
            if any(map(self._has_others, span)):
                self.work.left.append(told)
                continue
            conditions = list(_dependences(span[: MAX_SPAN + 1]))
            if len(span) <= MAX_SPAN:
                self.work.pending += [Open(branch, shown, e) for e in conditions]
                continue
            inside = [k for k in self.functions.values() if k not in branch.where and any(_has(e, k) for e in span)]
            self.work.left.append(f"{told}, of its solutions all but exponentials and powers")
            if len(inside) == 1:
                raw = [(inside[0], y) for y in _dependent(span, inside[0], branch.system.parameters)]
                self.work.pending += [Open(branch, shown, conditions[0], raw=one) for one in raw]
        self.work.left += [f"special values of {name}{where}" for name in branch.generic]

    def derived(self, where: Where, system: System, share: float = 0.5) -> Branch:
        """The symmetries of a special equation, within a share of the time that is left."""
        clock = self.clock.part(share)
        truth = derive(system, budget=Clock(clock.seconds))
        return Branch(
            where,
            system,
            truth.generators,
            truth.generators,
            truth.families,
            truth.certified,
            truth.unsolved,
            tuple(named(e)[0] for e in truth.assumed_nonzero),
            tuple(tuple(named(e)[0] for e in span) for span in truth.assumed_independent),
            truth.assumed_generic,
            late=any(text.startswith(clock.told()) for text in truth.unsolved),
        )

    def _normal(self, branch: Branch, k: AppliedUndef, y: sp.Expr) -> list[tuple[Where, System]]:
        """The special equations of a function with constants of integration, as few as can be."""
        (x,) = k.args
        own = branch.system.parameters
        taken = [*map(str, (*branch.system.jets.coordinates, *branch.system.parameters)), *self.functions]

        def within(e: sp.Expr, used: Sequence[sp.Symbol]) -> System | None:
            wide = replace(branch.system, parameters=(*branch.system.parameters, *used))
            return specialised(wide, {k: e})

        found: list[tuple[Where, System]] = []
        for one in normal_functions(y, x, own, within):
            value = renamed(one, x, own, taken)
            new = constants_in(value, [x, *own])
            found.append(({k: value}, replace(branch.system, parameters=(*own, *new))))
        return found

    def _kept(self, branch: Branch, found: Sequence[tuple[Where, System]]) -> Iterator[tuple[Where, System]]:
        """The special equations but for those of another kind."""
        for values, wide in found:
            where = {e: sp.sympify(value).subs(values) for e, value in branch.where.items()}
            asked = {*self.work.system.parameters, *self.functions.values()}
            where |= {e: value for e, value in values.items() if e in asked}
            if any(value.has(*INFINITE) for value in where.values()):
                continue
            system = specialised(wide, values)
            if system is None or _orders(system) != _orders(branch.system):
                told = ", ".join(f"{called(e)} = {value}" for e, value in where.items())
                if told not in self.work.excluded:
                    self.work.excluded.append(told)
                continue
            yield where, system


def _dependent(span: Sequence[sp.Expr], k: AppliedUndef, parameters: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The exponentials and powers for which expressions in k and x are linearly dependent."""
    (x,), jets, constants = k.args, _jets(k), Constants()
    found = []
    for y in simple_forms(x, constants)[1]:
        field = CoefficientField([x], [*parameters, *constants.made])
        try:
            elements = field.elements([e.subs(values_of(y, jets, x), simultaneous=True) for e in span])
        except LieappError:
            continue
        rows, _ = rows_of([[e] for e in elements], field)
        if len(echelon(rows, field)) < len(span):
            found.append(y)
    return found


def _dependences(span: Sequence[sp.Expr]) -> Iterator[sp.Expr]:
    """What vanishes where expressions are linearly dependent: sums with constant coefficients, the first 1."""
    factors = [sp.S.One, *(sp.Symbol(f"C{n}", real=True) for n in range(1, len(span)))]
    for size in range(len(span), 0, -1):
        for some in combinations(span, size):
            yield sp.Add(*(c * e for c, e in zip(factors, some, strict=False)))


def _jets(k: AppliedUndef) -> list[sp.Symbol]:
    """The symbols that conditions have for k(u), its derivative, …"""
    name, x = called(k), str(k.args[0])
    return [sp.Symbol(name + (f"_{x * n}" if n else ""), real=True) for n in range(MAX_ORDER)]


def _has(condition: sp.Expr, k: AppliedUndef) -> bool:
    return bool(condition.free_symbols & {*_jets(k)})


def _orders(system: System) -> list[tuple[int, ...]]:
    """The highest order of each unknown in each variable."""
    found = [jet for r in system.residuals for jet in system.jets.jets(r).values()]
    return [
        tuple(max((J[i] for b, J in found if b == a), default=0) for i in range(len(system.jets.independent)))
        for a in range(len(system.jets.dependent))
    ]


def _more(branch: Branch, before: Branch) -> tuple[Field, ...]:
    """Generators that together with those of the branch before span all."""
    special = {**branch.where, **(matched(before.where, branch.where, before.system.parameters) or {})}
    known = [[e.subs(special).doit() for e in f.components.values()] for f in before.generators]
    new = [list(f.components.values()) for f in branch.generators]
    field = CoefficientField(branch.system.jets.coordinates, branch.system.parameters)
    try:
        vectors = [field.elements(components) for components in (*known, *new)]
    except LieappError:
        return branch.generators
    rows, _ = rows_of([[field.lift(c) for c in v] for v in vectors], field)
    ranks = [len(echelon(rows[:n], field)) for n in range(len(known), len(rows) + 1)]
    return tuple(f for n, f in enumerate(branch.generators) if ranks[n + 1] > ranks[n])


def _key(where: Mapping[sp.Expr, sp.Expr]) -> str:
    return "; ".join(sorted(f"{called(e)} = {value}" for e, value in where.items()))
