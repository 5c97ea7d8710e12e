"""Whether the determining equations say exactly what the invariance condition says, at one random point over F_p.

The certificate counts solutions of the determining equations; were those too strict, by a fault in prolonging or in
splitting, symmetries could be missing unnoticed. Here neither is used. At random jets of solutions over one point
(x, u) a field that is a monomial in the displacements there, ξ or φ = hᵅ kᵝ, is put into the invariance condition
through the power series of Q = φ - ξ u_x along a graph u(x) with those jets: each set of jets gives rows in the
derivatives of the components at the point. Enough of them must span the same space as the determining equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import factorial, prod
from random import Random

import numpy as np

from lieapp.equations.jets import Jet, JetSpace, MultiIndex, multi_indices, raised
from lieapp.equations.residues import BadPointError
from lieapp.lie.certificate.counting import check_time
from lieapp.lie.certificate.taylor import WIDTH, Point, Series, pack, random_prime
from lieapp.lie.determining import DeterminingSystem, on_solutions

Row = list[int]


def disagreement(determining: DeterminingSystem, random: Random, deadline: float) -> str:
    """How the determining equations differ from the invariance condition at a random point; "" if they don't.

    Raises TooLargeError after the deadline, and BadPointError if no point was found.
    """
    condition = _Condition(determining, random)
    p, equations = condition.p, list(condition.equations())
    demanded = rank(equations, p)
    rows: list[Row] = []
    reached = -1
    while True:
        # as many as the equations need, and some more; again until they bring nothing new
        for _ in range(demanded // len(determining.residuals) + 3):
            check_time(deadline)
            rows += condition.rows(random)
        before, reached = reached, rank(rows, p)
        if reached in (before, demanded):
            break
    together = rank([*equations, *rows], p)
    if together > demanded:
        return "the determining equations demand less than the invariance condition at a random point"
    if together > reached:
        return "the determining equations demand more than the invariance condition at a random point"
    return ""


def rank(rows: Sequence[Row], p: int) -> int:
    """The rank over F_p of rows of integers below p < 2³¹."""
    left = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    count = 0
    for column in range(left.shape[1]):
        below = np.flatnonzero(left[:, column])
        if not len(below):
            continue
        count += 1
        pivot = left[below[0]] * pow(int(left[below[0], column]), -1, p) % p
        left[below[1:]] = (left[below[1:]] - left[below[1:], column, None] * pivot) % p
        left = np.delete(left, below[0], axis=0)
    return count


class _Condition:
    """The invariance condition at random jets over one point."""

    def __init__(self, determining: DeterminingSystem, random: Random) -> None:
        self.determining = determining
        self.jets: JetSpace = determining.system.jets
        leading, residuals = determining.leading, determining.residuals
        self.size, self.count = len(self.jets.independent), len(self.jets.dependent)
        self.order = max(1, self.jets.order(residuals))
        self.low = [J for n in range(self.order + 1) for J in multi_indices(self.size, n)]
        jets = [(a, J) for a in range(self.count) for J in self.low if any(J)]
        self.field, values, slopes = on_solutions(determining.system, leading, residuals, jets)
        base = determining.field
        coefficients = [{key: base.expression(c) for key, c in form.items()} for form in determining.equations]
        self.field.elements([e for form in coefficients for e in form.values()])
        self.values = {jet: self.field.element(e) for jet, e in values.items()}
        self.slopes = [{key: self.field.element(e) for key, e in s.items()} for s in slopes]
        self.forms = [{key: self.field.element(e) for key, e in form.items()} for form in coefficients]
        self.monomials = [K for n in range(self.order + 1) for K in multi_indices(self.size + self.count, n)]
        self.column = {K: n for n, K in enumerate(self.monomials)}
        # so small that products fit into 64 bits
        self.p = random_prime(random, bits=31)
        self.first = Point(self.field, 0, random, self.p)
        moving = self.field.movers(*range(self.size + self.count, len(self.field.variables)))
        # the point (x, u) stays, its atoms and parameters with it; only the derivatives are drawn again
        self.fixed = {n: v for n, v in enumerate(self.first.values) if n not in moving}

    def equations(self) -> Iterator[Row]:
        """The determining equations at the point, in the Taylor coefficients of the components."""
        place = {f: n for n, f in enumerate(self.determining.components)}
        for form in self.forms:
            row = self._zeros()
            for (f, K), c in form.items():
                row[place[f] * len(self.monomials) + self.column[K]] = self.first.value(c) * _factorial(K) % self.p
            yield row

    def rows(self, random: Random) -> list[Row]:
        """The condition of each equation at one set of jets."""
        for _ in range(20):
            with suppress(BadPointError):
                point = Point(self.field, 0, random, self.p, self.fixed)
                values = {jet: point.value(e) for jet, e in self.values.items()}
                slopes = [{key: point.value(e) for key, e in s.items()} for s in self.slopes]
                break
        else:
            raise BadPointError
        p = self.p
        for J in multi_indices(self.size, self.order + 1):
            # they cancel
            values |= {(a, J): random.randrange(p) for a in range(self.count)}
        graph: list[Series] = [{} for _ in range(self.count)]
        for (a, J), value in values.items():
            graph[a][pack(J)] = value * pow(_factorial(J), -1, p) % p
        powers = self._powers(graph)
        rows: list[Row] = []
        for s in slopes:
            jets = {key: c for key, c in s.items() if not isinstance(key, int)}
            row = self._zeros()
            for i in range(self.size):
                # Σ ∂Δ/∂u_J (u_{J+i} - J! [h^J] M ∂ᵢu) + ∂Δ/∂xⁱ, linear in the coefficients of M
                weights = self._along(jets, values, i)
                weights[0] = weights.get(0, 0) + s.get(i, 0)
                weights[0] += sum(c * values[(a, self.jets.raised(J, i))] for (a, J), c in jets.items())
                self._fill(row, i, weights, powers)
            for b in range(self.count):
                own = {pack(J): c * _factorial(J) for (a, J), c in jets.items() if a == b}
                self._fill(row, self.size + b, own, powers)
            rows.append(row)
        return rows

    def _zeros(self) -> Row:
        return [0] * (len(self.monomials) * (self.size + self.count))

    def _along(self, jets: dict[Jet, int], values: dict[Jet, int], i: int) -> Series:
        """-Σ ∂Δ/∂uᵃ_J J! [h^J] M ∂ᵢuᵃ by the coefficients of M."""
        weights: Series = {}
        for (a, J), c in jets.items():
            for L in self.low:
                if all(m <= n for m, n in zip(L, J, strict=True)):
                    rest = tuple(n - m for m, n in zip(L, J, strict=True))
                    inverse = pow(_factorial(rest), -1, self.p)
                    value = c * _factorial(J) * values[(a, self.jets.raised(rest, i))] * inverse
                    key = pack(L)
                    weights[key] = (weights.get(key, 0) - value) % self.p
        return weights

    def _fill(self, row: Row, component: int, weights: Series, powers: list[Series]) -> None:
        start = component * len(self.monomials)
        for n, series in enumerate(powers):
            few, many = (series, weights) if len(series) < len(weights) else (weights, series)
            row[start + n] = sum(c * many[key] for key, c in few.items() if key in many) % self.p

    def _powers(self, graph: list[Series]) -> list[Series]:
        """The monomials hᵅ kᵝ along the graph k = u(x + h) - u(x), as series in h."""
        factors = [{pack(self.jets.raised(self.jets.zero, i)): 1} for i in range(self.size)] + graph
        result: dict[MultiIndex, Series] = {}
        bound = pack((self.order + 1,) + (0,) * (self.size - 1)) >> WIDTH * self.size << WIDTH * self.size
        for K in self.monomials:
            n = next((n for n, e in enumerate(K) if e), None)
            if n is None:
                result[K] = {0: 1}
                continue
            product: Series = {}
            for i, x in result[raised(K, n, -1)].items():
                for j, y in factors[n].items():
                    if i + j < bound:
                        product[i + j] = (product.get(i + j, 0) + x * y) % self.p
            result[K] = product
        return list(result.values())


def _factorial(J: MultiIndex) -> int:
    return prod(map(factorial, J))
