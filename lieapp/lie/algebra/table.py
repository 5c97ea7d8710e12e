"""A Lie algebra by its structure constants [eᵢ, eⱼ] = Σ c^k_ij e_k; elements are rows of coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from lieapp.lie.algebra.scalars import Row, Scalar, Scalars

Table = dict[tuple[int, int], list[sp.Expr]]
Basis = list[Row]


class Algebra:
    """A finite-dimensional Lie algebra over an exact field: c^k_ij for i < j, those that vanish may be left out."""

    def __init__(self, size: int, brackets: Mapping[tuple[int, int], Sequence[Scalar]], scalars: Scalars) -> None:
        self.size = size
        self.scalars = scalars
        self.brackets = {pair: list(cs) for pair, cs in brackets.items()}
        self._sparse: list[dict[int, list[tuple[int, Scalar]]]] = [{} for _ in range(size)]
        for (i, j), cs in self.brackets.items():
            terms = [(k, c) for k, c in enumerate(cs) if c]
            self._sparse[i][j] = terms
            self._sparse[j][i] = [(k, -c) for k, c in terms]

    @classmethod
    def from_table(cls, table: Table, size: int, nonzero: Sequence[sp.Expr] = ()) -> Algebra:
        """The algebra of symbolic structure constants."""
        scalars = Scalars([c for cs in table.values() for c in cs], nonzero)
        return cls(size, {pair: [scalars.element(c) for c in cs] for pair, cs in table.items()}, scalars)

    @property
    def whole(self) -> Basis:
        """The basis itself."""
        return [self.unit(k) for k in range(self.size)]

    def unit(self, k: int) -> Row:
        """e_k."""
        return [self.scalars.one if j == k else self.scalars.zero for j in range(self.size)]

    def product(self, a: Row, b: Row) -> Row:
        """[a, b]."""
        total = [self.scalars.zero] * self.size
        right = [(j, y) for j, y in enumerate(b) if y]
        for i, x in enumerate(a):
            if x:
                for j, y in right:
                    for k, c in self._sparse[i].get(j, ()):
                        total[k] = total[k] + x * y * c
        return total

    def commutator(self, A: Basis, B: Basis) -> Basis:
        """A basis of [A, B], in row echelon form."""
        pairs = [(a, b) for k, a in enumerate(A) for b in (A[k + 1 :] if A is B else B)]
        return self.scalars.echelon(self.product(a, b) for a, b in pairs)[0]

    def adjoint(self, a: Row) -> list[Row]:
        """The rows [a, e_j]."""
        return [self.product(a, self.unit(j)) for j in range(self.size)]

    def contains(self, A: Basis, vectors: Basis) -> bool:
        """Whether the vectors lie in the span of A."""
        return len(self.scalars.echelon([*A, *vectors])[0]) == len(A)

    def coordinates(self, A: Basis, vectors: Basis) -> list[Row | None]:
        """Each vector's coefficients in the basis A; None where it isn't in the span."""
        n = len(A)
        columns = [*A, *vectors]
        reduced, pivots = self.scalars.echelon([[v[k] for v in columns] for k in range(self.size)], n)
        inside = [row for row, p in zip(reduced, pivots, strict=True) if p < n]
        outside = reduced[len(inside) :]
        result: list[Row | None] = []
        for k in range(n, len(columns)):
            rest = next((row[k] for row in outside if row[k]), None)
            if rest is not None:
                self.scalars.divide(rest)
            result.append([row[k] for row in inside] if rest is None else None)
        return result

    def subalgebra(self, A: Basis) -> Algebra:
        """The algebra on the span of A. Raises ValueError when that isn't closed."""
        if self.whole == A:
            return self
        pairs = [(i, j) for i in range(len(A)) for j in range(i + 1, len(A))]
        rows = self.coordinates(A, [self.product(A[i], A[j]) for i, j in pairs])
        brackets = {}
        for pair, row in zip(pairs, rows, strict=True):
            if row is None:
                raise ValueError("The span isn't closed under the bracket.")
            brackets[pair] = row
        return Algebra(len(A), brackets, self.scalars)
