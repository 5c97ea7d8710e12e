"""Files that are uploaded: kept in the folder of runs, so that a run can be resumed and started again.

Those that no run names are deleted after a while. A file's own time isn't touched: readers and runs know it by it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path

from lieapp.errors import DataError, RunError, refused
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui.navigation import runs_root

LARGEST = 200
"""MB of a file: it is held in memory while it is received."""


DAYS = 7
"""After so many days in which nobody looked at an upload it is deleted, unless a run names it."""

DAY = 86400.0

UPLOAD = re.compile(r"-[0-9a-f]{12}(\.\w*)?(\.part)?$")
"""How names of uploads end; Datasets given to lieapp.discover are in the same folder."""


def folder() -> Path:
    """Where they are kept."""
    return runs_root() / ".data"


def kept(name: str, content: bytes) -> Path:
    """Keep a file under its name with the hash of its content; the same content is kept once.

    Raises DataError if it can't be written.
    """
    safe = Path(re.sub(r"[^\w.-]+", "_", name)[-80:].lstrip("."))
    file = folder().absolute() / f"{safe.stem}-{hashlib.sha256(content).hexdigest()[:12]}{safe.suffix}"
    with refused(DataError, str(file), "Give the path of the file instead."):
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.name}.part")
            part.write_bytes(content)
            os.replace(part, file)
    seen(file)
    clean()
    return file


def seen(file: Path) -> None:
    """Note that a file is looked at, if it is an upload of yesterday or before."""
    if file.absolute().parent == folder().absolute() and _idle(file) > DAY:
        with contextlib.suppress(OSError):
            _mark(file).touch()


def clean() -> None:
    """Delete the uploads that no run names and that nobody looked at for DAYS days."""
    idle = [f for f in folder().glob("*") if UPLOAD.search(f.name) and _idle(f) > DAYS * DAY]
    if not idle:
        return
    try:
        named = [(run.path / "config.json").read_text(encoding="utf-8") for run in RunDirectory.list(runs_root())]
    except (OSError, ValueError, RunError):
        return  # a run that can't be read may name any of them
    for file in idle:
        if not any(file.name in text for text in named):
            with contextlib.suppress(OSError):
                file.unlink()
                _mark(file).unlink(missing_ok=True)


def _mark(file: Path) -> Path:
    """Its time is when somebody last looked at the file."""
    return file.with_name(f".{file.name}.seen")


def _idle(file: Path) -> float:
    """Seconds since somebody uploaded a file or looked at it; 0 for one that is gone."""
    times = [place.stat().st_mtime for place in (file, _mark(file)) if place.exists()]
    return time.time() - max(times) if times else 0.0
