"""Whether a given field is a symmetry: the JSON of `lieapp holds`.

Expressions are strings in SymPy's syntax; beside each stands how it is shown, `<key>_shown`.
"""

from __future__ import annotations

from typing import Literal

from lieapp.document import Formula
from lieapp.results.base import Result


class HoldsResult(Result, tag_field="result", tag="holds", kw_only=True):
    """Whether a field generates symmetries; see `lie.given.holding.Holding`.

    Args:
        holds: for some values of its unknowns; None if that couldn't be decided.
        field: as it was given.
        unknowns: the unknown constants and functions in it.
        values: of those unknowns that aren't free, for each solution.
        conditions: for each solution what functions that are left must satisfy, `= 0` understood.
        special: the same values where parameters of the equation have special ones too; `special_conditions`.
        leftover: what the invariance condition leaves, if it doesn't hold.
        assumed_nonzero: what was divided by and couldn't be solved for a parameter.
        assumed_independent: sets of expressions with arbitrary functions that are assumed linearly independent.
    """

    holds: bool | None
    field: dict[str, str]
    unknowns: list[str]
    values: list[dict[str, str]]
    conditions: list[list[str]]
    special: list[dict[str, str]]
    special_conditions: list[list[str]]
    leftover: list[str]
    assumed_nonzero: list[str]
    assumed_independent: list[list[str]]
    seconds: float
    equation_shown: list[Formula]
    field_shown: Formula
    values_shown: list[list[Formula]] = []
    conditions_shown: list[list[Formula]] = []
    special_shown: list[list[Formula]] = []
    special_conditions_shown: list[list[Formula]] = []
    leftover_shown: list[Formula] = []
    assumed_nonzero_shown: list[Formula] = []
    assumed_independent_shown: list[list[Formula]] = []

    @property
    def level(self) -> Literal["success", "info"]:
        """Success if it holds."""
        return "success" if self.holds else "info"
