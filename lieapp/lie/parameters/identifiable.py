"""What outputs of ordinary differential equations can't tell of parameters and initial values, and what they can.

A symmetry that moves parameters and unknowns but keeps the time and every output leads to other parameters with the
same outputs: what it moves is not identifiable (Merkt, Timmer & Kaschek 2015, Phys. Rev. E 92, 012920; Massonis &
Villaverde 2020, Symmetry 12, 469). The rank test of `certificate.observed` shows that a parameter is identifiable,
locally and for generic values. It also says how many such fields there are to be found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from functools import partial

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.equation import System
from lieapp.equations.jets import JetSpace
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.errors import EquationError
from lieapp.lie.certificate.observed import Observed, observed, states_of
from lieapp.lie.deadline import Clock
from lieapp.lie.parameters.moving import (
    CLASSES,
    SHARE,
    Components,
    Extended,
    fits,
    monomials,
    polynomial,
    rank,
    scaling_field,
    scalings,
)  # fmt: skip
from lieapp.lie.parameters.power_products import groups, integers, product
from lieapp.lie.reduction.flows import invariants
from lieapp.lie.vector_field import Field

DEGREE = 3
"""Of the polynomials in parameters among which combinations are sought."""

MAX_TERMS = 200
"""Of such a polynomial."""

Verdicts = dict[str, "bool | None"]
"""For each name whether the outputs determine it, None if that is undecided."""


@dataclass(frozen=True)
class Identified:
    """What outputs determine, locally and for generic values.

    Args:
        outputs: what is measured.
        generators: proved symmetries that keep the time and all outputs, independent over the functions.
        sought: the class they were sought in, as for `Moving`.
        parameters: whether each is identifiable.
        states: whether each initial value, by the name of the unknown or its derivative, is.
        combinations: of the parameters that are not, those that the outputs determine.
        unseen: parameters and initial values of which no output depends on any; the fields are those of the rest.
        directions: how many such symmetries there are, whatever their form, None if unknown.
        missing: how many combinations aren't found; None unless all symmetries are.
        reason: what the time didn't suffice for; else empty.
    """

    outputs: tuple[sp.Expr, ...]
    generators: tuple[Field, ...] = ()
    sought: str = ""
    parameters: Verdicts = attribute(default_factory=dict)
    states: Verdicts = attribute(default_factory=dict)
    combinations: tuple[sp.Expr, ...] = ()
    unseen: tuple[str, ...] = ()
    directions: int | None = None
    missing: int | None = None
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether all directions in which outputs stay the same are found."""
        return len(self.generators) == self.directions


def seen_part(system: System, leading: Leading) -> System:
    """The unknowns that the outputs depend on, with their equations solved, and the parameters in those."""
    jets, rules = system.jets, {a: (order, rule) for (a, (order,)), rule in leading.rules.items()}
    reached: set[int] = set()
    queue = {a for h in system.outputs for a, _ in jets.jets(h).values()}
    while queue:
        reached.add(a := queue.pop())
        queue |= {b for b, _ in jets.jets(rules[a][1]).values()} - reached
    kept = sorted(reached)
    part = JetSpace(jets.independent, tuple(jets.dependent[a] for a in kept))
    residuals = tuple(jets.symbol(a, (rules[a][0],)) - rules[a][1] for a in kept)
    for e in (*residuals, *system.outputs):
        for a, J in jets.jets(e).values():
            part.symbol(kept.index(a), J)
    used = set().union(*(e.free_symbols | e.atoms(AppliedUndef) for e in (*residuals, *system.outputs)))
    names = {str(e.func) for e in used if e.args}
    return replace(
        system,
        jets=part,
        residuals=residuals,
        parameters=tuple(s for s in system.parameters if s in used),
        functions={name: inside for name, inside in system.functions.items() if name in names},
    )


def identified(system: System, moved: Sequence[sp.Symbol], clock: Clock) -> Identified:
    """What the system's outputs determine of these parameters and of the initial values; the others are known.

    Raises EquationError where the system can't be solved for leading derivatives.
    """
    clock.note("what the outputs determine")
    leading = solve_for_leading(system)
    part = seen_part(system, leading)
    one = Extended(part, tuple(s for s in moved if s in part.parameters))
    names = [*(str(system.jets.symbol(*jet)) for jet in states_of(leading)), *map(str, moved)]
    own = {*(str(part.jets.symbol(*jet)) for jet in states_of(one.leading)), *map(str, one.moved)}
    reserve = clock.reserve_for(SHARE)
    seen = clock.within(reserve, lambda: observed(part, one.leading, one.moved), None)
    directions = None if seen is None else seen.directions
    found = Identified(part.outputs, unseen=tuple(n for n in names if n not in own), directions=directions)
    late: str | None = clock.told() if clock.seconds else None
    problem = clock.within(reserve, one.problem, late)
    found = replace(found, reason=problem or "")
    for degree, sought in enumerate(CLASSES):
        if found.complete or problem or not fits(one, degree):
            break
        grown = clock.within(reserve, partial(_more, degree, one, found), None)
        if grown is None:
            found = replace(found, reason=clock.told())
            break
        found = replace(grown, sought=sought)
    verdicts = {**dict.fromkeys(names, False), **_verdicts(one, found, seen)}
    count = len(names) - len(moved)
    found = replace(
        found, states={n: verdicts[n] for n in names[:count]}, parameters={n: verdicts[n] for n in names[count:]}
    )
    return clock.within(reserve, partial(_combined, one, found), found) if found.complete else found


