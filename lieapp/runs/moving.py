"""`lieapp data --moved-by`: what simulated trajectories are moved along."""

from __future__ import annotations

from lieapp.api import PDE
from lieapp.augment.settings import Moving
from lieapp.augment.writing import mover_of_files
from lieapp.config import DataConfig
from lieapp.data.store import Change
from lieapp.runs.augment_along import along_solutions
from lieapp.runs.directory import ROOT


def mover_for(config: DataConfig, declaration: PDE) -> Change:
    """What moves simulated trajectories as the settings say; everything about it is checked now.

    Raises what `augment_along.along_solutions` and `augment.writing.mover_of_files` raise.
    """
    (along,) = along_solutions((config.moved_by,), config.plugin, ROOT, "--moved-by")
    return mover_of_files(
        along, declaration, Moving(sigma=config.sigma, middle=config.middle), config.copies, config.seed
    )
