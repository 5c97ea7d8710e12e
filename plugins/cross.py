"""The cross product of two vectors: maps of both, and mixtures of the two, become maps of the product."""

import sympy as sp

from lieapp.api import hookimpl
from lieapp.functions import Function

a, b = sp.Matrix(sp.symbols("a1:4", real=True)), sp.Matrix(sp.symbols("b1:4", real=True))

cross = Function(
    name="cross",
    title="Cross product",
    variables=[*a, *b],
    expression=list(a.cross(b)),
    sought="equivariance",
)


@hookimpl
def lieapp_domains():
    return [cross]
