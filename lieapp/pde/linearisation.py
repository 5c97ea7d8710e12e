"""The linearised residual M = D_t Q - F'[u](Q) of u_t = F on gridded slices (Olver 1993, ch. 5.1).

Single slices suffice: u_t is F, D_x u_t is D_x F, and D_t F = F'[u](F) + ∂F/∂t.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.solutions import Scales, Slices
from lieapp.equations.evolution import Evolution
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Grid
from lieapp.numerics.moved import MultiIndex
from lieapp.numerics.polynomial import GaussAxis
from lieapp.numerics.spectral import Differentiator, differentiator_on


class Linearisation:
    """F, ∂F/∂t and the Fréchet derivative of one evolution equation, compiled once."""

    def __init__(self, evolution: Evolution) -> None:
        self.evolution = evolution
        jets, t = evolution.jets, evolution.jets.independent[evolution.time]
        entries = evolution.frechet()
        self.entries = [(a, b, self._space(J)) for a, b, J in entries]
        explicit = [sp.diff(f, t) for f in evolution.rhs]
        expressions = [*evolution.rhs, *explicit, *entries.values()]
        self._needed = {s: index for e in expressions for s, index in jets.jets(e).items()}
        self._tape = Tape(expressions, [*jets.independent, *self._needed])
        self.varying = [bool(c.free_symbols - {t}) for c in entries.values()]
        self._differentiators: dict[tuple, Differentiator] = {}

    def _space(self, J: MultiIndex) -> MultiIndex:
        return tuple(J[i] for i in self.evolution.space)

    def differentiator(self, grid: Grid, like: Tensor) -> Differentiator:
        """The differentiator of a grid in the dtype and on the device of a tensor."""
        key = (grid, like.dtype, like.device)
        if key not in self._differentiators:
            self._differentiators[key] = differentiator_on(grid, like.dtype, like.device)
        return self._differentiators[key]

    def slices(
        self,
        time: Float[Tensor, " batch"],
        values: Float[Tensor, "batch unknown *space"],
        grid: Grid,
        scales: Scales,
    ) -> Slices:
        """Everything `apply` needs about slices, in scaled coordinates."""
        evolution, count = self.evolution, values.shape[1]
        d = self.differentiator(grid, values)
        column = (slice(None), *(None for _ in grid.axes))
        coordinates: list[Tensor] = list(grid.mesh(values.dtype, values.device))
        coordinates = [c.expand(len(values), *grid.shape) for c in coordinates]
        coordinates.insert(evolution.time, time[column].expand(len(values), *grid.shape))
        orders = [self._space(J) for _, J in self._needed.values()]
        jets = [
            d.derivatives(values[:, b], [J])[J] for (b, _), J in zip(self._needed.values(), orders, strict=True)
        ]
        result = self._tape(*coordinates, *jets)
        f, explicit = torch.stack(result[:count], 1), torch.stack(result[count : 2 * count], 1)
        entries = result[2 * count :]
        gradients = [self._unit(i) for i in range(len(grid.axes))]
        u_x = [d.derivatives(values, [J])[J] for J in gradients]
        f_x = [d.derivatives(f, [J])[J] for J in gradients]
        f_t = self.frechet(f[None], entries, d, explicit[None])[0]
        u_i, f_i = list(u_x), list(f_x)
        u_i.insert(evolution.time, f)
        f_i.insert(evolution.time, f_t)
        return self._scaled(coordinates, values, u_i, f_i, entries, scales, grid)

    def _unit(self, i: int) -> MultiIndex:
        return tuple(int(j == i) for j in range(len(self.evolution.space)))

    def _scaled(
        self, coordinates: list[Tensor], values: Tensor, u_i: list[Tensor], f_i: list[Tensor],
        entries: list[Tensor], scales: Scales, grid: Grid,
    ) -> Slices:  # fmt: skip
        p, q, size = len(coordinates), values.shape[1], scales.size
        window = size[self.evolution.time]
        everything = [*coordinates, *values.unbind(1)]
        points = torch.stack([(c - o) / s for c, o, s in zip(everything, scales.origin, size, strict=True)], 1)
        tangents, slopes = torch.zeros_like(points), values.new_zeros(len(values), q, p + q, *values.shape[2:])
        rates = torch.zeros_like(slopes)
        tangents[:, self.evolution.time] = 1.0
        for a in range(q):
            tangents[:, p + a] = window / size[p + a] * u_i[self.evolution.time][:, a]
            slopes[:, a, p + a] = 1.0
            for i in range(p):
                slopes[:, a, i] = -size[i] / size[p + a] * u_i[i][:, a]
                rates[:, a, i] = -window * size[i] / size[p + a] * f_i[i][:, a]
        scaled = tuple(
            window * size[p + b] / size[p + a] * e for (a, b, _), e in zip(self.entries, entries, strict=True)
        )
        weight = torch.ones_like(points[:, 0])
        for dim, axis in zip(grid.dims, grid.axes, strict=True):
            if isinstance(axis, GaussAxis):
                line = axis.weights(points.dtype, points.device)
                weight = (weight.movedim(dim, -1) * line).movedim(-1, dim)
        return Slices(points, tangents, weight, slopes, rates, scaled, grid)

    def frechet(
        self, q: Float[Tensor, "field batch unknown *space"], entries: Sequence[Float[Tensor, "batch *space"]],
        d: Differentiator, start: Float[Tensor, "field batch unknown *space"], factor: float = 1.0,
    ) -> Float[Tensor, "field batch unknown *space"]:  # fmt: skip
        """start + factor Σ_J ∂Fᵃ/∂uᵇ_J D_J qᵇ, the entries ∂Fᵃ/∂uᵇ_J in their order."""
        rows = [*start.unbind(2)]
        orders: dict[int, dict[MultiIndex, None]] = {}
        for _, b, J in self.entries:
            orders.setdefault(b, {})[J] = None
        derivatives = {b: d.derivatives(q[:, :, b], list(wanted)) for b, wanted in orders.items()}
        for (a, b, J), coefficient in zip(self.entries, entries, strict=True):
            rows[a] = torch.addcmul(rows[a], coefficient, derivatives[b][J], value=factor)
        return rows[0][:, :, None] if len(rows) == 1 else torch.stack(rows, 2)
