"""Spans of vector fields: coordinates over the constants, and the normal form of a basis.

A field is a list of components in the coefficient field. Over a common denominator its components are
polynomials in coordinates and atoms; their monomials are the columns of a matrix over the constants. Row
echelon form with the highest monomials first splits the span by every grading that the monomials carry,
so each generator is homogeneous when the algebra contains a scaling.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import gcd
from typing import Any

import sympy as sp

from lieapp.equations.coefficients import CoefficientField, Element, common_denominator, coprime, parted

Vector = list[Element]
Column = tuple[int, tuple[int, ...]]
Row = dict[Column, Element]
Cleared = dict[Column, Any]
"""A row of polynomials in the constants."""


def rows_of(vectors: Sequence[Vector], field: CoefficientField) -> tuple[list[Row], Any]:
    """Coefficients of each field's monomials over the common denominator, up to a common constant; and it."""
    denominator = common_denominator((c for vector in vectors for c in vector), field.field.ring.one)
    movers = set(field.movers(*range(len(field.variables))))
    rows = []
    for vector in vectors:
        row: Row = {}
        for k, c in enumerate(vector):
            polynomial = field.reduce_polynomial(c.numer * denominator.exquo(c.denom))
            row |= {(k, on): field.field.raw_new(rest) for on, rest in parted(polynomial, movers).items()}
        rows.append(row)
    # without the greatest factor in the constants alone
    content = reduce(lambda common, p: common.gcd(p), parted(denominator, movers).values(), field.field.ring.zero)
    return rows, denominator.exquo(content)


def column_key(column: Column) -> tuple:
    """High degrees first; marks, with k < 0, last."""
    k, monomial = column
    return (k < 0, -sum(monomial), tuple(-e for e in reversed(monomial)), k)


def echelon(
    rows: Sequence[Row], field: CoefficientField, divided: list[Element] | None = None
) -> list[tuple[Column, Row]]:
    """Reduced row echelon form with its pivots; zero rows are dropped.

    What is divided by is appended to `divided`.
    """
    done: list[tuple[Column, Row]] = []
    for row in rows:
        for pivot, other in done:
            if pivot in row:
                row = _minus(row, row[pivot], other, field)
        if not row:
            continue
        pivot = min(row, key=column_key)
        if divided is not None:
            divided.append(row[pivot])
        row = {column: field.reduce(c / row[pivot]) for column, c in row.items()}
        done = [(p, _minus(r, r[pivot], row, field) if pivot in r else r) for p, r in done]
        done.append((pivot, row))
    return sorted(done, key=lambda item: column_key(item[0]))


def _minus(row: Row, factor: Element, other: Row, field: CoefficientField) -> Row:
    result = dict(row)
    for column, c in other.items():
        value = field.reduce(result.get(column, field.zero) - factor * c)
        if value:
            result[column] = value
        else:
            result.pop(column, None)
    return result


def normal_basis(vectors: Sequence[Vector], field: CoefficientField) -> list[Vector]:
    """The normal form of a basis of the span: row echelon, integer coefficients, simple generators first."""
    rows, denominator = rows_of(vectors, field)
    result = []
    for cleared in _independent(list(reversed(echelon(rows, field))), field):
        # the first coordinate's leading coefficient positive
        first = min(cleared, key=lambda column: (column[0], column_key(column)))
        sign = -1 if cleared[first].LC < 0 else 1
        vector = [field.zero] * len(vectors[0])
        for (k, monomial), p in cleared.items():
            vector[k] += field.field.raw_new(sign * p * field.field.ring.from_dict({monomial: 1}))
        vector = [field.reduce(c / field.field.raw_new(denominator)) for c in vector]
        # without numeric denominators or a common integer factor
        up = sp.ilcm(1, *(int(c.denom.content()) for c in vector))
        vector = [c * int(up) for c in vector]
        down = gcd(*(int(c.numer.content()) for c in vector))
        result.append([c / max(down, 1) for c in vector])
    return sorted(result, key=lambda vector: _simplicity(vector, field))


