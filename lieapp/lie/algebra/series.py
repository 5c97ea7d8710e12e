"""Series, centre, Killing form, radical and nilradical of a Lie algebra (Jacobson 1962; de Graaf 2000, ch. 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from lieapp.lie.algebra.scalars import Row, Scalar
from lieapp.lie.algebra.table import Algebra, Basis


def derived_series(g: Algebra) -> list[Basis]:
    """[g, g], [[g, g], [g, g]], … down to the member that repeats, given once; [] if that is 0."""
    return _series(g, lambda A: g.commutator(A, A))


def lower_central_series(g: Algebra) -> list[Basis]:
    """[g, g], [g, [g, g]], … down to the member that repeats, given once; [] if that is 0."""
    whole = g.whole
    return _series(g, lambda A: g.commutator(whole, whole if len(A) == g.size else A))


def _series(g: Algebra, following: Callable[[Basis], Basis]) -> list[Basis]:
    members: list[Basis] = []
    current = g.whole
    while True:
        after = following(current)
        if members and len(after) == len(current):
            return members
        members.append(after)
        if len(after) == len(current) or not after:
            return members
        current = after


def center(g: Algebra) -> Basis:
    """{z : [z, x] = 0 for all x}."""
    columns = [g.adjoint(g.unit(i)) for i in range(g.size)]
    rows = [[columns[i][j][k] for i in range(g.size)] for j in range(g.size) for k in range(g.size)]
    return g.scalars.kernel(rows, g.size)


def killing_form(g: Algebra) -> list[Row]:
    """κ(eᵢ, eⱼ) = tr(ad eᵢ ad eⱼ)."""
    zero = g.scalars.zero
    ad = [
        {(j, k): c for j, row in enumerate(g.adjoint(g.unit(i))) for k, c in enumerate(row) if c}
        for i in range(g.size)
    ]
    form = [[zero] * g.size for _ in range(g.size)]
    for i in range(g.size):
        for j in range(i, g.size):
            total = zero
            for (k, m), c in ad[i].items():
                other = ad[j].get((m, k))
                if other is not None:
                    total = total + c * other
            form[i][j] = form[j][i] = total
    return form


def radical(g: Algebra, form: list[Row], derived: Basis) -> Basis:
    """The largest solvable ideal {x : κ(x, [g, g]) = 0} (Cartan's criterion)."""
    rows = [[_pairing(d, column) for column in form] for d in derived]
    return g.scalars.kernel(rows, g.size)


def _pairing(a: Row, b: Row) -> Scalar:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True) if x and y), a[0] * b[0])


def is_nilpotent(g: Algebra, A: Basis) -> bool:
    """Whether a subalgebra is nilpotent."""
    current = A
    while current:
        after = g.commutator(A, current)
        if len(after) == len(current):
            return False
        current = after
    return True


def nilradical(g: Algebra, radical: Basis) -> Basis:
    """The largest nilpotent ideal, that of the radical r.

    x lies in it exactly when tr(ad x b) = 0 for each b in the associative algebra that ad r generates, for in a
    triangular form only the characters of r count. Powers of ad c, c in r, are such b: they bound the nilradical
    from above, and what is left is it as soon as it is nilpotent, an ideal of r as it contains [r, r].
    """
    r = g.subalgebra(radical)
    inside = r.commutator(r.whole, r.whole)
    outside = [k for k in range(r.size) if not r.contains(inside, [r.unit(k)])]
    found, rows = r.whole, []
    adjoints = [r.adjoint(r.unit(k)) for k in range(r.size)]
    for c in _directions(r, outside):
        if is_nilpotent(r, found):
            break
        step = power = r.adjoint(c)
        for _ in range(r.size):
            rows.append([_trace(ad, power, r) for ad in adjoints])
            power = _times(step, power, r)
        found = r.scalars.kernel(rows, r.size)
    return g.scalars.echelon(combined(x, radical, g) for x in found)[0]


def _directions(r: Algebra, outside: list[int]) -> Iterator[Row]:
    """Elements c of r: those of the basis, then mixtures, of which some separate all weights."""
    yield from (r.unit(k) for k in outside)
    for step in count(1):
        yield [r.scalars.number(step**k) if k in outside else r.scalars.zero for k in range(r.size)]


def combined(coefficients: Row, A: Basis, g: Algebra) -> Row:
    """Σ coefficients · A."""
    total = [g.scalars.zero] * g.size
    for c, a in zip(coefficients, A, strict=True):
        if c:
            total = [t + c * x if x else t for t, x in zip(total, a, strict=True)]
    return total


def _times(A: list[Row], B: list[Row], g: Algebra) -> list[Row]:
    return [combined(row, B, g) for row in A]


def _trace(A: list[Row], B: list[Row], g: Algebra) -> Scalar:
    total = g.scalars.zero
    for i, row in enumerate(A):
        for j, x in enumerate(row):
            if x and B[j][i]:
                total = total + x * B[j][i]
    return total
