"""Be the process that works on a run: claim it, keep its status alive, write down how it ended."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from lieapp.errors import CancelledError, FileError, LieappError, ResumeError, RunError, describe
from lieapp.runs.process.signals import delivered, interruptible, shielded
from lieapp.runs.store.directory import RunDirectory, removed
from lieapp.runs.store.status import BEAT, STALE, Status, ahead, host, is_alive, own_mark

_mine: set[str] = set()
"""Runs this process works on: record locks don't exclude the process that holds them."""


@contextlib.contextmanager
def running(run: RunDirectory) -> Iterator[RunDirectory]:
    """Be the process that works on `run` for the length of a block, and set its state at the end.

    done if the block ends; cancelled on Ctrl-C, SIGTERM, SIGHUP or CancelledError, all of which leave as
    CancelledError; failed on anything else, with the error in the status and its traceback in log.txt.
    Raises ResumeError if another process works on it, CancelledError if it was asked to stop before it began,
    RunError if its folder is removed meanwhile.
    """
    with _claimed(run), _removal_told(run):
        mine = {"state": "running", "pid": os.getpid(), "host": host(), "process": own_mark()}
        try:
            with interruptible() as interrupt:
                begun = {} if run.status().state == "starting" else {"begun": time.time()}
                run.update(**mine, **begun, error=None, finished=None)
                with _heartbeat(run, interrupt):
                    yield run
        except BaseException as error:
            if not isinstance(error, (KeyboardInterrupt, CancelledError)) and not delivered.is_set():
                # a disk that is full for results is so for the log too
                with contextlib.suppress(OSError):
                    run.log("".join(traceback.format_exception(error)).rstrip())
                with contextlib.suppress(OSError):
                    _end(run, "failed", error)
                raise
            if not run.path.exists():
                raise CancelledError(
                    f"{run.id}: cancelled; its folder was removed, so nothing is kept.", hint="Start another run."
                ) from None
            cancelled = CancelledError(
                f"{run.id}: cancelled; completed work is kept.",
                hint=f"Continue with `lieapp {run.config().get('kind', 'discover')} --resume {run.path}`.",
            )
            _end(run, "cancelled", cancelled)
            raise cancelled from None
        _end(run, "done", None)


@contextlib.contextmanager
def _removal_told(run: RunDirectory) -> Iterator[None]:
    """Raises RunError in place of what fails in the block because the run's folder, or one in it, is gone."""
    try:
        yield
    except Exception as error:
        folder = run.path
        if isinstance(error, FileNotFoundError) and Path(error.filename or "").is_relative_to(folder):
            folder = Path(error.filename).parent if folder.exists() else folder
        if folder.exists() or (isinstance(error, LieappError) and not isinstance(error, OF_FILES)):
            raise
        raise removed(folder) from error


OF_FILES = (RunError, FileError)
"""Errors that the removal of a folder may come out as."""


@contextlib.contextmanager
def _claimed(run: RunDirectory) -> Iterator[None]:
    with run.locked() as free:
        status = run.status()
        if not free or str(run.path.resolve()) in _mine or _works_elsewhere(status):
            raise at_work(run, status)
        _forget_cancel(run, status)
        _mine.add(str(run.path.resolve()))
        try:
            yield
        finally:
            _mine.discard(str(run.path.resolve()))


def is_free(run: RunDirectory) -> bool:
    """Whether nobody works on a run, so that this process may. Raises RunError if its folder can't be written."""
    with run.locked() as free:
        return free and not _works_elsewhere(run.status())


def at_work(run: RunDirectory, status: Status) -> ResumeError:
    """What is raised where another process works on a run."""
    told = f"{run.id}: process {status.pid} on {status.host} is still running it. {ahead(status, time.time())}"
    return ResumeError(
        told.rstrip(),
        hint=f"Stop it first with `lieapp runs cancel {run.path}`, or wait: if it has died, it counts as lost "
        f"{STALE:.0f} s after its last sign of life.",
    )


def _works_elsewhere(status: Status) -> bool:
    """Whether a process beyond the reach of the lock gave a sign of life: another machine, or no locks."""
    if status.state != "running":
        return False
    if status.host == host():
        return status.pid != os.getpid() and is_alive(status.pid, status.process)
    return True  # else its state were lost


def _forget_cancel(run: RunDirectory, status: Status) -> None:
    """Obey a request to stop that came before the start; drop one that an earlier process obeyed."""
    if not run.cancel_requested:
        return
    if status.state in ("queued", "starting"):
        run.update(state="cancelled", finished=time.time())
        raise CancelledError(f"{run.id}: cancelled before it started.", hint=f"Start it with --resume {run.path}.")
    (run.path / "cancel").unlink(missing_ok=True)


def _end(run: RunDirectory, state: str, error: BaseException | None) -> None:
    with shielded():
        told = None if error is None else describe(error)
        run.update(state=state, by_runner=False, finished=time.time(), error=told)


GRACE = 10.0
"""Seconds a loop has to notice `cancel` by itself; then it is interrupted wherever it is."""

GLANCE = 0.5
"""Seconds between two looks for `cancel`."""


@contextlib.contextmanager
def _heartbeat(run: RunDirectory, interrupt: Callable[[], None] | None) -> Iterator[None]:
    """The sign of life of a working run, for the length of a block, by a thread: long steps mustn't look dead.

    `interrupt` is called once when a request to stop was not noticed for `GRACE` seconds.
    """
    stop = threading.Event()
    thread = threading.Thread(target=_beat, args=(run, stop, interrupt), name=f"heartbeat {run.id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _beat(run: RunDirectory, stop: threading.Event, interrupt: Callable[[], None] | None) -> None:
    last = time.monotonic()
    asked: float | None = None
    while not stop.wait(GLANCE):
        now = time.monotonic()
        if now - last >= BEAT:
            last = now
            # a full disk or a removed folder ends the run where it writes results, not here
            with contextlib.suppress(OSError):
                run.update()
        if interrupt is not None and run.cancel_requested:
            asked = now if asked is None else asked
            if now - asked > GRACE:
                interrupt()
                interrupt = None
