"""Burgers' equation for the potential, uₜ = uₓₓ + uₓ².

exp(u) solves the heat equation, so exp(-u) times any of its solutions is a symmetry.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

potential_burgers = PDE(
    name="potential-burgers",
    title="Burgers, potential form",
    equation=sp.Eq(u.diff(t), u.diff(x, 2) + u.diff(x) ** 2),
    region={t: (0, 4), x: (0, 20)},
    points={t: 140, x: 128},
    periodic=[x],
    initial=SumOfSines(wavenumbers=(1, 2, 3)),
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [potential_burgers]
