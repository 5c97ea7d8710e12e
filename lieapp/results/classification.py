"""The branches of a classification: the JSON of `lieapp classify`.

Expressions are strings in SymPy's syntax; beside each stands how it is shown, `<key>_shown`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from lieapp.document import Formula
from lieapp.results.base import Result
from lieapp.results.truth import FamilyResult


class BranchResult(msgspec.Struct, kw_only=True):
    """One special equation and its symmetries.

    Args:
        conditions: `n = -4/3`, `k = exp(u)`; empty for the whole class.
        parent: the number of the branch that it is special in, counted from 0; None for the whole class.
        where: the same conditions by name; `parameters` are the constants in them that are left.
        dimension: number of generators, modulo the families.
        more: those generators that the parent doesn't have.
        unsolved: conditions of the derivation that weren't solved; the dimension is then a lower bound.
    """

    conditions: list[str]
    parent: int | None
    where: dict[str, str]
    parameters: list[str]
    dimension: int
    infinite: bool
    generators: list[dict[str, str]]
    more: list[dict[str, str]]
    families: list[FamilyResult]
    certified: bool
    unsolved: list[str]
    conditions_shown: list[Formula] = []
    generators_shown: list[Formula] = []
    more_shown: list[Formula] = []


class SpecialEquation(msgspec.Struct, kw_only=True):
    """Special values of parameters and functions, and the constants in them."""

    where: dict[str, str] = {}
    parameters: list[str] = []


class OpenCondition(msgspec.Struct, kw_only=True):
    """A condition of a special equation that the time didn't suffice for.

    Args:
        branch: the number of the branch that the equation is special in.
        raw: a function that solves the condition, by name, with constants of integration.
        ready: the equation that it leads to, which is to be derived.
    """

    equation: SpecialEquation
    branch: int
    condition: str
    raw: dict[str, str] = {}
    ready: SpecialEquation | None = None


class ClassifyResult(Result, tag_field="result", tag="classify", kw_only=True):
    """A classification; see `lie.classes.classification.Classification`.

    Args:
        branches: each after its parent.
        left: what couldn't be solved, and what the time didn't suffice for, in words.
        excluded: special values that make the equation one of lower order.
        pending: what the time didn't suffice for; `--resume` goes on with it.
        seen: the special values that were derived.
    """

    branches: list[BranchResult]
    left: list[str]
    excluded: list[str]
    pending: list[OpenCondition]
    seen: list[str]
    seconds: float
    equation_shown: list[Formula]

    @property
    def level(self) -> Literal["success", "info"]:
        """Info where something is left."""
        return "info" if self.left else "success"
