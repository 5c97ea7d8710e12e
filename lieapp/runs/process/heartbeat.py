"""The sign of life of a working run, given by a thread so that long steps don't look dead."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Self

from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import BEAT

GRACE = 10.0
"""Seconds a loop has to notice `cancel` by itself; then it is interrupted wherever it is."""

GLANCE = 0.5
"""Seconds between two looks for `cancel`."""


class Heartbeat:
    """Refresh a run's status for the length of a block, and see to it that `cancel` is obeyed.

    Args:
        run: the run; the block is the process that works on it.
        interrupt: called once when a request to stop was not noticed for `GRACE` seconds.
    """

    def __init__(self, run: RunDirectory, interrupt: Callable[[], None] | None = None) -> None:
        self._run = run
        self._interrupt = interrupt
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat {run.id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        last = time.monotonic()
        asked: float | None = None
        while not self._stop.wait(GLANCE):
            now = time.monotonic()
            if now - last >= BEAT:
                last = now
                # a full disk or a removed folder ends the run where it writes results, not here
                with contextlib.suppress(OSError):
                    self._run.update()
            if self._interrupt is not None and self._run.cancel_requested:
                asked = now if asked is None else asked
                if now - asked > GRACE:
                    self._interrupt()
                    self._interrupt = None
