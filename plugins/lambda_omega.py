"""λ-ω system: two reacting and diffusing unknowns on a square, whose waves turn in the plane of the unknowns."""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x, y = sp.symbols("t x y", real=True)
u, v = (sp.Function(name)(t, x, y) for name in ("u", "v"))
d = sp.Symbol("d", positive=True)
r2 = u**2 + v**2

lambda_omega = PDE(
    name="lambda_omega",
    title="λ-ω reaction and diffusion",
    equation=[
        sp.Eq(u.diff(t), d * (u.diff(x, 2) + u.diff(y, 2)) + (1 - r2) * u + r2 * v),
        sp.Eq(v.diff(t), d * (v.diff(x, 2) + v.diff(y, 2)) + (1 - r2) * v - r2 * u),
    ],
    region={t: (0, 4), x: (0, 20), y: (0, 20)},
    points={t: 33, x: 32, y: 32},
    periodic=[x, y],
    parameters={d: 0.1},
    initial=SumOfSines(terms=6, amplitude=0.5, wavenumbers=(-2, -1, 1, 2)),
)


@hookimpl
def lieapp_domains():
    return [lambda_omega]
