"""The paper's network: N vector fields with a shared trunk and a head for each (appendix "Experiment Details")."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from lieapp.domains.base import Arguments, Own, Points, Stack
from lieapp.methods.network import input_count, input_rates, network_inputs


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
