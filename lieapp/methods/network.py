"""A small network of scalar features h_k(z), periodic by construction where the argument is."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lieapp.domains.base import Arguments, Points, Scalars
from lieapp.methods.inputs import input_count, input_rates, network_inputs


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
        """Features alone."""
        z = network_inputs(points, self.arguments, self.modes)
        for layer in self.layers:
            z = functional.silu(layer(z))
        h = self.head(z).movedim(-1, 0)
        return torch.cat([torch.ones_like(h[:1]), h])

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """Features and their derivatives along tangents, forward mode by hand: two matrix products a layer."""
        z = network_inputs(points, self.arguments, self.modes)
        dz = input_rates(points, tangents, self.arguments, self.modes)
        for layer in self.layers:
            z, dz = layer(z), functional.linear(dz, layer.weight)
            gate = torch.sigmoid(z)
            z, dz = z * gate, dz * gate * (1 + z * (1 - gate))
        h, dh = self.head(z).movedim(-1, 0), functional.linear(dz, self.head.weight).movedim(-1, 0)
        return torch.cat([torch.ones_like(h[:1]), h]), torch.cat([torch.zeros_like(dh[:1]), dh])
