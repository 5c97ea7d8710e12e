"""Nonlinear Schrödinger equation, i ψₜ + ½ ψₓₓ = |ψ|² ψ with ψ = u + i v, defocusing, as a real system."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")

schroedinger = PDE(
    name="schroedinger",
    title="Nonlinear Schrödinger, defocusing",
    equation=[
        sp.Eq(u.diff(t), -v.diff(x, 2) / 2 + (u**2 + v**2) * v),
        sp.Eq(v.diff(t), u.diff(x, 2) / 2 - (u**2 + v**2) * u),
    ],
    region={t: (0, 4), x: (0, 20)},
    points={t: 140, x: 128},
    periodic=[x],
    initial={u: SumOfSines(wavenumbers=(1, 2, 3)), v: SumOfSines(wavenumbers=(1, 2, 3))},
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [schroedinger]
