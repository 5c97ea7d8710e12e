"""Whether data solve the equation, and if not which of its terms is off.

Integrated over time windows the equation u_t = Σ T_k reads u(b) - u(a) = Σ ∫ T_k dt, without a derivative in time:
noise isn't amplified and times may be unevenly spaced. Least squares on u(b) - u(a) = Σ a_k ∫ T_k dt then gives
factors a_k, all 1 for data that solve the equation. Integrals are those of cubic splines; without every second time
they come out otherwise if the times are too far apart to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.change import evaluated
from lieapp.data.trajectories import Trajectories
from lieapp.equations.evolution import Evolution
from lieapp.numerics.spectral import bandwidth as bandwidth_of
from lieapp.numerics.spectral import low_pass, noise_floor

SAMPLES = 8
WINDOWS = 12
"""Trajectories, and time windows of each, that are looked at."""

COARSE = 0.1
"""Relative change of the integrals without every second time above which nothing can be told."""

OFF = 0.05
"""Departure of a factor from 1 that is told."""


@dataclass(frozen=True)
class Misfit:
    """How far data are from solving an equation.

    Args:
        relative: norm of u(b) - u(a) - Σ ∫ T_k dt over that of u(b) - u(a); nan if the times are too far apart.
        fitted: the same with the best factors.
        factors: each term of u_t = Σ T_k with its best factor, those of one unknown after the other.
    """

    relative: float
    fitted: float
    factors: tuple[tuple[str, str, float], ...]

    def words(self) -> str:
        """What is said of it: the terms that are off, with the factor that the data ask for."""
        off = [(u, text, a) for u, text, a in self.factors if abs(a - 1) > OFF]
        said = f"they miss the equation by {100 * self.relative:.0f} % of their change in time"
        if not off or self.fitted > self.relative / 2:
            return f"{said}, and no other factors of its terms fit much better"
        terms = "; ".join(
            f"in the equation of {u} the term {text} should be taken {a:.3g} times" for u, text, a in off
        )
        return f"{said}; least squares: {terms} ({_percent(self.fitted)} are left then)"


def _percent(share: float) -> str:
    """Per cent, without a power of ten."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1g} %"


def misfit(evolution: Evolution, data: Trajectories) -> Misfit | None:
    """The misfit of trajectories on a periodic grid; None if their times are too few or too far apart to tell."""
    values = data.values[:SAMPLES]
    if values.shape[1] < 2 * WINDOWS or not all(axis.periodic for axis in data.grid.axes):
        return None
    flat = values.flatten(0, 1)
    floor = noise_floor(flat, data.grid)
    if floor:
        cut = bandwidth_of(flat, data.grid, floor)
        values = low_pass(flat, data.grid, cut).unflatten(0, values.shape[:2])
    time = data.time.to(values.dtype).reshape(-1, *[1] * len(data.grid.axes))
    left = fitted_left = total = 0.0
    factors: list[tuple[str, str, float]] = []
    for a, name in enumerate(evolution.jets.dependent):
        terms = sp.Add.make_args(sp.expand(evolution.rhs[a]))
        change = np.diff(values[:, _ends(len(data.time)), a].cpu().numpy(), axis=1)
        found = evaluated(terms, evolution, time, values, data.grid)
        shown = [torch.as_tensor(z).to(values).expand(values[:, :, 0].shape) for z in found]
        integrals = [_integrals(z, data.time) for z in shown]
        coarse = [_integrals(z, data.time, every=2) for z in shown]
        sums = np.sum(integrals, 0)
        if np.linalg.norm(np.sum(coarse, 0) - sums) > COARSE * np.linalg.norm(sums):
            return None
        columns = np.stack([z.ravel() for z in integrals], 1)
        best, *_ = np.linalg.lstsq(columns, change.ravel(), rcond=None)
        factors += [(name, str(term), float(b)) for term, b in zip(terms, best, strict=True)]
        left += float(np.sum((change - sums) ** 2))
        fitted_left += float(np.sum((change.ravel() - columns @ best) ** 2))
        total += float(np.sum(change**2))
    if total == 0:
        return None
    return Misfit((left / total) ** 0.5, (fitted_left / total) ** 0.5, tuple(factors))


def _ends(count: int) -> list[int]:
    """Where windows begin and end; an even number of steps each."""
    step = max(2 * (count // (2 * WINDOWS)), 2)
    return list(range(0, count, step))


def _integrals(
    values: Float[Tensor, "sample time *space"], time: Float[Tensor, " time"], every: int = 1
) -> np.ndarray:
    """∫ over each window, by a cubic spline through every so many times."""
    # only data from elsewhere need it; it takes half a second to load
    from scipy.interpolate import CubicSpline

    t = time.cpu().numpy()
    spline = CubicSpline(t[::every], values[:, ::every].cpu().numpy(), axis=1).antiderivative()
    return np.diff(spline(t[_ends(len(t))]), axis=1)
