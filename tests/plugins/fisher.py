"""Fisher's equation, uₜ = uₓₓ + u (1 − u); from small positive states, which grow to 1."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

fisher = PDE(
    name="fisher",
    title="Fisher",
    equation=sp.Eq(u.diff(t) - u.diff(x, 2) - u * (1 - u), 0),
    region={t: (0, 4), x: (0, 32)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(rescale=(0.02, 0.6), wavenumbers=(1, 2, 3)),
)


@hookimpl
def lieapp_domains():
    return [fisher]
