"""Korteweg-de Vries on a coarse grid and in a short window: many trajectories take little time and room."""

import sympy as sp

from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)

kdv = PDE(
    name="kdv-coarse",
    title="Korteweg-de Vries, coarse",
    equation=sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 3), 0),
    region={t: (0, 30), x: (0, 128)},
    points={t: 16, x: 64},
    periodic=[x],
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [kdv]
