"""Linear equations with a source, L u + S = 0: the homogeneous equation is solved, then moved along.

With one solution p of L p + S = 0, v = u - p solves L v = 0, so the symmetries are those of L v = 0 with
φᵘ = φᵛ + Σ ξⁱ ∂p/∂xⁱ, taken at v = u - p (a point transformation carries the algebra along; Olver 1993, ch. 2.4).
Solved as it stands, such an equation couples its finitely many generators with the superposition family.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element, FunctionOrderError
from lieapp.equations.equation import System
from lieapp.equations.jets import directions
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem, determining_equations
from lieapp.lie.linear import Form, Unknowns, add, combined, lifted, raised
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.antiderivative import antiderivative
from lieapp.lie.solving.engine import sorted_out
from lieapp.lie.solving.guess import ansatz, around_sources
from lieapp.lie.solving.state import Solution

LOW, HIGH = (0, 1, 2), (3, 4)
"""Degrees of the ansatz for a particular solution, before and after integrals are tried."""

MAX_INTEGRALS = 8
"""Terms of a series of iterated integrals."""


def sources(system: System) -> list[sp.Expr] | None:
    """S of each equation L u + S = 0; None if an equation isn't linear in the unknowns or none has a source."""
    found = []
    for residual in system.residuals:
        jets = system.jets.jets(residual)
        if any(system.jets.jets(sp.diff(residual, s)) for s in jets):
            return None
        found.append(residual.xreplace(dict.fromkeys(jets, sp.S.Zero)))
    return found if any(s != 0 for s in found) else None


def particular_solution(system: System, parts: Sequence[sp.Expr]) -> tuple[list[sp.Expr], list[sp.Expr]] | None:
    """One solution in closed form, an expression in the variables for each unknown; None if none was found.

    Term by term of the sources where they aren't met at once. After it, what had to be divided by.
    """
    search = _Search(system)
    total = search.solution(parts)
    if total is None:
        terms = [
            [term if i == k else sp.S.Zero for i in range(len(parts))]
            for k, part in enumerate(parts)
            for term in sp.Add.make_args(sp.expand(part))
            if term != 0
        ]
        found = [search.solution(term) for term in terms] if len(terms) > 1 else [None]
        if any(p is None for p in found):
            return None
        total = [sp.Add(*each) for each in zip(*(p for p in found if p is not None), strict=True)]
    return total, search.assumed


