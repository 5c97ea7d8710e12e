"""A certificate that derived point symmetries are all there are, independent of the solver.

The determining equations are linear and homogeneous. At a random point over F_p their Taylor expansion leaves at
most Uₖ coefficients of order ≤ k free (`counting`), so no more symmetries differ in their k-jets; the jets of the
verified generators and families have rank Dₖ ≤ Uₖ. If no coefficient of some order is left free,
all higher ones are determined too and the dimension is at most Uₖ: a derived algebra of that dimension is complete.
With arbitrary functions the counts are compared at each order up to one more than those that determine anything and
than those of the families' conditions: from there on both grow in the way that the principal derivatives prescribe
(Riquier, Janet; Reid 1991, Eur. J. Appl. Math. 2).

What is counted are functions of fewer variables that components are made of (`parts`): in many variables a count
takes long. Where the expansion says that ∂ᵥⁿ f is 0 at two random points, modulo two primes, f is a polynomial in
v: the same linear algebra, with the same negligible probability of a fault, as in the count itself.

A generator gives the Taylor coefficients of its components, a family those of all members: the Taylor coefficients
of its functions that its side conditions leave free, sent through its formula. Ranks are taken of all together, so
that overlaps are counted once. Before anything is counted the derived symmetries must solve the equations at one
more point: ranks alone wouldn't notice a false one in place of a true one.

An unlucky point or prime may undercount: two large primes with independent points must agree. The claim is
"complete for generic parameters, up to a negligible probability".
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain
from random import Random

from msgspec.structs import replace

from lieapp.equations.jets import multi_indices
from lieapp.equations.residues import BadPointError
from lieapp.errors import EquationError
from lieapp.lie.certificate import counting
from lieapp.lie.certificate.parts import Parts
from lieapp.lie.certificate.taylor import Point, pack
from lieapp.lie.determining import DeterminingSystem
from lieapp.lie.families import Group, general_component
from lieapp.lie.linear import Form, Unknowns, lifted, reduced
from lieapp.lie.normal_form import Vector
from lieapp.results.truth import CertificateResult


def order_of_values(group: Group) -> int:
    """Highest derivative of a family's functions in its components."""
    return max(map(counting.order_of, group.values), default=0)


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
    columns = places(vectors, groups, point)
    rows = [jet_of(vector, columns, order) for vector in vectors]
    members = [
        row for group in groups for row in jets_of_members(group, unknowns, columns, order, margin, deadline)
    ]
    orders = _pivot_orders([*rows, *members], columns, deadline)
    added = len(orders) - len(_pivot_orders(members, columns, deadline))
    return [sum(1 for m in orders if m <= k) for k in range(order + 1)], added


def places(vectors: Sequence[Vector], groups: Sequence[Group], point: Point) -> counting.Columns:
    """The numbering of the Taylor coefficients of components, as many as any derived symmetry has."""
    counts = [*map(len, vectors), *(len(group.values) for group in groups)]
    return counting.Columns(point, range(max(counts, default=1)))


def _pivot_orders(rows: Sequence[counting.Row], columns: counting.Columns, deadline: float) -> list[int]:
    """Orders of the pivots when low orders are eliminated first: those up to k count the rank of k-jets."""
    turned = [{-column: c for column, c in row.items()} for row in rows if row]
    return [columns.order(-column) for column in counting.eliminate(turned, columns.point.p, deadline)]


def jet_of(vector: Vector, columns: counting.Columns, order: int) -> counting.Row:
    """The Taylor coefficients of a generator's components."""
    point = columns.point
    return {columns.of(k, key): c for k, e in enumerate(vector) for key, c in point.series(e, order).items()}


