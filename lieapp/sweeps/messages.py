"""What the processes of a sweep tell each other, all of it JSON: no live object crosses over."""

from __future__ import annotations

import msgspec

from lieapp.results.sweep import Failure
from lieapp.sweeps.data_files import DataFile


class Setup(msgspec.Struct, frozen=True):
    """What the process that executes cells is told first, in one line.

    Args:
        folders: of plugin files.
        command: what was typed, for the provenance of runs.
        folder: where that was typed; files may be named from there.
    """

    folders: list[str]
    command: list[str]
    folder: str


class Task(msgspec.Struct, frozen=True):
    """One cell.

    Args:
        run: the id of its run, which exists already where an earlier process began.
        root: the folder of runs.
        config: the settings.
        sha256: of the plugin's file.
        sweep: the id of the sweep.
        data: the files that the run reads.
        places: where those lie that were sent to this machine, by their paths.
    """

    run: str
    root: str
    command: str
    plugin: str
    sha256: str
    config: msgspec.Raw
    sweep: str
    data: tuple[DataFile, ...] = ()
    places: dict[str, str] = {}


class Answer(msgspec.Struct, frozen=True):
    """How a cell ended: the state of its run, and the error unless it is done.

    Args:
        elsewhere: whether the error is one of this machine, as a full disk, so that others may do better.
    """

    state: str
    error: Failure | None = None
    elsewhere: bool = False
