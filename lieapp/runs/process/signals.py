"""SIGTERM and a lost terminal end a run the way Ctrl-C does: checkpoint kept, state cancelled."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

delivered = threading.Event()
"""Set by a signal inside a block, and until the next block begins."""

_blocks: list[None] = []
"""One for each block that this process is in."""


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], None] | None]:
    """Let the signals that end a process raise KeyboardInterrupt inside the block.

    Gives a function with which another thread interrupts the block; None outside the main thread, where
    Python delivers no signals. A signal that was ignored before (nohup) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    delivered.clear()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _raise)
    main = threading.main_thread().ident
    assert main is not None  # it runs this line

    def interrupt() -> None:
        signal.pthread_kill(main, signal.SIGTERM)

    _blocks.append(None)
    try:
        yield interrupt
    finally:
        _blocks.pop()
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """Put off Ctrl-C and its like for the few milliseconds in which a last state is written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, *ENDING)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def interrupted() -> bool:
    """Whether a signal came inside the current block.

    One that comes while a library is being imported can leave it half loaded; what then fails is not a bug.
    """
    return bool(_blocks) and delivered.is_set()


def _raise(number: int, frame: FrameType | None) -> None:
    delivered.set()
    raise KeyboardInterrupt
