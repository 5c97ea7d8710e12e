"""Combinations of densities as formulas with exact numbers, each put to the exact condition.

∫ T dx is conserved exactly if E_b(D_t T) = 0 on solutions for every unknown uᵇ (Olver 1993, ch. 4.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import sympy as sp
from sympy import QQ

from lieapp.compare.closed_form.numbers import factors, numbers
from lieapp.equations.jet_ring import JetRing, Polynomial
from lieapp.equations.monomials import Monomial, relations
from lieapp.equations.variational import euler
from lieapp.pde.laws.fluxes import change

SPREADS = 6.0
"""Estimated uncertainties within which a coefficient is read."""

READINGS = 200
"""Ways to read one combination's coefficients that are put to the proof, the simplest first."""


FEW = 3
"""The same where the equation isn't polynomial, and a proof takes a second."""


@dataclass(frozen=True)
class Combination:
    """Some densities and their coefficients, of norm 1 in the variance over all data.

    Args:
        columns: the densities' numbers, ascending.
        coefficients: physical, one for each.
        spread: relative uncertainty of each.
        drift: root of the quotient of variances.
    """

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    spread: tuple[float, ...]
    drift: float


@dataclass(frozen=True)
class Law:
    """A density Σ c T whose total hardly drifts.

    Args:
        terms: densities with their coefficients; exact numbers of a proved law.
        proved: whether its total is conserved, exactly.
        drift: root of the quotient of variances of the combination it was read from.
    """

    terms: tuple[tuple[Monomial, sp.Expr], ...]
    proved: bool
    drift: float

    @property
    def order(self) -> int:
        """The highest order of a derivative."""
        return max(monomial.order for monomial, _ in self.terms)


class Proof:
    """The exact condition for densities of one equation; D_t T is computed once for each."""

    def __init__(self, ring: JetRing, densities: Sequence[Monomial]) -> None:
        self.ring, self._densities = ring, densities
        self._known: dict[int, list[Polynomial]] = {}

    @property
    def derivable(self) -> bool:
        """Whether the equation is polynomial in the derivatives, so that all conserved combinations are known."""
        return self.ring.rates is not None

    def change(self, k: int) -> list[Polynomial]:
        """E_b(D_t T_k) on solutions for each unknown."""
        if k not in self._known:
            self._known[k] = self.ring.change(self.ring.monomial(self._densities[k].factors))
        return self._known[k]

    def holds(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> bool:
        """Whether the combination with these rational coefficients is conserved."""
        if not self.derivable:
            return self._holds_in_expressions(columns, values)
        numbers, zero = [QQ.from_sympy(c) for c in values], self.ring.ring.zero
        for parts in zip(*(self.change(k) for k in columns), strict=True):
            if sum((p.mul_ground(c) for p, c in zip(parts, numbers, strict=True)), zero):
                return False
        return True

    def _holds_in_expressions(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> bool:
        """The same where the equation isn't polynomial."""
        evolution, jets = self.ring.evolution, self.ring.jets
        terms = zip(columns, values, strict=True)
        density = sp.Add(*(c * self._densities[k].expression(jets) for k, c in terms))
        rate = change(evolution, density)
        return all(sp.simplify(euler(rate, jets, b)) == 0 for b in range(len(evolution.rhs)))

    def laws(self) -> list[list[sp.Rational]]:
        """A basis of all combinations of the densities that are conserved."""
        return relations([self.change(k) for k in range(len(self._densities))])


def law_of(
    path: Sequence[Combination], densities: Sequence[Monomial], proof: Proof, parameters: Iterable[sp.Expr]
) -> Law:
    """The first combination with a reading that is proved; else the one with the fewest terms, as measured."""
    choices = [(f, cost) for f, cost in factors(parameters) if f.is_Rational]
    for combination in path:
        for values in islice(_readings(combination, choices), READINGS if proof.derivable else FEW):
            if proof.holds(combination.columns, values):
                return Law(_terms(combination.columns, values, densities), True, combination.drift)
    first = path[0]
    largest = max(map(abs, first.coefficients))
    rounded = [sp.Float(c / largest, 6) for c in first.coefficients]
    return Law(_terms(first.columns, rounded, densities), False, first.drift)


def _readings(combination: Combination, choices: Sequence[tuple[sp.Expr, float]]) -> Iterator[tuple[sp.Expr, ...]]:
    """Rational coefficients relative to the one that is known best."""
    best = min(range(len(combination.columns)), key=lambda k: combination.spread[k])
    options: list[list[sp.Expr]] = []
    for k, value in enumerate(combination.coefficients):
        spread = min(SPREADS * (combination.spread[k] + combination.spread[best]), 0.3)
        ratio = value / combination.coefficients[best]
        options.append([sp.S.One] if k == best else numbers(ratio, spread, choices))
    yield from product(*options)


def _terms(
    columns: Sequence[int], values: Sequence[sp.Expr], densities: Sequence[Monomial]
) -> tuple[tuple[Monomial, sp.Expr], ...]:
    """With the first coefficient positive, and whole numbers without a common divisor where they are rational."""
    factor = sp.Integer(1)
    if all(value.is_Rational for value in values):
        factor = sp.ilcm(1, *(value.q for value in values)) / sp.Integer(sp.igcd(0, *(value.p for value in values)))
        whole = [value * factor for value in values]
        factor /= sp.igcd(0, *(int(value) for value in whole))
    if values[0] < 0:
        factor = -factor
    return tuple((densities[k], value * factor) for k, value in zip(columns, values, strict=True))
