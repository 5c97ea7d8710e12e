"""A small network of scalar features h_k(z), and the paper's network of N vector fields with a shared trunk and a
head for each (appendix "Experiment Details"), both periodic by construction where the argument is.

Their inputs are cos and sin of periodic arguments, and the others with mean 0 and deviation 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.domains.base import Arguments, Own, Points, Scalars, Stack

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
    """SiLU network on cos 2πk x, sin 2πk x of periodic arguments and on the others; 1 and the others themselves.

    The others are brought to mean 0 and deviation 1: t from [0, 1], unknowns from deviation .29.

    Args:
        width: of the two hidden layers.
        features: number of features that are learned.
        modes: Fourier modes fed for each periodic argument.
    """

    def __init__(self, arguments: Arguments, width: int, features: int, modes: int = 1) -> None:
        super().__init__()
        self.arguments, self.modes = arguments, modes
        self.layers = nn.ModuleList([nn.Linear(input_count(arguments, modes), width), nn.Linear(width, width)])
        self.head = nn.Linear(width, features)
        self.linear = [i for i, repeats in enumerate(arguments.periodic) if not repeats]
        self.count = features + 1 + len(self.linear)

    def at(self, points: Points) -> Scalars:
        """Features alone; where gradients are taken they are made once more then, in place of being kept."""
        if torch.is_grad_enabled():
            return _Anew.apply(self._values, points, *self.parameters())
        return self._values(points)

    def _values(self, points: Points) -> Scalars:
        z = network_inputs(points, self.arguments, self.modes)
        for layer in self.layers:
            z = functional.silu(layer(z))
        return self._joined(z, self.head.bias, 1.0, UNIT * (points - 0.5))

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """Features and their derivatives along tangents, forward mode by hand: two matrix products a layer."""
        z = network_inputs(points, self.arguments, self.modes)
        dz = input_rates(points, tangents, self.arguments, self.modes)
        for layer in self.layers:
            z, dz = _Silu.apply(layer(z), functional.linear(dz, layer.weight))
        linear = UNIT * (points - 0.5)
        return self._joined(z, self.head.bias, 1.0, linear), self._joined(dz, None, 0.0, UNIT * tangents)

    def _joined(self, z: Inputs, bias: Tensor | None, first: float, linear: Points) -> Scalars:
        """The head's features, as the rows that they are used as, after a constant one and linear ones."""
        rows = self.head.weight @ z.flatten(0, -2).T
        rows = rows if bias is None else rows + bias[:, None]
        fixed = linear[:, self.linear].movedim(1, 0).flatten(1)
        return torch.cat([torch.full_like(rows[:1], first), fixed, rows]).unflatten(1, z.shape[:-1])


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


class GeneratorNetwork(nn.Module):
    """V_a(z) = W'_a silu(W_a trunk(z) + b_a) + b'_a with a trunk of two SiLU layers.

    Args:
        components: how many the fields have.
        slots: number of fields.
        width: of the trunk's two layers.
        head: of each field's own hidden layer.
        modes: Fourier modes fed for each periodic argument.
        unit: factor on arguments before they are fed; 1 for those of size 1.
    """

    def __init__(
        self, arguments: Arguments, components: int, slots: int, width: int = 256, head: int = 32, modes: int = 1,
        unit: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.arguments, self.slots, self.modes, self.unit = arguments, slots, modes, unit
        self.trunk = nn.ModuleList([nn.Linear(input_count(arguments, modes), width), nn.Linear(width, width)])
        self.inner, self.inner_bias = _weights(slots, width, head), _weights(slots, 1, head, width)
        self.outer, self.outer_bias = _weights(slots, head, components), _weights(slots, 1, components, head)

    def own(self) -> tuple[nn.Parameter, ...]:
        """Parameters with a row for each field."""
        return self.inner, self.inner_bias, self.outer, self.outer_bias

    def each(self, points: Own, which: Sequence[int] | None = None) -> Stack:
        """Fields at points of their own, see `fields.Slotted`: only the head that a slot needs is evaluated."""
        which = range(self.slots) if which is None else which
        slots, batch = points.shape[:2]
        z = network_inputs(self.unit * points.flatten(0, 1), self.arguments, self.modes)
        for layer in self.trunk:
            z = functional.silu(layer(z))
        shape = z.shape[1:-1]
        z = z.reshape(slots, -1, z.shape[-1])
        heads = [p[list(which)] for p in (self.inner_bias, self.inner, self.outer_bias, self.outer)]
        z = functional.silu(torch.baddbmm(heads[0], z, heads[1]))
        v = torch.baddbmm(heads[2], z, heads[3])
        return v.reshape(slots, batch, *shape, -1).movedim(-1, 2)

    def all_at(self, points: Points, fixed: bool = False) -> Stack:
        """All fields at all points; `fixed`: with parameters that are constants in gradients."""
        z = network_inputs(self.unit * points, self.arguments, self.modes)
        first, second, heads = self.trunk[0], self.trunk[1], self.own()
        used = [first.weight, first.bias, second.weight, second.bias, *heads]
        if fixed:
            used = [parameter.detach() for parameter in used]
        z = functional.silu(functional.linear(z, *used[:2]))
        z = functional.silu(functional.linear(z, *used[2:4]))
        lead, (inner, inner_bias, outer, outer_bias) = z.shape[:-1], used[4:]
        z = functional.silu(torch.matmul(z.reshape(1, -1, z.shape[-1]), inner) + inner_bias)
        v = torch.matmul(z, outer) + outer_bias
        return v.reshape(self.slots, *lead, -1).movedim(-1, 2)

    def jvp(self, points: Points, tangents: Points) -> tuple[Stack, Stack]:
        """All fields at all points and their derivatives along tangents."""
        z = network_inputs(self.unit * points, self.arguments, self.modes)
        dz = input_rates(self.unit * points, self.unit * tangents, self.arguments, self.modes)
        for layer in self.trunk:
            z, dz = _silu(layer(z), functional.linear(dz, layer.weight))
        lead = z.shape[:-1]
        z, dz = (value.reshape(1, -1, value.shape[-1]) for value in (z, dz))
        z, dz = _silu(torch.matmul(z, self.inner) + self.inner_bias, torch.matmul(dz, self.inner))
        v, dv = torch.matmul(z, self.outer) + self.outer_bias, torch.matmul(dz, self.outer)
        return tuple(value.reshape(self.slots, *lead, -1).movedim(-1, 2) for value in (v, dv))


def _silu(z: Tensor, dz: Tensor) -> tuple[Tensor, Tensor]:
    """SiLU and its derivative along dz."""
    gate = torch.sigmoid(z)
    return z * gate, dz * gate * (1 + z * (1 - gate))


def _weights(slots: int, fan_in: int, fan_out: int, drawn_as: int | None = None) -> nn.Parameter:
    """Uniform within 1/sqrt(fan in), as torch draws those of a linear layer."""
    bound = (drawn_as or fan_in) ** -0.5
    values: Float[Tensor, "slot input output"] = torch.empty(slots, fan_in, fan_out).uniform_(-bound, bound)
    return nn.Parameter(values)
