"""Equations to begin with on the Explore page."""

from __future__ import annotations

from lieapp.ui.typed import Typed

EXAMPLES = {
    "Korteweg–de Vries": Typed(("u_t + u*u_x + u_xxx",), ("t", "x"), ("u",), periodic=("x",)),
    "Heat": Typed(("u_t = u_xx",), ("t", "x"), ("u",)),
    "Diffusion with any conductivity k(u)": Typed(
        ("u_t = k*u_xx + k_u*u_x**2",), ("t", "x"), ("u",), function=("k:u",)
    ),
    "Korteweg–de Vries with any power": Typed(
        ("u_t + u**n*u_x + u_xxx",), ("t", "x"), ("u",), parameter=("n:positive, n != 1, n != 2",)
    ),
    "Cubic Schrödinger, two unknowns": Typed(
        ("v_t + w_xx + (v**2 + w**2)*w", "w_t - v_xx - (v**2 + w**2)*v"), ("t", "x"), ("v", "w")
    ),
    "Wave in the plane": Typed(("u_tt = u_xx + u_yy",), ("t", "x", "y"), ("u",)),
    "Boundary layer (Blasius), an ODE": Typed(("u_xxx + u*u_xx",), ("x",), ("u",)),
}
"""One of each kind: a parameter, a function, a system, more variables, an ODE."""

FIRST = "Korteweg–de Vries"
