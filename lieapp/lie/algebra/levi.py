"""Levi decomposition g = s ⊕ rad g with s semisimple (de Graaf 2000, Lie Algebras: Theory and Algorithms, 4.13)."""

from __future__ import annotations

from itertools import pairwise

from lieapp.lie.algebra.scalars import Row
from lieapp.lie.algebra.series import combined
from lieapp.lie.algebra.table import Algebra, Basis


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
    members = [radical]
    while members[-1]:
        members.append(g.commutator(members[-1], members[-1]))
    constants = _constants(g, factor, radical)
    for upper, lower in pairwise(members):
        factor = _moved(g, factor, constants, _complement(g, upper, lower), lower)
    return g.scalars.echelon(factor)[0]


def _constants(g: Algebra, factor: Basis, radical: Basis) -> dict[tuple[int, int], Row]:
    """Structure constants of g / r in the basis of the complement."""
    s = len(factor)
    pairs = [(i, j) for i in range(s) for j in range(i + 1, s)]
    rows = g.coordinates([*factor, *radical], [g.product(factor[i], factor[j]) for i, j in pairs])
    return {pair: row[:s] for pair, row in zip(pairs, rows, strict=True) if row is not None}


def _complement(g: Algebra, upper: Basis, lower: Basis) -> Basis:
    """Elements of `upper` that complete `lower` to it."""
    chosen: Basis = []
    for v in upper:
        if not g.contains([*lower, *chosen], [v]):
            chosen.append(v)
    return chosen


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
