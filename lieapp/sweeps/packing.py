"""Run folders as bytes: how they come back from workers that don't share the folder of runs."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

from lieapp.errors import RunError, refused

LOCK = ".lock"


def packed(folder: Path) -> bytes:
    """A run's folder as a tar archive; empty if there is none."""
    if not folder.is_dir():
        return b""
    stream = io.BytesIO()
    # plain: most of a run is arrays that hardly shrink
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for place in sorted(folder.rglob("*")):
            if place.is_file() and place.name != LOCK:
                archive.add(place, place.relative_to(folder).as_posix())
    return stream.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Put a run's folder where it belongs, in place of an older one. Raises RunError if it can't be written."""
    if not content:
        return
    draft, old = (folder.with_name(f".{what}-{folder.name}") for what in ("draft", "deleted"))
    with refused(RunError, f"{folder} can't be written", "Free disk space, or give --out another folder."):
        for left in (draft, old):
            shutil.rmtree(left, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extractall(draft, filter="data")
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
