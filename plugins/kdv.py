"""Korteweg-de Vries equation, uₜ + u uₓ + uₓₓₓ = 0.

Barely resolved on 256 points in this regime: the simulation refines its own grid and 256 points are kept.
"""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

kdv = PDE(
    name="kdv",
    title="Korteweg-de Vries",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 100), x: (0, 128)},
    points={t: 250, x: 256},
    keep_last=140,
    periodic=[x],
)


@hookimpl
def lieapp_domains():
    return [kdv]
