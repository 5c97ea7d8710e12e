"""Derivatives that vanish, by the Taylor expansion of a coupled part at two random points modulo two primes.

In many variables it takes long to find them by reducing equations by each other, and they make the part small: a
function is a polynomial in the variables by which its derivatives vanish. That no prime or point is unlucky is what
counts of solutions assume too (`guess`); the certificate uses others.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from lieapp.equations.residues import BadPointError
from lieapp.lie.certificate.counting import (
    Columns,
    TooLargeError,
    check_left,
    expanded,
    order_of,
    without_vanishing,
)
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.linear import Form, Key
from lieapp.lie.solving.state import State, Step, coupled

SECONDS = 4.0
"""After which an expansion is given up."""

FURTHER = 2
"""Orders of expansion beyond that of the equations."""

SEEDS = (501, 502)
"""Of primes and points other than those of the certificate, whose seeds are orders of expansion."""


def vanishing(state: State) -> bool:
    """Take in derivatives that vanish, where functions of many variables aren't counted otherwise."""
    for functions, equations in coupled(state) if not state.counting else ():
        # other consequences that were added don't change the solutions
        known = frozenset(next(iter(e)) for e in equations if len(e) == 1)
        if not state.first_try("vanishing", *functions, known):
            continue
        deadline = time.perf_counter() + SECONDS
        order = max(map(order_of, equations))
        try:
            for further in range(FURTHER + 1):
                found = _agreed(state, functions, equations, order + further, deadline)
                if state.add_equations({key: state.field.one} for key in found):
                    state.assume_generic(equations)
                    state.steps.append(Step("vanishing", state.equations[-1]))
                    return True
        except (BadPointError, TooLargeError):
            continue
    return False


def _agreed(
    state: State, functions: Sequence[int], equations: Sequence[Form], order: int, deadline: float
) -> list[Key]:
    """Which ∂_K f vanish at both points, the lowest only."""
    rest, known = without_vanishing(equations)
    for f in functions:
        known.without_others(f, state.unknowns)
    check_left(functions, known, state.unknowns.size, order)
    found: set[Key] | None = None
    for seed in SEEDS:
        columns = Columns(Point(state.field, order + 1, Random(seed)), functions)
        zero = {(functions[place], K) for place, K in expanded(rest, order, columns, known, deadline).zero()}
        found = zero if found is None else found & zero
        if not found:
            return []
    least: list[Key] = []
    for f, K in sorted(found or (), key=lambda key: sum(key[1])):
        if not known.has(f, K):
            known.add(f, K)
            least.append((f, K))
    return least
