"""The squared length of a vector: rotations leave it as it is."""

import sympy as sp

from lieapp.api import hookimpl
from lieapp.functions import Function

x, y, z = sp.symbols("x y z", real=True)

norm = Function(
    name="norm",
    title="Length of a vector",
    variables=[x, y, z],
    expression=x**2 + y**2 + z**2,
)


@hookimpl
def lieapp_domains():
    return [norm]
