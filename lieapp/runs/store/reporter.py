"""Reporters: a bar on a terminal, plain lines elsewhere, both on stderr; and a copy into a run directory.

Progress on a terminal.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from lieapp.progress import Reporter, SilentReporter
from lieapp.runs.store.directory import RunDirectory


class BarReporter:
    """A bar for each stage, on stderr; lines appear above it."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def stage(self, name: str) -> None:
        """End the last bar and begin one."""
        if self._task is not None:
            task = self._progress.tasks[self._progress.task_ids.index(self._task)]
            total = task.total if task.total is not None else max(task.completed, 1)
            self._progress.update(self._task, total=total, completed=total, note="")
        self._task = self._progress.add_task(name, total=None, note="")

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Move the bar."""
        if self._task is None:
            self.stage("working")
        assert self._task is not None  # set by stage
        self._progress.update(self._task, completed=step, total=total, note=text)

    def line(self, text: str) -> None:
        """Print above the bar."""
        self._progress.console.print(text, markup=False, highlight=False)

    def warn(self, text: str) -> None:
        """Print above the bar."""
        self._progress.console.print(f"warning: {text}", style="yellow", markup=False, highlight=False)


__all__ = ["PlainReporter", "Reporter", "RunReporter", "SilentReporter", "reporting"]

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
        """Say that a stage begins."""
        self._stage = name
        self._last = time.monotonic()
        self.line(f"{name} …")

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Say how far it is, if the last line is old enough."""
        now = time.monotonic()
        if self._quiet or now - self._last < EVERY:
            return
        self._last = now
        of = f"/{total}" if total is not None else ""
        self.line(f"{self._stage}: {step}{of} {text}".rstrip())

    def line(self, text: str) -> None:
        """Print a line unless quiet."""
        if not self._quiet:
            print(text, file=self._stream, flush=True)

    def warn(self, text: str) -> None:
        """Print a warning, quiet or not."""
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
        self._run.update(stage=name, step=0, total=None)
        self._run.log(name)
        self._inner.stage(name)

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Note the step; a request to stop is obeyed here. Raises CancelledError."""
        self._run.check_cancel()
        self._run.progress(step, total)
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
    pass

    with BarReporter() as report:
        yield report
