"""Jets of the derived symmetries at a point over F_p: what the certificate's count can't go below.

A generator gives the Taylor coefficients of its components. A family gives those of all members: the Taylor
coefficients of its arbitrary functions that its side conditions leave free, sent through the family's formula.
Overlaps between families and generators are counted once, for ranks are taken of all together.
"""

from __future__ import annotations

from collections.abc import Sequence

from lieapp.lie.certificate.counting import (
    Columns,
    Row,
    check_size,
    eliminate,
    free_columns,
    order_of,
    rows_of,
    shifted,
    without_vanishing,
)
from lieapp.lie.certificate.taylor import Point
from lieapp.lie.families import Group
from lieapp.lie.linear import Unknowns, raised
from lieapp.lie.normal_form import Vector


def order_of_values(group: Group) -> int:
    """Highest derivative of a family's functions in its components."""
    return max(order_of(value) for value in group.values)


def known_counts(
    vectors: Sequence[Vector],
    groups: Sequence[Group],
    unknowns: Unknowns,
    point: Point,
    order: int,
    margin: int,
    deadline: float,
) -> tuple[list[int], int]:
    """Ranks of the jets of order 0, 1, … `order` of all derived symmetries; how much the generators add.

    The latter is the rank at the highest order of all minus that of the families. Side conditions are expanded
    `margin` orders further than the functions' coefficients that are used.
    """
    columns = Columns(point, range(point.size))
    rows = [jet_of(vector, columns, order) for vector in vectors]
    members = [
        row for group in groups for row in jets_of_members(group, unknowns, columns, order, margin, deadline)
    ]
    orders = _pivot_orders([*rows, *members], columns, deadline)
    added = len(orders) - len(_pivot_orders(members, columns, deadline))
    return [sum(1 for m in orders if m <= k) for k in range(order + 1)], added


def _pivot_orders(rows: Sequence[Row], columns: Columns, deadline: float) -> list[int]:
    """Orders of the pivots when low orders are eliminated first: those up to k count the rank of k-jets."""
    turned = [{-column: c for column, c in row.items()} for row in rows if row]
    return [columns.order(-column) for column in eliminate(turned, columns.point.p, deadline)]


def jet_of(vector: Vector, columns: Columns, order: int) -> Row:
    """The Taylor coefficients of a generator's components."""
    point = columns.point
    return {columns.of(k, key): c for k, e in enumerate(vector) for key, c in point.series(e, order).items()}


def jets_of_members(
    group: Group, unknowns: Unknowns, target: Columns, order: int, margin: int, deadline: float
) -> list[Row]:
    """The jets that the free Taylor coefficients of a family's functions give.

    Side conditions are expanded `margin` orders further than the functions' coefficients that are used.
    """
    point = target.point
    p, used = point.p, order + order_of_values(group)
    top = used + margin
    own = Columns(point, group.functions)
    conditions, vanishing = without_vanishing(group.conditions)
    for f in group.functions:
        for v in range(point.size):
            if v not in unknowns.arguments[f]:
                vanishing.add(f, raised(unknowns.zero, v))
    check_size(own.count, max(len(unknowns.arguments[f]) for f in group.functions), top)
    rows: list[Row] = []
    for condition in conditions:
        degree = top - order_of(condition)
        if degree >= 0:
            expanded = {key: point.series(c, degree) for key, c in condition.items()}
            rows += rows_of(expanded, top, own, vanishing)
    pivots = eliminate(rows, p, deadline)
    values: dict[int, Row] = {column: {column: 1} for column in free_columns(own, pivots, vanishing, top)}
    for lead in sorted(pivots):
        value: Row = {}
        for column, c in pivots[lead].items():
            if column != lead:
                for free, x in values[column].items():
                    value[free] = (value.get(free, 0) - c * x) % p
        values[lead] = value
    images: dict[int, Row] = {}
    for k, form in enumerate(group.values):
        for (f, K), c in form.items():
            series = point.series(c, order)
            for key, up, factor in shifted(point, K, order):
                if vanishing.has(f, up):
                    continue
                for free, x in values[own.of(f, point.pack(up))].items():
                    image = images.setdefault(free, {})
                    for at, y in series.items():
                        if point.degree(at + key) <= order:
                            column = target.of(k, at + key)
                            image[column] = (image.get(column, 0) + x * factor * y) % p
    return [{column: c for column, c in image.items() if c} for image in images.values()]
