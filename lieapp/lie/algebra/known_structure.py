"""What is said of an algebra: its brackets and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import sympy as sp

from lieapp.document import Formula
from lieapp.lie.algebra.levi import levi_factor
from lieapp.lie.algebra.scalars import Undecided
from lieapp.lie.algebra.series import (
    center,
    derived_series,
    killing_form,
    lower_central_series,
    nilradical,
    radical,
)
from lieapp.lie.algebra.simple import signature, type_of
from lieapp.lie.algebra.table import Algebra, Basis, Table
from lieapp.lie.vector_field import combination, formula_of
from lieapp.results.truth import Coefficient, LeviResult, StructureResult, Vectors

T = TypeVar("T")


def summary(table: Table, size: int, nonzero: Sequence[sp.Expr] = ()) -> StructureResult:
    """What the structure constants say, without the brackets themselves."""
    try:
        g = Algebra.from_table(table, size, nonzero)
    except Undecided:
        return StructureResult()
    derived = _decided(lambda: derived_series(g))
    lower = _decided(lambda: lower_central_series(g))
    form = killing_form(g)
    root = None if derived is None else _decided(lambda: radical(g, form, derived[0]))
    factor = None if root is None else _decided(lambda: levi_factor(g, root))
    kind = _decided(lambda: type_of(g.subalgebra(factor))) if factor else None
    middle = _decided(lambda: center(g))
    nil = None if root is None else _decided(lambda: nilradical(g, root))
    return StructureResult(
        abelian=None if derived is None else derived[0] == [],
        nilpotent=None if lower is None else lower[-1] == [],
        solvable=None if derived is None else derived[-1] == [],
        semisimple=None if root is None else size > 0 and not root,
        perfect=None if derived is None else size > 0 and len(derived[0]) == size,
        center=_written(middle, g),
        derived_series=None if derived is None else [_basis(member, g) for member in derived],
        lower_central_series=None if lower is None else [_basis(member, g) for member in lower],
        killing=[[plain(g.scalars.expression(c)) for c in row] for row in form],
        killing_signature=_decided(lambda: list(signature(form, g.scalars))),
        radical=_written(root, g),
        nilradical=_written(nil, g),
        levi=None if factor is None else _levi(factor, root, kind, g),
        assumed_nonzero=[str(e) for e in g.scalars.assumed],
        center_shown=_shown(middle, g),
        derived_algebra_shown=_shown(derived[0] if derived else None, g),
        nilradical_shown=_shown(nil, g),
        assumed_nonzero_shown=list(map(formula_of, g.scalars.assumed)),
    )


def _levi(factor: Basis, root: Basis | None, kind: str | None, g: Algebra) -> LeviResult:
    return LeviResult(
        factor=_basis(factor, g),
        radical=_written(root, g),
        type=kind,
        factor_shown=_shown(factor, g),
        radical_shown=_shown(root, g),
    )


def _decided(compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except Undecided:
        return None


def _written(A: Basis | None, g: Algebra) -> Vectors | None:
    return None if A is None else _basis(A, g)


def _basis(A: Basis, g: Algebra) -> Vectors:
    return [[plain(c) for c in g.scalars.primitive(a)] for a in A]


def _shown(A: Basis | None, g: Algebra) -> list[Formula]:
    return [combination(g.scalars.primitive(a)) for a in A or []]


def plain(c: sp.Expr) -> Coefficient:
    """An integer as such, anything else in SymPy syntax."""
    return int(c) if c.is_Integer else str(c)
