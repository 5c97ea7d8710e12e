"""Moved copies of trajectories, on the time window that all of them have, for a file.

`lieapp data --moved-by`: what simulated trajectories are moved along.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from lieapp.api import PDE
from lieapp.augment.along import read_along
from lieapp.augment.moving import Mover, Moving
from lieapp.augment.time_window import check_axes, longest
from lieapp.augment.typed import along_solutions
from lieapp.config import DataConfig
from lieapp.data.store import Change
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import exact, read_pde
from lieapp.runs.store.directory import ROOT

APART = 7919
"""Between the seed of the initial states and that of the combinations."""


def mover_of_files(spec: str, pde: PDE, settings: Moving, copies: int, seed: int) -> Change:
    """What sends simulated trajectories to moved ones, and says what was done. Everything is checked first.

    Args:
        spec: see `Mover.of`.
        settings: `middle` says which part of the time window each moved copy must have.
        copies: of each trajectory.

    Raises what `Mover.of` raises; what it returns raises DataError if nothing is left of any copy.
    """
    check_axes(pde)
    system = read_pde(pde)
    periods = {x: exact(right) - exact(left) for x, (left, right) in pde.region.items() if x in pde.periodic}
    along = read_along(spec, system, periods)

    def change(data: Trajectories) -> tuple[Trajectories, dict[str, Any]]:
        mover = Mover.of(along, system, data, settings)
        return _copies(mover, data, copies, torch.Generator().manual_seed((seed + APART) % 2**63), spec)

    return change


def _copies(
    mover: Mover, data: Trajectories, copies: int, generator: torch.Generator, spec: str
) -> tuple[Trajectories, dict[str, Any]]:
    samples = data.values.transpose(1, 2).repeat(copies, 1, 1, 1)
    found = mover(samples, generator)
    # what is given up is left out; of the others the longest window that all of them have
    first, length = (int(v) for v in longest(found.valid[found.kept].all(0)[None]))
    window = slice(first, first + length)
    values = found.samples[found.kept].transpose(1, 2)[:, window].contiguous()
    facts = {
        "moved_by": spec,
        "generators": "; ".join(mover.names),
        "sigma": mover.settings.sigma,
        "copies": copies,
        "drawn_again": found.rejected,
        "folded": found.folded,
        "left_out": int((~found.kept).sum()),
    }
    # the accuracy of what was moved isn't that of the simulation any more
    return replace(data, time=data.time[window], values=values, error=float("nan")), facts


def mover_for(config: DataConfig, declaration: PDE) -> Change:
    """What moves simulated trajectories as the settings say; everything about it is checked now.

    Raises what `augment_along.along_solutions` and `augment.writing.mover_of_files` raise.
    """
    (along,) = along_solutions((config.moved_by,), config.plugin, ROOT, "--moved-by")
    return mover_of_files(
        along, declaration, Moving(sigma=config.sigma, middle=config.middle), config.copies, config.seed
    )
