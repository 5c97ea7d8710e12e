"""Modified Korteweg-de Vries equation, uₜ + 6 u² uₓ + uₓₓₓ = 0."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

mkdv = PDE(
    name="mkdv",
    title="Modified Korteweg-de Vries",
    equation=sp.Eq(u.diff(t) + 6 * u**2 * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 10), x: (0, 64)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(amplitude=0.2),
)


@hookimpl
def lieapp_domains():
    return [mkdv]
