"""What may be said of a field from how its defect eta behaves as the basis or the training grows.

Before a proof "exact" is a candidate: eta is at the floor, or falls towards it and a gap in the spectrum sets the
field apart. "approximate": eta settles at a positive value below .1, which is then its size, and there is such a
gap too. Everything else is "none".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from lieapp.results.discovery import FLOOR, Verdict

FALL = 2.0
"""A field falls when each of the last two levels divides eta by this on (geometric) average …"""

STILL = 2.0**0.5
"""… and the last one by this at least: what has fallen far and then stands still has settled."""

SMALL = 0.1
"""Largest eta of an approximate symmetry: a relative error of a tenth over the whole time window."""

FALLEN = 0.03
"""A field that still falls is a candidate only once its eta lies below this."""


def verdict(sequence: Sequence[float]) -> Verdict:
    """The verdict on a field whose eta, level by level, is `sequence` (the last level is the best one)."""
    last = sequence[-1]
    if not math.isfinite(last):
        return "none"
    if last <= FLOOR or (last <= FALLEN and fall(sequence) >= FALL and fall(sequence[-2:]) >= STILL):
        return "exact"
    return "approximate" if last < SMALL else "none"


WORSE = 10.0
"""On slices that are no solutions η of a symmetry is its η on the data up to this factor, or lies below FALLEN."""


def of_the_data(eta: float, elsewhere: float) -> bool:
    """Whether a field that looks exact holds on the data alone, not on slices that are no solutions.

    Solutions with few waves have more symmetries than their equation: its linear part moves each wave by itself.
    """
    return elsewhere > max(FALLEN, WORSE * eta)


APART = 10.0
"""Ratio of two neighbours in a spectrum that sets the lower one apart, with all below it.

Of 360 random equations no two neighbours with η above SMALL, where nothing is a symmetry, are a factor of 10 apart
(benchmarks/results/calibration.md).
"""


def set_apart(spectrum: Sequence[float]) -> int:
    """How many of the lowest fields of a spectrum a gap sets apart from those above them; the last such gap counts.

    In a short window, or of long waves, many fields are slow, one a little slower than the next: no one of them is
    an approximate symmetry more than its neighbours.
    """
    pairs = enumerate(itertools.pairwise(spectrum), 1)
    return max((n for n, (low, high) in pairs if low < SMALL and high >= APART * low), default=0)


def verdicts(sequences: Sequence[Sequence[float]], spectrum: Sequence[float]) -> list[Verdict]:
    """The verdicts on the slots of a method, ascending in η.

    Above the floor a field is exact only if a gap sets it apart too: of many slow fields some fall by chance.

    Args:
        sequences: η of each slot, level by level.
        spectrum: η of every direction of the last basis; empty if there is none, which tells of no gap.
    """
    return [
        "exact" if (said := verdict(sequence)) == "exact" and (sequence[-1] <= FLOOR or _apart(n, spectrum))
        else "none" if said == "none" else slow(sequence[-1], n, spectrum)
        for n, sequence in enumerate(sequences)
    ]  # fmt: skip


def slow(eta: float, slot: int, spectrum: Sequence[float]) -> Verdict:
    """The verdict on a field that isn't exact."""
    return "approximate" if eta < SMALL and _apart(slot, spectrum) else "none"


def _apart(slot: int, spectrum: Sequence[float]) -> bool:
    return not spectrum or slot < set_apart(spectrum)


MOST_SLOTS = 24
"""To how many slots they grow; infinitely many symmetries fill any number."""


def more_slots(sequences: Sequence[Sequence[float]], most: int = MOST_SLOTS) -> int:
    """How many slots to go on with, half as many again, where every one is an exact candidate; 0 if there is a gap.

    Args:
        sequences: eta of each slot, level by level.
        most: to how many slots they may grow.
    """
    slots = len(sequences)
    # round-off may grow with the basis: what was at the floor before needn't be there still
    filled = all(min(sequence) <= FLOOR or verdict(sequence) == "exact" for sequence in sequences)
    if slots >= most or not filled:
        return 0
    return min(most, slots + max(1, slots // 2))


def fall(sequence: Sequence[float]) -> float:
    """The factor by which eta falls from level to level, averaged over the last two; 1 without a history."""
    tail = [max(eta, FLOOR) for eta in sequence[-3:]]
    return (tail[0] / tail[-1]) ** (1 / (len(tail) - 1)) if len(tail) > 1 else 1.0


def gap_after(eta: Sequence[float]) -> int:
    """After how many values the largest jump of an ascending list lies, round-off not counted."""
    raised = [max(value, FLOOR) for value in eta]
    jumps = [high / low for low, high in itertools.pairwise(raised)]
    return jumps.index(max(jumps)) + 1 if jumps else 0
