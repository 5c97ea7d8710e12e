"""Korteweg-de Vries at a growing rate, uₜ + √(t+1) (u uₓ + uₓₓₓ) = 0.

1/√(t+1) ∂ₜ and 2 (t+1)^(3/2) ∂ₓ + 3 ∂ᵤ are symmetries.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

rkdv = PDE(
    name="rkdv",
    title="Korteweg-de Vries at a rate",
    equation=sp.Eq(u.diff(t) + sp.sqrt(t + 1) * (u * u.diff(x) + u.diff(x, 3)), 0),
    region={t: (0, 20), x: (0, 64)},
    points={t: 140, x: 128},
    keep_last=100,
    periodic=[x],
    initial=SumOfSines(),
)


@hookimpl
def lieapp_domains():
    return [rkdv]
