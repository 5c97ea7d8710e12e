"""Expressions in derivatives on slices of data."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.equations.evolution import Evolution
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import MixedDifferentiator, SpectralDifferentiator


def on_slices(
    expressions: Sequence[sp.Expr],
    evolution: Evolution,
    time: Float[Tensor, " time"],
    values: Float[Tensor, "time unknown *space"],
    grid: Grid,
) -> list[Float[Tensor, "time *space"]]:
    """The values of expressions in the variables and derivatives in space.

    Axes are periodic or of Gauss-Legendre nodes.
    """
    jets = evolution.jets
    found = {s: jet for e in expressions for s, jet in jets.jets(e).items()}
    periodic = all(axis.periodic for axis in grid.axes)
    d = (SpectralDifferentiator if periodic else MixedDifferentiator)(grid, values.dtype, values.device)
    slopes = []
    for a, J in found.values():
        along = tuple(J[i] for i in evolution.space)
        slopes.append(d.derivatives(values[:, a], [along])[along])
    coordinates: list[Tensor] = []
    for i in range(len(jets.independent)):
        if i == evolution.time:
            coordinates.append(time.to(values).reshape(-1, *(1,) * len(grid.axes)))
            continue
        place = evolution.space.index(i)
        axis = grid.axes[place].coordinates(dtype=values.dtype, device=values.device)
        coordinates.append(axis.reshape(-1, *(1,) * (len(grid.axes) - 1 - place)))
    told = Tape(list(expressions), [*jets.independent, *found])(*coordinates, *slopes)
    return [torch.as_tensor(e).to(values).expand(values[:, 0].shape) for e in told]
