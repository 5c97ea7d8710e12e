"""Spherical Korteweg-de Vries equation, uₜ + u uₓ + uₓₓₓ + u/(t+1) = 0.

log(t+1) ∂ₓ + 1/(t+1) ∂ᵤ is a symmetry.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

skdv = PDE(
    name="skdv",
    title="Spherical Korteweg-de Vries",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (t + 1), 0),
    region={t: (0, 20), x: (0, 64)},
    points={t: 140, x: 128},
    keep_last=100,
    periodic=[x],
    initial=SumOfSines(amplitude=1.5),
)


@hookimpl
def lieapp_domains():
    return [skdv]
