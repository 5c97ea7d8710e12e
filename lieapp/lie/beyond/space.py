"""The solutions of determining equations for functions of derivatives: a basis, families and the certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import sympy as sp

from lieapp.equations.equation import System
from lieapp.errors import BudgetError, EquationError
from lieapp.lie.beyond.algebra import Coordinates, coordinates
from lieapp.lie.beyond.polynomial import PolynomialSpace
from lieapp.lie.certificate.certify import certify
from lieapp.lie.deadline import Clock, OutOfTimeError
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.families import Group, family_holds, group_of, modulo_families
from lieapp.lie.normal_form import Vector, expression_of, normal_basis
from lieapp.lie.solving import State, solve
from lieapp.results.truth import CertificateResult

CERTIFYING = 0.9
"""Share of the time left that the certificate may take: it comes last."""


@dataclass(frozen=True)
class Space:
    """A basis of the solutions modulo the families, in normal form.

    `groups` are functions that are left arbitrary but for their conditions; if something is `open`, in words, the
    basis may lack solutions.
    """

    determining: DeterminingSystem
    state: State
    vectors: tuple[Vector, ...]
    groups: tuple[Group, ...]
    certificate: CertificateResult
    open: tuple[str, ...] = ()

    @property
    def assumed(self) -> tuple[sp.Expr, ...]:
        """What was divided by: where one of them vanishes there may be more solutions."""
        return tuple(dict.fromkeys([*self.determining.divided, *self.state.assumed]))

    def expressions(self) -> list[tuple[sp.Expr, ...]]:
        """The components of each vector of the basis."""
        field = self.state.field
        return [tuple(expression_of(field.lift(c), field) for c in v) for v in self.vectors]


@dataclass(frozen=True)
class Found:
    """All solutions in the class that is `sought`, in words: a `basis` modulo the families of the `space`.

    That class is polynomials where the time didn't suffice for all functions: then it isn't the `general` one. The
    `space` is that of the solver, None if not even the determining equations were ready.
    """

    space: Space | None
    basis: list[tuple[sp.Expr, ...]]
    sought: str
    certificate: CertificateResult
    open: tuple[str, ...] = ()
    general: bool = False


GENERAL = 0.6
"""Share of the time for all functions; polynomials take the rest, if that doesn't suffice."""


def find(
    system: System,
    make: Callable[[], DeterminingSystem],
    polynomial: Callable[[Clock], PolynomialSpace],
    general: str,
    clock: Clock,
) -> Found:
    """Solve determining equations for all functions, or find the polynomials among the solutions.

    `general` is the class of all functions, in words. Raises BudgetError if neither could be begun, EquationError
    for equations that can't be solved for leading derivatives.
    """
    part, space = clock.part(GENERAL), None
    refused: BudgetError | None = None
    try:
        space = solution_space(set_up(make, part, system.name, general), part)
    except BudgetError as error:
        refused = error
    basis = [] if space is None else space.expressions()
    left = space.open if space is not None else (refused.message,) if refused is not None else ()
    if space is not None and not left:
        return Found(space, basis, general, space.certificate, general=True)
    clock.note("polynomials")
    try:
        other = polynomial(clock.part(GENERAL))
    except (EquationError, BudgetError) as error:
        if space is None:
            # a larger budget helps even where polynomials can't be sought
            raise refused or error from None
        return Found(space, basis, general, space.certificate, (*left, error.message))
    held: list[Coordinates | None] = [None] * len(basis)
    if basis and other.basis:
        held = clock.within(0.0, partial(coordinates, system, other.basis, basis), held)
    outside = [v for v, c in zip(basis, held, strict=True) if c is None]
    known = [*other.basis, *outside]
    reason = CertificateResult(dimension=len(known), reason=other.open)
    sought = other.sought
    if system.parameters:
        named = ", ".join(map(str, system.parameters))
        sought += f", for generic {named}: special values may have more"
    return Found(space, known, sought, reason, (other.open,) if other.open else ())


def set_up(make: Callable[[], DeterminingSystem], clock: Clock, name: str, sought: str) -> DeterminingSystem:
    """The determining equations, within the clock. Raises BudgetError if the time doesn't suffice."""
    clock.note(f"determining equations: {sought}")
    try:
        with clock.limit():
            return make()
    except OutOfTimeError:
        raise BudgetError(
            f"{name}: {clock.told()} before the determining equations were ready.",
            hint="Raise the budget, or take a lower --order.",
        ) from None


def factors_in(expression: sp.Expr, parameters: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The factors of a polynomial in parameters alone; none of a number and of anything else."""
    symbols = expression.free_symbols
    if not symbols or not symbols <= set(parameters) or not expression.is_polynomial(*symbols):
        return []
    return [factor for factor, _ in sp.factor_list(expression)[1]]


def solution_space(determining: DeterminingSystem, clock: Clock) -> Space:
    """Solve determining equations, prove families, and count.

    Raises EquationError when a family fails the equations: a fault of the solver.
    """
    state = determining.state()
    # functions of many variables
    state.counting = False
    clock.note(f"solving {len(determining.equations)} determining equations")
    solution = solve(state, clock)
    left = [] if solution.exhausted else [clock.told() if clock.left(clock.reserve) <= 0 else "the solver gave up"]
    state = solution.state
    grown = determining.grown(state)
    groups: list[Group] = []
    for (functions, conditions), finite in zip(solution.groups, solution.finite, strict=True):
        group = group_of(solution, functions, conditions)
        if not any(group.values):
            continue
        if finite or (conditions and not solution.exhausted):
            left.append(f"{len(conditions)} conditions on {len(functions)} functions are left unsolved")
        else:
            groups.append(group)
    vectors = clock.within(0.0, lambda: _basis(solution.vectors(), groups, state), None)
    if vectors is None:
        return Space(grown, state, (), (), CertificateResult(reason=clock.told()), (*left, clock.told()))
    for group in groups:
        if not clock.within(0.0, partial(family_holds, group, grown), True):
            raise EquationError(
                f"{determining.system.name}: a derived family fails the determining equations.",
                hint="This is a fault of the solver; please report the equation.",
            )
    certificate = _certified(grown, vectors, groups, left, clock)
    return Space(grown, state, tuple(vectors), tuple(groups), certificate, tuple(left))


def _basis(found: Sequence[Vector], groups: Sequence[Group], state: State) -> list[Vector]:
    lifted = [[state.field.lift(c) for c in v] for v in found]
    outside = modulo_families(lifted, groups, state.field, state.unknowns)
    return normal_basis(outside, state.field) if outside else []


def _certified(
    determining: DeterminingSystem,
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    left: Sequence[str],
    clock: Clock,
) -> CertificateResult:
    if left:
        return CertificateResult(dimension=len(vectors), reason="conditions are left unsolved")
    clock.note("counting for the certificate")
    seconds = 20.0 if clock.seconds is None else max(0.1, CERTIFYING * clock.left())
    late = CertificateResult(dimension=len(vectors), reason=clock.told() if clock.seconds else "")
    return clock.within(0.0, lambda: certify(determining, vectors, groups, seconds), late)
