"""What is said of an algebra: its brackets and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
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

Number = int | str
"""An integer as such, anything else in SymPy syntax."""

Subspace = list[list[Number]]
"""Coefficient vectors in the basis of the generators."""


class Levi(msgspec.Struct, frozen=True):
    """A Levi factor, the radical that it complements, and what kind of algebra it is, as "sl(2, R)"."""

    factor: Subspace
    radical: Subspace | None
    type: str | None


class Structure(msgspec.Struct, frozen=True):
    """What is known of an algebra; None is said of what can't be decided exactly.

    Both series begin with [g, g] and end with 0, written [], or with the first member that repeats. The zero
    algebra counts as neither semisimple nor perfect.

    Args:
        brackets: [i, j, [c_1, …]] for [Vᵢ, Vⱼ] = Σ c_k V_k, i < j counted from 0, those that don't vanish.
        closed: whether every bracket lies in the span of generators and families; else there are none.
        modulo_families: whether a bracket holds only up to a member of a family.
        ideal: whether the members of the families form one.
        assumed_nonzero: what was divided by: all this holds where none of it vanishes.
    """

    brackets: list[list[int | list[Number]]] = []
    closed: bool = True
    modulo_families: bool = False
    ideal: bool | None = True
    abelian: bool | None = None
    nilpotent: bool | None = None
    solvable: bool | None = None
    semisimple: bool | None = None
    perfect: bool | None = None
    center: Subspace | None = None
    derived_series: list[Subspace] | None = None
    lower_central_series: list[Subspace] | None = None
    killing: Subspace | None = None
    killing_signature: list[int] | None = None
    radical: Subspace | None = None
    nilradical: Subspace | None = None
    levi: Levi | None = None
    assumed_nonzero: list[str] | None = None

    def as_json(self) -> dict[str, Any]:
        """The object `structure` of `lieapp truth --json`."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def summary(table: Table, size: int, nonzero: Sequence[sp.Expr] = ()) -> Structure:
    """What the structure constants say, without the brackets themselves."""
    try:
        g = Algebra.from_table(table, size, nonzero)
    except Undecided:
        return Structure()
    derived = _decided(lambda: derived_series(g))
    lower = _decided(lambda: lower_central_series(g))
    form = killing_form(g)
    root = None if derived is None else _decided(lambda: radical(g, form, derived[0]))
    factor = None if root is None else _decided(lambda: levi_factor(g, root))
    kind = _decided(lambda: type_of(g.subalgebra(factor))) if factor else None
    return Structure(
        abelian=None if derived is None else derived[0] == [],
        nilpotent=None if lower is None else lower[-1] == [],
        solvable=None if derived is None else derived[-1] == [],
        semisimple=None if root is None else size > 0 and not root,
        perfect=None if derived is None else size > 0 and len(derived[0]) == size,
        center=_written(_decided(lambda: center(g)), g),
        derived_series=None if derived is None else [_basis(member, g) for member in derived],
        lower_central_series=None if lower is None else [_basis(member, g) for member in lower],
        killing=[[plain(g.scalars.expression(c)) for c in row] for row in form],
        killing_signature=_decided(lambda: list(signature(form, g.scalars))),
        radical=_written(root, g),
        nilradical=None if root is None else _written(_decided(lambda: nilradical(g, root)), g),
        levi=None if factor is None else Levi(_basis(factor, g), _written(root, g), kind),
        assumed_nonzero=[str(e) for e in g.scalars.assumed],
    )


def _decided(compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except Undecided:
        return None


def _written(A: Basis | None, g: Algebra) -> Subspace | None:
    return None if A is None else _basis(A, g)


def _basis(A: Basis, g: Algebra) -> Subspace:
    return [[plain(c) for c in g.scalars.primitive(a)] for a in A]


def plain(c: sp.Expr) -> Number:
    """An integer as such, anything else in SymPy syntax."""
    return int(c) if c.is_Integer else str(c)
