"""Weighted essentially non-oscillating derivatives on displaced nodes (paper, appendix "WENO").

Each node has a family of stencils; on each the moved function is interpolated by a polynomial q of total degree
p = max|J| + extra, and ∂^J ũ = Σ_m ω_m ∂^J q_m with ω_m ~ γ_m / (ε + IS_m)^4. The derivatives converge at least
with order p + 1 - |J|, with one order more on uniform nodes where that is odd. Local coordinates are scaled by the
unmoved spacings, so ε has no unit of length; values are meant to be of order one.

A shifted stencil is the centre stencil of a neighbour. So every node solves two systems only (one for each of the
reflected lattices), and its family are Taylor shifts of its neighbours' polynomials. Stencils read windows of the
grid: the same block at several offsets, whose backward pass has one array for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.errors import ConfigError
from lieapp.numerics.grid import Grid
from lieapp.numerics.interpolation import (
    WIDE,
    family,
    interpolate,
    largest,
    lattice,
    monomials,
    reach,
    shifted,
    smoothness_root,
)
from lieapp.numerics.moved import (
    MovedJets,
    MultiIndex,
    Positions,
    Values,
    check_orders,
    check_shapes,
    column,
    folded_share,
    spacings,
)


def wrapped(
    table: Float[Tensor, "channel batch *index"], dim: int, width: int, turn: Float[Tensor, " channel"]
) -> Float[Tensor, "channel batch *wide"]:
    """The table continued by `width` entries at both ends of a periodic dim.

    Args:
        turn: what each channel gains over one period: the period for the position along this axis, else 0.
    """
    period = turn.reshape(-1, *[1] * (table.ndim - 1))
    length = table.shape[dim]
    return torch.cat(
        [table.narrow(dim, length - width, width) - period, table, table.narrow(dim, 0, width) + period], dim
    )


def clamped(
    table: Float[Tensor, "channel batch *index"], dim: int, left: int, right: int
) -> Float[Tensor, "channel batch *wide"]:
    """The table with its first and last entry of a dim repeated."""
    first, last = table.narrow(dim, 0, 1), table.narrow(dim, table.shape[dim] - 1, 1)
    ends = [list(table.shape), list(table.shape)]
    ends[0][dim], ends[1][dim] = left, right
    return torch.cat([first.expand(ends[0]), table, last.expand(ends[1])], dim)


def windows(
    table: Float[Tensor, "channel batch *index"], starts: Sequence[Sequence[int]], lengths: Sequence[int]
) -> Float[Tensor, "window channel *block"]:
    """table[:, start : start + length] along the other dims, one window for each start."""
    return _Windows.apply(table, starts, lengths)


class _Windows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, starts: Sequence[Sequence[int]], lengths: Sequence[int]) -> Tensor:
        ctx.starts, ctx.lengths, ctx.shape = starts, lengths, table.shape
        return torch.stack([_block(table, start, lengths) for start in starts])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        total = gradient.new_zeros(ctx.shape)
        for part, start in zip(gradient, ctx.starts, strict=True):
            _block(total, start, ctx.lengths).add_(part)
        return total, None, None


def _block(table: Tensor, start: Sequence[int], lengths: Sequence[int]) -> Tensor:
    """A view of one window."""
    return table[(slice(None), *(slice(s, s + length) for s, length in zip(start, lengths, strict=True)))]


EPSILON, POWER = 1e-6, 4
"""ε and b of the weights γ / (ε + IS)^b (paper; Dumbser & Kaser 2007)."""

CHUNK = {"cpu": 8192, "cuda": 1 << 18}
"""Nodes at a time: what fits a core's cache, or fills a GPU."""


