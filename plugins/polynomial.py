"""A cubic with random coefficients in four variables: no affine field leaves it as it is."""

import random
from itertools import combinations_with_replacement

import sympy as sp

from lieapp.api import hookimpl
from lieapp.functions import Function

variables = sp.symbols("x1:5", real=True)
draw = random.Random(0)
monomials = [sp.prod(term) for n in range(1, 4) for term in combinations_with_replacement(variables, n)]

polynomial = Function(
    name="polynomial",
    title="A random cubic",
    variables=variables,
    expression=sum(draw.randint(-9, 9) * monomial for monomial in monomials),
)


@hookimpl
def lieapp_domains():
    return [polynomial]
