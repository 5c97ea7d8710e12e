"""Korteweg-de Vries with pulsating damping, uₜ + u uₓ + uₓₓₓ = u cos(t)/(2 + sin t).

(2t − cos t) ∂ₓ + (2 + sin t) ∂ᵤ is a symmetry.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

wkdv = PDE(
    name="wkdv",
    title="Korteweg-de Vries with pulsating damping",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3) - sp.cos(t) / (2 + sp.sin(t)) * u, 0),
    region={t: (0, 10), x: (0, 64)},
    points={t: 140, x: 128},
    keep_last=80,
    periodic=[x],
    initial=SumOfSines(),
)


@hookimpl
def lieapp_domains():
    return [wkdv]
