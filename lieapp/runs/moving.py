"""What data are moved along, as it is typed: runs by id, the beginning of one, or a path."""

from __future__ import annotations

from pathlib import Path

from lieapp.api import PDE
from lieapp.augment.along import KINDS
from lieapp.augment.settings import Moving
from lieapp.augment.writing import mover_of_files
from lieapp.config import DataConfig
from lieapp.data.store import Change
from lieapp.errors import UnknownRunError
from lieapp.runs.directory import ROOT, RunDirectory


def with_paths(spec: str, root: Path = ROOT) -> str:
    """The spec with the path of each run in place of what was typed; see `augment.moving.Mover.of`.

    Raises UnknownRunError for a run that isn't there.
    """
    return "+".join(_with_path(part.strip(), root) for part in spec.split("+"))


def _with_path(part: str, root: Path) -> str:
    kind, colon, run = part.partition(":")
    if part in ("none", "truth") or part.startswith("d_"):
        return part
    if kind not in KINDS or not colon:
        kind, run = "fields", part
    try:
        return f"{kind}:{RunDirectory.find(root, run).path}"
    except UnknownRunError as error:
        raise UnknownRunError(
            error.message, hint=f"{error.hint} Besides runs there are truth, and d_t for a translation."
        ) from None


def mover_for(config: DataConfig, declaration: PDE) -> Change:
    """What moves simulated trajectories as the settings say; everything about it is checked now.

    Raises what `with_paths` and `augment.writing.mover_of_files` raise.
    """
    settings = Moving(sigma=config.sigma, middle=config.middle)
    return mover_of_files(with_paths(config.moved_by), declaration, settings, config.copies, config.seed)
