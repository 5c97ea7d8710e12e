"""Taylor coefficients of coefficients at a random point over a prime field.

The elements of a coefficient field are rational in coordinates, parameters and atoms (exp, log, roots …). At
a point coordinates and free atoms get random values of F_p, algebraic atoms roots of what they are defined by,
so all relations hold. The atoms' derivatives then fix their Taylor series: with the Euler operator
E = Σ hᵥ ∂ᵥ the part of degree m of a series is 1/m times that of E a, known from lower degrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import add
from random import Random
from typing import Any

import sympy as sp

from lieapp.equations.arbitrary import parent
from lieapp.equations.coefficients import CoefficientField, Element, parted
from lieapp.equations.jets import MultiIndex, multi_indices, raised
from lieapp.equations.residues import BadPointError, zero_of

Series = dict[int, int]
"""Packed monomial in the displacements h -> coefficient mod p, zeros left out."""

WIDTH = 8
"""Bits for each exponent of a packed monomial; the total degree stands above them."""

TRIES = 1000
"""Random points tried until all roots exist and nothing that is divided by vanishes."""


def pack(exponents: tuple[int, ...]) -> int:
    """A packed monomial, the degree in front: a product of monomials is a sum."""
    return sum(e << (WIDTH * v) for v, e in enumerate(exponents)) + (sum(exponents) << (WIDTH * len(exponents)))


SMALL = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
"""Primes by which most candidates are ruled out quickly."""


def random_prime(random: Random, bits: int = 61) -> int:
    """A safe prime p = 2q + 1: odd roots are unique in F_p, even ones exist for half of the values."""
    while True:
        q = random.randrange(2 ** (bits - 2) + 1, 2 ** (bits - 1), 2)
        if not all(q % r and (2 * q + 1) % r for r in SMALL):
            continue
        if pow(2, q - 1, q) == 1 and pow(2, 2 * q, 2 * q + 1) == 1 and sp.isprime(q) and sp.isprime(2 * q + 1):
            return 2 * q + 1


def root(value: int, degree: int, p: int) -> int:
    """An r with r**degree = value in F_p for a safe prime p. Raises BadPointError if there is none, or for 0."""
    if not value:
        raise BadPointError
    half = (p - 1) // 2
    square = pow(value, half, p) == 1
    if not square and degree % 2 == 0:
        raise BadPointError
    exponent = pow(degree, -1, half)
    return pow(value, exponent, p) if square else p - pow(p - value, exponent, p)


class Point:
    """A random point over F_p, and the Taylor series of field elements there up to a degree `order`.

    The prime and the point are drawn, but for a `prime` that is given and `known` values of generators by position.
    Raises BadPointError when no usable point is found.
    """

    def __init__(
        self,
        field: CoefficientField,
        order: int,
        random: Random,
        prime: int | None = None,
        known: Mapping[int, int] | None = None,
    ) -> None:
        self.field, self.order = field, order
        self.size = len(field.variables)
        self.top = WIDTH * self.size
        for attempt in range(TRIES):
            # some constants have roots modulo some primes only
            if attempt % 8 == 0:
                self.p = prime or random_prime(random)
            try:
                self.values = self._values(random, known or {})
                self.series_of = self._expand(random)
                return
            except BadPointError:
                continue
        raise BadPointError

    def unit(self, v: int) -> int:
        """The packed monomial hᵥ, with its degree."""
        return (1 << self.top) + (1 << (WIDTH * v))

    def degree(self, key: int) -> int:
        """Total degree of a packed monomial."""
        return key >> self.top

    def exponents(self, key: int) -> tuple[int, ...]:
        """The exponents of a packed monomial."""
        return tuple((key >> (WIDTH * v)) & ((1 << WIDTH) - 1) for v in range(self.size))

    def series(self, element: Element, order: int) -> Series:
        """The Taylor series of an element up to a degree. Raises BadPointError at a pole."""
        return self._fraction(element, order, self.series_of, {})

    def value(self, element: Element) -> int:
        """The value of an element here. Raises BadPointError at a pole."""
        return self.series(element, 0).get(0, 0)

    def multiply(self, a: Series, b: Series, order: int) -> Series:
        """The product of two series up to a degree."""
        result: Series = {}
        if len(a) > len(b):
            a, b = b, a
        bound = (order + 1) << self.top
        for i, x in a.items():
            for j, y in b.items():
                if i + j < bound:
                    result[i + j] = result.get(i + j, 0) + x * y
        p = self.p
        return {key: r for key, c in result.items() if (r := c % p)}

    def _values(self, random: Random, given: Mapping[int, int]) -> list[int]:
        p, field = self.p, self.field
        free = self.size + len(field.constants)
        values: list[int | None] = [random.randrange(2, p - 1) for _ in range(free)]
        values += [None] * len(field.table.atoms)
        roots = {field.position[s]: (degree, field.field.from_expr(power)) for s, degree, power in field.roots}
        for n in roots:
            values[n] = None
        whole = (a for a in field.table.atoms if a.degree and a.power.has(a.symbol))
        roots |= {field.position[a.symbol]: (a.degree, field.field.from_expr(a.power)) for a in whole}
        for n, v in given.items():
            values[n] = v

        def value(n: int) -> int:
            known = values[n]
            if known is None and n in roots:
                degree, power = roots[n]
                parts = parted(power.numer, [n])
                own = {on[n]: -at(part) % p for on, part in parts.items()}
                known = values[n] = zero_of([1, *(own.get(k, 0) for k in reversed(range(degree)))], p, random)
            elif known is None:
                atom = field.table.atoms[n - free]
                if atom.degree:
                    power = field.field.from_expr(atom.power)
                    numer, denom = at(power.numer), at(power.denom)
                    if not denom:
                        raise BadPointError
                    known = root(numer * pow(denom, -1, p) % p, atom.degree, p)
                elif isinstance(atom.expression, sp.sin) and values[n + 1] is None:
                    # cos stands behind sin, and a point of the circle has a rational parameter
                    half = random.randrange(2, p - 1)
                    if (1 + half**2) % p == 0:
                        raise BadPointError
                    below = pow(1 + half**2, -1, p)
                    known, values[n + 1] = 2 * half * below % p, (1 - half**2) * below % p
                else:
                    known = random.randrange(2, p - 1)
                values[n] = known
            return known

        def at(polynomial: Any) -> int:
            total = 0
            for monomial, c in polynomial.items():
                term = int(c)
                for n, e in enumerate(monomial):
                    if e:
                        term = term * pow(value(n), e, p) % p
                total += term
            return total % p

        return [value(n) for n in range(len(values))]

    def _expand(self, random: Random) -> list[Series]:
        """The series of all generators, degree by degree."""
        found: list[Series] = [{0: value} for value in self.values]
        rates: dict[int, list[tuple[int, Element]]] = {}
        generic = self._generic(random) if self.order else {}
        for n, series in generic.items():
            found[n] = series
        for v in range(self.size):
            found[v][self.unit(v)] = 1
            for n, rate in self.field._rates[v]:
                if n not in generic:
                    rates.setdefault(n, []).append((v, rate))
        for m in range(1, self.order + 1):
            powers: dict[tuple[int, int], Series] = {}
            fresh: dict[int, Series] = {n: {} for n in rates}
            inverse = pow(m, -1, self.p)
            for n, slopes in rates.items():
                for v, rate in slopes:
                    for key, c in self._fraction(rate, m - 1, found, powers).items():
                        if self.degree(key) == m - 1:
                            up = key + self.unit(v)
                            fresh[n][up] = (fresh[n].get(up, 0) + c * inverse) % self.p
            for n, part in fresh.items():
                found[n].update((key, c) for key, c in part.items() if c)
        return found

    def _generic(self, random: Random) -> dict[int, Series]:
        """The series of arbitrary functions and their derivatives: f_K(a + δ) = Σ f_{K+L}(a) δᴸ/L!.

        The values of derivatives here are those of their atoms, and random where there are none.
        """
        field, p, result = self.field, self.p, dict[int, Series]()
        families: dict[sp.Expr, dict[MultiIndex, int]] = {}
        for n in sorted(field.arbitrary()):
            function, K = parent(field.table.atoms[n - self.size - len(field.constants)].expression)
            families.setdefault(function, {})[K] = n
        base: list[Series] = [{0: value} for value in self.values]
        for v in range(self.size):
            base[v][self.unit(v)] = 1
        for function, members in families.items():
            shifts = []
            for argument in function.args:
                shift = self._fraction(field.element(argument), self.order, base, {})
                shifts.append({key: c for key, c in shift.items() if key})
            powers: dict[MultiIndex, Series] = {(0,) * len(shifts): {0: 1}}
            for m in range(1, self.order + 1):
                for L in multi_indices(len(shifts), m):
                    i = next(i for i, e in enumerate(L) if e)
                    # δᴸ/L!
                    part = self.multiply(powers[raised(L, i, -1)], shifts[i], self.order)
                    inverse = pow(L[i], -1, p)
                    powers[L] = {key: c * inverse % p for key, c in part.items()}
            values = {K: self.values[n] for K, n in members.items()}
            for K, n in members.items():
                total: Series = {}
                for L, power in powers.items():
                    J = tuple(map(add, K, L))
                    if J not in values:
                        values[J] = random.randrange(2, p - 1)
                    for key, c in power.items():
                        total[key] = (total.get(key, 0) + values[J] * c) % p
                result[n] = total
        return result

    def _fraction(
        self, element: Element, order: int, found: list[Series], powers: dict[tuple[int, int], Series]
    ) -> Series:
        numer = self._polynomial(element.numer, order, found, powers)
        if element.denom.is_ground:
            factor = pow(int(element.denom.LC), -1, self.p)
            return {key: c * factor % self.p for key, c in numer.items()}
        denom = self._polynomial(element.denom, order, found, powers)
        return self.multiply(numer, self._inverse(denom, order), order)

    def _inverse(self, series: Series, order: int) -> Series:
        """1/(c + h) by Newton's iteration."""
        if not series.get(0):
            raise BadPointError
        result, reached = {0: pow(series[0], -1, self.p)}, 0
        while reached < order:
            reached = min(order, 2 * reached + 1)
            rest = self.multiply(series, result, reached)
            rest = {key: self.p - c for key, c in rest.items()}
            rest[0] = (rest.get(0, 0) + 2) % self.p
            result = self.multiply(result, rest, reached)
        return result

    def _polynomial(
        self, polynomial: Any, order: int, found: list[Series], powers: dict[tuple[int, int], Series]
    ) -> Series:
        bound, p = (order + 1) << self.top, self.p

        def power(n: int, e: int) -> Series:
            if (n, e) not in powers:
                if e == 1:
                    powers[(n, e)] = {key: c for key, c in found[n].items() if key < bound}
                else:
                    powers[(n, e)] = self.multiply(power(n, e // 2), power(n, e - e // 2), order)
            return powers[(n, e)]

        total: Series = {}
        for monomial, c in polynomial.items():
            term: Series = {0: int(c) % p}
            for n, e in enumerate(monomial):
                if e:
                    term = self.multiply(term, power(n, e), order)
            for key, x in term.items():
                total[key] = (total.get(key, 0) + x) % p
        return {key: c for key, c in total.items() if c}
