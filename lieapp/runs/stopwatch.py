"""How long a run works: seconds of each stage and in all, summed over its sessions (the first, each --resume)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lieapp.runs.files import encode, write_atomic

TOTAL = "total"


class Stopwatch:
    """Times the stages of one session, beginning with `start`, on top of what earlier sessions left in a file.

    Args:
        file: where the sums are kept; a session that is killed leaves those of its last `save`.
        began: when this process began, on the clock of `time.perf_counter`.
    """

    def __init__(self, file: Path, began: float) -> None:
        self._file, self._began = file, began
        self._earlier = _read(file)
        self._own = {"start": time.perf_counter() - began}
        self._now: tuple[str, float] | None = None

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, also one that is interrupted."""
        self._now = name, time.perf_counter()
        try:
            yield
        finally:
            self._own, self._now = self._session(), None
            # what ended the stage matters more than a full disk
            with contextlib.suppress(OSError):
                self.save()

    def save(self) -> None:
        """Keep the sums so far, those of a stage that isn't over too. Raises OSError."""
        self._file.parent.mkdir(exist_ok=True)
        write_atomic(self._file, encode(self._sums()))

    def seconds(self) -> dict[str, float]:
        """Of each stage in the order of work, and in all: the `seconds` of summary.json."""
        return {name: round(value, 2) for name, value in self._sums().items()}

    def _session(self) -> dict[str, float]:
        """Stages of this session, the one that isn't over included."""
        found = dict(self._own)
        if self._now is not None:
            name, began = self._now
            found[name] = found.get(name, 0.0) + time.perf_counter() - began
        return found

    def _sums(self) -> dict[str, float]:
        own = {**self._session(), TOTAL: time.perf_counter() - self._began}
        names = dict.fromkeys(name for name in (*self._earlier, *own) if name != TOTAL)
        return {name: self._earlier.get(name, 0.0) + own.get(name, 0.0) for name in (*names, TOTAL)}


def _read(file: Path) -> dict[str, float]:
    """What earlier sessions took; nothing if there was none or its file can't be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, float])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
