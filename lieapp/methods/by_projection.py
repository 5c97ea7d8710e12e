"""The neural method: train features by variable projection, solve for the fields in them."""

from __future__ import annotations

from lieapp.config import DiscoverConfig
from lieapp.domains.base import Domain, EvolvingT
from lieapp.methods.loop import Session, train
from lieapp.methods.projection import Projection, Settings
from lieapp.methods.result import Dataset, Discovery, Level, notes, solve


def projection_settings(config: DiscoverConfig, steps: int = 0) -> Settings:
    """Those of the training in the settings of a run; `steps` in place of its own unless 0."""
    own = config.projection
    return Settings(
        config.slots, steps or own.steps, own.width, own.features, config.modes, own.batch, own.rate, config.floor
    )


def by_projection(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], training: Projection[EvolvingT], levels: list[Level],
    slices: tuple[int, int], session: Session,
) -> Discovery:  # fmt: skip
    """Train to the end and solve for the fields in the final features.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        slices: how many slices to solve and to judge on.

    Raises DiscoveryError if the loss isn't finite.
    """
    steps, slots = training.settings.steps, training.settings.slots

    def judged(done: int) -> Level:
        return solve(domain, data, training.network, slots, *slices, label=done)[2]

    train(training, steps, levels, judged, session)
    fields, found, last = solve(domain, data, training.network, slots, *slices, label=steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(found.eta.tolist()), notes(found))