def jets_of_members(
    group: Group, unknowns: Unknowns, target: counting.Columns, order: int, margin: int, deadline: float
) -> list[counting.Row]:
    """The jets that the free Taylor coefficients of a family's functions give; `margin` as in `known_counts`."""
    point = target.point
    p, used = point.p, order + order_of_values(group)
    top = used + margin
    own = counting.Columns(point, group.functions)
    conditions, vanishing = counting.without_vanishing(group.conditions)
    for f in group.functions:
        vanishing.without_others(f, unknowns)
    counting.check_size(own.count, max(len(unknowns.arguments[f]) for f in group.functions), top)
    pivots = counting.eliminate(counting.rows_of(conditions, top, own, vanishing, deadline), p, deadline)
    grid = [K for m in range(top + 1) for K in multi_indices(point.size, m)]
    columns = (own.of(f, pack(K)) for f in own.place for K in grid if not vanishing.has(f, K))
    values = {column: {column: 1} for column in columns} | counting.solved(pivots, p)
    images: dict[int, counting.Row] = {}
    for k, form in enumerate(group.values):
        for (f, K), c in form.items():
            series = point.series(c, order)
            for key, up, factor in counting.shifted(point, K, order):
                if vanishing.has(f, up):
                    continue
                for free, x in values[own.of(f, pack(up))].items():
                    image = images.setdefault(free, {})
                    for at, y in series.items():
                        if point.degree(at + key) <= order:
                            column = target.of(k, at + key)
                            image[column] = (image.get(column, 0) + x * factor * y) % p
    return [{column: c for column, c in image.items() if c} for image in images.values()]


FURTHER = 14
"""Orders of expansion tried beyond the order of the determining equations."""

MARGIN = 3
"""Orders by which the side conditions of families are expanded further than their functions are used."""

BUDGET = 20.0
"""Seconds after which a certificate is given up, unless there is a budget for the whole."""


def certify(
    determining: DeterminingSystem, vectors: Sequence[Vector], groups: Sequence[Group], budget: float = BUDGET
) -> CertificateResult:
    """Compare the derived generators (vectors) and families (groups) with all solutions of the equations.

    Raises EquationError when the derived symmetries are more than the equations allow, or one of them is none.
    """
    deadline, field = time.perf_counter() + budget, determining.field
    vectors = [[field.lift(c) for c in v] for v in vectors]
    groups = [group.lifted(field) for group in groups]
    last = CertificateResult(dimension=len(vectors))
    try:
        check(determining, vectors, groups, deadline)
        count = _Count(determining, vectors, groups, deadline)
        further = 0
        while further <= FURTHER:
            if count.divide(further):
                further = 0
                continue
            last = count.at(further)
            if last.certified:
                again = count.at(further, second=True)
                if (again.orders, again.known, again.certified) == (last.orders, last.known, True):
                    return last
                last = replace(last, reason="two primes and points disagree")
            further += 1
    except BadPointError:
        return replace(last, reason="no point modulo a prime was found at which all roots exist")
    except counting.TooLargeError as error:
        reason = f"the count was given up, too {error}"
        return replace(last, reason=f"{reason}; {last.reason}" if last.orders else reason)
    return last


def check(
    determining: DeterminingSystem, vectors: Sequence[Vector], groups: Sequence[Group], deadline: float
) -> None:
    """Raises EquationError when one of the derived symmetries leaves something of the equations at a point."""
    field = determining.field
    forms = [reduced(lifted(form, field), field) for form in determining.equations]
    order = max(map(counting.order_of, forms), default=0)
    most = max((order_of_values(group) for group in groups), default=0)
    point = Point(field, order + most + MARGIN + 1, Random(0))
    # both number the same coefficients in the same way
    columns, own = counting.Columns(point, determining.components), places(vectors, groups, point)
    rows = [counting.row_at(form, columns) for form in forms]
    jets = ((f"generator {k}", [jet_of(v, own, order)]) for k, v in enumerate(vectors, start=1))
    members = (
        (f"family {k}", jets_of_members(group, determining.unknowns, own, order, MARGIN, deadline))
        for k, group in enumerate(groups, start=1)
    )
    for told, found in chain(jets, members):
        if any(sum(c * jet.get(column, 0) for column, c in row.items()) % point.p for jet in found for row in rows):
            raise EquationError(
                f"{determining.system.name}: {told} of the derived ones doesn't solve the determining equations, "
                "and only symmetries can be counted.",
                hint="This is a fault of the solver or of the certificate; please report the equation.",
            )


def _inside(form: Form, functions: Sequence[int]) -> Form:
    """The terms with some functions."""
    return {(f, K): c for (f, K), c in form.items() if f in functions}


