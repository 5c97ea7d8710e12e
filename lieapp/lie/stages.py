"""The derivation of a system's point symmetries, stage by stage: STAGES is the list of them.

A stage is given the `Derivation` so far and makes a new one. What may take long works on a copy within what the
clock leaves; if that doesn't suffice, the stage says so in `unsolved` and the next ones go on with what there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from random import Random
from typing import TypeVar

import sympy as sp
from msgspec import structs

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.residues import BadPointError
from lieapp.errors import BudgetError, EquationError
from lieapp.lie.beyond.hierarchy import check_order, generalised_symmetries
from lieapp.lie.certificate.certify import BUDGET, certify
from lieapp.lie.certificate.counting import TooLargeError
from lieapp.lie.certificate.safeguard import disagreement
from lieapp.lie.deadline import Clock, OutOfTimeError
from lieapp.lie.determining import affine_symmetries, determining_equations, quicker
from lieapp.lie.families import Group, family_holds, family_of, group_of, modulo_families, restrict
from lieapp.lie.inhomogeneous import NoParticularSolutionError, solve_moved, sources
from lieapp.lie.invariance import defect
from lieapp.lie.normal_form import Vector, expression_of, normal_basis
from lieapp.lie.parameters.identifiable import identified
from lieapp.lie.parameters.moving import moving_symmetries
from lieapp.lie.solving import State, solve
from lieapp.lie.solving.guess import agreed
from lieapp.lie.sought import has_infinitely_many, sought
from lieapp.lie.structure import structure_of
from lieapp.lie.truth import Truth
from lieapp.lie.vector_field import Field
from lieapp.results.truth import CertificateResult, StructureResult

T = TypeVar("T")

TELLING = 2.0
"""Seconds beyond the budget in which the result is put into words."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Derivation(Truth):
    """A truth in the making: what is known after a stage.

    A domain is periodic in the `variables`, with `lengths` where they are given. If the solver ended by itself it
    is `exhausted`. The `vectors` are the generators, proved or not, in the field of the state; `groups` functions
    that are left arbitrary but for their conditions, with their symmetries; `finite` the same where conditions are
    left unsolved, and `counts` how many constants the solutions of these have at most, None if unknown. `movable`
    are parameters that symmetries may move too. Generalised symmetries are sought up to the `order`, if there is
    one.
    """

    clock: Clock
    variables: tuple[sp.Symbol, ...]
    lengths: Mapping[sp.Symbol, sp.Expr] | None
    exhausted: bool = False
    vectors: tuple[Vector, ...] = ()
    groups: tuple[Group, ...] = ()
    finite: tuple[Group, ...] = ()
    counts: tuple[int | None, ...] = ()
    movable: tuple[sp.Symbol, ...] = ()
    order: int | None = None

    def within(self, reserve: float, work: Callable[[Derivation], T]) -> T | None:
        """What work on a copy gives; None if only the reserve is left before it is done."""
        return self.clock.within(reserve, partial(work, self.solved_by(self.state.copy())), None)

    def solved_by(self, state: State) -> Derivation:
        """With a later state of the solver."""
        return replace(self, state=state, determining=self.determining.grown(state))

    def left_out(self, *texts: str) -> Derivation:
        """With more to say of what is unsolved."""
        return replace(self, unsolved=(*self.unsolved, *texts))


def derive(
    system: System,
    periodic: Sequence[sp.Symbol] = (),
    lengths: Mapping[sp.Symbol, sp.Expr] | None = None,
    budget: float | Clock | None = None,
    moved: Sequence[sp.Symbol] = (),
    order: int | None = None,
) -> Truth:
    """All point symmetries of a system, and those that a domain periodic in `periodic` keeps: all if it is empty.

    The restriction holds for every length of the period unless `lengths` gives one (exactly, as 2*pi).
    Every generator is put into the exact invariance condition, every family into the determining equations.
    Those that move the parameters `moved` too are sought first, and what outputs determine of these; generalised
    ones up to an `order` are sought last.
    After `budget` seconds, or when that clock says so, what was found and proved until then is returned, with the
    rest in `unsolved`.
    Raises EquationError when the system can't be solved for leading derivatives or a check fails, and BudgetError
    when the budget doesn't suffice for the determining equations.
    """
    clock = budget if isinstance(budget, Clock) else Clock(budget)
    if order is not None:
        check_order(system, order)
    clock.note("determining equations")
    try:
        with clock.limit():
            determining = determining_equations(system)
            state = determining.state()
    except OutOfTimeError:
        raise BudgetError(
            f"{system.name}: {clock.told()} before the determining equations were ready.",
            hint=f"Raise the budget{quicker(system)}.",
        ) from None
    found = Derivation(
        determining, state, clock=clock, variables=tuple(periodic), lengths=lengths, movable=tuple(moved),
        order=order,
    )
    for stage in STAGES:
        found = stage(found)
    found = replace(found, seconds=time.perf_counter() - clock.started)
    return Truth(**{told.name: getattr(found, told.name) for told in fields(Truth)})


