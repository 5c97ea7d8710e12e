"""The time window of a moved solution: where it is known, and whether that is enough."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lieapp.api import PDE
from lieapp.augment.own import check_even, check_space
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import GridError
from lieapp.numerics.grid import Axis


def check_axes(pde: PDE) -> None:
    """Raises GridError unless a declaration has one axis of space, and it is periodic; data may say more."""
    evolution = evolution_form(read_pde(pde))
    names = [evolution.jets.independent[i] for i in evolution.space]
    check_space({str(x): x in pde.periodic for x in names}, pde.name)


def axes_of(data: Trajectories, name: str, order: int) -> tuple[Axis, Axis]:
    """Time from 0 on, and x.

    Raises GridError unless there is one axis of space, it is periodic, and time is even and has `order` samples.
    """
    check_space({axis.name: axis.periodic for axis in data.grid.axes}, name)
    (x,) = data.grid.axes
    if len(data.time) < order:
        raise GridError(
            f"{name}: there are {len(data.time)} time samples; interpolation of order {order} needs as many.",
            hint="Lower order, or keep more time samples.",
        )
    check_even(data.time.cpu().numpy(), data.time_name, name)
    step = float(data.time.diff().mean())
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
