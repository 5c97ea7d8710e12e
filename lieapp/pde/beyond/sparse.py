"""Sparse combinations with a small quotient, found one after the other: laws, or characteristics of symmetries.

Columns are taken in their order, from low to high weight. Where one joins and the least quotient falls by a
factor, something is found, and that column leads it: it isn't used again, so that what is found is in echelon form.
Terms are then dropped one by one, that first without which the quotient is least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import torch

from lieapp.pde.beyond.quotient import Quotient, directions
from lieapp.pde.beyond.readings import Combination


@runtime_checkable
class Written(Protocol):
    """A combination in exact numbers, if these were proved."""

    @property
    def proved(self) -> bool:
        """Whether the exact condition holds."""
        ...


FoundT = TypeVar("FoundT", bound=Written)

CANDIDATE = 0.1
"""Quotient up to which a combination is looked at; only what is proved counts."""

APART = 10.0
"""Factor by which the quotient falls where a column completes one: else it falls little by little."""

CLEAR = 1e-4
"""Quotient up to which one that isn't proved leads all the same: its numbers may not be recognised."""

WORSE = 30.0
"""By how much dropping terms may raise the quotient; what was dropped wrongly isn't proved."""

FEW = 8
"""Terms from which on they are dropped one by one."""

SMALLEST = 1e-9
"""Relative uncertainty of a coefficient at least: round-off."""


def search(
    found: Quotient, written: Callable[[list[Combination]], FoundT]
) -> list[tuple[Combination, FoundT]]:
    """What is found in turn, each with the combination of fewest terms as measured.

    Args:
        written: writes one down by the combinations met while terms are dropped, that with the fewest terms first.
    """
    leading: set[int] = set()
    result, before = list[tuple[Combination, FoundT]](), math.inf
    for last in range(found.below.shape[1]):
        columns = [k for k in range(last + 1) if k not in leading]
        best = best_of(found, columns)
        if best is None:
            continue
        if best.eta <= CANDIDATE and before >= APART * best.eta:
            path = _dropping(found, best, last)[::-1]
            one = written(path)
            result.append((path[0], one))
            if one.proved or best.eta <= CLEAR:
                leading.add(last)
                continue
        before = min(before, best.eta)
    return result


def best_of(found: Quotient, columns: Sequence[int]) -> Combination | None:
    """The combination of these columns with the least quotient; None if all have none."""
    part = found.of(columns)
    ordered = directions(part)
    if not len(ordered.eta):
        return None
    c, eta = ordered.coefficients[0], float(ordered.eta[0])
    # errors of size η mix in every other direction, the more the less it is told apart
    mixed = (eta / ordered.eta[1:].clamp_min(1e-300)).clamp_max(1.0)[:, None] * ordered.coefficients[1:]
    spread = (torch.linalg.vector_norm(mixed, dim=0) / c.abs().clamp_min(1e-300)).clamp_min(max(eta, SMALLEST))
    physical = c / part.sizes
    return Combination(tuple(columns), tuple(physical.tolist()), tuple(spread.tolist()), eta)


def _dropping(found: Quotient, start: Combination, leading: int) -> list[Combination]:
    """The combinations met while terms other than the leading one are dropped: at first half of them at once."""
    path, most = [start], min(CANDIDATE, WORSE * max(start.eta, SMALLEST))
    while len(path[-1].columns) > FEW:
        shorter = best_of(found, _largest_half(found, path[-1], leading))
        if shorter is None or shorter.eta > most:
            break
        path.append(shorter)
    while len(path[-1].columns) > 1:
        fewer = (
            best_of(found, [k for k in path[-1].columns if k != dropped])
            for dropped in path[-1].columns
            if dropped != leading
        )
        best = min((one for one in fewer if one is not None), key=lambda one: one.eta, default=None)
        if best is None or best.eta > most:
            break
        path.append(best)
    return path


def _largest_half(found: Quotient, combination: Combination, leading: int) -> list[int]:
    """The columns that carry most of a combination, and the leading one."""
    columns = list(combination.columns)
    spreads = found.below[:, columns].norm(dim=0) / found.sizes[columns]
    parts = (torch.tensor(combination.coefficients, dtype=spreads.dtype) * spreads).abs()
    kept = parts.argsort(descending=True)[: len(columns) // 2]
    return sorted({columns[k] for k in kept.tolist()} | {leading})
