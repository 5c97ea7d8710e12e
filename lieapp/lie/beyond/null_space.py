"""The null space of large sparse matrices over ℚ(parameters), exactly.

Unknowns that one equation alone makes 0 are taken out; the rest falls apart into independent blocks. In each,
parameters are numbers modulo a prime at first: that can only make the null space larger, and shows which unknowns
occur in it. If the null space over ℚ(parameters) in these alone has as many dimensions, it is the whole one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from random import Random
from typing import Any, TypeAlias

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from lieapp.lie.certificate.counting import eliminate

PRIME = 2**31 - 1
"""The modulus; for a prime that divides something by chance the whole block is solved."""

Domain: TypeAlias = Any
"""A domain of SymPy's, of which it has no common type."""

Equation = dict[int, Any]
"""Number of an unknown -> coefficient in the domain."""


def null_space(equations: Iterable[Equation], count: int, domain: Domain) -> list[dict[int, sp.Expr]]:
    """A basis of the solutions of Σ c_n v_n = 0, with unknowns numbered from 0 and c_n in a domain.

    Each has an entry of its own, the lowest that can be, and no denominators where the domain allows that.
    """
    rest, zero = list({frozenset(e.items()): e for e in equations}.values()), set[int]()
    while single := {next(iter(e)) for e in rest if len(e) == 1}:
        zero |= single
        rest = [left for e in rest if (left := {n: c for n, c in e.items() if n not in single})]
    found = []
    for unknowns, block in _blocks(rest, [n for n in range(count) if n not in zero]):
        expected = _modulo_prime(block, unknowns, domain)
        if expected is not None:
            present = {n for v in expected for n in v}
            inside = [left for e in block if (left := {n: c for n, c in e.items() if n in present})]
            vectors = _exact(inside, sorted(present, reverse=True), domain) if present else []
            if len(vectors) == len(expected):
                found += vectors
                continue
        found += _exact(block, unknowns, domain)
    return found


def _exact(block: Sequence[Equation], unknowns: Sequence[int], domain: Domain) -> list[dict[int, sp.Expr]]:
    """A basis, for unknowns in descending order."""
    field, places = domain.get_field(), {n: k for k, n in enumerate(unknowns)}
    different = {frozenset(e.items()): e for e in block}.values()
    rows = {k: {places[n]: field.convert_from(c, domain) for n, c in e.items()} for k, e in enumerate(different)}
    matrix = DomainMatrix(rows, (len(rows), len(unknowns)), field).nullspace(divide_last=True)
    if field.has_assoc_Ring:
        matrix = matrix.clear_denoms_rowwise()[1]
    vectors = matrix.to_sparse().rep.to_sdm()
    return [{unknowns[k]: field.to_sympy(c) for k, c in v.items()} for v in vectors.values()]


def _modulo_prime(
    block: Sequence[Equation], unknowns: Sequence[int], domain: Domain
) -> list[dict[int, int]] | None:
    """A basis modulo a prime, for parameters at random values; None where coefficients have no residue."""
    random = Random(0)
    at = [random.randrange(1, PRIME) for _ in getattr(domain, "symbols", ())]
    try:
        rows = [{n: r for n, c in e.items() if (r := residue(c, domain, at))} for e in block]
    except (ValueError, ZeroDivisionError):
        return None
    pivots = eliminate([row for row in rows if row], PRIME, inf)
    basis = {n: {n: 1} for n in unknowns if n not in pivots}
    # the components of each pivot's unknown, the lowest first
    for lead in sorted(pivots):
        for vector in basis.values():
            value = -sum(c * vector[n] for n, c in pivots[lead].items() if n in vector) % PRIME
            if value:
                vector[lead] = value
    return list(basis.values())


def residue(c: Any, domain: Domain, at: Sequence[int]) -> int:
    """An element of ℤ, ℚ or polynomials or fractions over these, modulo PRIME, with its symbols at some values.

    Raises ValueError for other domains, ZeroDivisionError if a denominator vanishes.
    """
    if domain.is_ZZ:
        return int(c) % PRIME
    if domain.is_QQ:
        return _quotient(int(c.numerator), int(c.denominator))
    if domain.is_PolynomialRing:
        return sum(residue(k, domain.domain, at) * _power_product(m, at) for m, k in c.terms()) % PRIME
    if domain.is_FractionField:
        ring = domain.get_ring()
        return _quotient(residue(c.numer, ring, at), residue(c.denom, ring, at))
    raise ValueError(f"coefficients in {domain} have no residue")


def _quotient(a: int, b: int) -> int:
    if b % PRIME == 0:
        raise ZeroDivisionError
    return a * pow(b, -1, PRIME) % PRIME


def _power_product(powers: Sequence[int], at: Sequence[int]) -> int:
    result = 1
    for value, n in zip(at, powers, strict=True):
        result = result * pow(value, n, PRIME) % PRIME
    return result


def _blocks(
    equations: Sequence[Equation], unknowns: Sequence[int]
) -> list[tuple[list[int], list[Equation]]]:
    """The unknowns that no equation couples to others, the last first, with their equations."""
    parent = {n: n for n in unknowns}

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = n = parent[parent[n]]
        return n

    for e in equations:
        first = next(iter(e))
        for n in e:
            parent[root(n)] = root(first)
    blocks: dict[int, tuple[list[int], list[Equation]]] = {}
    for n in reversed(unknowns):
        blocks.setdefault(root(n), ([], []))[0].append(n)
    for e in equations:
        blocks[root(next(iter(e)))][1].append(e)
    return list(blocks.values())
