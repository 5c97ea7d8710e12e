"""Heat equation, uₜ = uₓₓ.

The slowest mode decays by a third over the window and the fastest one thirtyfold, so the data stay alive.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

heat = PDE(
    name="heat",
    title="Heat",
    equation=sp.Eq(u.diff(t), u.diff(x, 2)),
    region={t: (0, 10), x: (0, 32)},
    points={t: 140, x: 256},
    periodic=[x],
    initial=SumOfSines(wavenumbers=(1, 2, 3)),
)


@hookimpl
def lieapp_domains():
    return [heat]
