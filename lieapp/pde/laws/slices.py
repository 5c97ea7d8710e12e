"""Expressions in derivatives on slices of data over periodic axes, and their totals."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.equations.jets import JetSpace
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.numerics.spectral import SpectralDifferentiator


class OnSlices:
    """Expressions in the variables and derivatives in space on one grid, differentiable in the unknowns.

    Args:
        time: the place of time among the variables; those of space are in the order of the grid's axes.

    Raises EquationError for a function that tensors can't have.
    """

    def __init__(self, expressions: Sequence[sp.Expr], jets: JetSpace, time: int, grid: Grid) -> None:
        self._time, self._grid = time, grid
        found = {s: jet for e in expressions for s, jet in jets.jets(e).items()}
        self._jets = [(a, (*J[:time], *J[time + 1 :])) for a, J in found.values()]
        self._tape = Tape(list(expressions), [*jets.independent, *found])

    def values(
        self, slices: Float[Tensor, "slice unknown *space"], time: Float[Tensor, " slice"]
    ) -> list[Float[Tensor, "slice *space"]]:
        """Of each expression, by Fourier derivatives."""
        dtype, device, count = slices.dtype, slices.device, len(self._grid.axes)
        d = SpectralDifferentiator(self._grid, dtype, device)
        slopes = [d.derivatives(slices[:, a], [J])[J] for a, J in self._jets]
        places: list[Tensor] = list(self._grid.mesh(dtype, device))
        places.insert(self._time, time.to(slices).reshape(-1, *(1,) * count))
        return [e.expand(slices[:, 0].shape) for e in self._tape(*places, *slopes)]

    def totals(
        self, slices: Float[Tensor, "slice unknown *space"], time: Float[Tensor, " slice"]
    ) -> tuple[Float[Tensor, "slice expression"], Float[Tensor, "slice expression"]]:
        """∫ T dx and ∫ |T| dx by the trapezoidal rule, exact for products that don't alias."""
        volume = 1.0
        for axis in self._grid.axes:
            volume *= axis.length
        found, dims = volume * torch.stack(self.values(slices, time), 1), self._grid.dims
        return found.mean(dims), found.abs().mean(dims)
