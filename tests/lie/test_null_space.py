"""Null spaces of sparse matrices: those of dense ones, also where the prime divides something."""

from random import Random

import pytest
import sympy as sp
from sympy import QQ, ZZ
from sympy.abc import a, b
from sympy.polys.matrices import DomainMatrix

from lieapp.lie.beyond.null_space import PRIME, null_space


def solves(equations, vector, domain):
    return all(
        sp.expand(sum(domain.to_sympy(c) * vector.get(n, 0) for n, c in e.items())) == 0 for e in equations
    )


def dimension(equations, count, domain):
    field = domain.get_field()
    rows = {k: {n: field.convert_from(c, domain) for n, c in e.items()} for k, e in enumerate(equations)}
    return count - DomainMatrix(rows, (len(equations), count), field).rank()


@pytest.mark.parametrize("domain", [ZZ, QQ, ZZ[a], QQ.frac_field(a, b), QQ.algebraic_field(sp.sqrt(2))], ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_all_solutions_are_found(domain, seed):
    random = Random(seed)
    values = [domain.from_sympy(sp.sympify(c)) for c in (1, -1, 2, 3)]
    for generator in (a, b) if domain.is_FractionField else (a,) if domain.is_PolynomialRing else ():
        values += [domain.from_sympy(generator), domain.from_sympy(generator - 2)]
    if domain.is_Algebraic:
        values.append(domain.from_sympy(sp.sqrt(2)))
    count = random.randint(2, 9)
    equations = [
        {n: random.choice(values) for n in random.sample(range(count), min(count, random.randint(1, 4)))}
        for _ in range(random.randint(1, count))
    ]
    # dependent ones, which make the null space larger
    equations += [{n: c + c for n, c in equations[0].items()}]
    found = null_space(equations, count, domain)
    assert len(found) == dimension(equations, count, domain)
    assert all(solves(equations, vector, domain) for vector in found)
    # an entry of its own in each, the lowest
    own = [[n for n in v if not any(n in w for w in found if w is not v)] for v in found]
    assert all(own)


@pytest.mark.parametrize(
    ("equations", "count", "expected"),
    [([{0: PRIME, 1: 1}], 2, [{0: 1, 1: -PRIME}]),
     ([{0: PRIME}], 1, []),
     ([{0: 1, 1: 1}, {0: 1, 1: 1 + PRIME}], 2, []),
     ([], 2, [{0: 1}, {1: 1}])],
)  # fmt: skip
def test_coefficients_that_the_prime_divides(equations, count, expected):
    found = null_space([{n: ZZ(c) for n, c in e.items()} for e in equations], count, ZZ)
    assert sorted(found, key=str) == expected


def test_denominators_that_the_prime_divides():
    half = {0: QQ(1, PRIME), 1: QQ(1)}
    assert null_space([half], 2, QQ) == [{0: PRIME, 1: -1}]
