"""The kinetic energy of a double pendulum without gravity: turning both arms alike leaves it as it is."""

import sympy as sp

from lieapp.api import hookimpl
from lieapp.functions import Function

a, b, p, q = sp.symbols("theta1 theta2 p1 p2", real=True)

# two arms of length 1 with a mass of 1 at the end of each; p and q are the momenta that belong to the angles
pendulum = Function(
    name="pendulum",
    title="Kinetic energy of a double pendulum",
    variables=[a, b, p, q],
    expression=(p**2 + 2 * q**2 - 2 * p * q * sp.cos(a - b)) / (2 * (1 + sp.sin(a - b) ** 2)),
    region={a: (-sp.pi, sp.pi), b: (-sp.pi, sp.pi)},
)


@hookimpl
def lieapp_domains():
    return [pendulum]
