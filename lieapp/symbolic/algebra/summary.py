"""What is said of an algebra: the keys of `structure` beyond the brackets, and the same in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import sympy as sp

from lieapp.symbolic.algebra.levi import levi_factor
from lieapp.symbolic.algebra.scalars import Undecided
from lieapp.symbolic.algebra.series import (
    center,
    derived_series,
    killing_form,
    lower_central_series,
    nilradical,
    radical,
)
from lieapp.symbolic.algebra.simple import signature, type_of
from lieapp.symbolic.algebra.table import Algebra, Basis, Table

T = TypeVar("T")

KEYS = (
    "abelian",
    "nilpotent",
    "solvable",
    "semisimple",
    "perfect",
    "center",
    "derived_series",
    "lower_central_series",
    "killing",
    "killing_signature",
    "radical",
    "nilradical",
    "levi",
    "assumed_nonzero",
)
"""What `summary` says, in its order."""


def summary(table: Table, size: int, nonzero: Sequence[sp.Expr] = ()) -> dict[str, Any]:
    """The keys KEYS; null for what can't be decided exactly.

    Subspaces are lists of coefficient vectors in the basis of the generators. Both series begin with [g, g] and
    end with 0, written [], or with the first member that repeats. The zero algebra counts as neither semisimple
    nor perfect. What was divided by is in `assumed_nonzero`: the statements hold where none of it vanishes.
    """
    try:
        g = Algebra.from_table(table, size, nonzero)
    except Undecided:
        return dict.fromkeys(KEYS)
    derived = _decided(lambda: derived_series(g))
    lower = _decided(lambda: lower_central_series(g))
    form = killing_form(g)
    root = None if derived is None else _decided(lambda: radical(g, form, derived[0]))
    factor = None if root is None else _decided(lambda: levi_factor(g, root))
    kind = _decided(lambda: type_of(g.subalgebra(factor))) if factor else None
    return {
        "abelian": derived and derived[0] == [],
        "nilpotent": lower and lower[-1] == [],
        "solvable": derived and derived[-1] == [],
        "semisimple": None if root is None else size > 0 and not root,
        "perfect": derived and size > 0 and len(derived[0]) == size,
        "center": _written(_decided(lambda: center(g)), g),
        "derived_series": derived and [_written(member, g) for member in derived],
        "lower_central_series": lower and [_written(member, g) for member in lower],
        "killing": [[plain(g.scalars.expression(c)) for c in row] for row in form],
        "killing_signature": _decided(lambda: list(signature(form, g.scalars))),
        "radical": _written(root, g),
        "nilradical": None if root is None else _written(_decided(lambda: nilradical(g, root)), g),
        "levi": factor if factor is None else _levi(factor, root, kind, g),
        "assumed_nonzero": [str(e) for e in g.scalars.assumed],
    }


def _levi(factor: Basis, root: Basis | None, kind: str | None, g: Algebra) -> dict[str, Any]:
    return {"factor": _written(factor, g), "radical": _written(root, g), "type": kind}


def _decided(compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except Undecided:
        return None


def _written(A: Basis | None, g: Algebra) -> list[list[int | str]] | None:
    return None if A is None else [[plain(c) for c in g.scalars.primitive(a)] for a in A]


def plain(c: sp.Expr) -> int | str:
    """An integer as such, anything else in SymPy syntax."""
    return int(c) if c.is_Integer else str(c)
