"""Data made worse on purpose: thinner, or with noise, to see what can still be found in them."""

from __future__ import annotations

from dataclasses import replace

import torch

from lieapp.data.trajectories import Trajectories
from lieapp.errors import GridError

LEAST = 8
"""Points or times below which nothing can be learned along an axis."""

STREAM = 7919
"""Set apart from the seed's own use, so that noise isn't made of the numbers that made the initial states."""


def thin(data: Trajectories, points: int = 1, times: int = 1) -> Trajectories:
    """Every so many points along each axis of space, every so many times.

    Raises GridError if the points of a periodic axis can't be divided evenly or too few would be left.
    """
    if points == times == 1:
        return data
    values, shape = data.values[:, ::times], []
    for i, axis in enumerate(data.grid.axes):
        if axis.points % points:
            raise GridError(
                f"every_point = {points}: {axis.name} has {axis.points} points, which {points} doesn't divide.",
                hint="Choose a divisor, so that the axis stays periodic.",
            )
        shape.append(axis.points // points)
        values = values[(slice(None),) * (3 + i) + (slice(None, None, points),)]
    if min(shape) < LEAST or values.shape[1] < LEAST:
        raise GridError(
            f"{min(shape)} points and {values.shape[1]} times would be left; at least {LEAST} of each are needed.",
            hint="Lower every_point or every_time.",
        )
    return replace(data, values=values, time=data.time[::times], grid=data.grid.refined(tuple(shape)))


def noisy(data: Trajectories, share: float, seed: int) -> Trajectories:
    """White noise added to every value, its standard deviation a share of each unknown's own."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + STREAM)
    values = data.values
    dims = [d for d in range(values.ndim) if d != 2]
    size = (values - values.mean(dims, keepdim=True)).square().mean(dims, keepdim=True).sqrt()
    noise = torch.randn(values.shape, generator=generator, dtype=values.dtype).to(values.device)
    return replace(data, values=values + share * size * noise)
