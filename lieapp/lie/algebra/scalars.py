"""The exact field of an algebra's structure constants, and linear algebra over it.

Rational numbers, radicals and parameters give ℚ(α)(p₁, …), α algebraic, where being zero is decided. Any
other number or function of parameters (log(3), 2**n) becomes one more indeterminate: what vanishes with it
does vanish, and what doesn't is proved nonzero by its value, else `Undecided` is raised. So nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any

import sympy as sp
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from lieapp.equations.coefficients import coprime
from lieapp.equations.factors import vanishing_factors
from lieapp.lie.linear import add

Scalar = Any
"""An element of the field (QQ, an algebraic field or a fraction field of SymPy)."""
Row = list[Scalar]
SparseRow = dict[int, Scalar]

MAX_DEGREE = 16
"""Degree of the algebraic extension beyond which radicals count as unrelated numbers."""
DIGITS = 40


class Undecided(Exception):  # noqa: N818 - not an error: the answer is "not known"
    """Whether a number is zero could not be decided."""


class Scalars:
    """The field that holds structure constants, with elimination that records what it divides by.

    `nonzero` are expressions in the parameters that are known not to vanish.
    """

    def __init__(self, expressions: Iterable[sp.Expr], nonzero: Sequence[sp.Expr] = ()) -> None:
        self.nonzero = tuple(nonzero)
        self.assumed: list[sp.Expr] = []
        self._divisors: set[Any] = set()
        found: set[sp.Expr] = set()
        opaque: set[sp.Expr] = set()
        self._root_orders: dict[sp.Symbol, int] = {}
        for e in _leaves(expressions):
            base, exponent = e.as_base_exp()
            if base.is_Symbol and exponent.is_Rational:
                self._root_orders[base] = sp.ilcm(self._root_orders.get(base, 1), int(exponent.q))
            elif e.is_Pow and exponent.is_Rational and base.is_Rational and base > 0:
                found.add(e)
            else:
                opaque.add(e)
        radicals = sorted(found, key=str)
        ground = QQ
        if radicals and sp.prod(r.exp.q for r in radicals) <= MAX_DEGREE:
            ground, _ = sp.construct_domain(radicals, extension=True)
        else:
            opaque |= found
            radicals = []
        self._known: dict[sp.Expr, Scalar] = {}
        roots = {p: sp.Dummy(str(p)) for p, _ in sorted(self._root_orders.items(), key=str)}
        self._names = {symbol: p ** sp.Rational(1, self._root_orders[p]) for p, symbol in roots.items()}
        hidden = {sp.Dummy("c"): e for e in sorted(opaque, key=str)}
        self._names |= hidden
        self._opaque = set(hidden)
        self.parameters = frozenset().union(*(e.free_symbols for e in self._names.values()))
        self._transcendental = bool(self._names)
        self.domain = ground.frac_field(*self._names) if self._names else ground
        self.zero, self.one = self.domain.zero, self.domain.one
        for symbol, e in self._names.items():
            self._known[e] = self.domain.from_sympy(symbol)
        for p, q in self._root_orders.items():
            self._known[p] = self.domain.from_sympy(roots[p]) ** q
        for r in radicals:
            self._known[r] = self.domain.convert_from(ground.from_sympy(r), ground)

    def number(self, value: int | sp.Rational) -> Scalar:
        """A rational number of the field."""
        value = sp.Rational(value)
        return self.domain.convert_from(QQ(int(value.p), int(value.q)), QQ)

    def element(self, e: sp.Expr) -> Scalar:
        """The element of one of the expressions; its denominator counts as divided by."""
        if e == 0:
            return self.zero
        result = self._element(sp.sympify(e, strict=True))
        if self._transcendental:
            self.divide(self.domain.convert_from(result.denom, self.domain.get_ring()))
        return result

    def _element(self, e: sp.Expr) -> Scalar:
        if e in self._known:
            return self._known[e]
        if e.is_Rational:
            return self.number(e)
        if e.is_Add or e.is_Mul:
            total = self.zero if e.is_Add else self.one
            for a in e.args:
                total = total + self._element(a) if e.is_Add else total * self._element(a)
            return total
        if e.is_Pow and e.exp.is_Integer:
            return self._element(e.base) ** int(e.exp)
        # a power of a parameter's root
        order = self._root_orders[e.base]
        return self._known[e.base ** sp.Rational(1, order)] ** int(e.exp * order)

    def expression(self, a: Scalar) -> sp.Expr:
        """The SymPy expression of an element."""
        e = self.domain.to_sympy(a)
        if e.is_Rational:
            return e
        return sp.factor(e).xreplace(self._names) if self._transcendental else sp.expand(e)

    def divide(self, a: Scalar) -> None:
        """Record that an element was divided by. Raises Undecided if it may be zero after all."""
        if not self._transcendental or a.numer in self._divisors or a.numer.is_ground:
            return
        e = self.domain.field.raw_new(a.numer).as_expr()
        hidden = e.free_symbols & self._opaque
        e = e.xreplace(self._names)
        if hidden:
            generic = {p: sp.Rational(1009 + 97 * k, 1013) for k, p in enumerate(sorted(e.free_symbols, key=str))}
            values = {p: -v if p.is_negative else v for p, v in generic.items()}
            if abs(sp.N(e.subs(values), DIGITS)) < sp.Float(10) ** (-DIGITS // 2):
                raise Undecided(str(e))
        for factor in vanishing_factors(e, self.parameters, self.nonzero):
            if factor not in self.assumed and -factor not in self.assumed:
                self.assumed.append(factor)
        self._divisors.add(a.numer)

    def special(self, rows: Iterable[Row], shift: int) -> tuple[Scalars, list[Row]] | None:
        """The rows at rational values of the parameters, and the field they then lie in.

        None where they have poles there, or numbers that stand as indeterminates, which can't be given values.
        """
        if self._opaque:
            return None
        if not self._transcendental:
            return self, list(rows)
        ground = copy(self)
        ground.domain, ground._transcendental = self.domain.domain, False
        ground.zero, ground.one = ground.domain.zero, ground.domain.one
        gens = self.domain.field.ring.gens
        point = [(x, ground.number(sp.Rational(3 + 2 * k + shift, 2 + k))) for k, x in enumerate(gens)]
        result = []
        for row in rows:
            denominators = [c.denom.evaluate(point) for c in row]
            if not all(denominators):
                return None
            result.append([c.numer.evaluate(point) / d for c, d in zip(row, denominators, strict=True)])
        return ground, result

    def sign(self, a: Scalar) -> int:
        """1, 0 or -1. Raises Undecided when it depends on the values of the parameters."""
        if not a:
            return 0
        self.divide(a)
        sign = 1
        for factor in sp.Mul.make_args(sp.factor(self.expression(a))):
            base, exponent = factor.as_base_exp()
            if exponent.is_even and base.is_real:
                continue
            if not factor.free_symbols:
                sign *= 1 if sp.N(factor, DIGITS) > 0 else -1
            elif factor.is_positive or factor.is_negative:
                sign *= 1 if factor.is_positive else -1
            else:
                raise Undecided(f"sign of {factor}")
        return sign

    def echelon(self, rows: Iterable[Row], first: int = 0) -> tuple[list[Row], tuple[int, ...]]:
        """A reduced basis of the row space, and the columns of its pivots, ascending.

        Pivots are taken from the `first` columns as long as there are any. Over numbers it is the reduced row
        echelon form; with parameters the pivots are chosen so that few expressions are divided by.
        """
        rows = [row for row in rows if any(row)]
        if not rows:
            return [], ()
        shape = (len(rows), len(rows[0]))
        if not self._transcendental:
            reduced, pivots = DomainMatrix(rows, shape, self.domain).to_sparse().rref()
            return reduced.to_list()[: len(pivots)], pivots
        done = eliminated(rows, first or shape[1], self.divide)
        return [[row.get(k, self.zero) for k in range(shape[1])] for _, row in done], tuple(p for p, _ in done)

    def kernel(self, rows: Sequence[Row], size: int) -> list[Row]:
        """A basis of {x : row · x = 0 for every row}, x with `size` entries."""
        reduced, pivots = self.echelon(rows)
        basis = []
        for free in (k for k in range(size) if k not in pivots):
            vector = [self.zero] * size
            vector[free] = self.one
            for row, p in zip(reduced, pivots, strict=True):
                vector[p] = -row[free]
            basis.append(vector)
        return self.echelon(basis)[0]

    def solution(self, rows: Sequence[Row], right: Sequence[Scalar], size: int) -> Row | None:
        """A solution of row · x = right, free entries zero; None without one."""
        reduced, pivots = self.echelon([[*row, b] for row, b in zip(rows, right, strict=True)], size)
        if size in pivots:
            return None
        x = [self.zero] * size
        for row, p in zip(reduced, pivots, strict=True):
            x[p] = row[size]
        return x

    def primitive(self, row: Row) -> list[sp.Expr]:
        """The row's multiple with coprime coefficients without denominators, the first one's sign positive."""
        if self._transcendental:
            # coprime polynomials in the parameters
            cleared = coprime(row)
            ring = self.domain.field.ring
            if ring.domain.is_QQ:
                up = sp.ilcm(1, *(int(n.denominator) for p in cleared for n in p.values()))
                down = sp.igcd(0, *(int(n.numerator * (up // n.denominator)) for p in cleared for n in p.values()))
                first = next(p for p in cleared if p)
                factor = QQ(up, down if first.LC > 0 else -down)
                cleared = [p.mul_ground(factor) for p in cleared]
            return [self.expression(self.domain.field.raw_new(p)) for p in cleared]
        expressions = [self.expression(c) for c in row]
        denominator = sp.ilcm(1, *(sp.denom(e) for e in expressions))
        content = sp.gcd_list([e * denominator for e in expressions if e != 0])
        first = next(e for e in expressions if e != 0)
        if first.could_extract_minus_sign():
            content = -content
        return [sp.expand(e * denominator / content) for e in expressions]


def _leaves(expressions: Iterable[sp.Expr]) -> Iterator[sp.Expr]:
    """What expressions are built from with + - * / and integer powers, but for rational numbers."""
    for e in expressions:
        if e.is_Add or e.is_Mul:
            yield from _leaves(e.args)
        elif e.is_Pow and e.exp.is_Integer:
            yield from _leaves([e.base])
        elif not e.is_Rational:
            yield e


def eliminated(
    rows: Sequence[Sequence[Scalar]], first: int, divide: Callable[[Scalar], None]
) -> list[tuple[int, SparseRow]]:
    """Gauss-Jordan elimination over rational functions that divides by as few of them as it can.

    Pivots, ascending, and reduced rows. Numbers are taken as pivots as long as there are any, and pivots from the
    `first` columns. `divide` is told each pivot.
    """
    sparse = [{k: c for k, c in enumerate(row) if c} for row in rows]
    done: list[tuple[int, SparseRow]] = []
    while sparse:
        # numbers first, then short polynomials
        entries = [
            ((0, 0) if c.numer.is_ground else (c.numer.degree(), len(c.numer)), len(row), k, n)
            for n, row in enumerate(sparse) for k, c in row.items()
        ]  # fmt: skip
        _, _, pivot, n = min([e for e in entries if e[2] < first] or entries)
        row = sparse.pop(n)
        divide(row[pivot])
        row = {k: c / row[pivot] for k, c in row.items()}
        sparse = [r for r in (_minus(r, pivot, row) for r in sparse) if r]
        done = [(p, _minus(r, pivot, row)) for p, r in done]
        done.append((pivot, row))
    return sorted(done, key=lambda item: item[0])


def _minus(row: SparseRow, pivot: int, other: SparseRow) -> SparseRow:
    """The row without its entry in the pivot's column."""
    if pivot not in row:
        return row
    result, factor = dict(row), -row[pivot]
    for k, c in other.items():
        add(result, k, factor * c)
    return result
