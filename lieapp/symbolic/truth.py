"""The derived truth of a system: its point symmetries, exactly, and the part that a periodic domain keeps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import sympy as sp

from lieapp.errors import BudgetError, EquationError
from lieapp.symbolic import unsolved as unsolved_parts
from lieapp.symbolic.affine import affine_symmetries
from lieapp.symbolic.basis import Vector, expression_of, normal_basis
from lieapp.symbolic.certificate import BUDGET, Certificate, certify
from lieapp.symbolic.coefficients import CoefficientField
from lieapp.symbolic.consequences import Consequences
from lieapp.symbolic.counting import TooLargeError
from lieapp.symbolic.deadline import Clock, OutOfTimeError
from lieapp.symbolic.determining import DeterminingSystem, determining_equations
from lieapp.symbolic.equation import System
from lieapp.symbolic.explain import explanation
from lieapp.symbolic.families import Family, Group, family_holds, family_of, modulo_families
from lieapp.symbolic.fields import Field
from lieapp.symbolic.invariance import defect
from lieapp.symbolic.linear import Unknowns
from lieapp.symbolic.restrict import restrict
from lieapp.symbolic.safeguard import disagreement
from lieapp.symbolic.showing import derivation_latex, truth_latex, truth_text
from lieapp.symbolic.solving import Solution, State, solve
from lieapp.symbolic.solving.engine import values_of
from lieapp.symbolic.source import Moved, NoParticularSolutionError, solve_moved, sources
from lieapp.symbolic.structure import structure_json
from lieapp.symbolic.taylor import BadPointError

HIGH = 8
"""Order from which the determining equations of an equation take long."""

TELLING = 2.0
"""Seconds beyond the budget in which the result is put into words."""

__all__ = ["Family", "Field", "Truth", "derive"]


@dataclass(frozen=True, repr=False)
class Truth(Consequences):
    """What was derived.

    The generators and families are proved symmetries. If `certified` an independent count says that there are
    no others: complete for generic parameters, up to a negligible probability. Else the certificate has the
    reason, and that there are no others rests on the solver alone.

    Args:
        dimension: number of generators, modulo the families.
        infinite: whether there are families with arbitrary functions.
        generators: a basis in normal form, without members of the families.
        families: generators with arbitrary functions and their side conditions.
        unsolved: conditions that weren't solved, and what the time didn't suffice for; the dimension is then a
            lower bound.
        assumed_nonzero: expressions in the parameters that were divided by.
        assumed_independent: sets of expressions with arbitrary functions that are assumed linearly independent.
        assumed_generic: parameters and functions at random values of which solutions were counted.
        periodic: the generators that a domain with the asked periodic variables keeps; all without such variables.
        periodic_families: likewise.
        structure: brackets and what follows from them; empty if the budget didn't suffice.
        certificate: the bounds of the independent count, and why they prove nothing if they don't.
        seconds: how long it took.
        determining: the equations that were solved.
        state: the solver's last state: its steps, and the general symmetry in what is left free.
        moved: what was solved in place of a linear equation with a source.
    """

    dimension: int
    infinite: bool
    generators: tuple[Field, ...]
    families: tuple[Family, ...] = ()
    unsolved: tuple[str, ...] = ()
    assumed_nonzero: tuple[sp.Expr, ...] = ()
    assumed_independent: tuple[tuple[sp.Expr, ...], ...] = ()
    assumed_generic: tuple[str, ...] = ()
    certificate: Certificate = field(default_factory=Certificate)
    periodic: tuple[Field, ...] = ()
    periodic_families: tuple[Family, ...] = ()
    structure: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    determining: DeterminingSystem | None = field(default=None, repr=False)
    state: State | None = field(default=None, repr=False)
    moved: Moved | None = field(default=None, repr=False)

    @property
    def certified(self) -> bool:
        """Whether the certificate says that there are no other symmetries."""
        return self.certificate.certified

    def explain(self) -> dict[str, Any]:
        """The determining equations and every step of their solution; empty where they weren't kept."""
        if self.moved:
            return explanation(self.moved.determining, self.moved.state, self.moved.by)
        return explanation(self.determining, self.state) if self.determining and self.state else {}

    def latex(self, explain: bool = False, more: Sequence[str] = ()) -> str:
        """The algebra as one `aligned` block of LaTeX, with `explain` after one of its derivation.

        `more`: further rows, as those of flows and reductions (`consequences`).
        """
        return (derivation_latex(self.explain()) + "\n" if explain else "") + truth_latex(self, more)

    def __str__(self) -> str:
        return truth_text(self)

    def __repr__(self) -> str:
        return truth_text(self)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def as_json(self) -> dict[str, Any]:
        """The object of `lieapp truth --json`."""
        return {
            "dimension": self.dimension,
            "infinite": self.infinite,
            "generators": [f.as_json() for f in self.generators],
            "families": [f.as_json() for f in self.families],
            "unsolved": list(self.unsolved),
            "assumed_nonzero": [str(e) for e in self.assumed_nonzero],
            "assumed_independent": [[str(e) for e in span] for span in self.assumed_independent],
            "assumed_generic": list(self.assumed_generic),
            "certified": self.certified,
            "certificate": self.certificate.as_json(),
            "periodic": [f.as_json() for f in self.periodic],
            "periodic_families": [f.as_json() for f in self.periodic_families],
            "structure": self.structure,
            "seconds": round(self.seconds, 3),
        }


