"""Counting solutions of linear homogeneous systems by their Taylor coefficients at a point over F_p.

The unknowns are the coefficients of the functions' Taylor series up to order N, the rows the expansions of the
equations. Eliminating high orders first, the columns left without a pivot are the free (parametric)
coefficients: Riquier and Janet's count of the initial data of a system, done numerically (Reid 1991, Eur. J.
Appl. Math. 2, "Finding abstract Lie symmetry algebras of differential equations without integrating
determining equations").
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import comb, factorial, perm, prod

from lieapp.equations.jets import MultiIndex, divides, multi_indices, raised
from lieapp.lie.certificate.taylor import Point, pack
from lieapp.lie.linear import Form, Key, Unknowns

Row = dict[int, int]
"""Column -> value mod p."""

MAX_UNKNOWNS = 20_000
"""Taylor coefficients beyond which counting is given up."""


class TooLargeError(Exception):
    """More unknowns or time than allowed."""


class Columns:
    """The numbering of functions' Taylor coefficients at a point, order first, then lexicographic: a ranking."""

    def __init__(self, point: Point, functions: Sequence[int]) -> None:
        self.point = point
        self.place = {f: n for n, f in enumerate(functions)}
        self.count = len(self.place)

    def of(self, f: int, key: int) -> int:
        """The column of the coefficient of a packed monomial."""
        return key * self.count + self.place[f]

    def order(self, column: int) -> int:
        """The order of a column's derivative."""
        return self.point.degree(column // self.count)

    def split(self, column: int) -> tuple[int, MultiIndex]:
        """Place of the function and exponents."""
        key, f = divmod(column, self.count)
        return f, self.point.exponents(key)


class Vanishing:
    """Derivatives that vanish identically, from equations of one term."""

    def __init__(self) -> None:
        self.least: dict[int, list[MultiIndex]] = {}
        self._left: dict[int, list[list[MultiIndex]]] = {}
        self._has: dict[int, dict[MultiIndex, bool]] = {}

    def has(self, f: int, K: MultiIndex) -> bool:
        """Whether ∂_K f is a derivative of one that vanishes."""
        known = self._has.setdefault(f, {})
        if K not in known:
            known[K] = any(divides(J, K) for J in self.least.get(f, ()))
        return known[K]

    def add(self, f: int, K: MultiIndex) -> None:
        """∂_K f = 0."""
        self.least[f] = [J for J in self.least.get(f, []) if not divides(K, J)] + [K]
        self._left.pop(f, None)
        self._has.pop(f, None)

    def without_others(self, f: int, unknowns: Unknowns) -> None:
        """∂ᵥ f = 0 for the variables v that f doesn't depend on."""
        for v in set(range(unknowns.size)) - unknowns.arguments[f]:
            self.add(f, raised(unknowns.zero, v))

    def left(self, f: int, size: int, order: int) -> list[list[MultiIndex]]:
        """For each order up to this one the K for which ∂_K f needn't vanish. Raises TooLargeError for too many."""
        layers = self._left.setdefault(f, [[] if self.has(f, (0,) * size) else [(0,) * size]])
        while len(layers) <= order:
            # whatever divides a derivative that needn't vanish is one
            up = {raised(K, i) for K in layers[-1] for i in range(size)}
            layers.append(sorted(K for K in up if not self.has(f, K)))
            if sum(map(len, layers)) > MAX_UNKNOWNS:
                raise TooLargeError("large")
        return layers[: order + 1]


def without_vanishing(equations: Iterable[Form]) -> tuple[list[Form], Vanishing]:
    """The equations of several terms that are left, and what those of one term say."""
    vanishing, rest, changed = Vanishing(), [dict(e) for e in equations], True
    while changed:
        changed, kept = False, []
        for equation in rest:
            equation = {key: c for key, c in equation.items() if not vanishing.has(*key)}
            if len(equation) == 1:
                vanishing.add(*next(iter(equation)))
                changed = True
            elif equation:
                kept.append(equation)
        rest = kept
    return rest, vanishing


def order_of(equation: Iterable[Key]) -> int:
    """The highest order of a form."""
    return max((sum(K) for _, K in equation), default=0)


def rows_of(
    equations: Iterable[Form], order: int, columns: Columns, vanishing: Vanishing, deadline: float
) -> list[Row]:
    """The Taylor coefficients of each Σ c ∂_K f up to the order that f's up to `order` determine."""
    point = columns.point
    found: list[Row] = []
    for equation in equations:
        check_time(deadline)
        own = order - order_of(equation)
        if own < 0:
            continue
        rows: dict[int, Row] = {}
        for (f, K), c in equation.items():
            series = point.series(c, own)
            for key, up, factor in _shifted_up(vanishing.left(f, point.size, own + sum(K)), K):
                column = columns.of(f, pack(up))
                for at, value in series.items():
                    if point.degree(at + key) <= own:
                        row = rows.setdefault(at + key, {})
                        row[column] = (row.get(column, 0) + value * factor) % point.p
        cleaned = ({column: c for column, c in row.items() if c} for row in rows.values())
        found += [row for row in cleaned if row]
    return found


def row_at(equation: Form, columns: Columns) -> Row:
    """The value of Σ c ∂_K f at the point, in terms of Taylor coefficients."""
    point = columns.point
    return {
        columns.of(f, pack(K)): point.value(c) * prod(map(factorial, K)) % point.p for (f, K), c in equation.items()
    }


@dataclass(frozen=True)
class Expansion:
    """What the expansion of equations to some order determines: rows with leading coefficient 1, by column."""

    columns: Columns
    vanishing: Vanishing
    pivots: Mapping[int, Row]

    def zero(self) -> set[tuple[int, MultiIndex]]:
        """The place of f and K for each ∂_K f that is 0 at the point."""
        values = solved(self.pivots, self.columns.point.p)
        return {self.columns.split(column) for column, value in values.items() if not value}

    def least(self) -> list[list[MultiIndex]]:
        """For each function the derivatives that are determined and not derivatives of another such one."""
        result: list[list[MultiIndex]] = [list(self.vanishing.least.get(f, ())) for f in self.columns.place]
        for column in sorted(self.pivots):
            place, K = self.columns.split(column)
            if not any(divides(J, K) for J in result[place]):
                result[place].append(K)
        return result

    def free(self) -> list[int]:
        """The number of free coefficients of order at most 0, 1, … up to 3 more than determine anything."""
        least = self.least()
        highest = max((sum(K) for Ks in least for K in Ks), default=0)
        return free_counts(least, self.columns.point.size, highest + 3)


def expanded(
    equations: Iterable[Form], order: int, columns: Columns, vanishing: Vanishing, deadline: float
) -> Expansion:
    """The expansion of equations to some order. Raises TooLargeError after the deadline."""
    pivots = eliminate(rows_of(equations, order, columns, vanishing, deadline), columns.point.p, deadline)
    return Expansion(columns, vanishing, pivots)


def shifted(point: Point, K: MultiIndex, order: int) -> Iterator[tuple[int, MultiIndex, int]]:
    """For all h^L up to an order: L packed, L + K, and the factor (L + K)!/L! that ∂_K gives h^(L+K)."""
    for m in range(order + 1):
        for L in multi_indices(point.size, m):
            up = tuple(a + b for a, b in zip(L, K, strict=True))
            yield pack(L), up, prod(perm(n, k) for n, k in zip(up, K, strict=True))


def _shifted_up(left: Iterable[Iterable[MultiIndex]], K: MultiIndex) -> Iterator[tuple[int, MultiIndex, int]]:
    """The same as `shifted`, for those L + K that are `left`."""
    for up in chain.from_iterable(left):
        if divides(K, up):
            L = tuple(n - k for n, k in zip(up, K, strict=True))
            yield pack(L), up, prod(perm(n, k) for n, k in zip(up, K, strict=True))


def eliminate(rows: Iterable[Row], p: int, deadline: float) -> dict[int, Row]:
    """Rows with leading coefficient 1 at their highest column, by that column; sparse rows are used first."""
    pivots: dict[int, Row] = {}
    zero: set[int] = set()
    for row in sorted(rows, key=lambda r: (max(r), len(r))):
        check_time(deadline)
        row = {column: c for column, c in row.items() if column not in zero}
        while row:
            lead = max(row)
            other = pivots.get(lead)
            if other is None:
                inverse = pow(row[lead], -1, p)
                pivots[lead] = {column: c * inverse % p for column, c in row.items()}
                if len(row) == 1:
                    zero.add(lead)
                break
            factor = p - row[lead]
            for column, c in other.items():
                value = (row.get(column, 0) + factor * c) % p
                if value:
                    row[column] = value
                else:
                    row.pop(column, None)
    return pivots


def solved(pivots: Mapping[int, Row], p: int) -> dict[int, Row]:
    """The coefficients that `eliminate` determines, in terms of the free ones."""
    values: dict[int, Row] = {}
    for lead in sorted(pivots):
        value: Row = {}
        for column, c in pivots[lead].items():
            if column != lead:
                for free, x in values.get(column, {column: 1}).items():
                    value[free] = (value.get(free, 0) - c * x) % p
        values[lead] = {free: x for free, x in value.items() if x}
    return values


def free_counts(least: Sequence[Sequence[MultiIndex]], size: int, order: int) -> list[int]:
    """The number of free coefficients of order at most 0, 1, … `order`.

    Derivatives of determined derivatives are determined too, so this holds beyond the order of the expansion.
    Raises TooLargeError for too many.
    """
    counts = [0] * (order + 1)
    for generators in least:
        layer: set[MultiIndex] = set() if any(not any(J) for J in generators) else {(0,) * size}
        for m in range(order + 1):
            counts[m] += len(layer)
            # whatever divides a free derivative is free
            up = {raised(K, i) for K in layer for i in range(size)}
            layer = {K for K in up if not any(divides(J, K) for J in generators)}
            if len(layer) > MAX_UNKNOWNS:
                raise TooLargeError("large")
    return list(accumulate(counts))


def check_size(count: int, size: int, order: int) -> None:
    """Raises TooLargeError when there would be too many Taylor coefficients."""
    if count * comb(size + order, size) > MAX_UNKNOWNS:
        raise TooLargeError("large")


def check_left(functions: Iterable[int], vanishing: Vanishing, size: int, order: int) -> None:
    """Raises TooLargeError when too many Taylor coefficients needn't vanish."""
    if sum(len(layer) for f in functions for layer in vanishing.left(f, size, order)) > MAX_UNKNOWNS:
        raise TooLargeError("large")


def check_time(deadline: float) -> None:
    """Raises TooLargeError after the deadline."""
    if time.perf_counter() > deadline:
        raise TooLargeError("slow")
