"""Generalised symmetries and multipliers that are polynomials, by linear algebra.

Their coefficients solve a linear system: the condition of a characteristic, Σ ∂Δ/∂uᵃ_J D_J Qᵃ = 0 on solutions
(Olver 1993, eq. 5.5), or of a multiplier, Eₐ(Λ·Δ) = 0 identically (Olver 1993, Thm 4.7), is taken for one monomial
after the other. This shares no step with the solver of determining equations. Few coefficients are left once those
that one equation alone makes 0 are taken out, and these fall apart into independent blocks: those of equal weight
under the scalings of the equation, or smaller ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from lieapp.equations.equation import System
from lieapp.equations.jets import Jet, MultiIndex, multi_indices
from lieapp.equations.leading import Leading
from lieapp.errors import BudgetError
from lieapp.lie.beyond.generalised import solved_leading
from lieapp.lie.beyond.null_space import null_space
from lieapp.lie.beyond.polynomial_class import PolynomialClass, sought
from lieapp.lie.beyond.polynomial_jets import Polynomial, PolynomialJets
from lieapp.lie.deadline import Clock, OutOfTimeError

EXPLICIT = 2
"""The degree of coefficients in the variables: scalings and Galilean boosts have 1, projective symmetries 2."""

Term = tuple[int, MultiIndex]
"""Number of the component and exponents of the monomial in it."""


@dataclass(frozen=True)
class PolynomialSpace:
    """A basis of all solutions in a class, one expression for each unknown or equation.

    `sought` is the class in words, with the `degree` in the derivatives that was reached; `open` says why it isn't
    the one that was asked for.
    """

    basis: tuple[tuple[sp.Expr, ...], ...]
    degree: int
    sought: str
    open: str = ""


def polynomial_characteristics(
    system: System, order: int, degree: int | None = None, explicit: int = EXPLICIT, clock: Clock | None = None
) -> PolynomialSpace:
    """The characteristics Q that are polynomials in the derivatives up to an order that are free on solutions.

    Their degree in the derivatives is at most `degree`; without it their weight is bounded where the equations have
    a scaling (`polynomial_class.sought`). That of the coefficients in the variables together is at most `explicit`.
    Parameters are generic. If the clock stops the work, the result is that of the last degree finished.
    Raises EquationError if the equations, solved for leading derivatives, aren't rational; BudgetError if no degree
    was finished.
    """
    return _solved(system, symmetry_conditions, order, degree, explicit, clock or Clock())


def polynomial_multipliers(
    system: System, order: int, degree: int | None = None, explicit: int = EXPLICIT, clock: Clock | None = None
) -> PolynomialSpace:
    """The multipliers Λ that are polynomials in the derivatives up to an order that are free on solutions.

    Degrees, clock and errors as for `polynomial_characteristics`; the equations must be rational as typed.
    """
    return _solved(system, multiplier_conditions, order, degree, explicit, clock or Clock())


@dataclass(frozen=True)
class Conditions:
    """The equations, the ring, the derivatives `own` that solutions may depend on, and the conditions on these.

    For each component, `left` has what remains of the conditions if it is p and the others are 0.
    """

    equations: Sequence[sp.Expr]
    ring: PolynomialJets
    own: Sequence[Jet]
    left: Callable[[Polynomial], list[list[Polynomial]]]


def symmetry_conditions(system: System, order: int) -> Conditions:
    """Σ ∂Δ/∂uᵃ_J D_J Qᵃ = 0 on solutions, for the equations in solved form, uᵃ_J - R = 0."""
    leading, jets = solved_leading(system), system.jets
    own = free_jets(leading, order)
    slopes = [{jet: -sp.diff(rule, s) for s, jet in jets.jets(rule).items()} for rule in leading.rules.values()]
    for jet, found in zip(leading.rules, slopes, strict=True):
        found[jet] = sp.S.One
    given = [e for found in slopes for e in found.values()]
    asked = {J for found in slopes for _, J in found}
    ring = PolynomialJets(leading, system.parameters, own, given, asked, system.name)
    factors = [{jet: ring.element(e) for jet, e in found.items()} for found in slopes]
    equations = [jets.symbol(*jet) - rule for jet, rule in leading.rules.items()]

    def applied(found: dict[Jet, Polynomial], a: int, known: dict[MultiIndex, Polynomial]) -> Polynomial:
        return sum((c * ring.totals(known, J) for (b, J), c in found.items() if a == b), ring.ring.zero)

    def left(p: Polynomial) -> list[list[Polynomial]]:
        known = {jets.zero: p}
        return [[applied(found, a, known) for found in factors] for a in range(len(jets.dependent))]

    return Conditions(equations, ring, own, left)


def multiplier_conditions(system: System, order: int) -> Conditions:
    """Eₐ(Λ·Δ) = 0 identically."""
    jets = system.jets
    own = free_jets(solved_leading(system), order)
    inside = {J for _, J in own}.union(*({J for _, J in jets.jets(r).values()} for r in system.residuals))
    ring = PolynomialJets(Leading(jets), system.parameters, own, system.residuals, inside, system.name)
    residuals = [ring.element(r) for r in system.residuals]

    def left(p: Polynomial) -> list[list[Polynomial]]:
        return [[ring.euler(p * r, a) for a in range(len(jets.dependent))] for r in residuals]

    return Conditions(system.residuals, ring, own, left)


def free_jets(leading: Leading, order: int) -> list[Jet]:
    """The derivatives up to an order that are free on solutions."""
    jets = leading.jets
    found = [
        (a, J)
        for m in range(order + 1)
        for a in range(len(jets.dependent))
        for J in multi_indices(len(jets.independent), m)
    ]
    return [jet for jet in found if not leading.is_principal(jet)]


def _solved(
    system: System,
    conditions: Callable[[System, int], Conditions],
    order: int,
    degree: int | None,
    explicit: int,
    clock: Clock,
) -> PolynomialSpace:
    """The solutions, degree by degree."""
    found: list[PolynomialSpace] = []
    columns: dict[Term, list[Polynomial]] = {}
    try:
        with clock.limit():
            wanted = conditions(system, order)
            within = sought(system.jets, wanted.equations, order, wanted.own, degree, explicit)
        for d in range(within.degree + 1):
            clock.note(f"polynomials of degree {d}")
            with clock.limit():
                columns |= _columns(wanted, within, d)
                basis = _basis(wanted.ring, columns, system)
            found.append(PolynomialSpace(basis, d, within.words(d)))
    except OutOfTimeError:
        if not found:
            raise BudgetError(
                f"{system.name}: {clock.told()} before polynomials of degree 0 were tried.",
                hint="Raise the budget, or take a lower --order.",
            ) from None
        return replace(found[-1], open=f"{clock.told()} at degree {found[-1].degree + 1}")
    return found[-1]


def _columns(wanted: Conditions, within: PolynomialClass, degree: int) -> dict[Term, list[Polynomial]]:
    """What each monomial of a degree in the derivatives leaves of the conditions."""
    ring, found = wanted.ring, {}
    places = [ring.places[jet] for jet in wanted.own]
    for jets in within.products(degree):
        for variables in within.factors():
            powers = [0] * ring.ring.ngens
            for v in (*variables, *(places[k] for k in jets)):
                powers[v] += 1
            monomial = tuple(powers)
            for a, left in enumerate(wanted.left(ring.ring.from_dict({monomial: ring.ring.domain.one}))):
                found[a, monomial] = left
    return found


def _basis(
    ring: PolynomialJets, columns: dict[Term, list[Polynomial]], system: System
) -> tuple[tuple[sp.Expr, ...], ...]:
    """The combinations of monomials that leave nothing, low orders first."""
    terms = list(columns)
    equations: defaultdict[tuple[int, MultiIndex], dict[int, Any]] = defaultdict(dict)
    for b, parts in enumerate(zip(*columns.values(), strict=True)):
        for n, p in enumerate(ring.cleared(parts)):
            for powers, c in ring.coefficients(p).items():
                equations[b, powers][n] = c
    found = []
    for vector in null_space(equations.values(), len(terms), ring.domain):
        values = [sp.S.Zero] * (1 + max(a for a, _ in terms))
        for n, c in vector.items():
            a, powers = terms[n]
            values[a] += c * sp.Mul(*(s**k for s, k in zip(ring.symbols, powers, strict=False)))
        found.append(tuple(values))
    return tuple(sorted(found, key=lambda v: (system.jets.order(v), sum(map(sp.count_ops, v)))))
