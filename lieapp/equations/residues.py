"""Whether new algebraic atoms are algebraic of their whole degree: values modulo primes prove it.

A root of b whose degree is a prime l stays of degree l unless b is an l-th power in the field of all other atoms. A
power keeps being one modulo a prime, wherever the other atoms have values. So one point where b is none proves that
the root brings no hidden relation. (Lang, Algebra, VI.9.) A root that moves with the variables must stay of degree
l over all constants too: there are two points, modulo the same prime and with the same constants, where b isn't in
the same class modulo powers. In the same way a polynomial is irreducible if it is so modulo a prime.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

import sympy as sp
from sympy import ZZ
from sympy.polys.galoistools import gf_gcd, gf_irreducible_p, gf_pow_mod, gf_sub

POINTS = 40
"""Points at which a root exists in the field of the others before it is taken to do so everywhere."""

TRIES = 4000
"""Points tried, as the other atoms don't exist at all of them."""

DRAWS = 8
"""Points with the same prime and constants."""

BITS = 30


class BadPointError(Exception):
    """A root doesn't exist or a denominator vanishes here."""


class Algebraic(Protocol):
    """What is asked of an atom: `symbol**degree = power` if it is algebraic, else degree 0; slopes."""

    @property
    def symbol(self) -> sp.Symbol: ...
    @property
    def degree(self) -> int: ...
    @property
    def power(self) -> sp.Expr: ...
    @property
    def derivatives(self) -> Mapping[sp.Symbol, sp.Expr]: ...


def zero_of(polynomial: Sequence[int], p: int, random: Random) -> int:
    """A zero in F_p of a polynomial, its highest coefficient first. Raises BadPointError if there is none.

    Cantor and Zassenhaus 1981: the product of x - a over all zeros a is gcd(xᵖ - x, f), and the squares among
    the a + c are a random half of them.
    """
    rest = gf_gcd(gf_sub(gf_pow_mod([1, 0], p, list(polynomial), p, ZZ), [1, 0], p, ZZ), list(polynomial), p, ZZ)
    while len(rest) > 2:
        half = gf_pow_mod([1, random.randrange(p)], (p - 1) // 2, rest, p, ZZ)
        part = gf_gcd(gf_sub(half, [1], p, ZZ), rest, p, ZZ)
        if 1 < len(part) < len(rest):
            rest = part
    if len(rest) < 2:
        raise BadPointError
    return int(-rest[1] * pow(int(rest[0]), -1, p) % p)


def is_proper(atom: Algebraic, others: Sequence[Algebraic], variables: Iterable[sp.Symbol]) -> bool:
    """Whether an atom is proved to be of its whole degree over the field of the others, which don't contain it."""
    random = Random(0)
    left = set(sp.primefactors(atom.degree))
    moving = {*variables, *(a.symbol for a in others if a.derivatives)} if atom.derivatives else set()
    seen, tries = 0, 0
    while seen < POINTS and tries < TRIES:
        p, constants = int(sp.nextprime(random.getrandbits(BITS) + 2**BITS)), dict[sp.Symbol, int]()
        classes: dict[int, set[int]] = {q: set() if moving else {1} for q in left}
        for _ in range(DRAWS if moving else 1):
            tries += 1
            point = _Point(others, p, constants, random)
            try:
                for other in others:
                    point.value(other.symbol)
                polynomial = point.polynomial(atom)
            except BadPointError:
                continue
            seen += 1
            constants = {s: v for s, v in point.values.items() if s not in moving}
            if atom.power.has(atom.symbol):
                left = set() if gf_irreducible_p(polynomial, p, ZZ) else left
            elif b := -polynomial[-1] % p:
                for q in classes:
                    classes[q].add(pow(b, (p - 1) // q, p) if p % q == 1 else 1)
        left = {q for q in left if len(classes[q]) < 2}
        if not left:
            return True
    return False


class _Point:
    """Values of atoms modulo a prime, beside known ones: of free symbols random ones, of algebraic atoms roots."""

    def __init__(
        self, atoms: Iterable[Algebraic], p: int, known: Mapping[sp.Symbol, int], random: Random
    ) -> None:
        self.p, self._random = p, random
        self._atoms = {a.symbol: a for a in atoms if a.degree}
        self.values = dict(known)

    def value(self, symbol: sp.Symbol) -> int:
        """The value of a symbol. Raises BadPointError if it has none here."""
        if symbol not in self.values:
            atom = self._atoms.get(symbol)
            if atom is None:
                self.values[symbol] = self._random.randrange(2, self.p - 1)
            else:
                self.values[symbol] = zero_of(self.polynomial(atom), self.p, self._random)
        return self.values[symbol]

    def polynomial(self, atom: Algebraic) -> list[int]:
        """What vanishes at the atom, its highest coefficient first."""
        own = sp.Poly(atom.symbol**atom.degree - atom.power, atom.symbol).all_coeffs()
        return [self._at(c) for c in own]

    def _at(self, e: sp.Expr) -> int:
        p = self.p
        if e.is_Rational:
            return int(e.p) * self._inverse(int(e.q)) % p
        if e.is_Symbol:
            return self.value(e)
        if e.is_Pow:
            base, n = self._at(e.base), int(e.exp)
            return pow(base if n > 0 else self._inverse(base), abs(n), p)
        total = int(e.is_Mul)
        for part in e.args:
            total = total * self._at(part) % p if e.is_Mul else (total + self._at(part)) % p
        return total

    def _inverse(self, a: int) -> int:
        if a % self.p == 0:
            raise BadPointError
        return pow(a, -1, self.p)
