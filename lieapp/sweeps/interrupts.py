"""Ctrl-C in a sweep: the first one asks the cells to stop, a second one ends all at once."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from lieapp.runs.process.signals import ENDING
from lieapp.runs.store.directory import RunDirectory


class Asked:
    """Whether a signal, or the file `cancel` in the sweep's folder, asked it to stop."""

    def __init__(self, run: RunDirectory) -> None:
        self._run, self.to_stop = run, False

    def __bool__(self) -> bool:
        return self.to_stop or self._run.cancel_requested

    def notice(self, number: int, frame: FrameType | None) -> None:
        """Called by a signal. Raises KeyboardInterrupt for a second Ctrl-C."""
        if self.to_stop and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.to_stop = True


@contextlib.contextmanager
def asked(run: RunDirectory) -> Iterator[Asked]:
    """Notice signals inside the block in place of being interrupted by them."""
    found = Asked(run)
    if threading.current_thread() is not threading.main_thread():
        yield found
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, found.notice)
    try:
        yield found
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextlib.contextmanager
def afterwards(action: Callable[[], object]) -> Iterator[None]:
    """Do something at the end of the block, whatever it raises; but a second Ctrl-C waits for nothing."""
    try:
        yield
    except Exception:
        action()
        raise
    action()
