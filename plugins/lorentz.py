"""The quadratic form of special relativity: rotations and boosts leave it as it is."""

import sympy as sp

from lieapp.api import hookimpl
from lieapp.functions import Function

t, x, y, z = sp.symbols("t x y z", real=True)

lorentz = Function(
    name="lorentz",
    title="Quadratic form of signature (1, 3)",
    variables=[t, x, y, z],
    expression=t**2 - x**2 - y**2 - z**2,
)


@hookimpl
def lieapp_domains():
    return [lorentz]