def derive(
    system: System,
    periodic: Sequence[sp.Symbol] = (),
    lengths: Mapping[sp.Symbol, sp.Expr] | None = None,
    budget: float | Clock | None = None,
) -> Truth:
    """All point symmetries of a system, and those that a domain periodic in `periodic` keeps: all if it is empty.

    The restriction holds for every length of the period unless `lengths` gives one (exactly, as 2*pi).
    Every generator is put into the exact invariance condition, every family into the determining equations.
    After `budget` seconds, or when that clock says so, what was found and proved until then is returned, with the
    rest in `unsolved`.
    Raises EquationError when the system can't be solved for leading derivatives or a check fails, and BudgetError
    when the budget doesn't suffice for the determining equations.
    """
    clock = budget if isinstance(budget, Clock) else Clock(budget)
    clock.note("determining equations")
    determining = _determining(system, clock)
    system = determining.system
    base, unknowns = determining.field, determining.unknowns
    values = [unknowns.form(base, f) for f in determining.components]
    state = State(base, unknowns, list(determining.equations), values, system.nonzero)
    for divisor in dict.fromkeys(determining.assumed_nonzero):
        state.assume(divisor)
    with_source = sources(system)
    carried, coupled = None, []
    clock.note(f"solving {len(determining.equations)} determining equations")
    if with_source:
        try:
            carried = solve_moved(determining, with_source, clock)
        except NoParticularSolutionError as error:
            coupled.append(str(error))
    solution, moved = carried or (solve(state, clock), None)
    state = solution.state
    saved = (state, unknowns, base, base.table)
    groups, finite = _groups(solution)
    unsolved: list[str] = coupled
    if not solution.exhausted:
        unsolved.append(clock.told() if clock.left(clock.reserve) <= 0 else "the solver's number of steps ran out")

    clock.note("basis and proofs")

    def basis() -> list[Vector]:
        vectors = [_vector(solution, f) for f in solution.constants]
        if not solution.exhausted:
            vectors += affine_symmetries(determining)
        vectors = [[base.lift(c) for c in v] for v in vectors]
        return normal_basis(modulo_families(vectors, groups, base, unknowns), base)

    found = clock.within(clock.reserve / 2, saved, basis, None)
    if found is None:
        unsolved.append(f"{clock.told()}: the generators found aren't in normal form")
    vectors, generators, groups = _proved(determining, found or [], groups, clock, unsolved)
    coordinates = system.jets.coordinates

    whole = not unsolved
    counts: list[int | None] = [None] * len(finite)
    if whole:
        # of what was still to be worked on nothing is counted
        counts = clock.within(
            clock.reserve, saved, lambda: [unsolved_parts.constants(g, state) for g in finite], counts
        )

    def told() -> list[str]:
        families = [family_of(g, base, unknowns, coordinates) for g in finite]
        return [t for f, count in zip(families, counts, strict=True) for t in unsolved_parts.told(f, count)]

    told_parts = clock.within(-TELLING, saved, told, [f"{len(finite)} groups of determining equations"])
    unsolved += dict.fromkeys(told_parts)
    clock.note("counting for the certificate")
    if clock.left(clock.reserve / 4) <= 0:
        certificate = Certificate(False, dimension=len(vectors), reason=clock.told())
    elif unsolved:
        certificate = Certificate(False, dimension=len(vectors), reason="conditions are left unsolved")
        if whole and not groups and None not in counts:
            limited = _certificate(determining, vectors, groups, clock)
            reason = unsolved_parts.whole(len(vectors), counts, limited.bound) or certificate.reason
            certificate = replace(limited, certified=False, reason=reason)
    else:
        certificate = _certificate(determining, vectors, groups, clock)
    families = tuple(family_of(g, base, unknowns, coordinates) for g in groups)
    # nothing is periodic: no condition, so everything is kept
    kept, kept_families = tuple(generators), families
    if periodic:
        restricted = clock.within(
            -TELLING, saved, lambda: _periodic(system, vectors, groups, base, unknowns, periodic, lengths), None
        )
        if restricted is None:
            unsolved.append(f"{clock.told()}: what a periodic domain keeps")
        kept, kept_families = restricted or ((), ())
    clock.note("brackets and structure")
    # it is told quickly, or not within what is reasonable to wait for it
    spare = -TELLING if clock.seconds is None else max(-TELLING, clock.left() - clock.seconds / 4)
    structure: dict[str, Any] = clock.within(
        spare, saved, lambda: structure_json(vectors, base, groups, unknowns, system.nonzero), {}
    )
    return Truth(
        dimension=len(generators),
        infinite=bool(groups),
        generators=tuple(generators),
        families=families,
        unsolved=tuple(unsolved),
        assumed_nonzero=tuple(dict.fromkeys([*determining.divided, *state.assumed])),
        assumed_independent=tuple(state.independent),
        assumed_generic=tuple(state.generic),
        certificate=certificate,
        periodic=kept,
        periodic_families=kept_families,
        structure=structure,
        seconds=time.perf_counter() - clock.started,
        determining=determining,
        state=state,
        moved=moved,
    )


