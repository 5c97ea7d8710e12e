"""Plugin files run once for each content in a process, however many pages and threads ask for them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from lieapp.registry.modules import LoadError, load_module

AGAIN = 30.0
"""Seconds after which a broken file is tried again: what it lacked may have been installed."""

Stamps = tuple[tuple[str, int, int], ...]
"""Name, size and time of the Python files in a folder."""


@dataclass
class _Content:
    """What became of running one content of a file; the lock is held while it runs."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    module: ModuleType | None = None
    error: LoadError | None = None
    beside: Stamps = ()
    tried: float = 0.0


_contents: dict[tuple[Path, str], _Content] = {}
_lock = threading.Lock()


def module_of(file: Path, content: bytes, sha256: str) -> ModuleType:
    """The module of a file's content, run now unless it was before.

    A broken file is run again once a file beside it has changed, or after `AGAIN` seconds. Raises LoadError.
    """
    with _lock:
        known = _contents.setdefault((file.absolute(), sha256), _Content())
    with known.lock:
        if known.module is not None:
            return known.module
        beside, now = _stamps(file.parent), time.monotonic()
        if known.error is not None and known.beside == beside and now - known.tried < AGAIN:
            raise LoadError(known.error.error, known.error.line)
        try:
            known.module = load_module(file, content, sha256)
        except LoadError as error:
            # without its traceback, which would keep all that the file had made
            known.error = LoadError(error.error, error.line)
            known.beside, known.tried = beside, time.monotonic()
            raise
        return known.module


def _stamps(folder: Path) -> Stamps:
    try:
        found = [(file.name, file.stat()) for file in sorted(folder.glob("*.py"))]
    except OSError:
        return ()
    return tuple((name, state.st_size, state.st_mtime_ns) for name, state in found)
