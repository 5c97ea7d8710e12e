"""Where runs lie, and run ids from an address turned into folders without leaving that place."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from lieapp.runs.store.directory import RunDirectory

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")


def runs_root() -> Path:
    """The folder of runs: `LIEAPP_RUNS`, else ./runs."""
    return Path(os.environ.get("LIEAPP_RUNS") or "runs")


def may_write() -> bool:
    """Whether the app was started with --allow-writing: only then does a page write into ./plugins."""
    return "--allow-writing" in sys.argv[1:]


def find_run(run_id: str) -> RunDirectory | None:
    """The run of exactly that id, None if there is none.

    An id is a name, never a path: whoever opens an address must not reach other folders through it.
    """
    if not _ID.fullmatch(run_id):
        return None
    folder = runs_root() / run_id
    if folder.is_symlink() or not (folder / "config.json").is_file():
        return None
    return RunDirectory(folder)


def file_of(run: RunDirectory, name: str) -> Path | None:
    """A file of a run, None if there is none; a link isn't followed, for it may lead out of the folder of runs."""
    file = run.path / name
    outside = Path(name).name != name or file.is_symlink()
    return None if outside or not file.is_file() else file


def newest_first() -> list[RunDirectory]:
    """All runs; their names begin with the time they were made."""
    return RunDirectory.list(runs_root())[::-1]
