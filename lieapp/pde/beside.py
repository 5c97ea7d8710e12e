"""Work beside a run's own, in a thread: torch and other processes leave Python to the others while they compute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Generic, TypeVar

from lieapp.errors import CancelledError
from lieapp.progress import Reporter

Found = TypeVar("Found")

LOOK = 0.1
"""Seconds between two looks of whoever waits."""


class Beside(Generic[Found]):
    """Begins with the work at once; what it says is told to whoever waits for its result.

    At the end of a `with` block the work is stopped, unless it is done.

    Args:
        work: is handed this as its reporter, which ends it by CancelledError where it tells its progress.
        report: whom the one that waits tells.
    """

    def __init__(self, work: Callable[[Reporter], Found], report: Reporter) -> None:
        self._report, self._found = report, Future[Found]()
        self._said: list[Callable[[], None]] = []
        self._place: tuple[int, int | None, str] = 0, None, ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[Reporter], Found]) -> None:
        try:
            self._found.set_result(work(self))
        except BaseException as error:
            self._found.set_exception(error)

    def result(self) -> Found:
        """What the work returns, once it is done. Raises what it raised, and what the reporter raises."""
        while self._thread.is_alive():
            self._thread.join(LOOK)
            self._report.progress(*self._place)
        while self._said:
            self._said.pop(0)()
        return self._found.result()

    def __enter__(self) -> Beside[Found]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def stage(self, name: str) -> None:
        """Not told: it isn't the run's own."""

    def progress(self, step: int, total: int | None, text: str = "") -> None:
        """Kept for whoever waits. Raises CancelledError when the work is to stop."""
        if self._stopped.is_set():
            raise CancelledError("no longer wanted.")
        self._place = step, total, text

    def line(self, text: str) -> None:
        """Told later."""
        self._said.append(lambda: self._report.line(text))

    def warn(self, text: str) -> None:
        """Told later."""
        self._said.append(lambda: self._report.warn(text))
