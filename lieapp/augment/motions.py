"""Generators made into motions of data: measured on the data, checked, with the best flow that there is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.along import Along
from lieapp.augment.flows import Motion, OdeFlow, agree, closed_flow
from lieapp.augment.settings import Moving
from lieapp.augment.table import Box
from lieapp.augment.velocity import FormulaVelocity, LearnedVelocity, Points, Velocity, norms, physical_velocity
from lieapp.domains.slices import Scales
from lieapp.equations.jets import JetSpace
from lieapp.errors import ConfigError, DataError, GridError
from lieapp.numerics.moved import column

SEAM = 1e-6
"""Difference of a field at both ends of a period, in units of its norm, that is still periodic."""


@dataclass(frozen=True)
class Ground:
    """What generators are measured on.

    Args:
        name: of the equation, for messages.
        points: of the data, physical; some of them do.
        scales: of the data.
        places: of t, x and the unknowns among the coordinates.
        period: of x.
    """

    name: str
    points: Points
    scales: Scales
    places: tuple[int, ...]
    period: float

    @property
    def box(self) -> Box | None:
        """Where a table of a flow lies; None with more than one unknown."""
        t, x, u, *more = self.places
        return None if more else Box((t, x, u), self.period)


def motions_of(along: Along, jets: JetSpace, ground: Ground, settings: Moving) -> list[Motion]:
    """The motions, those of learned fields first.

    Raises GridError for a field that isn't periodic in x, DataError for one that doesn't move the data, ConfigError
    for scales of another number.
    """
    motions: list[Motion] = []
    for stack in along.learned:
        velocity = LearnedVelocity(stack.names, stack.learned, stack.slots, jets)
        # a table serves points of a regular grid, which only the first motion is given
        box = None if motions else ground.box
        motions.append(OdeFlow(velocity, measured(velocity, ground), settings.step, box))
    for name, field in along.formulas.items():
        formula = FormulaVelocity([name], [field], jets)
        norm = measured(formula, ground)
        ode = OdeFlow(formula, norm, settings.step, None if motions else ground.box)
        closed = closed_flow(name, field, jets, float(norm)) if settings.closed else None
        usable = closed is not None and agree(closed, ode, ground.points, ground.scales)
        motions.append(closed if closed is not None and usable else ode)
    names = [name for motion in motions for name in motion.names]
    if settings.scales and len(settings.scales) != len(names):
        raise ConfigError(
            f"scales has {len(settings.scales)} numbers; there are {len(names)} generators: "
            f"{', '.join(names) or 'none'}.",
            hint="Give one for each, or sigma for all.",
        )
    return motions


def measured(velocity: Velocity, ground: Ground) -> Float[Tensor, " generator"]:
    """The norms of the fields on the data, in scaled coordinates.

    Raises GridError for a field that isn't periodic in x, DataError for one that has none or is 0.
    """
    size = norms(velocity, ground.points, ground.scales)
    for name, value in zip(velocity.names, size.tolist(), strict=True):
        if not 0 < value < float("inf"):
            raise DataError(
                f"{ground.name}: {name} has norm {value:g} on the data.", hint="Leave this generator out."
            )
    across = torch.zeros_like(ground.points)
    across[:, ground.places[1]] = ground.period
    units = column(torch.tensor(ground.scales.size).to(ground.points), 2)
    for name, row in zip(velocity.names, torch.eye(len(size)).to(size) / size, strict=True):
        c = row.expand(len(ground.points), -1)
        here, beyond = (physical_velocity(velocity, p, c) for p in (ground.points, ground.points + across))
        if not float(((beyond - here) / units).abs().amax()) < SEAM:
            raise GridError(
                f"{ground.name}: {name} isn't periodic in x; moved solutions wouldn't be.",
                hint="Move along generators of the periodic domain only.",
            )
    return size
