"""`python -m lieapp.runs.process.runner ROOT`: starts queued runs one after another, each as its own process.

It goes into the background, holds the lock of the runs folder while it works, and ends when nothing waits.
`python -m lieapp.runs.process.runner ROOT RUN` works on that one at once, whatever else is at work.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lieapp.child import child_command
from lieapp.errors import LieappError
from lieapp.runs.process.queue import next_queued
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import host, own_mark

POLL = 0.5
"""Seconds between two looks at a run that an earlier runner left at work."""

Start = Callable[[RunDirectory], subprocess.Popen[bytes]]


def start_process(run: RunDirectory) -> subprocess.Popen[bytes]:
    """The process of one run: the command line with --resume, where and as the run was asked for."""
    kind = str(run.config().get("kind"))
    folder = Path(run.origin().folder)
    with (run.path / "log.txt").open("ab") as log:
        return subprocess.Popen(
            child_command("lieapp", kind, "--resume", str(run.path.resolve()), "--quiet"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # ./plugins is looked for in the working folder
            cwd=folder if folder.is_dir() else None,
        )


def serve(root: Path, start: Start = start_process) -> None:
    """Work until nothing is queued; leave at once if another runner holds the lock.

    A run that is queued after the last look but before the lock is free finds no new runner, for that one
    saw the lock held: so there is one more look after the lock is free.
    """
    passed_over: set[str] = set()
    while True:
        with (root / ".lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            while run := next_queued(root, passed_over):
                if _others_work(root):
                    time.sleep(POLL)
                elif not work_on(run, start):
                    passed_over.add(run.id)
        if next_queued(root, passed_over) is None:
            return


def work_on(run: RunDirectory, start: Start = start_process, *, alone: bool = True) -> bool:
    """Start one queued run and wait for its end; False if it can't be had.

    A process that dies before it begins leaves the run failed. `alone`: no other is started meanwhile.
    """
    with run.locked() as free:
        if not free or run.state != "queued" or run.cancel_requested:
            return False
        mine = {"pid": os.getpid(), "host": host(), "process": own_mark()}
        run.update(state="starting", by_runner=alone, begun=time.time(), **mine)
    code = -1
    try:
        code = start(run).wait()
        text = f"its process ended with code {code} before it started; see log.txt"
    except (OSError, LieappError) as error:
        text = f"its process can't be started: {error}"
    # a fresh look: the run's own process has written since
    if RunDirectory(run.path).state == "starting":
        error_object = {"type": "RunError", "message": f"{run.id}: {text}.", "hint": ""}
        RunDirectory(run.path).update(state="failed", by_runner=False, finished=time.time(), error=error_object)
    return True


def _others_work(root: Path) -> bool:
    """Whether a run that an earlier runner, ended by force, left at work still goes on: one at a time."""
    states = (run.status() for run in RunDirectory.list(root))
    return any(status.state == "running" and status.by_runner for status in states)


def _to_background() -> None:
    """Leave the process that asked: fork, and give its caller an answer now."""
    if os.fork():
        # no cleanup here: everything belongs to the child
        os._exit(0)
    os.setsid()


def main() -> int:
    """Entry point of `python -m lieapp.runs.process.runner ROOT [RUN]`."""
    root, only = Path(sys.argv[1]).resolve(), sys.argv[2:]
    if not root.is_dir():
        print(f"{root} isn't a folder of runs", file=sys.stderr)
        return 2
    log = os.open(root / ".runner.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    _to_background()
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)
    if only:
        work_on(RunDirectory(root / only[0]), alone=False)
    else:
        serve(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
