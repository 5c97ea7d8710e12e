"""Sparse combinations of densities whose totals hardly drift, found one after the other.

Densities are taken in their order, from low to high weight. Where one joins and the least drift falls by a factor,
there is a law, and that density leads it: it isn't used again, so that laws are in echelon form. Of each law terms
are then dropped one by one, that first without which the total drifts least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from lieapp.pde.laws.spectrum import Variances, directions
from lieapp.pde.laws.written import Combination, Law

CANDIDATE = 0.1
"""Drift up to which a combination is looked at; only what is proved counts as a law."""

APART = 10.0
"""Factor by which the drift falls where a density makes a law: of slow totals it falls little by little."""

CLEAR = 1e-4
"""Drift up to which a combination that isn't proved counts as a law of the data: numbers may not be recognised."""

WORSE = 30.0
"""By how much dropping terms may raise the drift; what was dropped wrongly isn't proved."""

FEW = 8
"""Terms from which on they are dropped one by one."""

SMALLEST = 1e-9
"""Relative uncertainty of a coefficient at least: round-off of totals."""


def search(found: Variances, written: Callable[[list[Combination]], Law]) -> list[tuple[Combination, Law]]:
    """The laws in turn, each with the combination of fewest terms as measured.

    Args:
        written: makes a law of the combinations met while terms are dropped, that with the fewest terms first.
    """
    leading: set[int] = set()
    laws, before = list[tuple[Combination, Law]](), math.inf
    for last in range(found.whole.shape[1]):
        columns = [k for k in range(last + 1) if k not in leading]
        best = best_of(found, columns)
        if best is None:
            continue
        if best.drift <= CANDIDATE and before >= APART * best.drift:
            path = _dropping(found, best, last)[::-1]
            law = written(path)
            laws.append((path[0], law))
            if law.proved or best.drift <= CLEAR:
                leading.add(last)
                continue
        before = min(before, best.drift)
    return laws


def best_of(found: Variances, columns: Sequence[int]) -> Combination | None:
    """The combination of these densities that drifts least; None if all are the same on all data."""
    part = found.of(columns)
    ordered = directions(part)
    if not len(ordered.drift):
        return None
    c, drift = ordered.coefficients[0], float(ordered.drift[0])
    inverse = torch.linalg.pinv(part.whole.T @ part.whole).diagonal().clamp_min(0).sqrt()
    spread = (drift * inverse / c.abs().clamp_min(1e-300)).clamp_min(SMALLEST)
    physical = c / part.sizes
    return Combination(tuple(columns), tuple(physical.tolist()), tuple(spread.tolist()), drift)


def _dropping(found: Variances, start: Combination, leading: int) -> list[Combination]:
    """The combinations met while terms other than the leading one are dropped: at first half of them at once."""
    path, most = [start], min(CANDIDATE, WORSE * max(start.drift, SMALLEST))
    while len(path[-1].columns) > FEW:
        shorter = best_of(found, _largest_half(found, path[-1], leading))
        if shorter is None or shorter.drift > most:
            break
        path.append(shorter)
    while len(path[-1].columns) > 1:
        fewer = (
            best_of(found, [k for k in path[-1].columns if k != dropped])
            for dropped in path[-1].columns
            if dropped != leading
        )
        best = min((one for one in fewer if one is not None), key=lambda one: one.drift, default=None)
        if best is None or best.drift > most:
            break
        path.append(best)
    return path


def _largest_half(found: Variances, combination: Combination, leading: int) -> list[int]:
    """The densities that carry most of a combination, and the leading one."""
    columns = list(combination.columns)
    spreads = found.whole[:, columns].norm(dim=0) / found.sizes[columns]
    parts = (torch.tensor(combination.coefficients, dtype=spreads.dtype) * spreads).abs()
    kept = parts.argsort(descending=True)[: len(columns) // 2]
    return sorted({columns[k] for k in kept.tolist()} | {leading})
