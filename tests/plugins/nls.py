"""Nonlinear Schrödinger equation, i ψₜ + ψₓₓ + 2 |ψ|² ψ = 0 with ψ = u + i v, focusing, as a real system."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")

nls = PDE(
    name="nls",
    title="Nonlinear Schrödinger",
    equation=[
        sp.Eq(u.diff(t) + v.diff(x, 2) + 2 * (u**2 + v**2) * v, 0),
        sp.Eq(v.diff(t) - u.diff(x, 2) - 2 * (u**2 + v**2) * u, 0),
    ],
    region={t: (0, 4), x: (0, 16)},
    points={t: 140, x: 128},
    periodic=[x],
    initial={u: SumOfSines(terms=6, amplitude=0.4), v: SumOfSines(terms=6, amplitude=0.4)},
)


@hookimpl
def lieapp_domains():
    return [nls]