class _Search:
    """For functions of one variable by the solver, else by an ansatz."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.assumed: list[sp.Expr] = []

    def solution(self, parts: Sequence[sp.Expr]) -> list[sp.Expr] | None:
        """One solution of L p + S = 0 for these S."""
        whole = range(len(self.system.jets.independent))
        tries: list[tuple[Callable[[Sequence[sp.Expr], int], list[sp.Expr] | None], int]] = [
            *((partial(self._guessed, ansatz), degree) for degree in LOW),
            *((partial(self._guessed, around_sources), degree) for degree in LOW),
            *((self._by_solver, v) for v in whole),
            *((self._by_integrals, v) for v in whole),
            *((partial(self._guessed, ansatz), degree) for degree in HIGH),
        ]
        for method, number in tries:
            try:
                found = method(parts, number)
            except FunctionOrderError:
                continue
            if found is not None:
                return found
        return None

    def _state(self, parts: Sequence[sp.Expr], arguments: Sequence[int]) -> tuple[State, list[int]]:
        """L p + c S = 0 for functions p of some variables and a constant c, which stands last."""
        system, jets = self.system, self.system.jets
        field = CoefficientField(jets.independent, system.parameters)
        unknowns = Unknowns(len(jets.independent))
        functions = [unknowns.new(arguments) for _ in jets.dependent]
        constant = unknowns.new(())
        forms: list[Form] = []
        for residual, source in zip(system.residuals, parts, strict=True):
            form: Form = {}
            for symbol, (a, J) in jets.jets(residual).items():
                if all(n == 0 or v in arguments for v, n in enumerate(J)):
                    add(form, (functions[a], J), field.element(sp.diff(residual, symbol)))
                    form = lifted(form, field)
            add(form, (constant, unknowns.zero), field.element(source))
            forms.append(form)
        forms = [lifted(form, field) for form in forms]
        ids = [*functions, constant]
        return State(field, unknowns, forms, [unknowns.form(field, f) for f in ids], system.nonzero), ids

    def _by_solver(self, parts: Sequence[sp.Expr], v: int) -> list[sp.Expr] | None:
        """Functions of one variable."""
        state, _ = self._state(parts, [v])
        solve(state)
        if state.equations:
            return None
        zero = state.unknowns.zero
        free = {f for f, _ in state.values[-1]}
        if not free or any(f in free and any(K) for value in state.values for f, K in value):
            return None
        f = min(free)
        scale = state.values[-1][(f, zero)]
        return self._found(state, [value.get((f, zero), state.field.zero) / scale for value in state.values[:-1]])

    def _guessed(
        self, method: Callable[..., list[dict[int, Element]]], parts: Sequence[sp.Expr], degree: int
    ) -> list[sp.Expr] | None:
        """Polynomials in the variables and in the atoms of the equations, or around terms of the sources."""
        state, ids = self._state(parts, range(len(self.system.jets.independent)))
        *functions, constant = ids
        for found in method(state, ids, state.equations, degree):
            if found[constant]:
                return self._found(state, [found[f] / found[constant] for f in functions])
        return None

    def _by_integrals(self, parts: Sequence[sp.Expr], v: int) -> list[sp.Expr] | None:
        """For ∂ᵥⁿ p = M p - S the sum of J(MJ)ᵏ(-S) with the n-fold integral J, if it ends."""
        state, ids = self._state(parts, range(len(self.system.jets.independent)))
        if len(ids) != 2 or len(state.equations) != 1:
            return None
        (form,) = state.equations
        order = max((K[v] for f, K in form if f == ids[0]), default=0)
        top = (ids[0], raised(state.unknowns.zero, v, order))
        source = form.get((ids[1], state.unknowns.zero))
        if not order or top not in form or source is None:
            return None
        pivot, state.formal = form[top], True
        total, left = state.field.zero, -source / pivot
        for _ in range(MAX_INTEGRALS):
            term: Element | None = left
            for _ in range(order):
                term = None if term is None else antiderivative(state, state.field.lift(term), v)
            if term is None:
                return None
            total = state.field.lift(total) + term
            left = state.field.zero
            for (f, K), c in form.items():
                if f == ids[0] and (f, K) != top:
                    left -= state.field.lift(c / pivot) * reduce(state.field.diff, directions(K), term)
            left = state.field.reduce(left)
            if not left:
                return self._found(state, [total])
        return None

    def _found(self, state: State, values: list[Element]) -> list[sp.Expr]:
        self.assumed += state.assumed
        return [state.field.expression(state.field.reduce(c)) for c in values]


class NoParticularSolutionError(Exception):
    """No particular solution was found; the message says what remains unsolved."""


@dataclass(frozen=True)
class Moved:
    """What was solved in place of an equation with a source: L v = 0 for v = u - p, with `by` = p for each u."""

    determining: DeterminingSystem
    state: State
    by: dict[sp.Symbol, sp.Expr]


def solve_moved(
    determining: DeterminingSystem, parts: Sequence[sp.Expr], clock: Clock
) -> tuple[Solution, Moved] | None:
    """The solution of the determining equations of L u + S = 0 by way of L v = 0.

    None where a function of u is left, for it can't be moved as a form; then nothing is coupled either.
    Raises NoParticularSolutionError where none was found though families couple with the source.
    """
    system = determining.system
    found, assumed = clock.within(
        max(clock.reserve_for(1 / 4), clock.reserve), lambda: particular_solution(system, parts), None
    ) or (None, [])

    def begun() -> tuple[DeterminingSystem, State]:
        residuals = tuple(sp.expand(r - s) for r, s in zip(system.residuals, parts, strict=True))
        there = determining_equations(replace(system, residuals=residuals))
        return there, there.state(assumed)

    there, state = clock.within(clock.reserve, begun, None) or (None, None)
    if there is None or state is None:
        return None
    solution = solve(state, clock)
    state = solution.state
    if any(v >= len(system.jets.independent) for f in _functions(state) for v in state.unknowns.arguments[f]):
        return None
    if found is None:
        if all(solution.finite):
            return None
        equations = ", ".join(f"{residual} = 0" for residual in system.residuals)
        raise NoParticularSolutionError(
            f"a solution of {equations} in closed form: with one, the {len(solution.constants)} generators of the "
            "homogeneous equation are separated from the family"
        )
    by = dict(zip(system.jets.unknowns, found, strict=True))
    carried = clock.within(clock.reserve / 2, lambda: _carried(determining, state, by), None)
    if carried is None:
        return None
    return replace(sorted_out(carried), exhausted=solution.exhausted), Moved(there.grown(state), state, by)


def _functions(state: State) -> set[int]:
    return {f for form in (*state.values, *state.equations) for f, _ in form}


def _carried(determining: DeterminingSystem, state: State, by: Mapping[sp.Symbol, sp.Expr]) -> State:
    """The components and conditions at v = u - p, and φᵘ = φᵛ + Σ ξⁱ ∂p/∂xⁱ."""
    base, unknowns, jets = determining.field.copy(), determining.unknowns.copy(), determining.system.jets
    back = {u: u - p for u, p in by.items()}
    names = {f: unknowns.new(state.unknowns.arguments[f]) for f in sorted(_functions(state))}

    def moved(form: Form) -> Form:
        there = lifted(form, state.field).items()
        return {(names[f], K): base.element(state.field.expression(c).xreplace(back)) for (f, K), c in there}

    conditions = [moved(form) for form in state.equations]
    values = [moved(form) for form in state.values]
    slopes = [[base.element(sp.diff(p, x)) for x in jets.independent] for p in by.values()]
    # every element may have made the field grow
    conditions, values = ([lifted(f, base) for f in forms] for forms in (conditions, values))
    size = len(jets.independent)
    for k, slope in enumerate(slopes, start=size):
        moving = [(base.lift(s), value) for s, value in zip(slope, values[:size], strict=True)]
        values[k] = combined((base.one, values[k]), *moving)
    carried = State(base, unknowns, conditions, values, determining.system.nonzero)
    carried.take_assumptions(state)
    return carried
