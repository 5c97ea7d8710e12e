"""How many solutions a part of the system has at most, by its Taylor coefficients modulo a prime.

Said before equations are integrated that have no solution, or whose solutions are known already.
"""

from __future__ import annotations

import time
from itertools import pairwise
from random import Random

from lieapp.lie.certificate.counting import (
    Columns,
    TooLargeError,
    check_size,
    count_free,
    order_of,
    without_vanishing,
)
from lieapp.lie.certificate.taylor import BadPointError, Point
from lieapp.lie.linear import Form, raised
from lieapp.lie.solving.state import State

FURTHER = 8
"""Orders of expansion tried beyond that of the equations."""

INFINITE = 5
"""Orders tried when no expansion says that there are finitely many solutions."""

SECONDS = 3.0
"""After which counting a part is given up."""

LARGE = 16
"""Monomials in the coefficients of an equation from which on counting is quicker than solving."""


def large(state: State, equations: list[Form]) -> bool:
    """Whether counting the solutions of coupled equations is quicker than solving them."""
    sizes = [sum(len(c.numer) for c in e.values()) for e in equations]
    ordinary = len(frozenset().union(*map(state.arguments, equations))) == 1
    return max(sizes) >= LARGE or (ordinary and sum(sizes) >= LARGE)


def coupled(state: State) -> list[tuple[list[int], list[Form]]]:
    """The functions that occur in equations, grouped by the equations that couple them, with those equations."""
    groups: list[tuple[set[int], list[Form]]] = []
    for equation in state.equations:
        functions, equations = {f for f, _ in equation}, [equation]
        rest = []
        for group in groups:
            if group[0] & functions:
                functions |= group[0]
                equations = group[1] + equations
            else:
                rest.append(group)
        groups = [*rest, (functions, equations)]
    return [(sorted(functions), equations) for functions, equations in groups]


def agreed(state: State, functions: list[int], equations: list[Form]) -> int | None:
    """The bound of the number of independent solutions on which two primes and points agree; None if they don't."""
    first, second = (_bound(state, functions, equations, Random(seed)) for seed in (1, 2))
    return first if first == second else None


def _bound(state: State, functions: list[int], equations: list[Form], random: Random) -> int | None:
    """An upper bound of the number of independent solutions; None if unknown."""
    field, unknowns = state.field, state.unknowns
    size = len(field.variables)
    constant = [
        {(f, raised(unknowns.zero, v)): field.one}
        for f in functions
        for v in set(range(size)) - unknowns.arguments[f]
    ]
    rest, known = without_vanishing([*equations, *constant])
    lowest = max(map(order_of, rest), default=1)
    least: int | None = None
    deadline = time.perf_counter() + SECONDS
    try:
        for order in range(lowest, lowest + FURTHER + 1):
            check_size(len(functions), size, order)
            columns = Columns(Point(field, order + 2, random), functions)
            _, orders = count_free(rest, order, columns, known, deadline)
            found = next((a for a, b in pairwise(orders) if a == b), None)
            least = found if least is None else min(least, found) if found is not None else least
            if least == 0 or (least is None and order >= lowest + INFINITE):
                break
    except (BadPointError, TooLargeError):
        return least
    return least
