"""How sure a verdict is: trajectories drawn anew with repetition (Efron 1979), eta and verdict of each draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.verdict import verdict

DRAWS = 400
LEVEL = 0.9
"""Share of the draws between the ends of an interval."""

FEWEST = 3
"""Trajectories below which drawing anew says nothing."""


@dataclass(frozen=True)
class Confidence:
    """What repeated draws of the held-out trajectories say of one field.

    Args:
        low, high: ends of the 90 % interval of eta.
        share: of the draws that give the same verdict, the history of eta before its last value being kept.
    """

    low: float
    high: float
    share: float


def bootstrap(
    m2: Float[Tensor, "field sample"],
    q2: Float[Tensor, "field sample"],
    sequences: Sequence[Sequence[float]],
    generator: torch.Generator,
) -> list[Confidence] | None:
    """Confidence in the verdicts of the first fields, whose eta level by level is in `sequences`.

    Args:
        m2, q2: sums of M² and Q² over each held-out trajectory.

    None for fewer than FEWEST trajectories.
    """
    count = m2.shape[1]
    if count < FEWEST:
        return None
    drawn = torch.randint(count, (DRAWS, count), generator=generator)
    result = []
    for m, q, sequence in zip(m2, q2, sequences, strict=False):
        eta = (m[drawn].sum(1) / q[drawn].sum(1).clamp_min(torch.finfo(q.dtype).tiny)).sqrt()
        ends = torch.quantile(eta, torch.tensor([(1 - LEVEL) / 2, (1 + LEVEL) / 2], dtype=eta.dtype))
        said = verdict(sequence)
        same = sum(verdict([*sequence[:-1], value]) == said for value in eta.tolist())
        result.append(Confidence(float(ends[0]), float(ends[1]), same / DRAWS))
    return result
