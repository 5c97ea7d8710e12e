"""Reporters: a bar on a terminal, plain lines elsewhere, both on stderr; and a copy into a run directory."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TextIO

from lieapp.progress import Reporter, has_count
from lieapp.runs.store.directory import RunDirectory

EVERY = 3.0
"""Seconds between two lines of progress where there is no terminal."""


class PlainReporter:
    """One line for each stage and, while it lasts, one every few seconds.

    Args:
        stream: where lines go.
        quiet: only warnings.
    """

    def __init__(self, stream: TextIO, quiet: bool = False) -> None:
        self._stream = stream
        self._quiet = quiet
        self._stage = ""
        self._last = time.monotonic()

    def stage(self, name: str) -> None:
        self._stage = name
        self._last = time.monotonic()
        self.line(f"{name} …")

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        now = time.monotonic()
        if self._quiet or now - self._last < EVERY:
            return
        self._last = now
        of = f"/{total}" if total is not None else ""
        count = "" if has_count(text) else f"{step}{of} "
        self.line(f"{self._stage or 'start'}: {count}{text}".rstrip())

    def line(self, text: str) -> None:
        if not self._quiet:
            print(text, file=self._stream, flush=True)

    def warn(self, text: str) -> None:
        print(f"warning: {text}", file=self._stream, flush=True)


class RunReporter:
    """Passes everything on, and keeps stage, step and lines in the run directory.

    Args:
        inner: the reporter that the user sees.
        run: the run that is worked on.
    """

    def __init__(self, inner: Reporter, run: RunDirectory) -> None:
        self._inner = inner
        self._run = run
        self.warnings: list[str] = []

    def stage(self, name: str) -> None:
        """Note the stage; a request to stop is obeyed here. Raises CancelledError."""
        self._run.check_cancel()
        self._run.update(stage=name, step=0, total=None, text="")
        self._run.log(name)
        self._inner.stage(name)

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Note the step; a request to stop is obeyed here. Raises CancelledError."""
        self._run.check_cancel()
        self._run.progress(step, total, text)
        self._inner.progress(step, total, text)

    def line(self, text: str) -> None:
        """Into log.txt too."""
        self._run.log(text)
        self._inner.line(text)

    def warn(self, text: str) -> None:
        """Into log.txt too, and kept in `warnings` for the summary."""
        self.warnings.append(text)
        self._run.log(f"warning: {text}")
        self._inner.warn(text)


@contextlib.contextmanager
def reporting(quiet: bool = False) -> Iterator[Reporter]:
    """The reporter that fits stderr, for the length of a block."""
    if quiet or not sys.stderr.isatty():
        yield PlainReporter(sys.stderr, quiet)
        return
    # rich takes .1 s to import
    from lieapp.runs.store.bar import BarReporter

    with BarReporter() as report:
        yield report
