"""The neural method: train features by variable projection, look at the fields at every doubling of the steps."""

from __future__ import annotations

import time
from typing import Protocol

from torch import Tensor

from lieapp.discovery.projection import Projection
from lieapp.discovery.result import Dataset, Discovery, Level, Metrics, notes, solve
from lieapp.domains.base import Domain
from lieapp.progress import Reporter

SAVE_EVERY = 5.0
"""Seconds between two checkpoints."""


class Checkpoint(Protocol):
    """Where a training keeps its state."""

    def save(self, state: dict[str, Tensor], levels: list[Level]) -> None:
        """Keep the state of a training and its levels."""


def marks(steps: int) -> list[int]:
    """The steps after which fields are judged: an eighth, a quarter, a half and all of them."""
    return sorted({max(1, steps // n) for n in (8, 4, 2)} | {steps})


def by_projection(
    domain: Domain, data: Dataset, training: Projection, levels: list[Level], slices: tuple[int, int],
    checkpoint: Checkpoint, report: Reporter, metrics: Metrics = lambda row: None,
) -> Discovery:  # fmt: skip
    """Train to the end and solve for the fields in the final features.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        slices: how many slices to solve and to judge on.

    An interrupt leaves a checkpoint of the last complete step. Raises DiscoveryError if the loss isn't finite.
    """
    steps, slots = training.settings.steps, training.settings.slots
    began = saved = time.perf_counter()
    # of the last complete step: an interrupt may come in the middle of the next one
    whole = training.state()
    try:
        while training.done < steps:
            if training.done in marks(steps) and training.done not in {level.label for level in levels}:
                levels.append(solve(domain, data, training.network, slots, *slices, label=training.done)[2])
            row = training.step()
            whole = training.state()
            elapsed = round(time.perf_counter() - began, 3)
            metrics({"step": training.done, "total": steps, **row, "seconds": elapsed})
            report.progress(training.done, steps, f"loss {row['loss']:.2f}")
            if time.perf_counter() - saved > SAVE_EVERY:
                checkpoint.save(whole, levels)
                saved = time.perf_counter()
    finally:
        checkpoint.save(whole, levels)
    fields, found, last = solve(domain, data, training.network, slots, *slices, label=steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(found.eta.tolist()), notes(found))
