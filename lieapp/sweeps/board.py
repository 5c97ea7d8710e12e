"""The live table of a sweep on a terminal; elsewhere a line for each cell that ends."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lieapp.document import duration
from lieapp.progress import Reporter
from lieapp.runs.store.reporter import PlainReporter

MOST = 16
"""Cells at work that are shown."""


@dataclass
class AtWork:
    """A cell that a worker has: its settings in words, and what is known of its run."""

    name: str
    state: str = ""
    stage: str = ""
    step: str = ""


class Board(Reporter, Protocol):
    """A reporter that also shows the cells at work."""

    def show(self, done: int, failed: int, total: int, cells: Sequence[AtWork]) -> None:
        """Once or more a second."""


class PlainBoard(PlainReporter):
    """Lines only."""

    def show(self, done: int, failed: int, total: int, cells: Sequence[AtWork]) -> None:
        """Nothing: each cell that ends has a line of its own."""


@dataclass
class LiveBoard:
    """A table on stderr that is drawn anew; lines appear above it."""

    live: Live
    began: float = field(default_factory=time.monotonic)

    def stage(self, name: str) -> None:
        """What is done before and after the cells."""
        self.line(f"{name} …")

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Shown by the table."""

    def line(self, text: str) -> None:
        self.live.console.print(text, markup=False, highlight=False)

    def warn(self, text: str) -> None:
        self.live.console.print(f"warning: {text}", style="yellow", markup=False, highlight=False)

    def show(self, done: int, failed: int, total: int, cells: Sequence[AtWork]) -> None:
        """Draw the table."""
        grid = Table(box=None, padding=(0, 2, 0, 0))
        for head in ("cell", "state", "stage", "step"):
            grid.add_column(head, style="" if head == "cell" else "dim", overflow="ellipsis", no_wrap=True)
        for cell in cells[:MOST]:
            grid.add_row(Text(cell.name), cell.state, cell.stage, cell.step)
        passed = duration(time.monotonic() - self.began)
        failures = f", {failed} without result" if failed else ""
        more = f", {len(cells) - MOST} more at work" if len(cells) > MOST else ""
        title = Text(f"{done} of {total} cells are done{failures}{more} · {passed}", style="bold")
        self.live.update(Group(title, grid) if cells else title)


@contextlib.contextmanager
def board(quiet: bool) -> Iterator[Board]:
    """The board that fits stderr, for the length of a block."""
    if quiet or not sys.stderr.isatty():
        yield PlainBoard(sys.stderr, quiet)
        return
    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:
        yield LiveBoard(live)
