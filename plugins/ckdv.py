"""Cylindrical Korteweg-de Vries equation, uₜ + u uₓ + uₓₓₓ + u/(2(t+1)) = 0."""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

ckdv = PDE(
    name="ckdv",
    title="Cylindrical Korteweg-de Vries",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (2 * (t + 1)), 0),
    region={t: (0, 100), x: (0, 128)},
    points={t: 250, x: 256},
    keep_last=140,
    periodic=[x],
)


@hookimpl
def lieapp_domains():
    return [ckdv]
