"""Monomials in derivatives, ordered by weight, and one representative of each class modulo total divergences.

A monomial of d factors with n derivatives in all has the weight d w + n, w the weight of the unknowns. Where the
equation has a scaling x -> x/λ, u -> λ^w u, its w is taken: conserved densities then are sums of monomials of one
weight, u² and u³ - 3 u_x² of weights 4 and 6 for Korteweg-de Vries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import sympy as sp
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.evolution import Evolution
from lieapp.equations.jet_ring import JetRing, Polynomial, spatial
from lieapp.equations.jets import Jet, JetSpace

NO_SCALING = 2
"""Weight of unknowns where the equation doesn't give one: a factor then costs as much as two derivatives."""


@dataclass(frozen=True)
class Monomial:
    """A product of derivatives of unknowns, ascending; a factor may repeat."""

    factors: tuple[Jet, ...]

    @cached_property
    def order(self) -> int:
        """The highest order of a derivative."""
        return max((sum(J) for _, J in self.factors), default=0)

    @cached_property
    def derivatives(self) -> int:
        """Number of derivatives in all."""
        return sum(sum(J) for _, J in self.factors)

    @property
    def degree(self) -> int:
        """Number of factors."""
        return len(self.factors)

    def expression(self, jets: JetSpace) -> sp.Expr:
        """The monomial in jet symbols."""
        return sp.Mul(*(jets.symbol(a, J) for a, J in self.factors))

    def kind(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The unknowns of its factors and its derivatives along each variable: total derivatives keep the first."""
        along = [sum(column) for column in zip(*(J for _, J in self.factors), strict=True)]
        return tuple(sorted(a for a, _ in self.factors)), tuple(along)


def unknown_weight(evolution: Evolution) -> int:
    """w of a scaling x -> x/λ, u -> λ^w u, t -> λ^-s t, one for all unknowns; NO_SCALING without a single one.

    Each term of Fᵃ must have the weight w + s.
    """
    equations: set[tuple[int, int]] = set()
    for f in evolution.rhs:
        inside = evolution.jets.jets(f)
        if not inside or not f.is_polynomial(*inside):
            return NO_SCALING
        orders = [sum(J) for _, J in inside.values()]
        for powers in sp.Poly(f, *inside).monoms():
            equations.add((sum(powers) - 1, sum(n * k for n, k in zip(powers, orders, strict=True))))
    # degree w + derivatives = s for every term; coefficients that depend on t or x are taken for constants
    first, *rest = sorted(equations)
    slopes = {sp.Rational(first[1] - n, d - first[0]) if d != first[0] else None for d, n in rest}
    w = slopes.pop() if len(slopes) == 1 else None
    return int(w) if w is not None and w.is_Integer and w > 0 else NO_SCALING


def monomials(evolution: Evolution, weight: int, factor: int, order: int) -> list[Monomial]:
    """All of degree 1 at least, up to a weight and an order of derivatives, ascending in weight and order.

    Args:
        factor: what each factor weighs.
    """
    jets = evolution.jets
    found = []
    single = [(a, J) for J in spatial(evolution, min(order, weight)) for a in range(len(jets.dependent))]
    single.sort(key=lambda jet: (sum(jet[1]), jet))
    for degree in range(1, weight // factor + 1):
        for factors in combinations_with_replacement(single, degree):
            monomial = Monomial(tuple(factors))
            if degree * factor + monomial.derivatives <= weight:
                found.append(monomial)
    return sorted(found, key=lambda m: (m.degree * factor + m.derivatives, m.order, -m.degree, m.factors))


def representatives(ring: JetRing, found: Sequence[Monomial]) -> list[Monomial]:
    """One of each class modulo total divergences, those first in the list; divergences themselves are left out.

    The Euler operator maps monomials to independent elements exactly if no combination is a divergence.
    """
    groups: dict[object, list[Monomial]] = {}
    for monomial in found:
        groups.setdefault(monomial.kind(), []).append(monomial)
    kept = set()
    for group in groups.values():
        gradients = [ring.gradient(ring.monomial(m.factors)) for m in group]
        kept |= {group[k].factors for k in independent(gradients)}
    return [m for m in found if m.factors in kept]


def matrix_of(columns: Sequence[Sequence[Polynomial]]) -> DomainMatrix:
    """The coefficients of lists of polynomials over ℚ, a column for each list, a row for each monomial in each."""
    keys = dict.fromkeys((b, m) for column in columns for b, p in enumerate(column) for m in p)
    rows = {key: r for r, key in enumerate(keys)}
    entries: dict[int, dict[int, object]] = {}
    for k, column in enumerate(columns):
        for b, p in enumerate(column):
            for m, c in p.terms():
                entries.setdefault(rows[b, m], {})[k] = c
    return DomainMatrix(entries, (len(rows), len(columns)), QQ)


def independent(columns: Sequence[Sequence[Polynomial]]) -> tuple[int, ...]:
    """The lists of polynomials that aren't combinations of those before them."""
    matrix = matrix_of(columns)
    return tuple(matrix.rref()[1]) if matrix.shape[0] else ()


def relations(columns: Sequence[Sequence[Polynomial]]) -> list[list[sp.Rational]]:
    """A basis of the rational combinations of lists of polynomials that vanish."""
    matrix = matrix_of(columns)
    if not matrix.shape[0]:
        return [[sp.Integer(int(k == j)) for k in range(len(columns))] for j in range(len(columns))]
    return [list(row) for row in matrix.nullspace().to_Matrix().tolist()]
