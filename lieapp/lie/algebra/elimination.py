"""Gauss-Jordan elimination over rational functions that divides by as few of them as it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Scalar = Any
SparseRow = dict[int, Scalar]


def eliminated(
    rows: Sequence[Sequence[Scalar]], first: int, divide: Callable[[Scalar], None]
) -> list[tuple[int, SparseRow]]:
    """Pivots, ascending, and reduced rows. Numbers are taken as pivots as long as there are any.

    Pivots come from the `first` columns as long as there are any. `divide` is told each pivot.
    """
    sparse = [{k: c for k, c in enumerate(row) if c} for row in rows]
    done: list[tuple[int, SparseRow]] = []
    while sparse:
        entries = [(_weight(c), len(row), k, n) for n, row in enumerate(sparse) for k, c in row.items()]
        _, _, pivot, n = min([e for e in entries if e[2] < first] or entries)
        row = sparse.pop(n)
        divide(row[pivot])
        row = {k: c / row[pivot] for k, c in row.items()}
        sparse = [r for r in (_minus(r, pivot, row) for r in sparse) if r]
        done = [(p, _minus(r, pivot, row)) for p, r in done]
        done.append((pivot, row))
    return sorted(done, key=lambda item: item[0])


def _weight(c: Scalar) -> tuple[int, int]:
    """Numbers first, then short polynomials."""
    return (0, 0) if c.numer.is_ground else (c.numer.degree(), len(c.numer))


def _minus(row: dict[int, Scalar], pivot: int, other: dict[int, Scalar]) -> dict[int, Scalar]:
    """The row without its entry in the pivot's column."""
    if pivot not in row:
        return row
    factor = row[pivot]
    result = {k: c for k, c in row.items() if k not in other}
    for k, c in other.items():
        value = row[k] - factor * c if k in row else -factor * c
        if value:
            result[k] = value
    return result
