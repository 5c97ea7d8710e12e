"""Windows of a grid: arrays continued past their ends, and the same block seen from several offsets.

Autograd would fill one full-size array with zeros for each window; here the backward pass has one for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


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
