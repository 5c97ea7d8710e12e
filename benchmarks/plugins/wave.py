"""Wave equation as a first-order system, uₜ = v, vₜ = uₓₓ.

Of uₜ = vₓ, vₜ = uₓ, the other first-order form, every symmetry belongs to a family with arbitrary functions.
"""

import sympy as sp

from lieapp.api import PDE, SumOfSines, hookimpl

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")

wave = PDE(
    name="wave",
    title="Wave equation as a system",
    equation=[sp.Eq(u.diff(t), v), sp.Eq(v.diff(t), u.diff(x, 2))],
    region={t: (0, 8), x: (0, 20)},
    points={t: 140, x: 128},
    periodic=[x],
    initial={u: SumOfSines(wavenumbers=(1, 2, 3)), v: SumOfSines(wavenumbers=(1, 2, 3))},
)


@hookimpl
def lieapp_domains() -> list[PDE]:
    return [wave]