def parameters_moved(so_far: Derivation) -> Derivation:
    """Symmetries that move parameters as well, where some are to move, and what the outputs determine of them."""
    system, moved, clock = so_far.system, so_far.movable, so_far.clock
    if not moved and not system.outputs:
        return so_far
    # those of outputs alone are moved by anything
    inside = [s for s in moved if any(r.has(s) for r in system.residuals)]
    seen = identified(system, moved, clock) if system.outputs else None
    return replace(so_far, moving=moving_symmetries(system, inside, clock), identified=seen)


def solved(so_far: Derivation) -> Derivation:
    """The determining equations are solved, by way of the homogeneous ones where there is a source."""
    clock, determining = so_far.clock, so_far.determining
    clock.note(f"solving {len(determining.equations)} determining equations")
    carried, with_source = None, sources(so_far.system)
    if with_source:
        try:
            carried = solve_moved(determining, with_source, clock)
        except NoParticularSolutionError as error:
            so_far = so_far.left_out(str(error))
    solution, moved = carried or (solve(so_far.state, clock), None)
    if not solution.exhausted:
        late = clock.left(clock.reserve) <= 0
        so_far = so_far.left_out(clock.told() if late else "the solver's number of steps ran out")
    infinite: list[Group] = []
    finite: list[Group] = []
    for (functions, conditions), is_finite in zip(solution.groups, solution.finite, strict=True):
        group = group_of(solution, functions, conditions)
        if any(group.values):
            # of equations that were still to be worked on nobody knows what they leave
            (finite if is_finite or (conditions and not solution.exhausted) else infinite).append(group)
    return replace(
        so_far.solved_by(solution.state),
        moved=moved,
        exhausted=solution.exhausted,
        vectors=tuple(solution.vectors()),
        groups=tuple(infinite),
        finite=tuple(finite),
        counts=(None,) * len(finite),
    )


def independent(so_far: Derivation) -> Derivation:
    """The generators in normal form, modulo the families."""
    so_far.clock.note("basis and proofs")
    found = so_far.within(so_far.clock.reserve / 2, _basis)
    late = "the generators found aren't in normal form"
    return found or replace(so_far, vectors=()).left_out(f"{so_far.clock.told()}: {late}")


def _basis(so_far: Derivation) -> Derivation:
    base, vectors = so_far.state.field, list(so_far.vectors)
    if not so_far.exhausted:
        vectors += affine_symmetries(so_far.determining)
    vectors = [[base.lift(c) for c in v] for v in vectors]
    outside = modulo_families(vectors, so_far.groups, base, so_far.state.unknowns)
    return replace(so_far, vectors=tuple(normal_basis(outside, base)))


def proved(so_far: Derivation) -> Derivation:
    """Those generators and families that could be proved in time."""
    base, unknowns, coordinates = so_far.state.field, so_far.state.unknowns, so_far.system.jets.coordinates
    kept: list[Vector] = []
    shown: list[Field] = []
    for vector in so_far.vectors:
        field = so_far.within(0.0, partial(_proved_field, vector))
        if field is not None:
            kept.append([base.lift(c) for c in vector])
            shown.append(field)
    holding = tuple(g.lifted(base) for g in so_far.groups if so_far.within(0.0, partial(_holds, g)))
    found = replace(
        so_far,
        vectors=tuple(kept),
        generators=tuple(shown),
        groups=holding,
        families=tuple(family_of(g, base, unknowns, coordinates) for g in holding),
    )
    missing = {"generators": len(so_far.vectors) - len(kept), "families": len(so_far.groups) - len(holding)}
    for what, count in missing.items():
        if count:
            found = found.left_out(f"{so_far.clock.told()}: {count} {what} weren't proved")
    return found


def _proved_field(vector: Vector, so_far: Derivation) -> Field:
    system = so_far.system
    field = _field(vector, so_far.state.field, system)
    left = defect(system, field.components, so_far.determining.leading)
    if any(e != 0 for e in left):
        raise EquationError(
            f"{system.name}: the derived field {field} leaves {left} in the invariance condition.",
            hint="This is a fault of the solver; please report the equation.",
        )
    return field


def _field(vector: Vector, base: CoefficientField, system: System) -> Field:
    names = [str(s) for s in system.jets.coordinates]
    return Field({n: expression_of(base.lift(c), base) for n, c in zip(names, vector, strict=True)})


def _holds(group: Group, so_far: Derivation) -> bool:
    if not family_holds(group, so_far.determining):
        raise EquationError(
            f"{so_far.system.name}: a derived family fails the determining equations.",
            hint="This is a fault of the solver; please report the equation.",
        )
    return True


def looked_for(so_far: Derivation) -> Derivation:
    """Of first-order ODEs what stated classes hold, since their determining equations are as hard as they are."""
    if not so_far.families or not has_infinitely_many(so_far.system):
        return so_far
    so_far.clock.note("symmetries of stated classes")
    return replace(so_far, sought=sought(so_far.determining, so_far.clock))


def left_open(so_far: Derivation) -> Derivation:
    """What is left unsolved, with the number of its constants unless something else is missing too."""
    if not so_far.finite:
        return so_far
    if not so_far.unsolved:
        # of what was still to be worked on nothing is counted
        so_far = so_far.within(so_far.clock.reserve, _counted) or so_far
    told = so_far.within(-TELLING, _told) or [f"{len(so_far.finite)} groups of determining equations"]
    return so_far.left_out(*dict.fromkeys(told))


