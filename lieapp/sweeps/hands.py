"""The process that a worker has for its cells, `lieapp.sweeps.hand`, as the worker holds it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import msgspec

from lieapp.child import child_command
from lieapp.registry.loader import VARIABLE
from lieapp.sweeps.messages import Answer, Setup, Task

TRIM = "MALLOC_TRIM_THRESHOLD_"
"""Dask sets it for its workers: memory goes back to the system at once, and cells take almost three times as long.
It isn't passed on to cells, nor are the worker's own plugins (`VARIABLE`), which would hide those of the sweep."""


class HandLostError(Exception):
    """The process of a cell ended before it answered."""


class Hand:
    """A process of its own session: Ctrl-C in a terminal, which is for the sweep, doesn't reach it.

    Args:
        folder: that it begins in, one without `plugins` of its own; what it says goes into workers.log there.
    """

    def __init__(self, setup: Setup, folder: Path) -> None:
        own = {name: value for name, value in os.environ.items() if name not in (VARIABLE, TRIM)}
        self._log = folder / "workers.log"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                child_command("lieapp.sweeps.hand"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                cwd=folder, env=own, start_new_session=True,
            )  # fmt: skip
        self._ready = False
        with contextlib.suppress(HandLostError):
            self._write(msgspec.json.encode(setup))

    def ask(self, task: Task) -> Answer:
        """How a cell ended, once it has. Raises HandLostError if the process ends."""
        if not self._ready:
            self._read()
            self._ready = True
        self._write(msgspec.json.encode(task))
        return msgspec.json.decode(self._read(), type=Answer)

    def end(self) -> None:
        """End the process now."""
        self._process.kill()
        self._process.communicate()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None  # a pipe
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise HandLostError(self._words()) from None

    def _read(self) -> bytes:
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise HandLostError(self._words())
        return line

    def _words(self) -> str:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        return f"the process of the cell ended {how}; {self._log} has what it said"
