"""Random initial states from their declarations: the same (seed, sample) gives the same function on any grid."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.api import SumOfSines
from lieapp.data.declared import initial_of
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid

EXTREMES = (4096, 256, 64)
"""Points along each axis on which minimum and maximum are looked for, in one, two, three dimensions."""

Drawn = tuple[Float[Tensor, " term"], Float[Tensor, "axis term"], Float[Tensor, " term"]]
"""Amplitudes, wavenumbers along each axis and phases."""


def initial_state(
    declaration: Any, unknowns: tuple[str, ...], grid: Grid, samples: int, generator: torch.Generator
) -> Float[Tensor, "sample component *space"]:
    """Initial values of every unknown on the grid.

    Random numbers are drawn sample by sample, so that sample i doesn't depend on how many are asked for.
    Raises PluginError for a declaration that isn't an initial-condition object.
    """
    declarations = [initial_of(declaration, name) for name in unknowns]
    coefficients = [[_draw(d, len(grid.axes), generator) for d in declarations] for _ in range(samples)]
    return torch.stack(
        [torch.stack([_sample(d, c, grid) for d, c in zip(declarations, row, strict=True)]) for row in coefficients]
    )


def _draw(d: SumOfSines, dimensions: int, generator: torch.Generator) -> Drawn:
    """Amplitudes, wavenumbers along each axis and phases."""
    amplitude = d.amplitude * (2 * torch.rand(d.terms, generator=generator, dtype=torch.float64) - 1)
    choice = torch.randint(len(d.wavenumbers), (dimensions, d.terms), generator=generator)
    phase = 2 * math.pi * torch.rand(d.terms, generator=generator, dtype=torch.float64)
    return amplitude, torch.tensor(list(d.wavenumbers), dtype=torch.float64)[choice], phase


def _sample(d: SumOfSines, drawn: Drawn, grid: Grid) -> Float[Tensor, "*space"]:
    s = _sum(drawn, grid)
    if d.rescale is not None:
        low, high = d.rescale
        # extremes of a grid of their own, so that the function doesn't depend on the grid asked for
        everywhere = _sum(drawn, grid.refined((EXTREMES[min(len(grid.axes), 3) - 1],) * len(grid.axes)))
        s = low + (high - low) * (s - everywhere.min()) / (everywhere.max() - everywhere.min())
    if d.shape is None:
        return s
    symbol = sp.Symbol("s", real=True)
    return Tape([d.shape(symbol)], [symbol])(s)[0]


def _sum(drawn: Drawn, grid: Grid) -> Float[Tensor, "*space"]:
    amplitude, wavenumber, phase = drawn
    mesh = grid.mesh(torch.float64, "cpu")
    column = (...,) + (None,) * len(mesh)
    angles = sum(
        2 * math.pi * mode[column] * (x - axis.left) / axis.length
        for mode, x, axis in zip(wavenumber, mesh, grid.axes, strict=True)
    )
    return (amplitude[column] * torch.sin(angles + phase[column])).sum(0)
