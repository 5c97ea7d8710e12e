"""Linear equation, uₜ = uₓₓ + uₓ + u: any solution may be added, so its algebra is infinite."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

linear = PDE(
    name="linear",
    title="Advection, diffusion and growth",
    equation=sp.Eq(u.diff(t) - u.diff(x, 2) - u.diff(x) - u, 0),
    region={t: (0, 4), x: (0, 16)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(wavenumbers=(1, 2, 3)),
)


@hookimpl
def lieapp_domains():
    return [linear]
