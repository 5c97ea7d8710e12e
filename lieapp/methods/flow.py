"""The flow of a field: dz/ds = V(z), z(0) = data (the paper's neural ODE), by RK4 or by torchdiffeq."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.domains.base import Own
from lieapp.errors import ConfigError, DiscoveryError
from lieapp.methods.fields import Followed, Slotted
from lieapp.numerics import ranks

FIXED = ("rk4", "midpoint", "euler")
ADAPTIVE = ("dopri5", "dopri8", "bosh3")
"""Solvers of torchdiffeq: with steps of a fixed number, and with steps of their own choice."""

STEP = 0.1
"""Step in s of an orbit; RK4's error for fields of norm 1 and Lipschitz constant 3 is then 1e-5."""

PIECE = 16384
"""Points of an orbit that are moved at a time on a CPU: what a network makes of them fits its cache."""


MOST_STEPS = 200
"""Steps of one flow; data have size 1, so nothing sensible needs more."""


@dataclass(frozen=True)
class Solver:
    """How the flow is integrated.

    Args:
        name: of a solver of torchdiffeq.
        step: largest step in s of solvers with fixed steps; for fields of norm 1 and Lipschitz constant 3, .2
            leaves RK4 an error of 6e-4 x .2, a seventh of a cell of 256.
        adjoint: gradients by integrating backwards instead of through the steps; less memory, more time.
        tolerance: relative and absolute, of adaptive solvers.

    Raises ConfigError on a name that isn't known.
    """

    name: str = "rk4"
    step: float = 0.2
    adjoint: bool = False
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        if self.name not in (*FIXED, *ADAPTIVE):
            raise ConfigError(
                f"no solver is called {self.name!r}.",
                hint=f"Set solver to one of {', '.join((*FIXED, *ADAPTIVE))}.",
            )

    def steps(self, s: float) -> int:
        """Number of equal steps to s; 1 for adaptive solvers, which choose their own.

        Raises ConfigError if they are too many.
        """
        if self.name in FIXED and abs(s) > MOST_STEPS * self.step:
            raise ConfigError(
                f"a flow to s = {s:.3g} takes more than {MOST_STEPS} steps of {self.step:g}.",
                hint="Lower sigma (data have size 1: above that nothing is left of them), or raise solver_step.",
            )
        return _count(s, self.step) if self.name in FIXED else 1

    def arguments(self, steps: int) -> dict[str, Any]:
        """For torchdiffeq, on the interval [0, 1]."""
        if self.name in FIXED:
            return {"method": self.name, "options": {"grid_constructor": _nodes(1 / steps)}}
        # steps end on both ends: what torchdiffeq interpolates beyond them is far less accurate than its steps
        ends = {"step_t": torch.tensor([0.0, 1.0])}
        return {"method": self.name, "rtol": self.tolerance, "atol": self.tolerance, "options": ends}


def _count(length: float, step: float) -> int:
    """Number of equal steps that are at most `step`, but for round-off."""
    return max(1, math.ceil(abs(length) / step - 1e-6))


def _nodes(step: float) -> Callable[[Any, Tensor, Tensor], Tensor]:
    """For torchdiffeq: equal steps from each time asked for to the next. Between steps it would interpolate."""

    def nodes(_right: Any, _start: Tensor, times: Tensor) -> Tensor:
        return torch.cat([times[:1], *(_line(a, b, step)[1:] for a, b in itertools.pairwise(times))])

    return nodes


def _line(a: Tensor, b: Tensor, step: float) -> Tensor:
    """Equal steps from a to b."""
    share = torch.linspace(0, 1, _count(float(b - a), step) + 1, dtype=a.dtype, device=a.device)
    return torch.cat([a[None], a + share[1:-1] * (b - a), b[None]])


def _rk4(rate: Callable[[Tensor], Tensor], z: Tensor, times: Tensor, step: float) -> Tensor:
    """z at the times, the first of which it is given at, by Kutta's 3/8 rule, as torchdiffeq's rk4.

    That package loads half of SciPy, and keeps a copy of the whole result for every time.
    """
    found = [z]
    for a, b in itertools.pairwise(times):
        for dt in _line(a, b, step).diff().tolist():
            k1 = rate(z)
            k2 = rate(z + dt * k1 * (1 / 3))
            k3 = rate(z + dt * (k2 - k1 * (1 / 3)))
            k4 = rate(z + dt * (k1 - k2 + k3))
            z = z + (k1 + 3 * (k2 + k3) + k4) * dt * 0.125
        found.append(z)
    return torch.stack(found)


