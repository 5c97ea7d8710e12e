"""What networks see of a scaled point: cos and sin of periodic arguments, the others with mean 0, deviation 1."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Arguments, Points

UNIT = 12**0.5
"""1 over the standard deviation of scaled coordinates, that of a uniform variable on [0, 1]."""

Inputs = Float[Tensor, "batch *space input"]


def input_count(arguments: Arguments, modes: int) -> int:
    """Number of inputs."""
    return sum(2 * modes if p else 1 for p in arguments.periodic)


def network_inputs(points: Points, arguments: Arguments, modes: int) -> Inputs:
    """cos and sin of 2πk x for k up to `modes` where periodic; t comes from [0, 1], unknowns with deviation .29."""
    values = []
    for i, repeats in enumerate(arguments.periodic):
        x = points[:, i]
        if not repeats:
            values.append(UNIT * (x if arguments.dependent[i] else x - 0.5))
            continue
        for k in range(1, modes + 1):
            values += [torch.cos(2 * math.pi * k * x), torch.sin(2 * math.pi * k * x)]
    return torch.stack(values, -1)


def input_rates(points: Points, tangents: Points, arguments: Arguments, modes: int) -> Inputs:
    """Derivatives of the inputs along tangents."""
    rates = []
    for i, repeats in enumerate(arguments.periodic):
        x, dx = points[:, i], tangents[:, i]
        if not repeats:
            rates.append(UNIT * dx)
            continue
        for k in range(1, modes + 1):
            w = 2 * math.pi * k
            rates += [-w * torch.sin(w * x) * dx, w * torch.cos(w * x) * dx]
    return torch.stack(rates, -1)
