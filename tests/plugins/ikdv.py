"""Korteweg-de Vries with a nonlinearity exp(sin t), whose integral, and so the Galilean boost, isn't elementary."""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

ikdv = PDE(
    name="ikdv",
    title="Korteweg-de Vries, nonlinearity exp(sin t)",
    equation=sp.Eq(u.diff(t) + sp.exp(sp.sin(t)) * u * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 20), x: (0, 128)},
    points={t: 250, x: 128},
    periodic=[x],
)


@hookimpl
def lieapp_domains():
    return [ikdv]
