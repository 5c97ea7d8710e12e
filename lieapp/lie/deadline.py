"""A budget of time for exact work: one clock, and an alarm that ends what works past it, wherever it is.

One call of SymPy, an integral or a common divisor, may take longer than everything else together, so that looking
at the clock between calls doesn't do; and what was found until then must still be proved and told in the same
process, a notebook's for example, so that ending the process doesn't do either. Hence the exception out of the
alarm. It can do no harm where work changes only what it made itself or copied: then nobody sees what is half done.
Loops that can say how far they came are given a deadline of their own (`counting.check_time`), which is earlier.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

AGAIN = 0.25
"""Seconds until the alarm rings again, should something have swallowed it."""


class OutOfTimeError(BaseException):
    """The time is over. No Exception, so that nothing which handles errors handles it."""


def has_alarms() -> bool:
    """Whether work can be interrupted here: in the main thread, where the system has alarms."""
    return hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()


def _imports(frame: FrameType | None) -> int:
    """How many frames of a stack load modules."""
    count = 0
    while frame is not None:
        count += frame.f_code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    return count


class Clock:
    """What is left of a budget in seconds, None if there is no limit; `note` is told what is being worked on.

    `whole` is the budget that this is a part of.
    """

    def __init__(
        self, seconds: float | None = None, note: Callable[[str], None] | None = None, whole: float | None = None
    ) -> None:
        self.seconds = seconds
        self.whole = seconds if whole is None else whole
        self.note = note or (lambda stage: None)
        self.started = time.perf_counter()

    def part(self, share: float = 1.0) -> Clock:
        """A clock of its own for a share of what is left."""
        left = self.left()
        return Clock(None if left == inf else max(share * left, 0.0), self.note, self.whole)

    @property
    def reserve(self) -> float:
        """Seconds kept for telling what was found: proofs and the basis in normal form."""
        return 0.0 if self.seconds is None else min(10.0, 0.3 * self.seconds)

    def reserve_for(self, share: float) -> float:
        """Seconds kept where work is given no more than a share of the budget from now on."""
        return 0.0 if self.seconds is None else self.left() - share * self.seconds

    def left(self, reserve: float = 0.0) -> float:
        """Seconds left but for a reserve; infinite without a budget."""
        return inf if self.seconds is None else self.started + self.seconds - reserve - time.perf_counter()

    def told(self) -> str:
        """What messages say when it is over."""
        return "the time ran out" if self.whole is None else f"the budget of {self.whole:g} s ran out"

    @contextmanager
    def limit(self, reserve: float = 0.0) -> Iterator[None]:
        """Raises OutOfTimeError in the block as soon as only the reserve is left.

        Outside of the main thread, or where there are no alarms, only when the block is entered.
        """
        left = self.left(reserve)
        if left <= 0:
            raise OutOfTimeError
        if left == inf or not has_alarms():
            yield
            return
        armed, entered, outer = False, time.perf_counter(), _imports(sys._getframe())

        def interrupt(_: int, frame: FrameType | None) -> None:
            # a library that is half loaded stays so; it rings again soon
            if armed and _imports(frame) <= outer:
                raise OutOfTimeError

        handler = signal.signal(signal.SIGALRM, interrupt)
        others, interval = signal.getitimer(signal.ITIMER_REAL)
        # two blocks: it may ring between any two lines, also of the inner `finally`
        try:
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
                yield
            finally:
                armed = False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if others:
                passed = time.perf_counter() - entered
                signal.setitimer(signal.ITIMER_REAL, max(others - passed, 1e-3), interval)

    def within(self, reserve: float, work: Callable[[], T], otherwise: T) -> T:
        """The result of some work; something else if only the reserve is left before it is done.

        Work that is interrupted was anywhere: it must change nothing that others see.
        """
        try:
            with self.limit(reserve):
                return work()
        except OutOfTimeError:
            return otherwise
