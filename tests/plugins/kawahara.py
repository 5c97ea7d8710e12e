"""Kawahara equation, uₜ + u uₓ + uₓₓₓ − uₓₓₓₓₓ = 0."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

kawahara = PDE(
    name="kawahara",
    title="Kawahara",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) - u.diff(x, 5), 0),
    region={t: (0, 40), x: (0, 64)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(amplitude=0.5),
)


@hookimpl
def lieapp_domains():
    return [kawahara]
