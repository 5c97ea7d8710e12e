"""Burgers equation, uₜ + u uₓ = ν uₓₓ.

Exact data by Cole-Hopf: u = -2ν ψₓ/ψ with ψₜ = ν ψₓₓ. The sum of sines s makes ψ(0, x) = exp(10 (2s - 1)), not u
itself: ψ then spans 9 decades; from u it would span dozens of them, more than a double holds apart.
"""

import sympy as sp

from lieapp.api import PDE, ChangeOfVariables, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
nu = sp.Symbol("nu", positive=True)
u, psi = sp.Function("u")(t, x), sp.Function("psi")(t, x)

burgers = PDE(
    name="burgers",
    title="Burgers",
    equation=sp.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2)),
    region={t: (0, 18), x: (0, 2 * sp.pi)},
    points={t: 180, x: 256},
    keep_last=140,
    periodic=[x],
    parameters={nu: 0.01},
    transform=ChangeOfVariables(
        equation=sp.Eq(psi.diff(t), nu * psi.diff(x, 2)),
        unknowns={u: -2 * nu * psi.diff(x) / psi},
    ),
    initial=SumOfSines(
        terms=20,
        wavenumbers=(1, 2, 3, 4, 5, 6),
        rescale=(0, 1),
        shape=lambda s: sp.exp(10 * (2 * s - 1)),
    ),
)


@hookimpl
def lieapp_domains():
    return [burgers]
