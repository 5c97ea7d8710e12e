"""The time window of a moved solution: where it is known, and whether that is enough."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.errors import GridError
from lieapp.numerics.grid import Axis

UNEVEN = 1e-6
"""Largest relative difference of time steps."""


def axes_of(data: Trajectories, name: str, order: int) -> tuple[Axis, Axis]:
    """Time from 0 on, and x.

    Raises GridError unless there is one axis of space, it is periodic, and time is even and has `order` samples.
    """
    if len(data.grid.axes) != 1:
        names = ", ".join(axis.name for axis in data.grid.axes)
        raise GridError(
            f"{name}: data on the {len(data.grid.axes)} axes of space {names} can't be moved; one axis can.",
            hint="Simulate moved initial states instead.",
        )
    (x,) = data.grid.axes
    if not x.periodic:
        raise GridError(
            f"{name}: {x.name} is not periodic; moved data are resampled by Fourier series in {x.name}.",
            hint=f"Add periodic=[{x.name}] if solutions repeat over the region.",
        )
    steps = data.time.diff()
    if len(data.time) < order:
        raise GridError(
            f"{name}: there are {len(data.time)} time samples; interpolation of order {order} needs as many.",
            hint="Lower order, or keep more time samples.",
        )
    step = float(steps.mean())
    if float((steps - step).abs().max()) > UNEVEN * abs(step):
        raise GridError(
            f"{name}: {data.time_name} is not sampled evenly: its steps lie between {float(steps.min()):g} and "
            f"{float(steps.max()):g}; moved data are resampled at even steps.",
            hint="Interpolate the data to even times.",
        )
    return Axis(data.time_name, 0.0, step * (len(data.time) - 1), len(data.time)), x


def longest(valid: Bool[Tensor, "sample time"]) -> tuple[Int[Tensor, " sample"], Int[Tensor, " sample"]]:
    """The longest run of valid times of each sample: its first index and its length; the first of equal ones."""
    length = torch.zeros(len(valid), dtype=torch.long, device=valid.device)
    best, end = length.clone(), length.clone()
    for i, column in enumerate(valid.unbind(1)):
        length = torch.where(column, length + 1, 0)
        end = torch.where(length > best, i, end)
        best = torch.maximum(best, length)
    return torch.where(best > 0, end - best + 1, 0), best


def whole(valid: Bool[Tensor, "sample time"], share: float) -> Bool[Tensor, " sample"]:
    """Samples that are valid in the middle `share` of the time window."""
    times = valid.shape[1]
    cut = min(round((1 - share) / 2 * times), (times - 1) // 2)
    return valid[:, cut : times - cut].all(1)
