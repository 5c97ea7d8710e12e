"""How many nodes settings leave of the data, checked without torch: before any work where a declaration says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lieapp.api import PDE
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.errors import ConfigError, GridError

LEAST = 8
"""Points or times below which nothing can be learned along an axis."""


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
