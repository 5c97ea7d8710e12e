"""How many nodes settings leave of the data, and what simulating them takes: checked before any work."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from lieapp.api import PDE
from lieapp.document import duration
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import ConfigError, GridError, SimulationError

LEAST = 8
"""Points or times below which nothing can be learned along an axis."""


LONGEST = 86400.0
"""Seconds beyond which a simulation isn't begun."""

COPIES = 3
"""Of the trajectories in memory at the worst moment: as they come, put together, and on their way to a file."""

WORKING = 300.0
"""Bytes for each value of a state while it is stepped: its modes, the stages of a step and the coefficients."""

EACH_TIME = 40.0
"""Bytes for an output time in Python's lists."""

INTERVAL, STEPPED = 4e-4, 2e-7
"""Seconds of an interval between output times, two steps at least, and of each value in it, at the fastest."""


def machine_memory() -> float:
    """Bytes of this machine; no limit where it doesn't say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


CHUNK = 2**26
"""Bytes of the trajectories of a chunk, unless the setting `chunk` says how many they are."""


def kept_bytes(pde: PDE) -> float:
    """Bytes of a trajectory on the declared grid, as it is kept."""
    evolution = evolution_form(read_pde(pde))
    time = evolution.jets.independent[evolution.time]
    points = math.prod(n for x, n in pde.points.items() if x != time)
    return 8.0 * points * (pde.keep_last or pde.points[time]) * len(evolution.jets.dependent)


def chunk_size(config: Any, pde: PDE) -> int:
    """How many trajectories are simulated, kept and worked on together; all that a plugin's source gives."""
    if pde.source is not None:
        return int(config.samples + config.held_out)
    return int(config.chunk or max(1, CHUNK // kept_bytes(pde)))


def simulation_cost(pde: PDE, samples: int) -> tuple[float, float]:
    """Estimated bytes at the worst moment, and seconds at the very least, of trajectories on the declared grid."""
    evolution = evolution_form(read_pde(pde))
    time = evolution.jets.independent[evolution.time]
    times, points = pde.points[time], math.prod(n for x, n in pde.points.items() if x != time)
    state = float(samples * points * len(evolution.jets.dependent))
    needed = state * (8 * COPIES * (pde.keep_last or times) + WORKING) + EACH_TIME * times
    return needed, times * (INTERVAL + STEPPED * state)


def check_simulation(pde: PDE, samples: int, memory: float | None = None) -> None:
    """Refuse a simulation that this machine's memory can't hold, or that takes more than a day at the very least.

    Args:
        memory: bytes; this machine's if None.

    Raises SimulationError that names the grid, what it takes, and what is to be lowered.
    """
    memory = machine_memory() if memory is None else memory
    needed, seconds = simulation_cost(pde, samples)
    grid = ", ".join(f"{x}: {n}" for x, n in pde.points.items())
    count = f"{samples} {'trajectory' if samples == 1 else 'trajectories'}"
    what = f"{pde.name}: simulating {count} on points = {{{grid}}}"
    if needed > memory:
        raise SimulationError(
            f"{what} takes an estimated {needed / 1e9:.3g} GB of memory; this machine has {memory / 1e9:.3g} GB.",
            hint="Lower points or keep_last in the plugin, or the number of trajectories.",
        )
    if seconds > LONGEST:
        raise SimulationError(
            f"{what} takes {duration(seconds)} at the very least; the most is {duration(LONGEST)}.",
            hint="Lower points in the plugin, or the number of trajectories.",
        )


def check_sizes(config: Any, pde: PDE) -> None:
    """What `check_thinned` and `check_patch` say of the grid that is declared; a source may have another."""
    if pde.source is not None:
        return
    evolution = evolution_form(read_pde(pde))
    time = evolution.jets.independent[evolution.time]
    space = {str(x): n for x, n in pde.points.items() if x != time}
    left, times = check_thinned(space, pde.keep_last or pde.points[time], config.every_point, config.every_time)
    asked = [config.flow.patch_time or 0, *(config.flow.patch_space or 0 for _ in left)]
    check_patch(asked, [times, *left], [str(time), *space])


def check_thinned(points: dict[str, int], times: int, every_point: int, every_time: int) -> tuple[list[int], int]:
    """Points of each axis and times that are left of every so many.

    Raises GridError if the points of a periodic axis can't be divided evenly or too few would be left.
    """
    for name, n in points.items():
        if n % every_point:
            raise GridError(
                f"every_point = {every_point}: {name} has {n} points, which {every_point} doesn't divide.",
                hint="Choose a divisor, so that the axis stays periodic.",
            )
    left, rest = [n // every_point for n in points.values()], len(range(0, times, every_time))
    if every_point == every_time == 1:
        return left, rest
    if min(left) < LEAST or rest < LEAST:
        raise GridError(
            f"every_point = {every_point}, every_time = {every_time}: {min(left)} points and {rest} times would be "
            f"left; at least {LEAST} of each are needed.",
            hint="Lower every_point or every_time.",
        )
    return left, rest


def check_patch(shape: Sequence[int], whole: Sequence[int], names: Sequence[str]) -> None:
    """Raises ConfigError for patches that the data can't fill; 0 nodes are all. Time comes first."""
    for n, full, name in zip(shape, whole, names, strict=True):
        if n and not 2 <= n <= full:
            raise ConfigError(
                f"a patch of {n} nodes along {name}; the data have {full}.",
                hint=f"Set patch_{'time' if name == names[0] else 'space'} between 2 and {full}, or 0 for all.",
            )
