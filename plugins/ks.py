"""Kuramoto-Sivashinsky equation, uₜ + uₓₓ + uₓₓₓₓ + u uₓ = 0."""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

ks = PDE(
    name="ks",
    title="Kuramoto-Sivashinsky",
    equation=sp.Eq(u.diff(t) + u.diff(x, 2) + u.diff(x, 4) + u * u.diff(x), 0),
    region={t: (0, 100), x: (0, 64)},
    points={t: 500, x: 256},
    keep_last=140,
    periodic=[x],
)


@hookimpl
def lieapp_domains():
    return [ks]
