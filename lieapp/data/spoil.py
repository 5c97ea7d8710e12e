"""Data made worse on purpose: thinner, or with noise, to see what can still be found in them."""

from __future__ import annotations

from dataclasses import replace

import torch

from lieapp.data.sizes import check_thinned
from lieapp.data.trajectories import Trajectories

STREAM = 7919
"""Set apart from the seed's own use, so that noise isn't made of the numbers that made the initial states."""


def thin(data: Trajectories, points: int = 1, times: int = 1) -> Trajectories:
    """Every so many points along each axis of space, every so many times.

    Raises GridError if the points of a periodic axis can't be divided evenly or too few would be left.
    """
    if points == times == 1:
        return data
    axes = {axis.name: axis.points for axis in data.grid.axes}
    shape, _ = check_thinned(axes, len(data.time), points, times)
    values = data.values[:, ::times]
    for i in range(len(axes)):
        values = values[(slice(None),) * (3 + i) + (slice(None, None, points),)]
    return replace(data, values=values, time=data.time[::times], grid=data.grid.refined(tuple(shape)))


def noisy(data: Trajectories, share: float, seed: int) -> Trajectories:
    """White noise added to every value, its standard deviation a share of each unknown's own."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + STREAM)
    values = data.values
    dims = [d for d in range(values.ndim) if d != 2]
    size = (values - values.mean(dims, keepdim=True)).square().mean(dims, keepdim=True).sqrt()
    noise = torch.randn(values.shape, generator=generator, dtype=values.dtype).to(values.device)
    return replace(data, values=values + share * size * noise)