class WENO:
    """Derivatives of moved data by WENO interpolation.

    Args:
        grid: the unmoved nodes.
        orders: the derivatives to make.
        extra: how far the degree p of the polynomials is above the highest derivative.

    Raises GridError if an axis has fewer nodes than a stencil, ConfigError on orders or options without meaning.
    """

    def __init__(self, grid: Grid, orders: Sequence[MultiIndex], *, extra: int = 0) -> None:
        self.grid, self.orders = grid, check_orders(grid, orders)
        if extra < 0:
            raise ConfigError(f"extra = {extra}.", hint="extra is at least 0.")
        self.n = len(grid.axes)
        self.degree = max(1, max(map(sum, self.orders)) + extra)
        for axis in grid.axes:
            axis.check_points(self.degree + 1, f"a WENO stencil of degree {self.degree} needs", "extra")
        self.alphas = monomials(self.n, self.degree)[1:]
        self.family = family(self.n)
        self._root = smoothness_root(self.n, self.degree)
        self._proper = [J for J in self.orders if any(J)]
        # nodes that periodic axes are continued by
        self._margin = -reach(self.degree, -1)[0] + 1

    def jets(self, positions: Positions, values: Values) -> MovedJets:
        """∂^J for every J in `orders` at the moved nodes.

        Not valid are nodes all of whose stencils are singular: coinciding or far scattered nodes. Raises GridError
        if a shape doesn't fit the grid.
        """
        check_shapes(self.grid, positions, values)
        table = self._table(positions, values)
        polynomials = [self._polynomials(table, sign) for sign in (1, -1)]
        found = self._by_chunks(self._reconstruct, self.grid.shape, table, *polynomials)
        valid = (found[-1, 0] > 0.5) & values.isfinite().all(1)
        kept = valid[:, None]
        derivatives = {J: torch.where(kept, values, 0) for J in self.orders if not any(J)}
        for k, J in enumerate(self._proper):
            derivatives[J] = torch.where(kept, found[k].transpose(0, 1), 0)
        return MovedJets(
            {J: derivatives[J] for J in self.orders}, valid, folded_share(self.grid, positions), positions
        )

    def _table(self, positions: Tensor, values: Tensor) -> Float[Tensor, "channel batch *wide"]:
        """Positions in cells, then values; periodic axes continued by what a family reaches."""
        cells = positions.transpose(0, 1) / column(spacings(self.grid, positions), self.n + 1)
        table = torch.cat([cells, values.transpose(0, 1)])
        for i, axis in enumerate(self.grid.axes):
            if axis.periodic:
                table = wrapped(table, i + 2, self._margin, self._turn(table, i))
        return table

    def _turn(self, table: Tensor, i: int) -> Float[Tensor, " channel"]:
        """What the channels of a table gain over one period of axis i; its first channels are positions."""
        turn = table.new_zeros(table.shape[0])
        turn[i] = self.grid.axes[i].points
        return turn

    def _polynomials(self, table: Tensor, sign: int) -> Float[Tensor, "channel batch *wide"]:
        """The polynomials of all anchors of one lattice, continued by one node past each end.

        Channels: position of the anchor, whether the polynomial exists, coefficients. At an open end the lattice
        stays inside, so nodes there share the last anchor.
        """
        low, high = reach(self.degree, sign)
        axes = self.grid.axes
        anchors = [axis.points - (0 if axis.periodic else high - low) for axis in axes]
        made = self._by_chunks(partial(self._solve, sign), anchors, table)
        for i, axis in enumerate(axes):
            if axis.periodic:
                made = wrapped(made, i + 2, 1, self._turn(made, i))
            else:
                made = clamped(made, i + 2, 1 - low, high + 1)
        return made

    def _by_chunks(self, work: Callable[..., Tensor], shape: Sequence[int], *tables: Tensor) -> Tensor:
        """work(*tables, corner, lengths) for blocks of batch entries and of rows of the first axis, joined."""
        chunk = CHUNK.get(tables[0].device.type, CHUNK["cuda"])
        row = math.prod(shape[1:])
        entries, rows = max(1, chunk // (row * shape[0])), max(1, chunk // row)
        done = []
        for parts in zip(*(table.split(entries, 1) for table in tables), strict=True):
            blocks = []
            for first in range(0, shape[0], rows):
                corner = (0, first, *[0] * (self.n - 1))
                lengths = (parts[0].shape[1], min(rows, shape[0] - first), *shape[1:])
                blocks.append(work(*parts, corner, lengths))
            done.append(blocks[0] if len(blocks) == 1 else torch.cat(blocks, -self.n))
        return done[0] if len(done) == 1 else torch.cat(done, -self.n - 1)

    def _solve(
        self, sign: int, table: Tensor, corner: Sequence[int], lengths: Sequence[int]
    ) -> Float[Tensor, "channel *block"]:
        """The polynomials of one block of anchors."""
        # from the table's index of the first anchor along each axis on
        low = -reach(self.degree, sign)[0]
        start = _moved(corner, (0, *(self._margin if axis.periodic else low for axis in self.grid.axes)))
        starts = [_moved(start, (0, *z)) for z in lattice(self.n, self.degree, sign)]
        seen = windows(table, starts, lengths)
        local = (seen[1:] - seen[:1]).flatten(2)
        found, exists = interpolate(local[:, : self.n], local[:, self.n :], self.degree)
        there = exists.to(table.dtype).reshape(1, *lengths)
        return torch.cat([seen[0, : self.n], there, found.reshape(-1, *lengths)])

    def _reconstruct(
        self, table: Tensor, plus: Tensor, minus: Tensor, corner: Sequence[int], lengths: Sequence[int]
    ) -> Float[Tensor, "order component *block"]:
        """The weighted derivatives of one block of nodes; the last entry is 1 where there are any."""
        n, m = self.n, len(self.alphas)
        inner = [self._margin if axis.periodic else 0 for axis in self.grid.axes]
        node = windows(table, [_moved(corner, (0, *inner))], lengths)[0, :n].flatten(1)
        # the polynomials that the family of each node takes, one lattice after the other as in the family
        taken = [
            windows(made, [_moved(corner, (0, *(1 + s for s in m.shift))) for m in self.family if m.sign == sign],
                    lengths)
            for made, sign in ((plus, 1), (minus, -1))
        ]  # fmt: skip
        seen = torch.cat(taken).flatten(2)
        step = node - seen[:, :n]
        exists = (seen[:, n] > 0.5) & (step.abs() < WIDE).all(1)
        step = torch.where(exists[:, None], step, 0)
        coefficients = shifted(seen[:, n + 1 :].reshape(len(seen), m, -1, step.shape[-1]), step, self.degree)
        exists = exists & (coefficients.abs() < largest(table.dtype)).flatten(1, 2).all(1)
        coefficients = torch.where(exists[:, None, None], coefficients, 0)
        weights = self._weights(coefficients, exists)
        picked = coefficients[:, [self.alphas.index(J) for J in self._proper]]
        # from the coefficient of y^J to the derivative: J! over the spacings
        scale = [
            math.prod(math.factorial(d) / a.spacing**d for d, a in zip(J, self.grid.axes, strict=True))
            for J in self._proper
        ]
        found = (weights[:, None] * picked).sum(0) * column(picked.new_tensor(scale), 2)
        there = exists.any(0).to(table.dtype).expand(1, *found.shape[1:])
        return torch.cat([found, there]).unflatten(-1, tuple(lengths))

    def _weights(self, coefficients: Tensor, exists: Tensor) -> Float[Tensor, "member component point"]:
        """ω_m of each component, in the log domain: (ε + IS)^4 overflows float32."""
        root = self._root.to(coefficients)
        terms = torch.matmul(root, coefficients.flatten(2)).reshape(coefficients.shape)
        smoothness = terms.square().sum(1)
        linear = torch.tensor([math.log(m.weight) for m in self.family], dtype=root.dtype, device=root.device)
        logits = column(linear, 2) - POWER * torch.log(EPSILON + smoothness)
        return torch.softmax(torch.where(exists[:, None], logits, -1e30), dim=0)


def _moved(start: Sequence[int], offset: Sequence[int]) -> tuple[int, ...]:
    """A window's corner, moved."""
    return tuple(s + o for s, o in zip(start, offset, strict=True))
