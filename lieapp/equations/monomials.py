"""Monomials in derivatives, ordered by weight, and one representative of each class modulo total divergences.

A monomial of d factors with n derivatives in all has the weight d w + n, w the weight of the unknowns. Where the
equation has a scaling x -> x/λ, u -> λ^w u, its w is taken: conserved densities then are sums of monomials of one
weight, u² and u³ - 3 u_x² of weights 4 and 6 for Korteweg-de Vries. Else nonlinear terms weigh no more than the
highest derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

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
    """The smallest whole w at which no term of higher degree weighs more than one with the most derivatives.

    That is the w of a scaling where the equation has one and w is whole. NO_SCALING where nothing tells.
    Coefficients that depend on t or x are taken for constants.
    """
    terms: set[tuple[int, int]] = set()
    for f in evolution.rhs:
        inside = evolution.jets.jets(f)
        if not inside or not f.is_polynomial(*inside):
            return NO_SCALING
        orders = [sum(J) for _, J in inside.values()]
        for powers in sp.Poly(f, *inside).monoms():
            terms.add((sum(n * k for n, k in zip(powers, orders, strict=True)), sum(powers)))
    most = max(derivatives for derivatives, _ in terms)
    least = min(degree for derivatives, degree in terms if derivatives == most)
    slopes = [sp.Rational(most - n, d - least) for n, d in terms if d > least and n < most]
    return int(sp.ceiling(min(slopes))) if slopes else NO_SCALING


def monomials(
    evolution: Evolution, weight: int, factor: int, order: int, most: int = 10**6, degree: int | None = None
) -> list[Monomial]:
    """All of degree 1 at least, up to a weight and an order of derivatives, ascending in weight and order.

    Args:
        factor: what each factor weighs.
        most: how many are made at most.
        degree: number of factors at most, unless the weight limits it more.
    """
    jets = evolution.jets
    single = [(a, J) for J in spatial(evolution, min(order, weight)) for a in range(len(jets.dependent))]
    single.sort(key=lambda jet: (sum(jet[1]), jet))
    found = list(islice(_products(single, weight, factor, degree), most))
    return sorted(found, key=lambda m: (m.degree * factor + m.derivatives, m.order, -m.degree, m.factors))


def _products(single: Sequence[Jet], weight: int, factor: int, degree: int | None) -> Iterator[Monomial]:
    """Products of derivatives in their order that weigh so much at most, depth first."""
    pending: list[tuple[tuple[Jet, ...], int, int]] = [((), 0, weight)]
    while pending:
        factors, first, left = pending.pop()
        if factors:
            yield Monomial(factors)
        if len(factors) == degree:
            continue
        for k in range(first, len(single)):
            rest = left - factor - sum(single[k][1])
            if rest < 0:
                break  # those that follow have as many derivatives or more
            pending.append(((*factors, single[k]), k, rest))


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
