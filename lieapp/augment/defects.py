"""What generators that data are moved along leave of the equation: η of each, beside the gain they bring."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.along import Along
from lieapp.augment.velocity import FormulaVelocity, LearnedVelocity, Velocity, columns, physical_velocity
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Points, Stack
from lieapp.domains.formulas import FixedFields
from lieapp.domains.pde import PDEDomain
from lieapp.domains.slices import Scales
from lieapp.methods.judge import judge

SLICES, AT_ONCE = 48, 8
"""Slices of the data that generators are judged on, and how many of them are held in memory at a time."""


def defects(along: Along, domain: PDEDomain, data: Trajectories) -> dict[str, float]:
    """η = rms(M)/rms(Q) of each generator by name, see `discovery.judge`: 0 up to round-off for a symmetry.

    Args:
        data: trajectories of the domain's equation; at least two.
    """
    jets = domain.system.jets
    parts: list[Velocity] = [LearnedVelocity(s.names, s.learned, s.slots, jets) for s in along.learned]
    parts += [FormulaVelocity([name], [field], jets) for name, field in along.formulas.items()]
    held_out = domain.split(data, data.samples // 2).held_out
    found: dict[str, float] = {}
    for velocity in parts:
        fields = FixedFields(_scaled(velocity, held_out.scales))
        eta = judge(domain, fields, held_out.batches(SLICES, AT_ONCE)).eta
        found |= dict(zip(velocity.names, eta.tolist(), strict=True))
    return found


def _scaled(velocity: Velocity, scales: Scales) -> Callable[[Points], Stack]:
    """The fields as functions of points in the scaled coordinates of the data."""

    def values(points: Float[Tensor, "batch coordinate x"]) -> Float[Tensor, "field batch coordinate x"]:
        wide = points[:, :, None]
        origin, size = columns(scales, wide)
        place = origin + size * wide
        count = len(velocity.names)
        units = torch.eye(count, dtype=points.dtype, device=points.device)
        moved = [physical_velocity(velocity, place, unit.expand(len(points), -1)) / size for unit in units]
        return torch.stack(moved).squeeze(3)

    return values
