"""Sums over chunks of data: each chunk gives its share, and shares are merged pairwise.

Who computes a share doesn't matter, as the tree is the same: numbers are those of one process to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar, runtime_checkable

Share = TypeVar("Share")
Keeper = TypeVar("Keeper", covariant=True)


@runtime_checkable
class Team(Protocol[Keeper]):
    """Processes that have the chunks of one run at hand."""

    def each(self, tasks: Iterable[Callable[[Keeper], Share]]) -> Iterator[Share]:
        """What the tasks give, in their order. A task is a function of what keeps the chunks; it is pickled."""
        ...


def merged(shares: Iterable[Share], merge: Callable[[Share, Share], Share]) -> Share:
    """All of them as one, merged pairwise in their order: of n, log n are in memory at a time.

    Raises ValueError if there are none.
    """
    waiting: list[tuple[int, Share]] = []
    for share in shares:
        height = 0
        while waiting and waiting[-1][0] == height:
            share, height = merge(waiting.pop()[1], share), height + 1
        waiting.append((height, share))
    if not waiting:
        raise ValueError("there is nothing to merge")
    whole = waiting.pop()[1]
    while waiting:
        whole = merge(waiting.pop()[1], whole)
    return whole