def _independent(rows: Sequence[tuple[Column, Row]], field: CoefficientField) -> list[Cleared]:
    """The rows with coprime coefficients without denominators, independent also where a pivot vanishes.

    The pivots form a diagonal matrix, so only their factors f in the constants can make rows dependent. If
    Σ cⱼ rⱼ = 0 where f = 0, with a number c_k, then Σ cⱼ rⱼ / f takes the place of r_k. That is done for f that are
    linear in a constant with the coefficient 1 or -1.
    """
    cleared = [dict(zip(row, coprime(list(row.values())), strict=True)) for _, row in rows]
    factors = [
        item for row, (pivot, _) in zip(cleared, rows, strict=True) for item in row[pivot].factor_list()[1]
    ]
    for f, multiplicity in factors:
        for _ in range(multiplicity):
            found = _combined(cleared, f, field)
            if found is None:
                break
            k, row = found
            cleared[k] = row
    return cleared


def _combined(rows: Sequence[Cleared], f: Any, field: CoefficientField) -> tuple[int, Cleared] | None:
    """Σ cⱼ rⱼ / f, and a k where c_k is a number, if the rows are dependent where f = 0; else None."""
    ring, constants = field.field.ring, range(len(field.variables), len(field.variables) + len(field.constants))
    n = next((n for n in constants if f.degree(ring.gens[n]) == 1 and f.diff(ring.gens[n]) in (1, -1)), None)
    if n is None or any(e for m in f for k, e in enumerate(m) if k not in constants):
        return None
    root = ring.gens[n] - f * f.diff(ring.gens[n])
    special = [
        {column: field.field.raw_new(v) for column, p in row.items() if (v := p.compose(ring.gens[n], root))}
        for row in rows
    ]
    marked = [{**row, (-1 - j, ()): field.one} for j, row in enumerate(special)]
    for pivot, relation in echelon(marked, field):
        c = {-1 - j: p for (j, _), p in zip(relation, coprime(list(relation.values())), strict=True)}
        numbers = [k for k, p in c.items() if p.is_ground]
        if pivot[0] >= 0 or not numbers:
            continue
        columns = dict.fromkeys(column for j in c for column in rows[j])
        total = {column: sum((p * rows[j].get(column, 0) for j, p in c.items()), ring.zero) for column in columns}
        return max(numbers), {column: p.exquo(f) for column, p in total.items() if p}
    return None


def _simplicity(vector: Vector, field: CoefficientField) -> tuple:
    movers = field.movers(*range(len(field.variables)))
    parts = [part for c in vector for part in (c.numer, c.denom)]
    size = max(sum(m[n] for n in movers) for part in parts for m in part)
    nonzero = [k for k, c in enumerate(vector) if c]
    return (size, len(nonzero), nonzero, [len(c.numer) for c in vector])


def coordinates_in(basis: Sequence[Vector], vectors: Sequence[Vector], field: CoefficientField) -> list[Row | None]:
    """Each vector's coefficients in the basis as {(j, ()): c}, None when it isn't in the span."""
    rows, _ = rows_of([*basis, *vectors], field)
    n = len(basis)
    marked = [{**row, (-1 - j, ()): field.one} for j, row in enumerate(rows[:n])]
    pivots = [(pivot, row) for pivot, row in echelon(marked, field) if pivot[0] >= 0]
    result: list[Row | None] = []
    for row in rows[n:]:
        for pivot, other in pivots:
            if pivot in row:
                row = _minus(row, row[pivot], other, field)
        rest = any(column[0] >= 0 for column in row)
        result.append(None if rest else {(-1 - column[0], ()): -c for column, c in row.items()})
    return result


def relations(
    vectors: Sequence[Vector], field: CoefficientField, divided: list[Element] | None = None
) -> list[Row]:
    """A basis of all {(j, ()): cⱼ} with Σ cⱼ vⱼ = 0; the last vector in each doesn't occur in the others.

    What is divided by is appended to `divided`: where one of these vanishes there may be more.
    """
    rows, _ = rows_of(vectors, field)
    marked = [{**row, (-1 - j, ()): field.one} for j, row in enumerate(rows)]
    zero = [row for pivot, row in echelon(marked, field, divided) if pivot[0] < 0]
    return [{(-1 - k, ()): c for (k, _), c in row.items()} for row in zero]


def expression_of(element: Element, field: CoefficientField) -> sp.Expr:
    """The shortest of a few exact forms of a component."""
    if not element:
        return sp.S.Zero
    names = field.table.expressions()
    raw = element.as_expr()
    plain = raw.xreplace(names)
    forms = [plain, sp.factor(raw).xreplace(names), sp.factor(plain), sp.expand(plain)]
    return min(forms, key=lambda e: (sp.count_ops(e), e.is_Add, len(str(e))))
