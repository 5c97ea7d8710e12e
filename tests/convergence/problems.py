"""Equations with their exact solutions, and a fixed-step integration of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp
import torch

from lieapp.data.problem import semilinear_problem
from lieapp.equations.equation import read_equations
from lieapp.equations.evolution import Evolution, evolution_form, split
from lieapp.numerics.etdrk import ETDRK4
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import to_modes, to_values

t, x = sp.symbols("t x", real=True)
u, v = (sp.Function(name)(t, x) for name in "uv")


@dataclass(frozen=True)
class Case:
    """An equation on a period.

    Args:
        equations: residuals.
        length, points: the grid.
        solution: (t, x) -> one row for each unknown; None if unknown, then only the initial state is given.
    """

    equations: tuple[sp.Expr, ...]
    length: float
    points: int
    solution: Callable[[float, torch.Tensor], torch.Tensor]

    @property
    def evolution(self) -> Evolution:
        return evolution_form(read_equations(self.equations, (t, x), {}, "case"))

    @property
    def grid(self) -> Grid:
        return Grid((Axis("x", 0.0, self.length, self.points, periodic=True),))

    def exact(self, time: float) -> torch.Tensor:
        return self.solution(time, self.grid.mesh(torch.float64, "cpu")[0])[None]


def integrate(case: Case, start: float, end: float, steps: int) -> torch.Tensor:
    """ETDRK4 with steps of fixed size."""
    problem = semilinear_problem(split(case.evolution), case.grid)
    h = (end - start) / steps
    scheme, modes = ETDRK4(problem, h), to_modes(case.exact(start), case.grid)
    for i in range(steps):
        modes = scheme.step(start + i * h, modes)
    return to_values(modes, case.grid)


def relative(found: torch.Tensor, truth: torch.Tensor) -> float:
    return float((found - truth).norm() / truth.norm())


def soliton(s: float, position: torch.Tensor, speed: float, length: float) -> torch.Tensor:
    """3c sech²(√c (x - L/4 - cs)/2) of uₛ + u uₓ + uₓₓₓ = 0, periodically continued."""
    away = torch.remainder(position - length / 4 - speed * s + length / 2, length) - length / 2
    return 3 * speed / torch.cosh(math.sqrt(speed) * away / 2) ** 2


KDV = Case((u.diff(t) + u * u.diff(x) + u.diff(x, 3),), 64.0, 256, lambda s, p: soliton(s, p, 1.0, 64.0)[None])

FASTER = sp.exp(t / 2)
NKDV = Case(
    (u.diff(t) / FASTER + u * u.diff(x) + u.diff(x, 3),), 64.0, 256,
    lambda s, p: soliton(2 * (math.exp(s / 2) - 1), p, 1.0, 64.0)[None],
)  # fmt: skip
"""KdV in the time 2 exp(t/2), so that L depends on t."""

_moved = sp.sin(x + t) + sp.cos(2 * x - t) / 2
_forcing = sp.diff(_moved, t) + _moved * sp.diff(_moved, x) + sp.diff(_moved, x, 3) + _moved / (2 * (t + 1))
FORCED = Case(
    (u.diff(t) + u * u.diff(x) + u.diff(x, 3) + u / (2 * (t + 1)) - _forcing,), 2 * math.pi, 48,
    lambda s, p: (torch.sin(p + s) + torch.cos(2 * p - s) / 2)[None],
)  # fmt: skip
"""Cylindrical KdV with the right-hand side that makes sin(x + t) + cos(2x - t)/2 a solution: explicit t and x."""


def _packet(s: float, p: torch.Tensor) -> torch.Tensor:
    """Σ exp(i k x - i k² t) of iψ_t = -ψ_xx, real and imaginary part."""
    angles = torch.stack([k * p - k**2 * s for k in (1, -2, 3)])
    weights = torch.tensor([[1.0], [0.5], [0.25]], dtype=torch.float64)
    return torch.stack([(weights * torch.cos(angles)).sum(0), (weights * torch.sin(angles)).sum(0)])


SCHROEDINGER = Case((u.diff(t) + v.diff(x, 2), v.diff(t) - u.diff(x, 2)), 2 * math.pi, 32, _packet)

NLS_LENGTH = 48.0
NLS_SPEED = 4 * math.pi * 2 / NLS_LENGTH


def _bright(s: float, p: torch.Tensor) -> torch.Tensor:
    """sech(x - ct) exp(i(cx/2 + (1 - c²/4)t)) of iψ_t + ψ_xx + 2|ψ|²ψ = 0; c L/2 is a multiple of 2π."""
    away = torch.remainder(p - NLS_SPEED * s, NLS_LENGTH) - NLS_LENGTH / 2
    phase = NLS_SPEED / 2 * p + (1 - NLS_SPEED**2 / 4) * s
    return torch.stack([torch.cos(phase), torch.sin(phase)]) / torch.cosh(away)


_density = u**2 + v**2
NLS = Case(
    (u.diff(t) + v.diff(x, 2) + 2 * _density * v, v.diff(t) - u.diff(x, 2) - 2 * _density * u),
    NLS_LENGTH, 512, _bright,
)  # fmt: skip

HEAT = Case((u.diff(t) - u.diff(x, 2),), 2 * math.pi, 32,
            lambda s, p: (torch.sin(p) * math.exp(-s) + torch.cos(3 * p) * math.exp(-9 * s))[None])  # fmt: skip

AIRY = Case((u.diff(t) + u.diff(x, 3),), 2 * math.pi, 32,
            lambda s, p: (torch.sin(p + s) + torch.cos(3 * p + 27 * s))[None])  # fmt: skip
