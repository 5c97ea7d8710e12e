"""Symmetries that move parameters as well: equivalence transformations, and the dimensionless groups they give.

V = ξⁱ ∂/∂xⁱ + φᵃ ∂/∂uᵃ + πᵏ ∂/∂νᵏ with ξ(x, u, ν), φ(x, u, ν), π(ν) maps solutions for one ν to solutions for
another one (Ovsiannikov 1982, *Group Analysis of Differential Equations*, § 6). It is a symmetry of the system that
has ν as further unknowns with ∂ν/∂xⁱ = 0, so the determining equations are those of that system.

With V every c(ν) V is one too, and what has π = 0 is a symmetry at fixed ν. Modulo these, and over the functions of
ν, a field is its π: no more are needed than parameters, and where there are as many, there are no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import comb
from time import perf_counter

import sympy as sp

from lieapp.equations.coefficients import CoefficientField
from lieapp.equations.equation import System
from lieapp.equations.free_equations import check_no_jets
from lieapp.equations.jets import Jet, JetSpace, MultiIndex, raised
from lieapp.equations.leading import Leading, solve_for_leading
from lieapp.errors import EquationError, UsageError
from lieapp.lie.certificate.moved import directions_at_most
from lieapp.lie.deadline import Clock
from lieapp.lie.determining import DeterminingSystem, determining_equations
from lieapp.lie.invariance import is_symmetry, multi_indices
from lieapp.lie.linear import Form, Unknowns, lifted, substituted
from lieapp.lie.normal_form import expression_of, normal_basis
from lieapp.lie.parameters.power_products import groups, product, reduced_scalings
from lieapp.lie.solving import State, solve
from lieapp.lie.vector_field import Field

SHARE = 0.4
"""Of the budget, at most, until the symmetries at fixed parameters are derived."""

COUNTING = 5.0
"""Seconds for the proof that there are no others."""

MAX_CONSTANTS = 600
"""Coefficients of an ansatz beyond which it isn't made."""

Components = tuple[sp.Expr, ...]
"""A field on the extended space: ξ, φ, π in the order of the coordinates."""

CLASSES = ("scalings", "affine", "quadratic")
"""What is sought, one after the other: scalings, and ξ and φ of degree 1 or 2 in x and u with coefficients in ν."""


def moved_of(system: System, names: Sequence[object]) -> tuple[sp.Symbol, ...]:
    """The parameters that are to move; without names all of them where there are outputs.

    Raises UsageError for what is no parameter, with what it is instead, and for outputs that mean nothing.
    """
    _check_outputs(system)
    known = {str(s): s for s in system.parameters}
    kinds = dict.fromkeys(system.functions, "an arbitrary function") | dict.fromkeys(
        map(str, system.jets.unknowns), "an unknown"
    )
    kinds |= dict.fromkeys(map(str, system.jets.independent), "a variable")
    for name in map(str, names):
        if name not in known:
            what = f"is {kinds[name]}" if name in kinds else "is no parameter of the equation"
            raise UsageError(
                f"moving {name}: {name} {what}; only parameters can be moved.",
                hint=f"Parameters are {', '.join(known)}." if known else "Declare one: --parameter nu:positive.",
            )
    if system.outputs and not names:
        return system.parameters
    return tuple(known[name] for name in dict.fromkeys(map(str, names)))


def _check_outputs(system: System) -> None:
    """Raises UsageError for outputs of a partial differential equation, and for those without an unknown."""
    if system.outputs and len(system.jets.independent) > 1:
        raise UsageError(
            f"outputs belong to ordinary differential equations; the variables are "
            f"{', '.join(map(str, system.jets.independent))}.",
            hint="Leave --output out: --moving alone gives the symmetries that move parameters.",
        )
    for h in system.outputs:
        if not system.jets.jets(h):
            raise UsageError(
                f"the output {h} contains no unknown.",
                hint=f"Write it in the unknowns and parameters: c*{system.jets.dependent[0]}.",
            )


