"""Combinations of densities as formulas with exact numbers, each put to the exact condition.

∫ T dx is conserved exactly if E_b(D_t T) = 0 on solutions for every unknown uᵇ (Olver 1993, ch. 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import sympy as sp

from lieapp.compare.closed_form.numbers import Choices
from lieapp.equations.jet_ring import JetRing, Polynomial
from lieapp.equations.monomials import relations
from lieapp.equations.variational import euler
from lieapp.pde.beyond.readings import Combination, readings, rounded, whole
from lieapp.pde.laws.densities import Density, undamped
from lieapp.pde.laws.fluxes import change

READINGS = 200
"""Ways to read one combination's coefficients that are put to the proof, the simplest first."""


FEW = 3
"""The same where the equation isn't polynomial, and a proof takes a second."""


@dataclass(frozen=True)
class Law:
    """A density Σ c T whose total hardly drifts.

    Args:
        terms: densities with their coefficients; exact numbers of a proved law.
        proved: whether its total is conserved, exactly.
        eta: of the combination it was read from.
    """

    terms: tuple[tuple[Density, sp.Expr], ...]
    proved: bool
    eta: float

    @property
    def order(self) -> int:
        """The highest order of a derivative."""
        return max(density.order for density, _ in self.terms)


class Proof:
    """The exact condition for densities of one equation; D_t T is computed once for each."""

    def __init__(self, ring: JetRing, densities: Sequence[Density]) -> None:
        self.ring, self._densities = ring, densities
        self._known: dict[int, list[Polynomial]] = {}
        self._functions = list(dict.fromkeys(density.factor for density in densities))
        self._damped = [growth != 1 for growth in undamped(ring.evolution)]

    @property
    def derivable(self) -> bool:
        """Whether all conserved combinations are known.

        The equation is polynomial. Of factors that depend on t different ones are independent if it is autonomous.
        """
        evolution = self.ring.evolution
        autonomous = not any(f.has(evolution.jets.independent[evolution.time]) for f in evolution.rhs)
        return self.ring.rates is not None and (autonomous or len(self._functions) == 1)

    def change(self, k: int) -> list[Polynomial]:
        """E_b(D_t T_k) on solutions for each unknown, as multiples of each function of t that is a factor."""
        if k not in self._known:
            density, ring = self._densities[k], self.ring
            p = ring.monomial(density.monomial.factors)
            parts = ring.change(p)
            if density.factor != 1:
                # f T with f' = -s f
                damped = (a for a, _ in density.monomial.factors if self._damped[a])
                s = sum((ring.own_rate(a) for a in damped), ring.ring.zero)
                parts = [part - s * own for part, own in zip(parts, ring.gradient(p), strict=True)]
            blocks = [[ring.ring.zero] * len(parts) for _ in self._functions]
            blocks[self._functions.index(density.factor)] = parts
            self._known[k] = [part for block in blocks for part in block]
        return self._known[k]

    def holds(self, columns: Sequence[int], values: Sequence[sp.Expr]) -> bool:
        """Whether the combination with these rational coefficients is conserved."""
        if self.ring.rates is not None and self.ring.vanishes([self.change(k) for k in columns], values):
            return True
        # relations between functions of t aren't seen there
        return not self.quick(columns) and self._holds_in_expressions(columns, values)

    def quick(self, columns: Sequence[int]) -> bool:
        """Whether `holds` is decided in the ring."""
        plain = all(self._densities[k].factor == 1 for k in columns)
        return self.derivable or (self.ring.rates is not None and plain)

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
    path: Sequence[Combination], densities: Sequence[Density], proof: Proof, choices: Choices
) -> Law:
    """The first combination with a reading that is proved; else the one with the fewest terms, as measured."""
    for combination in path:
        for values in islice(readings(combination, choices), READINGS if proof.quick(combination.columns) else FEW):
            if proof.holds(combination.columns, values):
                return Law(_terms(combination, whole(values), densities), True, combination.eta)
    return Law(_terms(path[0], rounded(path[0]), densities), False, path[0].eta)


def _terms(
    combination: Combination, values: Sequence[sp.Expr], densities: Sequence[Density]
) -> tuple[tuple[Density, sp.Expr], ...]:
    return tuple((densities[k], value) for k, value in zip(combination.columns, values, strict=True))
