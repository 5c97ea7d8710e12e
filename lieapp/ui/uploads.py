"""Files that are uploaded: kept in the folder of runs, so that a run can be resumed and started again."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from lieapp.errors import DataError, refused
from lieapp.ui.navigation import runs_root

LARGEST = 200
"""MB of a file: it is held in memory while it is received."""


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
    return file
