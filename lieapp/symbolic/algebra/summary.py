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


def structure_words(structure: dict[str, Any]) -> list[str]:
    """Lines on the algebra, as "solvable, not nilpotent" or "centre: V3"; generators are counted from 1.

    Nothing is said of what couldn't be decided.
    """
    if not structure:
        return []
    if not structure["closed"]:
        return ["The brackets don't close: more symmetries than were found."]
    if structure["killing"] is None:
        told = "don't form" if structure["ideal"] is False else "could not be shown to form"
        return [f"brackets hold modulo the families, which {told} an ideal"] if structure["modulo_families"] else []
    if not structure["killing"]:
        return []
    lines = [_properties(structure)]
    if structure.get("modulo_families"):
        lines.append("brackets hold modulo the families")
    if not structure["abelian"]:
        series = structure["derived_series"] or []
        if not structure["perfect"]:
            lines += [f"centre: {_span(structure['center'])}"] if structure["center"] is not None else []
            lines += [f"derived algebra: {_span(series[0])}"] if series else []
        lines += _parts(structure)
    if structure["assumed_nonzero"]:
        lines.append(f"where nonzero: {', '.join(structure['assumed_nonzero'])}")
    return [line for line in lines if line]


def _properties(structure: dict[str, Any]) -> str:
    if structure["abelian"]:
        return "abelian"
    if structure["nilpotent"]:
        return "nilpotent, not abelian"
    if structure["solvable"]:
        return "solvable" if structure["nilpotent"] is None else "solvable, not nilpotent"
    if structure["semisimple"]:
        kind = (structure["levi"] or {}).get("type")
        return "semisimple" + (f": {kind}" if kind else "")
    return "" if structure["solvable"] is None else "not solvable" + (", perfect" if structure["perfect"] else "")


def _parts(structure: dict[str, Any]) -> list[str]:
    if structure["nilpotent"] or structure["semisimple"]:
        return []
    lines = []
    levi = structure["levi"]
    if levi and levi["factor"]:
        kind = f"{levi['type']} spanned by " if levi["type"] else ""
        lines.append(f"Levi factor: {kind}{_span(levi['factor'])}; radical: {_span(levi['radical'])}")
    if structure["nilradical"] is not None:
        lines.append(f"nilradical: {_span(structure['nilradical'])}")
    return lines


def _span(vectors: list[list[int | str]]) -> str:
    return ", ".join(_sum(v) for v in vectors) or "0"


def _sum(vector: list[int | str]) -> str:
    parts: list[str] = []
    for k, c in enumerate(vector, start=1):
        if c == 0:
            continue
        text = str(c)
        negative = text.startswith("-") and not any(s in text[1:] for s in "+- ")
        size = text[1:] if negative else text
        if any(s in size for s in "+- "):
            size = f"({size})"
        sign = (" - " if negative else " + ") if parts else ("-" if negative else "")
        parts.append(f"{sign}{'' if size == '1' else size + ' '}V{k}")
    return "".join(parts)
