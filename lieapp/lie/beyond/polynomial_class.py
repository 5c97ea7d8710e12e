"""Finite classes of polynomials in derivatives: of bounded degree, or of bounded weight under a scaling.

If x -> λ^m x, u -> λ^n u maps each equation to a multiple of itself, its polynomial symmetries and multipliers are
sums of such of one weight each; a derivative of u has the weight n less m for each x in it. A bound on the weight
then fits the hierarchies of integrable equations (Olver 1993, ch. 5.2), and leaves few monomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, islice

import sympy as sp
from sympy.polys.polyutils import dict_from_expr

from lieapp.equations.jets import Jet, JetSpace, MultiIndex

DEGREE = 4
"""Degree in the derivatives up to which solutions are sought if no weight bounds it."""

MONOMIALS = 3000
"""Number of products of variables and derivatives, for all components together, that are tried in seconds."""


@dataclass(frozen=True)
class PolynomialClass:
    """Polynomials in the derivatives `own`, of an order up to `order`, of degree up to `degree`.

    Their coefficients are polynomials in the variables, of degree up to `explicit` together. `weights` are those of
    the variables and unknowns, empty if only the degree is bounded; that of the derivatives together is at most
    `weight`.
    """

    jets: JetSpace
    order: int
    own: tuple[Jet, ...]
    degree: int
    explicit: int
    weights: tuple[int, ...] = ()
    weight: int = 0

    @property
    def each(self) -> list[int]:
        """The weight of each derivative; 0 if none bounds the class."""
        return [weight_of(jet, self.weights) if self.weights else 0 for jet in self.own]

    def products(self, degree: int) -> Iterator[tuple[int, ...]]:
        """The products of a degree of derivatives, as ascending places in `own`."""
        return products(self.each, degree, self.weight)

    def factors(self) -> list[tuple[int, ...]]:
        """The products of variables that coefficients have, as ascending numbers."""
        numbers = range(len(self.jets.independent))
        return [m for n in range(self.explicit + 1) for m in combinations_with_replacement(numbers, n)]

    def words(self, degree: int) -> str:
        """The class, with a degree up to which it was searched."""
        bounds = []
        if self.weights:
            given = zip(self.jets.coordinates, self.weights, strict=True)
            bounds.append(f"weight <= {self.weight} ({', '.join(f'{s}: {n}' for s, n in given)})")
        if not self.weights or degree < self.weight // min(self.each):
            bounds.append(f"degree <= {degree}")
        names = ", ".join(map(str, self.jets.independent))
        explicit = f"coefficients of degree <= {self.explicit} in {names}"
        inside = explicit if self.explicit else "constant coefficients"
        return f"polynomials of {' and '.join(bounds)} in derivatives up to order {self.order}, with {inside}"


def sought(
    jets: JetSpace, equations: Sequence[sp.Expr], order: int, own: Sequence[Jet], degree: int | None, explicit: int
) -> PolynomialClass:
    """The class of a degree; without one, that of all weights up to the highest of a derivative.

    The equations have polynomial numerators and denominators. If they have no scaling, or several, or one that
    leaves infinitely many monomials, the degree is DEGREE, `order` or that of the equations, the highest of them.
    Where there are more than MONOMIALS it is less, but not less than the degree of the equations.
    """
    own = tuple(own)
    if degree is not None:
        return PolynomialClass(jets, order, own, degree, explicit)
    whole = (sp.numer(sp.together(e)) for e in equations)
    least = max(sum(n for _, n in product) for e in whole for _, product in terms_of(e, jets))
    found = PolynomialClass(jets, order, own, max(DEGREE, least, order), explicit)
    weights = scaling(jets, equations)
    each = [weight_of(jet, weights) for jet in own] if weights else []
    if weights and min(each) > 0:
        found = PolynomialClass(jets, order, own, max(each) // min(each), explicit, weights, max(each))
    return replace(found, degree=_affordable(found, least))


def _affordable(whole: PolynomialClass, least: int) -> int:
    """The highest degree, but at least `least`, with no more than MONOMIALS."""
    left = MONOMIALS // (len(whole.jets.dependent) * len(whole.factors()))
    for degree in range(whole.degree + 1):
        left -= sum(1 for _ in islice(whole.products(degree), max(left, 0) + 1))
        if left < 0 and degree > least:
            return degree - 1
    return whole.degree


def weight_of(jet: Jet, weights: Sequence[int]) -> int:
    """The weight of a derivative."""
    a, J = jet
    return weights[len(J) + a] - sum(n * w for n, w in zip(J, weights, strict=False))


def products(weights: Sequence[int], degree: int, most: int, start: int = 0) -> Iterator[tuple[int, ...]]:
    """Ascending places from `start` on, `degree` of them, whose weights are at most `most` together."""
    if degree == 0:
        yield ()
        return
    for k in range(start, len(weights)):
        if weights[k] + (degree - 1) * min(weights[k:]) <= most:
            for rest in products(weights, degree - 1, most - weights[k], k):
                yield (k, *rest)


def scaling(jets: JetSpace, equations: Iterable[sp.Expr]) -> tuple[int, ...] | None:
    """Weights of the variables and unknowns, coprime, for which each equation is homogeneous.

    None if there is no such scaling, or more than multiples of one. The first unknown that is scaled has a positive
    weight.
    """
    rows: list[sp.Matrix] = []
    for side in (side for e in equations for side in sp.fraction(sp.together(e))):
        weights = [_weight(term, jets) for term in terms_of(side, jets)]
        rows += [w - weights[0] for w in weights[1:]]
    null = sp.Matrix.vstack(*rows).nullspace() if rows else []
    if len(null) != 1:
        return None
    vector = null[0] * sp.ilcm(*(n.q for n in null[0]))
    first = next((n for n in vector[len(jets.independent) :] if n), 1)
    scale = sp.sign(first) * sp.igcd(*vector)
    return tuple(int(n / scale) for n in vector)


Term = tuple[MultiIndex, list[tuple[Jet, int]]]
"""Powers of the variables, and derivatives with their powers."""


def terms_of(polynomial: sp.Expr, jets: JetSpace) -> list[Term]:
    """The products in a polynomial in variables and derivatives."""
    found, size = jets.jets(polynomial), len(jets.independent)
    terms, _ = dict_from_expr(polynomial, gens=[*jets.independent, *found])
    return [(m[:size], [(jet, n) for jet, n in zip(found.values(), m[size:], strict=True) if n]) for m in terms]


def _weight(term: Term, jets: JetSpace) -> sp.Matrix:
    """The weight of a product, as coefficients of those of the variables and unknowns."""
    variables, derivatives = term
    total = [*variables, *(0 for _ in jets.dependent)]
    for (a, J), power in derivatives:
        total[len(J) + a] += power
        for i, n in enumerate(J):
            total[i] -= n * power
    return sp.Matrix([total])
