"""From a symbolic splitting u_t = L u + N to the two functions on Fourier modes that a stepper wants."""

from __future__ import annotations

import torch
from torch import Tensor

from lieapp.numerics.codegen import Tape
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
    rates = Tape([splitting.linear[k] for k in keys], [jets.independent[evolution.time]])
    multipliers = [differentiator.multiplier(_space(evolution.space, J)) * mask for _, _, J in keys]
    modes_shape = mask.shape

    def linear(t: float) -> Tensor:
        result = torch.zeros(count, count, *modes_shape, dtype=_complex(dtype), device=device)
        values = rates(torch.tensor(t, dtype=torch.float64))
        for (a, b, _), value, m in zip(keys, values, multipliers, strict=True):
            result[a, b] += float(value) * m
        return result

    found = {s: index for e in splitting.nonlinear for s, index in jets.jets(e).items()}
    rest = Tape(splitting.nonlinear, [*jets.independent, *found])
    mesh = grid.mesh(dtype, device)

    def nonlinear(t: float, v: Tensor) -> Tensor:
        if not any(splitting.nonlinear):
            return torch.zeros_like(v)
        values = [
            to_values(v[:, b] * differentiator.multiplier(_space(evolution.space, J)), grid)
            for b, J in found.values()
        ]
        coordinates: list[Tensor] = list(mesh)
        coordinates.insert(evolution.time, torch.tensor(t, dtype=dtype, device=device))
        batch = torch.zeros(len(v), *(1 for _ in grid.axes), dtype=dtype, device=device)
        terms = rest(*(c + batch for c in coordinates), *values)
        return to_modes(torch.stack(terms, dim=1), grid) * mask

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
