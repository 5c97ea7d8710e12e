"""Korteweg-de Vries equation forced in space and time, uₜ + u uₓ + uₓₓₓ = sin(2πx/64) cos(t)/2: no symmetry."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

forced = PDE(
    name="forced",
    title="Forced Korteweg-de Vries",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) - sp.sin(2 * sp.pi * x / 64) * sp.cos(t) / 2, 0),
    region={t: (0, 20), x: (0, 64)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(),
)


@hookimpl
def lieapp_domains():
    return [forced]
