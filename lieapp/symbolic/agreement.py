"""Whether derived symmetries solve the determining equations at a random point over F_p.

The certificate compares how many symmetries there are; that the derived ones are some is proved by the exact
invariance condition before. This looks once more, by the arithmetic of the certificate: what a generator, or the
general member of a family, leaves of the equations at a random point must be zero. A field that leaves something
does so at nearly every point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from lieapp.symbolic.basis import Vector
from lieapp.symbolic.coefficients import CoefficientField
from lieapp.symbolic.counting import Columns, Row, Vanishing, order_of, rows_of
from lieapp.symbolic.families import Group
from lieapp.symbolic.known import jet_of, jets_of_members, order_of_values
from lieapp.symbolic.linear import Form, Unknowns
from lieapp.symbolic.taylor import Point

MARGIN = 3
"""Orders by which the side conditions of families are expanded further than their functions are used."""


def first_false(
    forms: Sequence[Form],
    vanishing: Vanishing,
    components: Sequence[int],
    field: CoefficientField,
    unknowns: Unknowns,
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    random: Random,
    deadline: float,
) -> str:
    """`generator 2` or `family 1`, the first that doesn't solve the equations; empty if all do.

    Raises BadPointError and TooLargeError as the counting does.

    Args:
        forms: the equations of several terms.
        vanishing: what the equations of one term say.
        components: the equations' functions, in the order of the coordinates.
        field: the coefficients.
        unknowns: all functions.
        vectors: generators.
        groups: families.
        random: source of the point.
        deadline: when to give up.
    """
    order = max([0, *map(order_of, forms), *(sum(K) for Ks in vanishing.least.values() for K in Ks)])
    most = max((order_of_values(group) for group in groups), default=0)
    point = Point(field, order + most + MARGIN + 1, random)
    # both number the same coefficients in the same way
    columns, places = Columns(point, components), Columns(point, range(point.size))
    rows: list[Row] = []
    for form in forms:
        degree = order - order_of(form)
        rows += rows_of({key: point.series(c, degree) for key, c in form.items()}, order, columns, Vanishing())
    for k, vector in enumerate(vectors, start=1):
        if not _solve([jet_of(vector, places, order)], rows, vanishing, columns):
            return f"generator {k}"
    for k, group in enumerate(groups, start=1):
        members = jets_of_members(group, unknowns, places, order, MARGIN, deadline)
        if not _solve(members, rows, vanishing, columns):
            return f"family {k}"
    return ""


def _solve(jets: Iterable[Row], rows: Sequence[Row], vanishing: Vanishing, columns: Columns) -> bool:
    functions, p = list(columns.place), columns.point.p
    for jet in jets:
        for column, c in jet.items():
            place, K = columns.split(column)
            if c % p and vanishing.has(functions[place], K):
                return False
        if any(sum(c * jet.get(column, 0) for column, c in row.items()) % p for row in rows):
            return False
    return True
