"""What terms of chunks (`chunks.py`) make of many trajectories on many workers.

The model is a simulation of the task graph: workers take tasks in the order in which they are sent, a merge once
both of its factors are there; the scheduler handles tasks one after another. It is held against the runs, and
against Dask's own scheduler with as many threads as it is asked about workers; tasks sleep there.
"""

from __future__ import annotations

import collections
import heapq
import time
from dataclasses import dataclass
from typing import Any

NETWORK = 1.25e8
"""Bytes a second between machines in the model: a network of 1 Gbit/s."""

SLEEP = 0.2
"""Seconds of a task on Dask's own scheduler; those of the model are scaled alike."""


@dataclass(frozen=True)
class Terms:
    """What tasks cost, in seconds and bytes.

    Args:
        trajectory: to simulate and measure one.
        slice: to factor one at all levels.
        merge, factor: of two factors, and bytes of one.
        task: that the scheduler takes for one.
    """

    trajectory: float
    slice: float
    merge: float
    factor: int
    task: float


def task_seconds() -> float:
    """Seconds of a task that does nothing, merged with others, on two workers."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        asleep(client, 50, 0.0)
        count = 500
        began = time.perf_counter()
        asleep(client, count, 0.0)
        return (time.perf_counter() - began) / (2 * count - 1)


def asleep(client: Any, count: int, seconds: float) -> int:
    """So many tasks that sleep, merged pairwise."""
    from lieapp.numerics.tree import merged

    tasks = (client.submit(sleeping, seconds, number, pure=False) for number in range(count))
    found: int = merged(tasks, lambda one, other: client.submit(int.__add__, one, other, pure=False)).result()
    return found


def sleeping(seconds: float, number: int) -> int:
    """A task that sleeps."""
    time.sleep(seconds)
    return 1


def seconds(terms: Terms, size: int, workers: int, chunk: int, network: float | None) -> tuple[float, float]:
    """Of the data and of the spectrum's factors, by a simulation of both task graphs.

    Args:
        network: bytes a second between workers; None on one machine.
    """
    count, learned = -(-size // chunk), -(-4 * size // (5 * chunk))
    carried = terms.factor / network if network else 0.0
    made = simulated([terms.trajectory * chunk] * count, 0.0, workers, terms.task)
    return made, simulated([terms.slice * chunk] * learned, terms.merge + carried, workers, terms.task)


def simulated(leaves: list[float], merge: float, workers: int, task: float) -> float:
    """When a tree of tasks is done: leaves of so many seconds, merged pairwise in their order."""
    from lieapp.numerics.tree import merged

    durations: list[float] = []
    above: dict[int, int] = {}

    def add(duration: float, *needs: int) -> int:
        above.update(dict.fromkeys(needs, len(durations)))
        durations.append(duration)
        return len(durations) - 1

    merged((add(leaf) for leaf in leaves), lambda one, other: add(merge, one, other))
    missing = collections.Counter(above.values())
    # a task reaches the workers once it is sent, and what it needs is there; the one that was sent first goes first
    events = [(task * (number + 1), True, number) for number in range(len(durations)) if not missing[number]]
    waiting, free, now = list[int](), workers, 0.0
    heapq.heapify(events)
    while events:
        now, begins, number = heapq.heappop(events)
        if begins:
            heapq.heappush(waiting, number)
        else:
            free += 1
            higher = above.get(number)
            if higher is not None:
                missing[higher] -= 1
                if not missing[higher]:
                    heapq.heappush(events, (max(now, task * higher) + task, True, higher))
        while free and waiting:
            chosen, free = heapq.heappop(waiting), free - 1
            heapq.heappush(events, (now + durations[chosen], False, chosen))
    return now


def asked(terms: Terms, size: int, workers: int, chunk: int) -> dict[str, Any]:
    """What the model says of many trajectories, and what Dask's scheduler takes for as many tasks that sleep."""
    from distributed import Client

    data, factors = seconds(terms, size, workers, chunk, NETWORK)
    count = -(-size // chunk)
    with Client(n_workers=4, threads_per_worker=workers // 4, dashboard_address=None) as client:
        began = time.perf_counter()
        asleep(client, count, SLEEP)
        taken = time.perf_counter() - began
    return {
        "data": data, "factors": factors, "alone": (terms.trajectory + 0.8 * terms.slice) * size,
        "slept": taken, "slept_model": simulated([SLEEP] * count, 0.0, workers, terms.task), "tasks": 2 * count - 1,
    }  # fmt: skip
