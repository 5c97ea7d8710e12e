"""What is said of generators whose conditions have no solution in closed form that was found."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import sympy as sp

from lieapp.equations.assumptions import named
from lieapp.lie.families import Family, Group
from lieapp.lie.solving.count import bound
from lieapp.lie.solving.state import State

MAX_TOLD = 20
"""Conditions of one group that are written out."""

MAX_IN_LINE = 3
"""Conditions that are written after their generator, in one line."""


def constants(group: Group, state: State) -> int | None:
    """How many constants the solutions of a group's conditions have at most; None if two points disagree."""
    functions, conditions = list(group.functions), list(group.conditions)
    if not conditions:
        return None
    first, second = (bound(state, functions, conditions, Random(seed)) for seed in (1, 2))
    return first if first == second else None


def told(family: Family, count: int | None = None) -> list[str]:
    """A generator with its conditions: `alpha d_y with alpha_xx - alpha*f = 0: 2 constants`."""
    conditions = [f"{_written(c)} = 0" for c in family.conditions]
    ending = "" if count is None else f": {count} constant{'' if count == 1 else 's'}"
    field = family.field.text()
    if len(conditions) <= MAX_IN_LINE:
        return [field + (f" with {', '.join(conditions)}" if conditions else "") + ending]
    more = len(conditions) - MAX_TOLD
    lines = [f"{field} with {len(conditions)} equations{ending}", *conditions[:MAX_TOLD]]
    return lines if more <= 0 else [*lines, f"and {more} more equations in {', '.join(family.functions)}"]


def whole(known: int, counts: Sequence[int | None], limit: int | None) -> str:
    """What the dimension is with the constants of all parts, at most `limit` by the certificate; "" if unknown.

    Solutions that were found of a part are among the known ones too, and then the sum is above the limit.
    """
    if limit is None or None in counts or limit <= known:
        return ""
    missing = limit - known
    would = "would be" if missing == sum(n for n in counts if n is not None) else "is at most"
    return f"the dimension {would} {limit}, of which {missing} {'is' if missing == 1 else 'are'} not in closed form"


def _written(condition: sp.Expr) -> str:
    return str(named(condition)[0])