@dataclass(frozen=True)
class Extended:
    """A system with parameters as further unknowns that don't depend on the variables."""

    given: System
    moved: tuple[sp.Symbol, ...]

    @cached_property
    def leading(self) -> Leading:
        """The given system solved for its leading derivatives."""
        return solve_for_leading(self.given)

    @cached_property
    def system(self) -> System:
        """The extended system. Raises EquationError for a parameter with the name of a derivative."""
        old, names = self.given.jets, [str(s) for s in self.moved]
        jets = JetSpace(old.independent, (*old.dependent, *names))
        check_no_jets([*old.dependent, *map(str, self.given.parameters)], jets, self.given.name)
        for expression in (*self.given.residuals, *self.given.outputs):
            for a, J in old.jets(expression).values():
                jets.symbol(a, J)
        unknown = self._unknown(jets)
        residuals = [r.xreplace(unknown) for r in self.given.residuals]
        return replace(
            self.given,
            jets=jets,
            residuals=(*residuals, *(jets.symbol(*jet) for jet in self._fixed)),
            parameters=tuple(s for s in self.given.parameters if s not in unknown),
            nonzero=tuple(e.xreplace(unknown) for e in self.given.nonzero),
            outputs=tuple(e.xreplace(unknown) for e in self.given.outputs),
        )

    @cached_property
    def determining(self) -> DeterminingSystem:
        """Its determining equations."""
        jets = self.system.jets
        unknown = self._unknown(jets)
        rules = {jet: rule.xreplace(unknown) for jet, rule in self.leading.rules.items()}
        return determining_equations(self.system, Leading(jets, rules | dict.fromkeys(self._fixed, sp.S.Zero)))

    def problem(self) -> str | None:
        """Why there are no determining equations; None if there are. Raises EquationError as `system`."""
        _ = self.system
        try:
            _ = self.determining
        except EquationError as error:
            return error.message
        return None

    @property
    def _fixed(self) -> list[Jet]:
        """The derivatives of the parameters."""
        r, p, q = self.blocks
        return [(q + k, raised((0,) * p, i)) for k in range(r) for i in range(p)]

    def _unknown(self, jets: JetSpace) -> dict[sp.Symbol, sp.Symbol]:
        return dict(zip(self.moved, jets.unknowns[len(self.given.jets.dependent) :], strict=True))

    @property
    def blocks(self) -> tuple[int, int, int]:
        """How many moved parameters, variables and unknowns there are."""
        return len(self.moved), len(self.given.jets.independent), len(self.given.jets.dependent)

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        """Moved parameters, variables, unknowns: what groups are made of."""
        r = len(self.moved)
        coordinates = self.system.jets.coordinates
        return (*coordinates[-r:], *coordinates[:-r]) if r else coordinates

    def field(self, components: Components) -> Field:
        """The field. Raises EquationError unless it is a symmetry of the extended system, exactly."""
        names = map(str, self.system.jets.coordinates)
        found = Field(dict(zip(names, components, strict=True)))
        if not is_symmetry(self.system, found.components, self.determining.leading):
            raise EquationError(
                f"{self.given.name}: the derived field {found} is no symmetry.",
                hint="This is a fault of the solver; please report the equation.",
            )
        return found


def rank(rows: Sequence[Sequence[sp.Expr]]) -> int:
    """How many rows are independent over the functions, at a point: never more, and less only by accident."""
    symbols = sorted({s for row in rows for e in row for s in e.free_symbols}, key=str)
    point = {s: sp.prime(20 + 7 * k) for k, s in enumerate(symbols)}
    return int(sp.Matrix([list(row) for row in rows]).xreplace(point).rank()) if rows else 0


def scalings(one: Extended, measured: bool = False) -> list[tuple[sp.Expr, ...]]:
    """The weights of all scalings, in the order of `Extended.variables`, those of the parameters reduced first."""
    n = len(one.system.jets.coordinates)
    own = [[tuple(int(i == k) for i in range(n))] for k in range(n)]
    r = len(one.moved)
    rows = []
    for v in solutions(one, own, measured):
        weights = [sp.cancel(c / x) for c, x in zip(v, one.system.jets.coordinates, strict=True)]
        rows.append([*weights[n - r :], *weights[: n - r]])
    return reduced_scalings(rows)


def scaling_field(one: Extended, weights: Sequence[sp.Expr]) -> Components:
    """The scaling with these weights."""
    r = len(one.moved)
    return tuple(w * x for w, x in zip((*weights[r:], *weights[:r]), one.system.jets.coordinates, strict=True))


def fits(one: Extended, degree: int) -> bool:
    """Whether fields of a degree have so few coefficients that they are sought; scalings, of degree 0, always."""
    r, p, q = one.blocks
    return not degree or (p + q) * comb(p + q + degree, degree) + r <= MAX_CONSTANTS


def polynomial(one: Extended, degree: int, measured: bool = False) -> list[Components]:
    """A basis, over the functions of the parameters, of the fields with ξ and φ of a degree in the coordinates.

    No derivative by a parameter occurs in the determining equations, so that this is linear algebra.
    """
    r, p, q = one.blocks
    every = monomials(p + q, degree)
    return solutions(one, [every] * (p + q) + [every[:1]] * r, measured)