def _more(degree: int, one: Extended, found: Identified) -> Identified:
    """With fields of a degree, 0 for scalings, that are independent of those found."""
    candidates = polynomial(one, degree, True) if degree else [scaling_field(one, w) for w in scalings(one, True)]
    known = [_moved(one, tuple(f.components.values())) for f in found.generators]
    fresh: list[Field] = []
    for v in candidates:
        if rank([*known, row := _moved(one, v)]) > len(known):
            known.append(row)
            fresh.append(one.field(v))
            _check_kept(one, v)
    return replace(found, generators=(*found.generators, *fresh))


def _check_kept(one: Extended, v: Components) -> None:
    """Raises EquationError unless a field keeps every output, exactly."""
    for h in one.system.outputs:
        rate = sp.Add(*(c * sp.diff(h, x) for c, x in zip(v, one.system.jets.coordinates, strict=True)))
        if one.determining.field.copy().element(rate):
            raise EquationError(
                f"{one.given.name}: a derived field changes the output {h}.",
                hint="This is a fault of the solver; please report the equation.",
            )


def _moved(one: Extended, v: Components) -> Components:
    """How a field that keeps the time moves initial values and parameters: φ, its derivatives in time, and π."""
    jets, leading = one.system.jets, one.determining.leading
    r, q = len(one.moved), len(one.given.jets.dependent)
    rates = [v[1 + a] for a in range(q)]
    row = []
    for a, (k,) in states_of(one.leading):
        rates[a] = leading.reduce(jets.total_derivative(rates[a], 0)) if k else rates[a]
        row.append(rates[a])
    return (*row, *v[len(v) - r :])


def _verdicts(one: Extended, found: Identified, seen: Observed | None) -> Verdicts:
    """Of what the outputs depend on: what a proved field moves is not determined, what the rank test shows is."""
    names = [*(str(one.given.jets.symbol(*jet)) for jet in states_of(one.leading)), *map(str, one.moved)]
    rows = [_moved(one, tuple(f.components.values())) for f in found.generators]
    known = {} if seen is None else seen.determined
    moving = {n for k, n in enumerate(names) if any(row[k] != 0 for row in rows)}
    return {n: False if n in moving else True if known.get(n) else None for n in names}


def _combined(one: Extended, found: Identified) -> Identified:
    """With combinations of the parameters that no field moves, as many as there are if they can be found."""
    n = len(one.system.jets.coordinates) - len(one.moved)
    own = one.system.jets.coordinates[n:]
    rates = [tuple(f.components.values())[n:] for f in found.generators]
    places = [k for k in range(len(own)) if any(row[k] != 0 for row in rates)]
    if not places:
        return replace(found, missing=0)
    own, rates = tuple(own[k] for k in places), [tuple(row[k] for k in places) for row in rates]
    kept: list[sp.Expr] = []
    count = len(own) - rank(rates)
    for candidate in _candidates(own, [row for row in rates if any(row)]):
        if len(kept) == count:
            break
        if rank([[sp.diff(e, s) for s in own] for e in (*kept, candidate)]) > len(kept):
            kept.append(candidate)
    return replace(found, combinations=tuple(kept), missing=count - len(kept))


def _candidates(own: Sequence[sp.Symbol], rates: Sequence[Components]) -> Iterator[sp.Expr]:
    """Invariants of fields on the parameters: power products, polynomials, and those of a single field's orbits."""
    weights = [[sp.cancel(c / s) for c, s in zip(row, own, strict=True)] for row in rates]
    if all(not w.has(*own) for row in weights for w in row):
        yield from (product(e, own) for e in groups(weights, (len(own),)))
        return
    for degree in range(1, DEGREE + 1):
        yield from _polynomials(own, rates, degree)
    if len(rates) == 1:
        field = Field({str(s): c for s, c in zip(own, rates[0], strict=True)})
        yield from invariants(JetSpace(tuple(own), ()), field).expressions


def _polynomials(own: Sequence[sp.Symbol], rates: Sequence[Components], degree: int) -> Iterator[sp.Expr]:
    """Polynomials I of a degree with V(I) = 0 for all fields, those of low degree first."""
    terms = [product(m, own) for m in monomials(len(own), degree)[1:]]
    if len(terms) > MAX_TERMS:
        return
    columns = [
        [sp.Poly(sum((c * sp.diff(t, s) for c, s in zip(row, own, strict=True)), sp.S.Zero), *own) for row in rates]
        for t in terms
    ]
    keys = sorted({(k, m) for column in columns for k, p in enumerate(column) for m in p.monoms()})
    matrix = sp.Matrix([[column[k].coeff_monomial(m) for column in columns] for k, m in keys])
    for vector in DomainMatrix.from_Matrix(matrix).to_field().nullspace().to_Matrix().tolist():
        yield sp.Add(*(c * t for c, t in zip(integers(vector), terms, strict=True)))
