"""status.json: what a run is doing, and whether the process that wrote it still works."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Annotated

import msgspec

from lieapp.document import duration
from lieapp.reading import UnreadableError, read, reason


def host() -> str:
    """The name of this machine, as status files carry it."""
    return socket.gethostname()


def start_mark(pid: int) -> str:
    """When a process started, in whatever unit the system keeps; empty if there is no such process.

    A process that has ended but that nobody waited for (a zombie) counts as gone.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (OSError, UnicodeDecodeError):
        return "" if Path("/proc/self/stat").exists() else _asked(pid)
    # the command in parentheses may itself contain spaces and parentheses
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _asked(pid: int) -> str:
    """The same where there is no /proc."""
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def is_alive(pid: int | None, mark: str) -> bool:
    """Whether the process of that number runs here and started when `mark` says: numbers are used again."""
    if pid is None:
        return False
    now = start_mark(pid)
    return bool(now) and (not mark or now == mark)


def own_mark() -> str:
    """The start mark of this process."""
    return start_mark(os.getpid())


STALE = 30.0
"""Seconds from a heartbeat, back or ahead, beyond which a process that can't be found counts as lost."""

BEAT = 5.0
"""Seconds between heartbeats."""

ACTIVE = ("starting", "running")
FINISHED = ("done", "cancelled", "failed", "lost")
STATES = ("queued", *ACTIVE, *FINISHED)


Count = Annotated[int, msgspec.Meta(ge=0)]

Moment = Annotated[float, msgspec.Meta(ge=0, lt=253402300800)]
"""Seconds since 1970, before the year 10000."""


class Status(msgspec.Struct, kw_only=True):
    """The content of status.json; unknown keys of a later version are passed over.

    Args:
        state: one of `STATES`; `unreadable` for a folder whose status can't be read.
        process: when that process started, so that its number can't be mistaken for a later one.
        by_runner: whether the runner started that process; it starts no other meanwhile.
        text: what is counted, `chunks of trajectories`, or what else there is to say of the step.
        heartbeat: time of the last sign of life by the clock of `host`, seconds since 1970.
        created, begun, finished: when it was asked for; when its process was started, the last one if it was
            resumed; when it ended.
        error: type, message and hint of what ended it.
    """

    state: str
    pid: int | None = None
    host: str = ""
    process: str = ""
    by_runner: bool = False
    stage: str = ""
    step: Count = 0
    total: Count | None = None
    text: str = ""
    heartbeat: Moment = 0.0
    created: Moment = 0.0
    begun: Moment = 0.0
    finished: Moment | None = None
    error: dict[str, str] | None = None


def read_status(file: Path, now: float | None = None) -> Status:
    """The status in `file`, with `lost` put in where the heartbeat is old and no such process runs. Never fails."""
    try:
        status = read(file, Status)
    except (OSError, UnreadableError) as error:
        message = f"{file.name} can't be read: {reason(error)}."
        return Status(state="unreadable", error={"type": "RunError", "message": message, "hint": ""})
    moment = time.time() if now is None else now
    if status.state in ACTIVE and not _gives_life(status, _written(file), moment):
        status.state = "lost"
        if told := ahead(status, moment):
            hint = "Continue it with --resume, and set the clock that is wrong."
            status.error = {"type": "RunError", "message": told, "hint": hint}
    return status


def _gives_life(status: Status, written: float, now: float) -> bool:
    """Whether the process may still work: a heartbeat of the last seconds, or, on this machine, that it is there.

    A heartbeat bears the clock of the machine that wrote it. Another machine's clock may be wrong: its process
    counts as alive too while the file system says that it writes.
    """
    if _recent(status.heartbeat, now):
        return True
    if status.host == host():
        return is_alive(status.pid, status.process)
    return _recent(written, now)


def _recent(moment: float, now: float) -> bool:
    """Whether a moment is at most `STALE` seconds off, to either side: one of the future says nothing of now."""
    return abs(now - moment) <= STALE


def _written(file: Path) -> float:
    """When a file was written, by the clock of its file system; 0 if it is gone."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def ahead(status: Status, now: float) -> str:
    """That a heartbeat comes from the future, and whose clock that is; empty if it doesn't."""
    if status.heartbeat <= now + STALE:
        return ""
    clock = "the clock of this machine" if status.host == host() else f"the clock of {status.host or 'its machine'}"
    early = duration(status.heartbeat - now)
    return f"Its last heartbeat, by {clock} at that time, is {early} ahead of this machine's clock now."