def solutions(one: Extended, among: Sequence[Sequence[MultiIndex]], measured: bool) -> list[Components]:
    """A basis of the symmetries whose components are combinations of given monomials.

    These have exponents of all coordinates, and coefficients are numbers; or of those that aren't parameters, and
    coefficients are functions of the parameters. If `measured`, of those that keep the variables and all outputs.
    """
    determining, p, coordinates = one.determining, one.blocks[1], one.system.jets.coordinates
    size = len(among[0][0])
    field = CoefficientField(coordinates[:size], [*coordinates[size:], *one.system.parameters])
    unknowns = Unknowns(size)
    components = [unknowns.new(range(size)) for _ in coordinates]
    values: dict[int, Form] = {}
    for k, (f, own) in enumerate(zip(components, among, strict=True)):
        terms = [product(m, coordinates[:size]) for m in own if not (measured and k < p)]
        values[f] = {(unknowns.new(()), unknowns.zero): field.element(t) for t in terms}
    degree = max(sum(m) for own in among for m in own)
    # of higher order nothing is left
    low = ({key: c for key, c in e.items() if sum(key[1]) <= degree} for e in determining.equations)
    written = [{(f, K[:size]): determining.field.expression(c) for (f, K), c in e.items()} for e in low]
    for h in one.system.outputs if measured else ():
        written.append({(f, unknowns.zero): sp.diff(h, x) for f, x in zip(components, coordinates, strict=True)})
    equations = [{key: e for key, c in w.items() if (e := field.element(c))} for w in written]
    values = {f: lifted(form, field) for f, form in values.items()}
    equations = [substituted(lifted(e, field), values, field, unknowns) for e in equations]
    solution = solve(State(field, unknowns, equations, list(values.values())))
    base = solution.state.field
    vectors = normal_basis([[base.lift(c) for c in v] for v in solution.vectors()], base)
    return [tuple(expression_of(base.lift(c), base) for c in v) for v in vectors]


def monomials(size: int, degree: int) -> list[MultiIndex]:
    """Exponents of all monomials in so many variables up to a degree, 1 first."""
    return [K for d in range(degree + 1) for K in multi_indices(size, d)]


@dataclass(frozen=True)
class Moving:
    """What moves parameters.

    Args:
        parameters: those that may move.
        sought: the class that was sought, one of CLASSES; empty if the time sufficed for none.
        generators: fields on coordinates and parameters, proved, modulo those at fixed parameters and over the
            functions of the parameters.
        complete: whether there are no others for generic parameters, whatever their form: since all of the
            parameters are moved freely, or by a count up to a negligible probability.
        groups: power products that all scalings leave alone, those of parameters alone first.
        reason: what the time didn't suffice for; else empty.
    """

    parameters: tuple[str, ...]
    sought: str = ""
    generators: tuple[Field, ...] = ()
    complete: bool = False
    groups: tuple[sp.Expr, ...] = ()
    reason: str = ""


def moving_symmetries(system: System, moved: Sequence[sp.Symbol], clock: Clock) -> Moving:
    """The symmetries of a system that move parameters, each one proved, within a share of the budget.

    Raises EquationError where the system can't be solved for leading derivatives.
    """
    clock.note("symmetries that move parameters")
    one, found = Extended(system, tuple(moved)), Moving(tuple(map(str, moved)))
    reserve = clock.reserve_for(SHARE)
    if not one.moved:
        return found
    late: str | None = clock.told() if clock.seconds else None
    if (problem := clock.within(reserve, one.problem, late)) is not None:
        return replace(found, reason=problem)
    for degree, sought in enumerate(CLASSES):
        if not fits(one, degree):
            break
        stage = partial(_more, degree) if degree else _scaled
        grown = clock.within(reserve, partial(stage, one, found), None)
        if grown is None:
            return replace(found, reason=clock.told())
        found = replace(grown, sought=sought)
        if len(found.generators) == len(moved):
            break
    most = clock.within(reserve, partial(_most, one, found), len(moved))
    return replace(found, complete=len(found.generators) == most)


def _most(one: Extended, found: Moving) -> int:
    """How many there are at most."""
    count, most = len(found.generators), len(one.moved)
    return count if count == most else directions_at_most(one.determining, most, count, perf_counter() + COUNTING)


def _scaled(one: Extended, found: Moving) -> Moving:
    rows = scalings(one)
    r = len(one.moved)
    moving = [one.field(scaling_field(one, row)) for row in rows if any(row[:r])]
    products = [product(e, one.variables) for e in groups(rows, one.blocks)] if rows else []
    return replace(found, generators=tuple(moving), groups=tuple(products))


def _more(degree: int, one: Extended, found: Moving) -> Moving:
    """With fields of a degree whose π are independent of those found."""
    r = len(one.moved)
    known = [tuple(f.components.values())[-r:] for f in found.generators]
    fresh: list[Field] = []
    for v in polynomial(one, degree):
        if rank([*known, v[-r:]]) > len(known):
            known.append(v[-r:])
            fresh.append(one.field(v))
    return replace(found, generators=(*found.generators, *fresh))
