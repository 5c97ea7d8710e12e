"""The neural method: train features by variable projection, solve for the fields in them."""

from __future__ import annotations

from lieapp.discovery.loop import Checkpoint, train
from lieapp.discovery.projection import Projection
from lieapp.discovery.result import Dataset, Discovery, Level, Metrics, notes, solve
from lieapp.domains.base import Domain, EvolvingT
from lieapp.progress import Reporter


def by_projection(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], training: Projection[EvolvingT], levels: list[Level],
    slices: tuple[int, int], checkpoint: Checkpoint, report: Reporter, metrics: Metrics = lambda row: None,
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

    train(training, steps, levels, judged, checkpoint, report, metrics)
    fields, found, last = solve(domain, data, training.network, slots, *slices, label=steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(found.eta.tolist()), notes(found))
