"""λ-ω system uₜ = (1 - a²) u + a² v + uₓₓ/10, vₜ = -a² u + (1 - a²) v + vₓₓ/10 with a² = u² + v²."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")
square = u**2 + v**2

reaction_diffusion = PDE(
    name="reaction-diffusion",
    title="Reaction-diffusion system",
    equation=[
        sp.Eq(u.diff(t), (1 - square) * u + square * v + u.diff(x, 2) / 10),
        sp.Eq(v.diff(t), -square * u + (1 - square) * v + v.diff(x, 2) / 10),
    ],
    region={t: (0, 4), x: (0, 20)},
    points={t: 140, x: 128},
    periodic=[x],
    initial={u: SumOfSines(wavenumbers=(1, 2, 3)), v: SumOfSines(wavenumbers=(1, 2, 3))},
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [reaction_diffusion]