class Flow:
    """φ_s of every slot's own field, to an s of its own; components and arguments are the same.

    Args:
        strict: whether points that leave for infinity raise an error; else they are not finite.
    """

    def __init__(self, fields: Followed, solver: Solver = Solver(), strict: bool = True) -> None:
        self.fields, self.solver, self.strict = fields, solver, strict

    def __call__(self, points: Own, s: Float[Tensor, " slot"]) -> Own:
        """Points moved from 0 to s.

        Raises DiscoveryError if a field leads to infinity on the way, unless `strict` is False.
        """
        groups: dict[int, list[int]] = {}
        for slot, value in enumerate(s.tolist()):
            groups.setdefault(self.solver.steps(value), []).append(slot)
        parts = [self._integrated(points, s, steps, which) for steps, which in groups.items()]
        order = torch.tensor([slot for which in groups.values() for slot in which], device=points.device)
        return torch.cat(parts)[torch.argsort(order)]

    def _integrated(
        self, points: Own, s: Float[Tensor, " slot"], steps: int, which: list[int]
    ) -> Float[Tensor, "chosen batch argument *space"]:
        """Some slots, all with the same number of steps."""
        right = _Speed(self.fields, s[which].reshape(-1, *[1] * (points.ndim - 1)), which)
        ends = torch.tensor([0.0, 1.0], dtype=points.dtype, device=points.device)
        if self.solver.name == "rk4" and not self.solver.adjoint:
            moved = _rk4(lambda z: right(ends[0], z), points[which], ends, 1 / steps)[-1]
        else:
            from torchdiffeq import odeint, odeint_adjoint

            solve = odeint_adjoint if self.solver.adjoint else odeint
            try:
                moved = solve(right, points[which], ends, **self.solver.arguments(steps))[-1]
            except AssertionError as error:  # how adaptive solvers of torchdiffeq give up
                raise _lost(s, str(error)) from None
        astray = (~torch.isfinite(moved.detach())).any().to(moved)
        if self.strict and bool(ranks.totals(astray)[0]):
            raise _lost(s, "points left for infinity")
        return moved


class _Speed(nn.Module):
    """s V(z): every slot reaches its s at the time 1. A module, so that the adjoint finds the parameters."""

    def __init__(self, fields: Followed, speed: Tensor, which: list[int]) -> None:
        super().__init__()
        self.fields, self.speed, self.which = fields, speed, which

    def forward(self, _: Tensor, z: Tensor) -> Tensor:
        return self.speed * self.fields.each(z, self.which)


def _lost(s: Tensor, why: str) -> DiscoveryError:
    return DiscoveryError(
        f"a field can't be followed to s = {float(s.abs().max()):.3g}: {why}.",
        hint="Lower sigma, lower tau or flow_rate, or lower solver_step.",
    )


def orbit(
    fields: Slotted, points: Own, s: Float[Tensor, " s"], step: float = STEP
) -> Float[Tensor, "s slot batch argument *space"]:
    """Points moved by each field to every flow parameter, in scaled coordinates, without gradients.

    Points that leave for infinity are not finite.

    Args:
        s: ascending flow parameters that contain 0.
        step: of the integrator RK4, of order 4; shortened so that every s is reached by whole steps.
    """
    flat = points.flatten(3)
    most = PIECE if points.device.type == "cpu" else flat.numel()
    pieces = flat.split(max(1, most // (points.shape[0] * points.shape[1])), 3)
    with torch.no_grad():
        moved = [_orbit(fields, piece, s, step) for piece in pieces]
    return torch.cat(moved, 4).reshape(len(s), *points.shape)


def _orbit(fields: Slotted, points: Tensor, s: Tensor, step: float) -> Tensor:
    backward, forward = (_rk4(fields.each, points, side, step) for side in (s[s <= 0].flip(0), s[s >= 0]))
    return torch.cat([backward.flip(0)[:-1], forward])
