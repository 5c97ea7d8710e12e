"""Lie algebras by their structure constants [eᵢ, eⱼ] = Σ c^k_ij e_k; elements are rows of coefficients.

Series, centre, Killing form, radicals and Levi factor (Jacobson 1962; de Graaf 2000, ch. 2 and 4.13).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations, count, pairwise

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
        pairs = list(combinations(range(len(A)), 2))
        brackets = {}
        for pair, row in zip(pairs, self.coordinates(A, [self.product(A[i], A[j]) for i, j in pairs]), strict=True):
            if row is None:
                raise ValueError("The span isn't closed under the bracket.")
            brackets[pair] = row
        return Algebra(len(A), brackets, self.scalars)


def derived_series(g: Algebra) -> list[Basis]:
    """[g, g], [[g, g], [g, g]], … down to the member that repeats, given once; [] if that is 0."""
    return _series(g.whole, lambda A: g.commutator(A, A))


def lower_central_series(g: Algebra) -> list[Basis]:
    """[g, g], [g, [g, g]], … down to the member that repeats, given once; [] if that is 0."""
    whole = g.whole
    return _series(whole, lambda A: g.commutator(whole, whole if len(A) == g.size else A))


def _series(start: Basis, following: Callable[[Basis], Basis]) -> list[Basis]:
    """What follows on the start, and so on, down to the member that repeats or to 0."""
    members = [following(start)]
    while members[-1] and len(after := following(members[-1])) < len(members[-1]):
        members.append(after)
    return members


def center(g: Algebra) -> Basis:
    """{z : [z, x] = 0 for all x}."""
    columns = [g.adjoint(g.unit(i)) for i in range(g.size)]
    rows = [[columns[i][j][k] for i in range(g.size)] for j in range(g.size) for k in range(g.size)]
    return g.scalars.kernel(rows, g.size)


def killing_form(g: Algebra) -> list[Row]:
    """κ(eᵢ, eⱼ) = tr(ad eᵢ ad eⱼ)."""
    ad = [
        {(j, k): c for j, row in enumerate(g.adjoint(g.unit(i))) for k, c in enumerate(row) if c}
        for i in range(g.size)
    ]
    form = [[g.scalars.zero] * g.size for _ in range(g.size)]
    for i in range(g.size):
        for j in range(i, g.size):
            products = (c * ad[j][m, k] for (k, m), c in ad[i].items() if (m, k) in ad[j])
            form[i][j] = form[j][i] = sum(products, g.scalars.zero)
    return form


def radical(g: Algebra, form: list[Row], derived: Basis) -> Basis:
    """The largest solvable ideal {x : κ(x, [g, g]) = 0} (Cartan's criterion)."""
    zero = g.scalars.zero
    rows = [
        [sum((x * y for x, y in zip(d, column, strict=True) if x and y), zero) for column in form] for d in derived
    ]
    return g.scalars.kernel(rows, g.size)


def is_nilpotent(g: Algebra, A: Basis) -> bool:
    """Whether a subalgebra is nilpotent."""
    return not _series(A, lambda B: g.commutator(A, B))[-1]


def nilradical(g: Algebra, radical: Basis) -> Basis:
    """The largest nilpotent ideal, that of the radical r.

    x lies in it exactly when tr(ad x b) = 0 for each b in the associative algebra that ad r generates, for in a
    triangular form only the characters of r count. Powers of ad c, c in r, are such b: they bound the nilradical
    from above, and what is left is it as soon as it is nilpotent, an ideal of r as it contains [r, r].
    """
    r = g.subalgebra(radical)
    inside = r.commutator(r.whole, r.whole)
    outside = [k for k in range(r.size) if not r.contains(inside, [r.unit(k)])]
    found, rows = r.whole, []
    adjoints = [r.adjoint(r.unit(k)) for k in range(r.size)]
    # elements c of r: those of the basis, then mixtures, of which some separate all weights
    mixtures = (
        [r.scalars.number(step**k) if k in outside else r.scalars.zero for k in range(r.size)] for step in count(1)
    )
    for c in chain(map(r.unit, outside), mixtures):
        if is_nilpotent(r, found):
            break
        step = power = r.adjoint(c)
        for _ in range(r.size):
            rows.append([
                sum((x * power[j][i] for i, row in enumerate(ad) for j, x in enumerate(row) if x), r.scalars.zero)
                for ad in adjoints
            ])  # fmt: skip
            power = [combined(row, power, r) for row in step]
        found = r.scalars.kernel(rows, r.size)
    return g.scalars.echelon(combined(x, radical, g) for x in found)[0]


def combined(coefficients: Row, A: Basis, g: Algebra) -> Row:
    """Σ coefficients · A."""
    total = [g.scalars.zero] * g.size
    for c, a in zip(coefficients, A, strict=True):
        if c:
            total = [t + c * x if x else t for t, x in zip(total, a, strict=True)]
    return total


def levi_factor(g: Algebra, radical: Basis) -> Basis:
    """A basis of a Levi factor.

    A complement of the radical r is closed modulo r. If it is closed modulo r_t, a member of the derived series
    of r, its elements are moved within r_t so that it closes modulo r_{t+1}: linear equations, as [r_t, r_t] is
    r_{t+1}; Levi's theorem says that they have a solution.
    """
    pivots = g.scalars.echelon(radical)[1]
    factor = [g.unit(k) for k in range(g.size) if k not in pivots]
    if not radical or not factor:
        return factor
    members = [radical, *_series(radical, lambda A: g.commutator(A, A))]
    # structure constants of g / r in the basis of the complement
    pairs = list(combinations(range(len(factor)), 2))
    rows = g.coordinates([*factor, *radical], [g.product(factor[i], factor[j]) for i, j in pairs])
    constants = {pair: row[: len(factor)] for pair, row in zip(pairs, rows, strict=True) if row is not None}
    for upper, lower in pairwise(members):
        # elements of `upper` that complete `lower` to it
        steps: Basis = []
        for v in upper:
            if not g.contains([*lower, *steps], [v]):
                steps.append(v)
        factor = _moved(g, factor, constants, steps, lower)
    return g.scalars.echelon(factor)[0]


def _moved(g: Algebra, factor: Basis, constants: dict[tuple[int, int], Row], steps: Basis, lower: Basis) -> Basis:
    """yᵢ + Σ x_im v_m with [yᵢ + …, yⱼ + …] = Σ c^k_ij (y_k + …) modulo `lower`."""
    zero, s, width = g.scalars.zero, len(factor), len(steps)
    frame = [*steps, *lower]
    moves = [g.coordinates(frame, [g.product(y, v) for v in steps]) for y in factor]
    rows: list[Row] = []
    right: Row = []
    for (i, j), cs in constants.items():
        bracket = g.product(factor[i], factor[j])
        expected = combined(cs, factor, g)
        (defect,) = g.coordinates(frame, [[b - a for a, b in zip(bracket, expected, strict=True)]])
        if defect is None:
            raise ValueError("The complement isn't closed modulo the last member of the series.")
        for m in range(width):
            row = [zero] * (s * width)
            for n in range(width):
                # [yᵢ, rⱼ] - [yⱼ, rᵢ] - Σ c^k r_k
                row[j * width + n] += (moves[i][n] or [])[m]
                row[i * width + n] -= (moves[j][n] or [])[m]
            for k, c in enumerate(cs):
                row[k * width + m] -= c
            rows.append(row)
            right.append(defect[m])
    found = g.scalars.solution(rows, right, s * width)
    if found is None:
        raise ValueError("The structure constants don't satisfy the Jacobi identity.")
    return [
        [a + b for a, b in zip(y, combined(found[i * width : (i + 1) * width], steps, g), strict=True)]
        for i, y in enumerate(factor)
    ]
