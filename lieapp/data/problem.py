"""From a symbolic splitting u_t = L u + N to the two functions on Fourier modes that a stepper wants."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

from lieapp.numerics.codegen import Tape, scalar_functions
from lieapp.numerics.etdrk import Problem
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import SpectralDifferentiator, to_modes, to_values, wavenumbers
from lieapp.symbolic.splitting import Splitting


def semilinear_problem(
    splitting: Splitting, grid: Grid, dtype: torch.dtype = torch.float64, device: torch.device | str = "cpu"
) -> Problem:
    """L and N on the modes of a grid, dealiased by truncation to n/(degree+1) modes.

    Args:
        splitting: the equation.
        grid: the periodic axes of space, in the order of the equation's variables.
    """
    evolution = splitting.evolution
    jets, count = evolution.jets, len(evolution.jets.dependent)
    differentiator = SpectralDifferentiator(grid, dtype, device)
    mask = dealias_mask(grid, splitting.degree, dtype, device)
    keys = list(splitting.linear)
    rates = scalar_functions(list(splitting.linear.values()), jets.independent[evolution.time])
    multipliers = [differentiator.multiplier(_space(evolution.space, J)) * mask for _, _, J in keys]

    @lru_cache(maxsize=8)  # neighbouring stages share their times
    def linear(t: float) -> Tensor:
        result = torch.zeros(count, count, *mask.shape, dtype=_complex(dtype), device=device)
        for (a, b, _), rate, m in zip(keys, rates(t), multipliers, strict=True):
            result[a, b] += rate * m
        return result

    found = {s: index for e in splitting.nonlinear for s, index in jets.jets(e).items()}
    used = [i for i, x in enumerate(jets.independent) if any(e.has(x) for e in splitting.nonlinear)]
    rest = Tape(splitting.nonlinear, [*(jets.independent[i] for i in used), *found])
    mesh = grid.mesh(dtype, device)
    owners = [b for b, _ in found.values()]
    derivatives = [differentiator.multiplier(_space(evolution.space, J)) for _, J in found.values()]
    factors = torch.stack([m.expand(mask.shape) for m in derivatives]) if found else None

    vanishes = all(e == 0 for e in splitting.nonlinear)

    def nonlinear(t: float, v: Tensor) -> Tensor:
        if vanishes:
            return torch.zeros_like(v)
        owned = v if count == 1 else v[:, owners]
        values = to_values(owned * factors, grid).unbind(1) if factors is not None else ()
        places = [
            torch.full((1,) * len(grid.axes), t, dtype=dtype, device=device)
            if i == evolution.time
            else mesh[evolution.space.index(i)]
            for i in used
        ]
        terms = rest(*places, *values)
        stacked = torch.stack(terms, dim=-1 - len(grid.axes)).expand(len(v), count, *grid.shape)
        return to_modes(stacked, grid) * mask

    return Problem(
        linear=linear,
        nonlinear=nonlinear,
        coupled=any(a != b for a, b, _ in keys),
        autonomous=splitting.autonomous,
    )


def dealias_mask(grid: Grid, degree: int, dtype: torch.dtype, device: torch.device | str) -> Tensor:
    """1 on modes whose products of the given degree don't alias back among them, 0 on the others."""
    mask = torch.ones((), dtype=dtype, device=device)
    for axis, k in zip(grid.axes, wavenumbers(grid, dtype, device), strict=True):
        limit = (axis.points - 1) // (degree + 1)
        mask = mask * (k.abs() * axis.length <= 2 * torch.pi * (limit + 0.5))
    return mask


def _space(space: tuple[int, ...], J: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(J[i] for i in space)


def _complex(dtype: torch.dtype) -> torch.dtype:
    return torch.complex128 if dtype == torch.float64 else torch.complex64
