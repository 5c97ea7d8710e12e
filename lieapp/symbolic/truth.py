"""The derived truth of a system: its point symmetries, exactly, and the part that a periodic domain keeps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from lieapp.errors import EquationError
from lieapp.symbolic.basis import Vector, expression_of, normal_basis
from lieapp.symbolic.certificate import Certificate, certify
from lieapp.symbolic.coefficients import CoefficientField
from lieapp.symbolic.determining import DeterminingSystem, determining_equations
from lieapp.symbolic.equation import System
from lieapp.symbolic.explain import explanation
from lieapp.symbolic.families import Family, Group, family_holds, family_of, modulo_families
from lieapp.symbolic.fields import Field
from lieapp.symbolic.invariance import defect
from lieapp.symbolic.linear import Unknowns
from lieapp.symbolic.restrict import restrict
from lieapp.symbolic.showing import derivation_latex, truth_latex, truth_text
from lieapp.symbolic.solving import Solution, State, solve
from lieapp.symbolic.solving.engine import values_of
from lieapp.symbolic.structure import structure_json

__all__ = ["Family", "Field", "Truth", "derive"]


@dataclass(frozen=True)
class Truth:
    """What was derived.

    The generators and families are proved symmetries. If `certified` an independent count says that there are
    no others: complete for generic parameters, up to a negligible probability. Else the certificate has the
    reason, and that there are no others rests on the solver alone.

    Args:
        dimension: number of generators, modulo the families.
        infinite: whether there are families with arbitrary functions.
        generators: a basis in normal form, without members of the families.
        families: generators with arbitrary functions and their side conditions.
        unsolved: conditions that leave finitely many constants but weren't solved; the dimension is then a
            lower bound.
        assumed_nonzero: expressions in the parameters that were divided by.
        periodic: the generators that a domain with the asked periodic variables keeps; all without such variables.
        periodic_families: likewise.
        structure: brackets and what follows from them.
        certificate: the bounds of the independent count, and why they prove nothing if they don't.
        seconds: how long it took.
        determining: the equations that were solved.
        state: the solver's last state: its steps, and the general symmetry in what is left free.
    """

    dimension: int
    infinite: bool
    generators: tuple[Field, ...]
    families: tuple[Family, ...] = ()
    unsolved: tuple[str, ...] = ()
    assumed_nonzero: tuple[sp.Expr, ...] = ()
    certificate: Certificate = field(default_factory=Certificate)
    periodic: tuple[Field, ...] = ()
    periodic_families: tuple[Family, ...] = ()
    structure: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    determining: DeterminingSystem | None = field(default=None, repr=False)
    state: State | None = field(default=None, repr=False)

    @property
    def certified(self) -> bool:
        """Whether the certificate says that there are no other symmetries."""
        return self.certificate.certified

    def explain(self) -> dict[str, Any]:
        """The determining equations and every step of their solution; empty where they weren't kept."""
        return explanation(self.determining, self.state) if self.determining and self.state else {}

    def latex(self, explain: bool = False) -> str:
        """The algebra as one `aligned` block of LaTeX, with `explain` after one of its derivation."""
        return (derivation_latex(self.explain()) + "\n" if explain else "") + truth_latex(self)

    def __str__(self) -> str:
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
            "certified": self.certified,
            "certificate": self.certificate.as_json(),
            "periodic": [f.as_json() for f in self.periodic],
            "periodic_families": [f.as_json() for f in self.periodic_families],
            "structure": self.structure,
            "seconds": round(self.seconds, 3),
        }


def derive(
    system: System, periodic: Sequence[sp.Symbol] = (), lengths: Mapping[sp.Symbol, sp.Expr] | None = None
) -> Truth:
    """All point symmetries of a system, and those that a domain periodic in `periodic` keeps: all if it is empty.

    The restriction holds for every length of the period unless `lengths` gives one (exactly, as 2*pi).
    Every generator is put into the exact invariance condition, every family into the determining equations.
    Raises EquationError when the system can't be solved for leading derivatives or a check fails.
    """
    start = time.perf_counter()
    determining = determining_equations(system)
    base, unknowns = determining.field, determining.unknowns
    values = [unknowns.form(base, f) for f in determining.components]
    state = State(base, unknowns, list(determining.equations), values, system.nonzero)
    for divisor in dict.fromkeys(determining.assumed_nonzero):
        state.assume(divisor)
    solution = solve(state)
    groups, finite = _groups(solution)
    vectors = [_vector(solution, f) for f in solution.constants]
    vectors = normal_basis(modulo_families(vectors, groups, base, unknowns), base)
    groups = [g.lifted(base) for g in groups]
    generators = tuple(_field(v, base, system) for v in vectors)
    _verify(determining, generators, groups)
    coordinates = system.jets.coordinates
    unsolved = [t for g in finite for t in _unsolved(family_of(g, base, unknowns, coordinates))]
    if not solution.exhausted:
        unsolved.append("the solver's number of steps ran out")
    certificate = Certificate(False, dimension=len(vectors), reason="conditions are left unsolved")
    if not unsolved:
        certificate = certify(
            determining.equations, determining.components, base, unknowns, vectors, groups, system.name
        )
    families = tuple(family_of(g, base, unknowns, coordinates) for g in groups)
    # nothing is periodic: no condition, so everything is kept
    kept, kept_families = generators, families
    if periodic:
        kept, kept_families = _periodic(system, vectors, groups, base, unknowns, periodic, lengths)
    return Truth(
        dimension=len(generators),
        infinite=bool(groups),
        generators=generators,
        families=families,
        unsolved=tuple(unsolved),
        assumed_nonzero=tuple(state.assumed),
        certificate=certificate,
        periodic=kept,
        periodic_families=kept_families,
        structure=structure_json(vectors, base, groups, unknowns, system.nonzero),
        seconds=time.perf_counter() - start,
        determining=determining,
        state=state,
    )


def _groups(solution: Solution) -> tuple[list[Group], list[Group]]:
    """Infinite groups, and those left unsolved."""
    infinite: list[Group] = []
    finite: list[Group] = []
    for (functions, conditions), is_finite in zip(solution.groups, solution.finite, strict=True):
        members = set(functions)
        values = tuple({key: c for key, c in value.items() if key[0] in members} for value in solution.state.values)
        if any(values):
            group = Group(tuple(functions), tuple(conditions), values)
            (finite if is_finite else infinite).append(group)
    return infinite, finite


def _vector(solution: Solution, f: int) -> Vector:
    zero = solution.state.field.zero
    return [next(iter(part.values()), zero) for part in values_of(solution, f)]


def _field(vector: Vector, base: CoefficientField, system: System) -> Field:
    names = [str(s) for s in system.jets.coordinates]
    return Field({n: expression_of(base.lift(c), base) for n, c in zip(names, vector, strict=True)})


def _verify(determining: DeterminingSystem, generators: Sequence[Field], groups: Sequence[Group]) -> None:
    system = determining.system
    for generator in generators:
        left = defect(system, generator.components, determining.leading)
        if any(e != 0 for e in left):
            raise EquationError(
                f"{system.name}: the derived field {generator} leaves {left} in the invariance condition.",
                hint="This is a fault of the solver; please report the equation.",
            )
    for group in groups:
        if not family_holds(
            group, determining.equations, determining.components, determining.field, determining.unknowns
        ):
            raise EquationError(
                f"{system.name}: a derived family fails the determining equations.",
                hint="This is a fault of the solver; please report the equation.",
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


def _unsolved(family: Family) -> list[str]:
    return [f"{c} = 0" for c in family.conditions] or [str(family.field)]