def _determining(system: System, clock: Clock) -> DeterminingSystem:
    try:
        with clock.limit():
            return determining_equations(system)
    except OutOfTimeError:
        raise BudgetError(
            f"{system.name}: {clock.told()} before the determining equations were ready.",
            hint=f"Raise the budget{_quicker(system)}.",
        ) from None


def _quicker(system: System) -> str:
    """What else makes the determining equations of a system quicker."""
    order = system.jets.order(system.residuals)
    ways = [f"take fewer derivatives than {order}, since the equations grow fast with the order"] * (order >= HIGH)
    ways += ["put numbers in place of parameters"] * bool(system.parameters)
    ways += ["expand the equations"] * any(r != sp.expand(r) for r in system.residuals)
    return "".join(f", or {way}" for way in ways)


def _groups(solution: Solution) -> tuple[list[Group], list[Group]]:
    """Infinite groups, and those left unsolved."""
    infinite: list[Group] = []
    finite: list[Group] = []
    for (functions, conditions), is_finite in zip(solution.groups, solution.finite, strict=True):
        members = set(functions)
        values = tuple({key: c for key, c in value.items() if key[0] in members} for value in solution.state.values)
        if any(values):
            group = Group(tuple(functions), tuple(conditions), values)
            # of equations that were still to be worked on nobody knows what they leave
            (finite if is_finite or (conditions and not solution.exhausted) else infinite).append(group)
    return infinite, finite


def _vector(solution: Solution, f: int) -> Vector:
    zero = solution.state.field.zero
    return [next(iter(part.values()), zero) for part in values_of(solution, f)]


