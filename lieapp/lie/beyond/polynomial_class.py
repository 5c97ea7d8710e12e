"""Finite classes of polynomials in derivatives: of bounded degree, or of bounded weight under a scaling.

If x -> λ^m x, u -> λ^n u maps each equation to a multiple of itself, its polynomial symmetries and multipliers are
sums of such of one weight each; a derivative of u has the weight n less m for each x in it. A bound on the weight
then fits the hierarchies of integrable equations (Olver 1993, ch. 5.2), and leaves few monomials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import sympy as sp
from sympy.polys.polyutils import dict_from_expr

from lieapp.equations.equation import System
from lieapp.equations.jets import Jet

DEGREE = 4
"""Degree in the derivatives up to which solutions are sought if no weight bounds it."""


@dataclass(frozen=True)
class PolynomialClass:
    """Polynomials in the derivatives `own`, of an order up to `order`, of degree up to `degree`.

    Their coefficients are polynomials in the variables, of degree up to `explicit` together. `weights` are those of
    the variables and unknowns, empty if only the degree is bounded; that of the derivatives together is at most
    `weight`.
    """

    system: System
    order: int
    own: tuple[Jet, ...]
    degree: int
    explicit: int
    weights: tuple[int, ...] = ()
    weight: int = 0

    def products(self, degree: int) -> Iterator[tuple[int, ...]]:
        """The products of a degree of derivatives, as ascending places in `own`."""
        each = [weight_of(jet, self.weights) for jet in self.own] if self.weights else [0] * len(self.own)
        return products(each, degree, self.weight)

    def factors(self) -> list[tuple[int, ...]]:
        """The products of variables that coefficients have, as ascending numbers."""
        numbers = range(len(self.system.jets.independent))
        return [m for n in range(self.explicit + 1) for m in combinations_with_replacement(numbers, n)]

    def words(self, degree: int) -> str:
        """The class, with a degree up to which it was searched."""
        bounds = []
        if self.weights:
            given = zip(self.system.jets.coordinates, self.weights, strict=True)
            bounds.append(f"weight <= {self.weight} ({', '.join(f'{s}: {n}' for s, n in given)})")
        if not self.weights or degree < self.degree:
            bounds.append(f"degree <= {degree}")
        names = ", ".join(map(str, self.system.jets.independent))
        coefficients = f"coefficients of degree <= {self.explicit} in {names}"
        return f"polynomials of {' and '.join(bounds)} in derivatives up to order {self.order}, with {coefficients}"


def sought(system: System, order: int, own: Sequence[Jet], degree: int | None, explicit: int) -> PolynomialClass:
    """The class of a degree; without one, that of all weights up to the highest of a derivative.

    If there is no scaling, or several, or one that leaves infinitely many monomials, the degree is DEGREE.
    """
    weights = scaling(system) if degree is None else None
    each = [weight_of(jet, weights) for jet in own] if weights else []
    if weights is None or min(each) <= 0:
        return PolynomialClass(system, order, tuple(own), DEGREE if degree is None else degree, explicit)
    return PolynomialClass(system, order, tuple(own), max(each) // min(each), explicit, weights, max(each))


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


def scaling(system: System) -> tuple[int, ...] | None:
    """Weights of the variables and unknowns, coprime, for which each equation is homogeneous.

    None if there is no such scaling, or more than multiples of one. The first unknown that is scaled has a positive
    weight.
    """
    jets = system.jets
    rows: list[sp.Matrix] = []
    for side in (side for r in system.residuals for side in sp.fraction(sp.together(r))):
        found = jets.jets(side)
        terms, _ = dict_from_expr(side, gens=[*jets.independent, *found])
        weights = [_weight(powers, list(found.values()), len(jets.dependent)) for powers in terms]
        rows += [w - weights[0] for w in weights[1:]]
    null = sp.Matrix.vstack(*rows).nullspace() if rows else []
    if len(null) != 1:
        return None
    vector = null[0] * sp.ilcm(*(n.q for n in null[0]))
    first = next((n for n in vector[len(jets.independent) :] if n), 1)
    scale = sp.sign(first) * sp.igcd(*vector)
    return tuple(int(n / scale) for n in vector)


def _weight(powers: Sequence[int], found: Sequence[Jet], unknowns: int) -> sp.Matrix:
    """The weight of a product of variables and derivatives, as coefficients of those of variables and unknowns."""
    size = len(powers) - len(found)
    total = [*powers[:size], *(0 for _ in range(unknowns))]
    for (a, J), power in zip(found, powers[size:], strict=True):
        total[size + a] += power
        for i, n in enumerate(J):
            total[i] -= n * power
    return sp.Matrix([total])