def _counted(so_far: Derivation) -> Derivation:
    """With how many constants the solutions of the conditions have at most; None if two points disagree."""
    counts = (agreed(so_far.state, list(g.functions), list(g.conditions)) if g.conditions else None
              for g in so_far.finite)  # fmt: skip
    return replace(so_far, counts=tuple(counts))


def _told(so_far: Derivation) -> list[str]:
    state, coordinates = so_far.state, so_far.system.jets.coordinates
    families = [family_of(g, state.field, state.unknowns, coordinates) for g in so_far.finite]
    return [t for f, count in zip(families, so_far.counts, strict=True) for t in f.left_open(count)]


def certified(so_far: Derivation) -> Derivation:
    """Whether there are no others, by a count that doesn't rely on the solver, or why that isn't known."""
    clock = so_far.clock
    clock.note("counting for the certificate")
    found = so_far.within(-TELLING, _judged) if clock.left(clock.reserve / 4) > 0 else None
    found = found or CertificateResult(dimension=len(so_far.vectors), reason=clock.told())
    return replace(so_far, certificate=found)


def _judged(so_far: Derivation) -> CertificateResult:
    size, counts = len(so_far.vectors), so_far.counts
    if not so_far.unsolved:
        return _certificate(so_far)
    reason = "conditions are left unsolved"
    if so_far.groups or not counts or None in counts:
        return CertificateResult(dimension=size, reason=reason)
    limited = _certificate(so_far)
    return structs.replace(limited, reason=whole(size, counts, limited.bound) or reason)


def whole(known: int, counts: Sequence[int | None], limit: int | None) -> str:
    """What the dimension is with the constants of all parts, at most `limit` by the certificate; "" if unknown.

    Solutions that were found of a part are among the known ones too, and then the sum is above the limit.
    """
    if limit is None or None in counts or limit <= known:
        return ""
    missing = limit - known
    would = "would be" if missing == sum(n for n in counts if n is not None) else "is at most"
    return f"the dimension {would} {limit}, of which {missing} {'is' if missing == 1 else 'are'} not in closed form"


def _certificate(so_far: Derivation) -> CertificateResult:
    one, vectors, seconds = so_far.determining, so_far.vectors, certificate_seconds(so_far.clock) / 3
    try:
        work = partial(disagreement, one, Random(0), time.perf_counter() + seconds)
        told = Clock(seconds).within(0.0, work, "")
    except (TooLargeError, BadPointError):
        # one safeguard less; the count itself says if it can't be done
        told = ""
    if told:
        return CertificateResult(dimension=len(vectors), reason=told)
    return certify(one, vectors, so_far.groups, certificate_seconds(so_far.clock))


def certificate_seconds(clock: Clock) -> float:
    """What the certificate may take: a third of the budget, more if only little is left for all."""
    if clock.seconds is None:
        return BUDGET
    return max(0.1, min(max(BUDGET / 4, clock.seconds / 3), clock.left(clock.reserve / 4)))


def restricted(so_far: Derivation) -> Derivation:
    """What a domain with periodic variables keeps: everything without such variables."""
    if not so_far.variables:
        return replace(so_far, periodic=so_far.generators, periodic_families=so_far.families)
    kept = so_far.within(-TELLING, _periodic)
    return kept or so_far.left_out(f"{so_far.clock.told()}: what a periodic domain keeps")


def _periodic(so_far: Derivation) -> Derivation:
    state, system = so_far.state, so_far.system
    vectors, groups, wide, functions = restrict(
        so_far.vectors, so_far.groups, state.field, state.unknowns, so_far.variables, so_far.lengths
    )
    return replace(
        so_far,
        periodic=tuple(_field(v, wide, system) for v in vectors),
        periodic_families=tuple(family_of(g, wide, functions, system.jets.coordinates) for g in groups),
    )


def structured(so_far: Derivation) -> Derivation:
    """Brackets and what follows from them: told quickly, or not within what is reasonable to wait for it."""
    so_far.clock.note("brackets and structure")
    spare = max(-TELLING, so_far.clock.reserve_for(1 / 4))

    def work(copy: Derivation) -> StructureResult:
        field, unknowns = copy.state.field, copy.state.unknowns
        return structure_of(copy.vectors, field, copy.groups, unknowns, copy.system.nonzero)

    return replace(so_far, structure=so_far.within(spare, work))


def beyond(so_far: Derivation) -> Derivation:
    """Generalised symmetries, where an order is asked for."""
    if so_far.order is None:
        return so_far
    try:
        found = generalised_symmetries(so_far.system, so_far.order, so_far.generators, so_far.clock)
    except BudgetError as error:
        return so_far.left_out(error.message)
    return replace(so_far, hierarchy=found)


STAGES = (
    parameters_moved,
    solved,
    independent,
    proved,
    looked_for,
    left_open,
    certified,
    restricted,
    structured,
    beyond,
)
"""From the determining equations to the truth, in order."""
