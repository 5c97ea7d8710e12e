"""Korteweg-de Vries-Burgers equation with cubic damping, uₜ + u uₓ + uₓₓₓ = uₓₓ/10 − u³/10.

Its symmetries are the translations.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

translations = PDE(
    name="translations",
    title="Cubic Korteweg-de Vries-Burgers",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) - u.diff(x, 2) / 10 + u**3 / 10, 0),
    region={t: (0, 20), x: (0, 64)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(),
)


@hookimpl
def lieapp_domains():
    return [translations]
