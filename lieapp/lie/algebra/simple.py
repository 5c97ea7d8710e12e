"""The type of a semisimple Lie algebra over ℝ, from the Killing form's signature and the count of its ideals.

The real simple algebras (Helgason 1978, ch. X, table V) by dimension, by the number of positive squares of the
Killing form (the noncompact directions) and by the number of simple ideals of the complexification. Where more
than one sum of them fits, the type is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import count, product
from typing import NamedTuple

from lieapp.lie.algebra.scalars import Row, Scalars, Undecided
from lieapp.lie.algebra.series import Algebra, combined, killing_form


class Simple(NamedTuple):
    """A real simple algebra, as `sl(2, R)`: its dimension, and the positive squares of its Killing form.

    `ideals` counts the simple ideals of the complexification: 2 for a complex algebra taken as a real one.
    """

    name: str
    dimension: int
    positive: int
    ideals: int = 1


def _forms(name: str, n: int, dimension: int, each: int) -> list[Simple]:
    """The compact form su(n) or so(n), and su(p, q) or so(p, q) with `each` times p q positive squares."""
    forms = [Simple(f"{name}({n})", dimension, 0)]
    return forms + [Simple(f"{name}({n - q}, {q})", dimension, each * (n - q) * q) for q in range(1, n // 2 + 1)]


def _catalogue() -> list[Simple]:
    """Up to dimension 24, one name for each class of isomorphic algebras, besides what no other fits."""
    forms = [Simple("so(3)", 3, 0), Simple("sl(2, R)", 3, 2), Simple("sl(2, C)", 6, 3, 2)]
    forms += [Simple("sl(3, R)", 8, 5), *_forms("su", 3, 8, 2), Simple("sl(3, C)", 16, 8, 2)]
    forms += [*_forms("so", 5, 10, 1), Simple("so(5, C)", 20, 10, 2)]
    forms += [Simple("G2", 14, 0), Simple("G2(2)", 14, 8)]
    # so(3, 3) = sl(4, R), so(4, 2) = su(2, 2), so(5, 1) = su*(4), so(6) = su(4)
    forms += [f for f in _forms("so", 6, 15, 1) if f.name != "so(3, 3)"]
    forms += [Simple("sl(4, R)", 15, 9), Simple("su(3, 1)", 15, 6)]
    forms += [
        *_forms("so", 7, 21, 1),
        Simple("sp(3)", 21, 0),
        Simple("sp(2, 1)", 21, 8),
        Simple("sp(6, R)", 21, 12),
    ]
    forms += [*_forms("su", 5, 24, 2), Simple("sl(5, R)", 24, 14)]
    return forms


LARGEST = 24


def type_of(s: Algebra) -> str | None:
    """`sl(2, R)`, `so(3) + sl(2, R)`, …; None if the table leaves it open. Raises Undecided for unknown signs."""
    if not s.size or s.size > LARGEST:
        return None
    positive = signature(killing_form(s), s.scalars)[0]
    sums = list(_sums(_catalogue(), s.size, positive))
    if len(sums) > 1:
        ideals = count_of_ideals(s)
        sums = [parts for parts in sums if sum(f.ideals for f in parts) == ideals]
    return " + ".join(sorted(f.name for f in sums[0])) if len(sums) == 1 else None


def _sums(forms: list[Simple], dimension: int, positive: int) -> Iterator[list[Simple]]:
    """Multisets of simple algebras with these totals."""
    if not dimension and not positive:
        yield []
    for k, f in enumerate(forms):
        if f.dimension <= dimension and f.positive <= positive:
            rest = dimension - f.dimension, positive - f.positive
            yield from ([f, *parts] for parts in _sums(forms[k:], *rest))


def signature(form: list[Row], scalars: Scalars) -> tuple[int, int]:
    """Positive and negative squares of a symmetric form. Raises Undecided when a sign is open."""
    form = [list(row) for row in form]
    left = list(range(len(form)))
    plus = minus = 0
    while left:
        squares = [k for k in left if form[k][k]]
        if squares:
            # a vector whose square has a known sign
            for square in squares:
                with suppress(Undecided):
                    sign = scalars.sign(form[square][square])
                    break
            else:
                raise Undecided("signs of the Killing form")
            plus, minus = plus + (sign > 0), minus + (sign < 0)
            used = [square]
        else:
            pair = next(((i, j) for i in left for j in left if form[i][j]), None)
            if pair is None:
                break
            # a hyperbolic plane, whatever the sign of its entry
            plus, minus = plus + 1, minus + 1
            used = list(pair)
        left = [k for k in left if k not in used]
        # the rest is made orthogonal to one vector, or to two isotropic ones
        pivot = form[used[0]][used[-1]]
        scalars.divide(pivot)
        for i, j in product(left, left):
            for a, b in {(used[0], used[-1]), (used[-1], used[0])}:
                if form[i][a] and form[b][j]:
                    form[i][j] = form[i][j] - form[i][a] * form[b][j] / pivot
    return plus, minus


def count_of_ideals(s: Algebra) -> int:
    """Simple ideals of the complexification of a semisimple algebra: the dimension of its centroid.

    A map φ that commutes with every ad z is known from y = φ(x) if x generates s as an ideal. The words
    ad z₁ … ad z_m x span s, their linear relations are the conditions on y.
    """
    s = _at_numbers(s)
    elements = ([s.scalars.number((k + 1) ** step % 97 + 1) for k in range(s.size)] for step in count(1))
    return next(found for x in elements if (found := _centroid(s, x)) is not None)


def _at_numbers(s: Algebra) -> Algebra:
    """The algebra at values of its parameters where the Killing form is nondegenerate.

    Semisimple algebras are rigid, so over the complex numbers it is the same one at all such values.
    """
    for shift in range(20):
        found = s.scalars.special(s.brackets.values(), shift)
        if found is None:
            continue
        scalars, rows = found
        special = Algebra(s.size, dict(zip(s.brackets, rows, strict=True)), scalars)
        if len(scalars.echelon(killing_form(special))[0]) == s.size:
            return special
    return s


def _centroid(s: Algebra, x: Row) -> int | None:
    """Dimension of the centroid, None if x doesn't generate s as an ideal."""
    ad = [s.adjoint(s.unit(k)) for k in range(s.size)]
    # maps as rows: map[i] is the image of the unit vector i
    words: list[tuple[Row, list[Row]]] = [(x, s.whole)]
    conditions: list[Row] = []
    position = 0
    while position < len(words):
        word, image = words[position]
        position += 1
        longer = [(s.product(s.unit(k), word), [combined(row, ad[k], s) for row in image]) for k in range(s.size)]
        columns = [*words, *longer]
        reduced, pivots = s.scalars.echelon([[w[n] for w, _ in columns] for n in range(s.size)], len(words))
        for k in range(len(words), len(columns)):
            if k not in pivots:
                # (image - Σ c · other)(y) = 0, a row for each component
                image = columns[k][1]
                for c, other in ((row[k], columns[p][1]) for row, p in zip(reduced, pivots, strict=True) if row[k]):
                    image = [
                        [a - c * b if b else a for a, b in zip(row, moved, strict=True)]
                        for row, moved in zip(image, other, strict=True)
                    ]
                conditions += [list(column) for column in zip(*image, strict=True)]
        words = [columns[p] for p in pivots]
        if len(words) == s.size:
            conditions = s.scalars.echelon(conditions)[0]
            if len(conditions) == s.size - 1:
                return 1
    return s.size - len(conditions) if len(words) == s.size else None
