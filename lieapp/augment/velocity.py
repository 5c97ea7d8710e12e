"""Stacks of vector fields, and their combinations with other coefficients for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.learned import Learned
from lieapp.domains.solutions import Scales
from lieapp.equations.jets import JetSpace
from lieapp.lie.vector_field import Field
from lieapp.methods.fields import Combination
from lieapp.numerics.codegen import Tape
from lieapp.numerics.moved import column

Points = Float[Tensor, "sample coordinate time x"]
Coefficients = Float[Tensor, "sample generator"]


@runtime_checkable
class Velocity(Protocol):
    """Vector fields in coordinates (physical - origin) / size.

    Args:
        names: of the fields.
        scales: origin and size.
    """

    names: tuple[str, ...]
    scales: Scales

    def combined(self, points: Points, coefficients: Coefficients) -> Points:
        """Σ_k c_k V_k at scaled points, with the c_k of each sample."""
        ...


class FormulaVelocity:
    """Fields given as formulas, in physical coordinates."""

    def __init__(self, names: Sequence[str], fields: Sequence[Field], jets: JetSpace) -> None:
        self.names, self._count = tuple(names), len(jets.coordinates)
        self.scales = Scales((0.0,) * self._count, (1.0,) * self._count)
        every = [field.components[str(c)] for field in fields for c in jets.coordinates]
        self._tape = Tape(every, jets.coordinates)

    def combined(self, points: Points, coefficients: Coefficients) -> Points:
        """See `Velocity`."""
        values = torch.stack(self._tape(*points.unbind(1)), 1).unflatten(1, (-1, self._count))
        return torch.einsum("sk,skc...->sc...", coefficients, values)


class LearnedVelocity:
    """Some of a run's learned fields, in its scaled coordinates but in the order of the system's."""

    def __init__(self, names: Sequence[str], learned: Learned, slots: Sequence[int], jets: JetSpace) -> None:
        self.names, self._fields, self._slots = tuple(names), learned.fields, list(slots)
        own = [str(c) for c in jets.coordinates]
        places = [learned.arguments.index(c) for c in own]
        self._theirs = [own.index(c) for c in learned.arguments]
        self._moved = [learned.components.index(c) for c in own]
        origin, size = ([v[i] for i in places] for v in (learned.scales.origin, learned.scales.size))
        self.scales = Scales(tuple(origin), tuple(size))

    def combined(self, points: Points, coefficients: Coefficients) -> Points:
        """See `Velocity`."""
        return self._own(points[:, self._theirs], coefficients)[:, self._moved]

    def _own(self, points: Points, coefficients: Coefficients) -> Points:
        """The same in the order of the run's arguments and components."""
        fields, slots = self._fields, self._slots
        if isinstance(fields, Combination):
            # combining the fields' coefficients first spares most of the work
            own = torch.einsum("sk,kfc->sfc", coefficients, fields.coefficients[slots].to(points))
            return torch.einsum("sfc,fs...->sc...", own, fields.features.at(points))
        values = fields.each(points.expand(len(slots), *points.shape), slots)
        return torch.einsum("sk,ks...->s...", coefficients, values.to(points))


def norms(velocity: Velocity, points: Points, scales: Scales) -> Float[Tensor, " generator"]:
    """√⟨|V|²⟩ of each field over the points, in the coordinates of `scales`. `points` are physical."""
    found = []
    for unit in torch.eye(len(velocity.names), dtype=points.dtype, device=points.device):
        value = physical_velocity(velocity, points, unit.expand(len(points), -1))
        scaled = value / column(torch.tensor(scales.size, dtype=points.dtype, device=points.device), 2)
        found.append(scaled.square().sum(1).mean().sqrt())
    return torch.stack(found)


def physical_velocity(velocity: Velocity, points: Points, coefficients: Coefficients) -> Points:
    """Σ_k c_k V_k at physical points, in physical units."""
    origin, size = columns(velocity.scales, points)
    return size * velocity.combined((points - origin) / size, coefficients)


def columns(
    scales: Scales, like: Points
) -> tuple[Float[Tensor, "coordinate 1 1"], Float[Tensor, "coordinate 1 1"]]:
    """Origin and size, to be broadcast over points."""
    origin, size = (
        column(torch.tensor(v, dtype=like.dtype, device=like.device), 2) for v in (scales.origin, scales.size)
    )
    return origin, size
