"""Power products that scalings leave alone: Buckingham's π theorem over the integers.

A scaling multiplies each variable vᵢ by exp(s wᵢ). The product Πvᵢ^eᵢ is invariant exactly when Σ wᵢ eᵢ = 0, so the
dimensionless groups are the kernel of the matrix of weights (Buckingham 1914, Phys. Rev. 4, 345-376).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations

import sympy as sp

Weights = Sequence[sp.Expr]
"""A weight for each variable."""


def integers(vector: Iterable[sp.Expr]) -> tuple[sp.Expr, ...]:
    """The multiple with coprime integers; without denominators where entries have parameters."""
    entries = [sp.cancel(e) for e in vector]
    common = sp.lcm_list([sp.denom(e) for e in entries])
    cleared = [sp.cancel(e * common) for e in entries]
    content = sp.gcd_list(cleared)
    return tuple(sp.cancel(e / content) for e in cleared) if content not in (0, 1) else tuple(cleared)


def reduced_scalings(rows: Sequence[Weights]) -> list[tuple[sp.Expr, ...]]:
    """A basis of the same scalings in reduced echelon form, with coprime integers where they are rational."""
    if not rows:
        return []
    matrix, pivots = sp.Matrix([list(row) for row in rows]).rref(simplify=True)
    return [integers(matrix.row(k)) for k in range(len(pivots))]


def groups(rows: Sequence[Weights], blocks: Sequence[int]) -> list[tuple[sp.Expr, ...]]:
    """A basis of the exponents of the invariant power products.

    The variables come in consecutive blocks of so many: products of the first block alone stand first, then those
    that take the second one too, and so on. With rational weights it is a short basis of all integer exponents.
    """
    if all(e.is_Rational for row in rows for e in row):
        found = _lattice([integers(row) for row in rows], blocks)
    else:
        found = [integers(v) for v in sp.Matrix([list(row) for row in rows]).nullspace()]
    return [_signed(e, blocks) for e in found]


def product(exponents: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> sp.Expr:
    """Πvᵢ^eᵢ."""
    return sp.Mul(*(v**e for v, e in zip(variables, exponents, strict=True)))


def _lattice(rows: Sequence[Sequence[sp.Expr]], blocks: Sequence[int]) -> list[tuple[sp.Expr, ...]]:
    """A basis of all integer exponents: the Hermite form of the weights beside the unit matrix, later blocks first.

    Each step is unimodular, so what has no weight left spans the whole kernel, and of that what leads with a block
    spans all that needs it.
    """
    size = sum(blocks)
    start = [[int(row[i]) for row in rows] + [int(i == j) for j in reversed(range(size))] for i in range(size)]
    kernel = [row[len(rows) :][::-1] for row in _echelon(start) if not any(row[: len(rows)])]
    # the last exponent that isn't zero tells the block
    kernel.sort(key=lambda row: max(k for k, e in enumerate(row) if e))
    ends = [sum(blocks[: k + 1]) for k in range(len(blocks))]
    block = [next(k for k, end in enumerate(ends) if not any(row[end:])) for row in kernel]
    # exponents of later blocks count more: parameters come first where there is a choice
    cost = [2**k for k, count in enumerate(blocks) for _ in range(count)]
    return [tuple(map(sp.Integer, row)) for row in _shortened(kernel, block, cost)]


def _echelon(rows: list[list[int]]) -> list[list[int]]:
    """The rows in echelon form over the integers, by Euclid's algorithm in each column."""
    done = 0
    for c in range(len(rows[0])):
        while len(live := [i for i in range(done, len(rows)) if rows[i][c]]) > 1:
            least = min(live, key=lambda i: abs(rows[i][c]))
            for i in live:
                if i != least:
                    rows[i] = _minus(rows[i], rows[i][c] // rows[least][c], rows[least])
        if live:
            rows[done], rows[live[0]] = rows[live[0]], rows[done]
            done += 1
    return rows


def _shortened(rows: list[list[int]], block: Sequence[int], cost: Sequence[int]) -> list[list[int]]:
    """Rows less multiples of others that are in no later block, as long as that makes one shorter (Gauss)."""

    def dot(a: Sequence[int], b: Sequence[int]) -> int:
        return sum(c * x * y for c, x, y in zip(cost, a, b, strict=True))

    changed = True
    while changed:
        changed = False
        for i, j in permutations(range(len(rows)), 2):
            if block[j] <= block[i]:
                times = round(Fraction(dot(rows[i], rows[j]), dot(rows[j], rows[j])))
                other = _minus(rows[i], times, rows[j])
                if dot(other, other) < dot(rows[i], rows[i]):
                    rows[i], changed = other, True
    return rows


def _minus(row: Sequence[int], times: int, other: Sequence[int]) -> list[int]:
    return [a - times * b for a, b in zip(row, other, strict=True)]


def _signed(exponents: tuple[sp.Expr, ...], blocks: Sequence[int]) -> tuple[sp.Expr, ...]:
    """With the first variable of the latest block that occurs above the line."""
    end = len(exponents)
    for count in reversed(blocks):
        part = [e for e in exponents[end - count : end] if e != 0]
        if part:
            return tuple(-e for e in exponents) if part[0].could_extract_minus_sign() else exponents
        end -= count
    return exponents
