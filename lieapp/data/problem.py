"""From a symbolic splitting u_t = L u + N to the two functions on Fourier modes that a stepper wants."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.equations.evolution import Splitting, fluxes
from lieapp.numerics.codegen import Tape, scalar_functions
from lieapp.numerics.etdrk import Matrix, Modes, Problem
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import SpectralDifferentiator, to_modes, to_values, wavenumbers


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
    places = torch.zeros(len(keys), count, count, *mask.shape, dtype=dtype.to_complex(), device=device)
    for k, (a, b, J) in enumerate(keys):
        places[k, a, b] = differentiator.multiplier(_space(evolution.space, J)) * mask

    @lru_cache(maxsize=8)  # neighbouring stages share their times
    def linear(t: float) -> Matrix:
        factors = torch.tensor(rates(t), dtype=dtype, device=device)
        return (places * factors.reshape(-1, *(1 for _ in places.shape[1:]))).sum(0)

    return Problem(
        linear=linear,
        nonlinear=_nonlinear(splitting, grid, differentiator, mask),
        coupled=any(a != b for a, b, _ in keys),
        autonomous=splitting.autonomous,
    )


def _nonlinear(
    splitting: Splitting, grid: Grid, d: SpectralDifferentiator, mask: Float[Tensor, "*modes"]
) -> Callable[[float, Modes], Modes]:
    """(t, modes) -> masked modes of N = Σ c(t) ∂^J E: called at every stage, so few and short tensor operations."""
    evolution = splitting.evolution
    jets, count = evolution.jets, len(evolution.jets.dependent)
    terms = fluxes(evolution, splitting.nonlinear)
    if not terms:
        return lambda t, v: torch.zeros_like(v)
    densities = [term.density for term in terms]
    found = {s: index for e in densities for s, index in jets.jets(e).items()}
    # sources alone depend on no unknown; one gives their values its shape all the same
    found = found or {jets.symbol(0, jets.zero): (0, jets.zero)}
    used = [i for i, x in enumerate(jets.independent) if any(e.has(x) for e in densities)]
    tape = Tape([e.as_coeff_Mul()[1] for e in densities], [*(jets.independent[i] for i in used), *found])
    mesh, last = grid.mesh(d.dtype, d.device), -1 - len(grid.axes)
    owners = [b for b, _ in found.values()]
    plain = len(found) == count and all(not any(J) for _, J in found.values())
    inner = torch.stack([d.multiplier(_space(evolution.space, J)).expand(mask.shape) for _, J in found.values()])
    # numbers join the factors that are multiplied with anyway
    contents = [float(e.as_coeff_Mul()[0]) for e in densities]
    outer = torch.stack(
        [c * d.multiplier(_space(evolution.space, term.J)) * mask for c, term in zip(contents, terms, strict=True)]
    )
    rates = scalar_functions([term.rate for term in terms], jets.independent[evolution.time])
    varying = any(term.rate.free_symbols for term in terms)
    into = torch.tensor([term.component for term in terms], device=d.device)
    aligned = into.tolist() == list(range(count))

    def nonlinear(t: float, v: Modes) -> Modes:
        values = to_values(v if plain else v[:, owners] * inner, grid).unbind(1)
        places = [
            torch.full((1,) * len(grid.axes), t, dtype=d.dtype, device=d.device)
            if i == evolution.time
            else mesh[evolution.space.index(i)]
            for i in used
        ]
        factors = outer
        if varying:
            rate = torch.tensor(rates(t), dtype=d.dtype, device=d.device)
            factors = outer * rate.reshape(-1, *(1 for _ in grid.axes))
        modes = to_modes(torch.stack(tape(*places, *values), dim=last), grid) * factors
        return modes if aligned else torch.zeros_like(v).index_add_(1, into, modes)

    return nonlinear


def dealias_mask(
    grid: Grid, degree: int, dtype: torch.dtype, device: torch.device | str
) -> Float[Tensor, "*modes"]:
    """1 on modes whose products of the given degree don't alias back among them, 0 on the others."""
    mask = torch.ones((), dtype=dtype, device=device)
    for axis, k in zip(grid.axes, wavenumbers(grid, dtype, device), strict=True):
        limit = (axis.points - 1) // (degree + 1)
        mask = mask * (k.abs() * axis.length <= 2 * torch.pi * (limit + 0.5))
    return mask


def _space(space: tuple[int, ...], J: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(J[i] for i in space)
