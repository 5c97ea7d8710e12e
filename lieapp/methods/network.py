"""A small network of scalar features h_k(z), periodic by construction where the argument is.

Its inputs are cos and sin of periodic arguments, and the others with mean 0 and deviation 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.domains.base import Arguments, Points, Scalars

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


class FeatureNetwork(nn.Module):
    """SiLU network on cos 2πk x, sin 2πk x of periodic arguments and on the others, and the constant 1.

    The others are brought to mean 0 and deviation 1: t from [0, 1], unknowns from deviation .29.

    Args:
        width: of the two hidden layers.
        features: number of features, the constant not counted.
        modes: Fourier modes fed for each periodic argument.
    """

    def __init__(self, arguments: Arguments, width: int, features: int, modes: int = 1) -> None:
        super().__init__()
        self.arguments, self.modes = arguments, modes
        self.layers = nn.ModuleList([nn.Linear(input_count(arguments, modes), width), nn.Linear(width, width)])
        self.head = nn.Linear(width, features)
        self.count = features + 1

    def at(self, points: Points) -> Scalars:
        """Features alone; where gradients are taken they are made once more then, in place of being kept."""
        if torch.is_grad_enabled():
            return _Anew.apply(self._values, points, *self.parameters())
        return self._values(points)

    def _values(self, points: Points) -> Scalars:
        z = network_inputs(points, self.arguments, self.modes)
        for layer in self.layers:
            z = functional.silu(layer(z))
        return self._with_constant(z, self.head.bias, 1.0)

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """Features and their derivatives along tangents, forward mode by hand: two matrix products a layer."""
        z = network_inputs(points, self.arguments, self.modes)
        dz = input_rates(points, tangents, self.arguments, self.modes)
        for layer in self.layers:
            z, dz = _Silu.apply(layer(z), functional.linear(dz, layer.weight))
        return self._with_constant(z, self.head.bias, 1.0), self._with_constant(dz, None, 0.0)

    def _with_constant(self, z: Inputs, bias: Tensor | None, first: float) -> Scalars:
        """The head's features, as the rows that they are used as, after a constant one."""
        rows = self.head.weight @ z.flatten(0, -2).T
        rows = rows if bias is None else rows + bias[:, None]
        return torch.cat([torch.full_like(rows[:1], first), rows]).unflatten(1, z.shape[:-1])


class _Anew(torch.autograd.Function):
    """A function of points with parameters of which nothing is kept until the backward pass."""

    @staticmethod
    def forward(ctx: Any, function: Callable[[Tensor], Tensor], points: Tensor, *parameters: Tensor) -> Tensor:
        ctx.function, ctx.points, ctx.parameters = function, points.detach(), parameters
        return function(points)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        wanted = ctx.needs_input_grad[1:]
        with torch.enable_grad():
            points = ctx.points.requires_grad_(wanted[0])
            found = ctx.function(points)
        inputs = [z for z, asked in zip((points, *ctx.parameters), wanted, strict=True) if asked]
        slopes = iter(torch.autograd.grad(found, inputs, gradient))
        return None, *(next(slopes) if asked else None for asked in wanted)


class _Silu(torch.autograd.Function):
    """silu(z) and its derivative along dz: half the passes over memory that autograd would take."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, dz: Tensor) -> tuple[Tensor, Tensor]:
        gate = torch.sigmoid(z)
        value = z * gate
        slope = torch.addcmul(gate, value, 1 - gate)
        ctx.save_for_backward(dz, gate, value, slope)
        return value, dz * slope

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor, dg: Tensor) -> tuple[Tensor, Tensor]:
        dz, gate, value, slope = ctx.saved_tensors
        bend = torch.addcmul(gate + slope, value, gate, value=-1).mul_(1 - gate)
        return torch.addcmul(g * slope, dg * dz, bend), dg * slope