def _field(vector: Vector, base: CoefficientField, system: System) -> Field:
    names = [str(s) for s in system.jets.coordinates]
    return Field({n: expression_of(base.lift(c), base) for n, c in zip(names, vector, strict=True)})


def _proved(
    determining: DeterminingSystem,
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    clock: Clock,
    unsolved: list[str],
) -> tuple[list[Vector], list[Field], list[Group]]:
    """Those that were proved in time, the vectors also as fields; in `unsolved` how many were not."""
    base, unknowns, system = determining.field, determining.unknowns, determining.system
    saved = (base, base.table, unknowns)
    kept: list[Vector] = []
    fields: list[Field] = []
    for vector in vectors:
        field = clock.within(0.0, saved, lambda: _proved_field(vector, determining), None)  # noqa: B023
        if field is not None:
            kept.append(vector)
            fields.append(field)
    holding: list[Group] = []
    for group in groups:
        group = group.lifted(base)
        holds = clock.within(0.0, saved, lambda: _holds(determining, group), None)  # noqa: B023
        if holds:
            holding.append(group)
        elif holds is not None:
            raise EquationError(
                f"{system.name}: a derived family fails the determining equations.",
                hint="This is a fault of the solver; please report the equation.",
            )
    for count, what in ((len(vectors) - len(kept), "generators"), (len(groups) - len(holding), "families")):
        if count:
            unsolved.append(f"{clock.told()}: {count} {what} weren't proved")
    return [[base.lift(c) for c in v] for v in kept], fields, [g.lifted(base) for g in holding]


def _proved_field(vector: Vector, determining: DeterminingSystem) -> Field:
    system = determining.system
    field = _field(vector, determining.field, system)
    left = defect(system, field.components, determining.leading)
    if any(e != 0 for e in left):
        raise EquationError(
            f"{system.name}: the derived field {field} leaves {left} in the invariance condition.",
            hint="This is a fault of the solver; please report the equation.",
        )
    return field


def _certificate(
    determining: DeterminingSystem, vectors: Sequence[Vector], groups: Sequence[Group], clock: Clock
) -> Certificate:
    try:
        different = disagreement(determining, Random(0), time.perf_counter() + certificate_seconds(clock) / 3)
    except (TooLargeError, BadPointError):
        # one safeguard less; the count itself says if it can't be done
        different = ""
    if different:
        return Certificate(False, dimension=len(vectors), reason=different)
    return certify(
        determining.equations,
        determining.components,
        determining.field,
        determining.unknowns,
        vectors,
        groups,
        determining.system.name,
        certificate_seconds(clock),
    )


def _holds(determining: DeterminingSystem, group: Group) -> bool:
    return family_holds(
        group, determining.equations, determining.components, determining.field, determining.unknowns
    )


def _periodic(
    system: System,
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    base: CoefficientField,
    unknowns: Unknowns,
    periodic: Sequence[sp.Symbol],
    lengths: Mapping[sp.Symbol, sp.Expr] | None,
) -> tuple[tuple[Field, ...], tuple[Family, ...]]:
    kept, left, wide, functions = restrict(vectors, groups, base, unknowns, periodic, lengths)
    left = [g for g in left if any(g.values)]
    vectors = [[base.element(wide.expression(wide.lift(c))) for c in v[: len(base.variables)]] for v in kept]
    vectors = normal_basis([[base.lift(c) for c in v] for v in vectors], base)
    vectors = [[wide.element(base.expression(c)) for c in v] for v in vectors]
    vectors = [[wide.lift(c) for c in v] for v in vectors]
    vectors = normal_basis(modulo_families(vectors, left, wide, functions), wide)
    fields = tuple(_field(v, wide, system) for v in vectors)
    return fields, tuple(family_of(g, wide, functions, system.jets.coordinates) for g in left)


def certificate_seconds(clock: Clock) -> float:
    """What the certificate may take: a third of the budget, more if only little is left for all."""
    if clock.seconds is None:
        return BUDGET
    return max(0.1, min(max(BUDGET / 4, clock.seconds / 3), clock.left(clock.reserve / 4)))