class _Count:
    """The two counts at one point after the other, of the parts that components are made of."""

    def __init__(
        self, determining: DeterminingSystem, vectors: Sequence[Vector], groups: Sequence[Group], deadline: float
    ) -> None:
        self.field, self.name, self.deadline = determining.field, determining.system.name, deadline
        self.unknowns = determining.unknowns.copy()
        self.numbered, self.groups = {self.unknowns.new(()): v for v in vectors}, groups
        components = determining.components
        known = {
            f: general_component(k, self.numbered, groups, self.unknowns) for k, f in enumerate(components)
        }
        forms = [reduced(lifted(form, self.field), self.field) for form in determining.equations]
        self.parts = Parts(forms, known, self.field, self.unknowns, deadline)
        self._renew()

    def divide(self, further: int) -> bool:
        """Replace parts by those of fewer variables, where derivatives of them vanish; whether any do.

        They are those that an expansion `further` than the order of the equations makes 0 at both points.
        """
        functions = self.parts.functions
        found = self._expansion(further).zero()
        if found:
            found &= self._expansion(further, second=True).zero()
        if found:
            self.parts.take_vanishing((functions[place], K) for place, K in found)
        if not self.parts.split() and not found:
            return False
        self._renew()
        return True

    def _expansion(self, further: int, second: bool = False) -> counting.Expansion:
        """The expansion at one of two points, with primes of their own."""
        if (further, second) not in self._expansions:
            order, parts, vanishing = self.parts.order + further, self.parts, self.parts.whole()
            counting.check_left(parts.functions, vanishing, len(self.field.variables), order)
            seed = order + (1000 if second else 0)
            point = Point(self.field, max(order, self.regular + 2) + 2 * MARGIN, Random(seed))
            columns = counting.Columns(point, parts.functions)
            self._expansions[further, second] = counting.expanded(
                parts.rest, order, columns, vanishing, self.deadline
            )
        return self._expansions[further, second]

    def _renew(self) -> None:
        """The generators and families as values of the parts."""
        values, zero = self.parts.known.values(), self.unknowns.zero
        self.vectors = [[value.get((c, zero), self.field.zero) for value in values] for c in self.numbered]
        self.groups = [
            Group(g.functions, g.conditions, tuple(_inside(value, g.functions) for value in values))
            for g in self.groups
        ]
        # order from which the families' own counts go on regularly
        orders = (order_of_values(g) + max(map(counting.order_of, g.conditions), default=0) for g in self.groups)
        self.regular = max(orders, default=0)
        self._expansions: dict[tuple[int, bool], counting.Expansion] = {}

    def at(self, further: int, second: bool = False) -> CertificateResult:
        """The counts of an expansion `further` than the order of the equations, at one of two points."""
        expansion = self._expansion(further, second)
        point, orders = expansion.columns.point, expansion.free()
        end = next((k for k in range(len(orders) - 1) if orders[k] == orders[k + 1]), None)
        to = max(len(orders) - 4, self.regular) + 1 if end is None else end
        if end is None:
            orders = counting.free_counts(expansion.least(), point.size, to)
        margin = MARGIN if second else MARGIN - 1
        known, added = known_counts(self.vectors, self.groups, self.unknowns, point, to, margin, self.deadline)
        orders = orders[: to + 1]
        if any(u < d for u, d in zip(orders, known, strict=True)):
            raise EquationError(
                f"{self.name}: the derived symmetries have jets of ranks {known}, but the determining equations "
                f"leave only {orders} free.",
                hint="This is a fault of the solver or of the certificate; please report the equation.",
            )
        bound = orders[-1] if end is not None and not self.groups else None
        if self.groups:
            reason = "" if orders == known else f"of {orders} free Taylor coefficients {known} are derived"
        elif bound is None:
            reason = "the number of free Taylor coefficients isn't bounded"
        else:
            reason = "" if bound == known[-1] else f"there may be {bound} symmetries, {known[-1]} are derived"
        if not reason and added != len(self.vectors):
            reason = f"{len(self.vectors)} generators are derived, but only {added} are independent"
        return CertificateResult(bound=bound, dimension=added, orders=orders, known=known, reason=reason)
