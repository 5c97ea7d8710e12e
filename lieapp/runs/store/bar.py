"""Progress on a terminal."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


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
        if self._task is None:
            self.stage("working")
        assert self._task is not None  # set by stage
        self._progress.update(self._task, completed=step, total=total, note=text)

    def line(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False)

    def warn(self, text: str) -> None:
        self._progress.console.print(f"warning: {text}", style="yellow", markup=False, highlight=False)
