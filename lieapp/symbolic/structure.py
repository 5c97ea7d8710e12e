"""Structure constants [Vᵢ, Vⱼ] = Σ c^k_ij V_k, and whether the algebra is solvable or nilpotent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from lieapp.symbolic.basis import Vector, coordinates_in
from lieapp.symbolic.coefficients import CoefficientField

Table = dict[tuple[int, int], list[sp.Expr]]


def bracket(V: Vector, W: Vector, field: CoefficientField) -> Vector:
    """[V, W]ᵏ = Vʲ ∂ⱼ Wᵏ - Wʲ ∂ⱼ Vᵏ."""
    result = []
    for k in range(len(V)):
        total = field.zero
        for j in range(len(V)):
            if V[j] and W[k]:
                total += V[j] * field.diff(W[k], j)
            if W[j] and V[k]:
                total -= W[j] * field.diff(V[k], j)
        result.append(field.reduce(total))
    return result


def structure_constants(vectors: Sequence[Vector], field: CoefficientField) -> Table | None:
    """c^k_ij, i < j, for brackets that don't vanish; None if one leaves the span, as families may make it."""
    pairs = [(i, j) for i in range(len(vectors)) for j in range(i + 1, len(vectors))]
    brackets = [bracket(vectors[i], vectors[j], field) for i, j in pairs]
    table: Table = {}
    for pair, row in zip(pairs, coordinates_in(vectors, brackets, field), strict=True):
        if row is None:
            return None
        if row:
            entries = [row.get((k, ()), field.zero) for k in range(len(vectors))]
            table[pair] = [sp.factor(field.expression(c)) for c in entries]
    return table


def structure_json(vectors: Sequence[Vector], field: CoefficientField) -> dict[str, Any]:
    """`{"brackets": [[i, j, [c_1, …]], …], "solvable": …, "nilpotent": …}`, i and j counted from 0.

    Coefficients are integers where they can be, else SymPy strings. `closed` is false when a bracket leaves
    the span, as it may modulo families; then nothing else is given.
    """
    table = structure_constants(vectors, field)
    if table is None:
        return {"brackets": [], "closed": False}
    brackets = [[i, j, [int(c) if c.is_Integer else str(c) for c in cs]] for (i, j), cs in table.items()]
    numbers = {pair: [_number(c) for c in cs] for pair, cs in table.items()}
    n = len(vectors)
    known = {pair: [c for c in cs if c is not None] for pair, cs in numbers.items()}
    # ranks of numbers such as log(3) and sqrt(2) can't be told by fractions: better nothing than a guess
    exact = all(len(known[pair]) == len(cs) for pair, cs in numbers.items())
    return {
        "brackets": brackets,
        "closed": True,
        "solvable": _series_ends(known, n, derived=True) if exact else None,
        "nilpotent": _series_ends(known, n, derived=False) if exact else None,
    }


def _number(c: sp.Expr) -> Fraction | None:
    """A generic value: parameters become unrelated fractions; None for a number that isn't rational."""
    values = {s: sp.Rational(1009 + 97 * k, 1013) for k, s in enumerate(sorted(c.free_symbols, key=str))}
    value = sp.nsimplify(c.subs(values), rational=True)
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None


def _series_ends(table: dict[tuple[int, int], list[Fraction]], n: int, derived: bool) -> bool:
    """Whether the derived (or the lower central) series reaches 0."""
    whole = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    current = whole
    while current:
        products = [_product(a, b, table) for a in current for b in (current if derived else whole)]
        following = _row_space(products)
        if len(following) == len(current):
            return False
        current = following
    return True


def _product(a: list[Fraction], b: list[Fraction], table: dict[tuple[int, int], list[Fraction]]) -> list[Fraction]:
    total = [Fraction(0)] * len(a)
    for (i, j), cs in table.items():
        weight = a[i] * b[j] - a[j] * b[i]
        if weight:
            total = [t + weight * c for t, c in zip(total, cs, strict=True)]
    return total


def _row_space(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    rows = [row for row in rows if any(row)]
    if not rows:
        return []
    matrix = DomainMatrix(
        [[QQ(c.numerator, c.denominator) for c in row] for row in rows], (len(rows), len(rows[0])), QQ
    )
    reduced, pivots = matrix.rref()
    dense = reduced.to_Matrix()
    return [[Fraction(int(c.p), int(c.q)) for c in dense.row(i)] for i in range(len(pivots))]
