"""A small network of scalar features h_k(z), periodic by construction where the coordinate is."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from lieapp.discovery.fields import Points, Scalars

UNIT = 12**0.5
"""1 over the standard deviation of scaled coordinates, that of a uniform variable on [0, 1]."""


class FeatureNetwork(nn.Module):
    """SiLU network on cos 2πk x, sin 2πk x of periodic coordinates and on the others, and the constant 1.

    The others are brought to mean 0 and deviation 1: t from [0, 1], unknowns from deviation .29.

    Args:
        periodic: which scaled coordinates repeat after 1.
        dependent: which are unknowns.
        width: of the two hidden layers.
        features: number of features, the constant not counted.
        modes: Fourier modes fed for each periodic coordinate.
    """

    def __init__(
        self,
        periodic: tuple[bool, ...],
        dependent: tuple[bool, ...],
        width: int,
        features: int,
        modes: int = 1,
    ) -> None:
        super().__init__()
        self.periodic, self.dependent, self.modes = periodic, dependent, modes
        inputs = sum(2 * modes if p else 1 for p in periodic)
        self.layers = nn.ModuleList([nn.Linear(inputs, width), nn.Linear(width, width)])
        self.head = nn.Linear(width, features)
        self.count = features + 1

    def jvp(self, points: Points, tangents: Points) -> tuple[Scalars, Scalars]:
        """Features and their derivatives along tangents, forward mode by hand: two matrix products a layer."""
        z, dz = self._inputs(points, tangents)
        for layer in self.layers:
            z, dz = layer(z), functional.linear(dz, layer.weight)
            gate = torch.sigmoid(z)
            z, dz = z * gate, dz * gate * (1 + z * (1 - gate))
        h, dh = self.head(z).movedim(-1, 0), functional.linear(dz, self.head.weight).movedim(-1, 0)
        return torch.cat([torch.ones_like(h[:1]), h]), torch.cat([torch.zeros_like(dh[:1]), dh])

    def _inputs(self, points: Points, tangents: Points) -> tuple[Tensor, Tensor]:
        values, rates = [], []
        for i, periodic in enumerate(self.periodic):
            x, dx = points[:, i], tangents[:, i]
            if not periodic:
                values.append(UNIT * (x if self.dependent[i] else x - 0.5))
                rates.append(UNIT * dx)
                continue
            for k in range(1, self.modes + 1):
                w = 2 * math.pi * k
                c, s = torch.cos(w * x), torch.sin(w * x)
                values += [c, s]
                rates += [-w * s * dx, w * c * dx]
        return torch.stack(values, -1), torch.stack(rates, -1)
