"""Linear equations, and others whose constant coefficients bring exponentials and waves."""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u, v = sp.Function("u")(t, x), sp.Function("v")(t, x)
c = sp.Symbol("c", positive=True)

damped = PDE(
    name="damped_kdv",
    title="Damped Korteweg-de Vries",
    equation=u.diff(t) + u * u.diff(x) + u.diff(x, 3) + c * u,
    parameters={c: 0.05},
    region={t: (0, 20), x: (0, 64)},
    points={t: 140, x: 256},
    periodic=[x],
)

rotating = PDE(
    name="rotating_burgers",
    title="Rotating Burgers",
    equation=[
        u.diff(t) + u * u.diff(x) - u.diff(x, 2) / 4 - v / 3,
        v.diff(t) + u * v.diff(x) - v.diff(x, 2) / 4 + u / 3,
    ],
    region={t: (0, 10), x: (0, 16)},
    points={t: 140, x: 128},
    periodic=[x],
)

linear_system = PDE(
    name="linear_system",
    title="Two diffusing and rotating unknowns",
    equation=[u.diff(t) - u.diff(x, 2) - v, v.diff(t) - v.diff(x, 2) + u],
    region={t: (0, 4), x: (0, 16)},
    points={t: 140, x: 128},
    periodic=[x],
)

slowing = PDE(
    name="slowing_heat",
    title="Heat with a conductivity that falls",
    equation=u.diff(t) - u.diff(x, 2) / (t + 1),
    region={t: (0, 4), x: (0, 16)},
    points={t: 140, x: 128},
    periodic=[x],
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [damped, rotating, linear_system, slowing]
