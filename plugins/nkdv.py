"""Non-autonomous Korteweg-de Vries equation, exp(-t/t₀) uₜ + u uₓ + uₓₓₓ = 0.

KdV in the time t₀ exp(t/t₀), which runs 7 times as fast at the end of the window as at its beginning.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
t0 = sp.Symbol("t0", positive=True)
u = sp.Function("u")(t, x)

nkdv = PDE(
    name="nkdv",
    title="Non-autonomous Korteweg-de Vries",
    equation=sp.Eq(sp.exp(-t / t0) * u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 100), x: (0, 128)},
    points={t: 250, x: 256},
    keep_last=140,
    periodic=[x],
    parameters={t0: 50},
    initial=SumOfSines(wavenumbers=(1,)),
)


@hookimpl
def lieapp_domains():
    return [nkdv]
