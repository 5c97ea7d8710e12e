"""How many directions parameters can be moved in at most: a count of Taylor coefficients, apart from the solver.

At a random point modulo a prime the determining equations of the extended system leave some Taylor coefficients of
its components free (see `counting`). Eliminated with the π of the parameters last, those of π itself that are left
are as many as the directions in which any symmetry can move the parameters there.
"""

from __future__ import annotations

from random import Random

from lieapp.equations.jets import raised
from lieapp.equations.residues import BadPointError
from lieapp.lie.certificate.counting import (
    Columns,
    TooLargeError,
    check_size,
    check_time,
    eliminate,
    order_of,
    rows_of,
    without_vanishing,
)  # fmt: skip
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.determining import DeterminingSystem

POINTS = 2
"""Random points, each modulo a prime of its own, at which the counts must agree."""

FURTHER = 7
"""Orders beyond that of the equations up to which they are expanded."""


def directions_at_most(determining: DeterminingSystem, parameters: int, found: int, deadline: float) -> int:
    """An upper bound, up to a negligible probability: the last components are those of so many parameters.

    Higher orders are only expanded while the bound is above what is `found`. All parameters where the count is too
    large or takes too long.
    """
    try:
        return max(_bound(determining, parameters, found, Random(seed), deadline) for seed in range(POINTS))
    except (TooLargeError, BadPointError):
        return parameters


def _bound(determining: DeterminingSystem, parameters: int, found: int, random: Random, deadline: float) -> int:
    own, rest = determining.components[-parameters:], determining.components[:-parameters]
    zero, size = determining.unknowns.zero, determining.unknowns.size
    # what moves parameters depends on parameters alone
    fixed = [{(f, raised(zero, v)): determining.field.one} for f in own for v in range(size - parameters)]
    equations, vanishing = without_vanishing([*determining.equations, *fixed])
    least, bound = max(map(order_of, equations), default=0), parameters
    for order in range(least, least + FURTHER):
        check_time(deadline)
        check_size(len(determining.components), size, order)
        columns = Columns(Point(determining.field, order, random), [*own, *rest])
        pivots = eliminate(rows_of(equations, order, columns, vanishing, deadline), columns.point.p, deadline)
        bound = min(bound, sum(columns.of(f, 0) not in pivots and not vanishing.has(f, zero) for f in own))
        if bound <= found:
            break
    return bound
