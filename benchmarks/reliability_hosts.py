"""Two hosts on one folder of runs: processes with another host name and another network, by Linux namespaces.

Both see one file system, whose locks reach from one to the other. Once more it is tried without locks, as file
systems of clusters may be. Making namespaces takes the rights of root.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from reliability_resume import Tried, count
from reliability_runs import Ended, Forked, command, differences, load_everything, prepare, resumed, runs_in

NEW_NETWORK, NEW_NAMES = 0x40000000, 0x04000000
"""CLONE_NEWNET and CLONE_NEWUTS of Linux."""

CASE = "generalised, network"

LATER = 40.0
"""Seconds within which a run whose host died must be free for others."""


def become(name: str, *, locks: bool) -> Callable[[], None]:
    """What makes a new process one of another host, perhaps on a file system without locks. Raises OSError."""

    def change() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(NEW_NETWORK | NEW_NAMES):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        socket.sethostname(name)
        if not locks:
            fcntl.lockf = _no_locks

    return change


def _no_locks(*_: object) -> NoReturn:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


class Hosts:
    """A run made on no other host, and the trials.

    Args:
        folder: the working folder; made here.
        locks: whether the file system has locks.
    """

    def __init__(self, folder: Path, *, locks: bool) -> None:
        self.folder, self.out, self.locks = folder, folder / "runs", locks
        prepare(folder, self.out)
        load_everything()
        if self._start("first").wait().code:
            raise SystemExit("namespaces can't be made here, or the run failed")
        self.whole = runs_in(self.out)[0].rename(folder / "whole")

    def _on(self, host: str, arguments: list[str]) -> Forked:
        folder = self.folder / host
        folder.mkdir(exist_ok=True)
        plugins = ["--plugins", str(self.folder / "plugins")] if arguments[0] == "discover" else []
        return Forked([*arguments, *plugins], folder, become(host, locks=self.locks))

    def _start(self, host: str) -> Forked:
        shutil.rmtree(self.out, ignore_errors=True)
        return self._on(host, command(CASE, self.out))

    def _begun(self) -> tuple[Forked, Path]:
        """A run at work on the first host."""
        one = self._start("first")
        while not (runs := runs_in(self.out)) or '"running"' not in (runs[0] / "status.json").read_text():
            time.sleep(0.02)
        return one, runs[0]

    def _equal(self, run: Path) -> str:
        unequal = differences(self.whole, run)
        return "equal" if not unequal else f"unequal: {', '.join(unequal[:5])}"

    def while_at_work(self) -> Iterator[str]:
        """The second host wants to go on with what the first works on."""
        one, run = self._begun()
        other = self._on("second", resumed(run)).wait()
        if not _refused(other):
            yield f"not refused: {other.code} {other.out[-200:]}"
        ended = one.wait()
        yield "disturbed"
        yield self._equal(run) if ended.code == 0 else f"the first ended with {ended.code}: {ended.out[-200:]}"

    def after_death(self) -> Iterator[str]:
        """The first host's process is killed; the second goes on as soon as it may."""
        one, run = self._begun()
        time.sleep(0.5)
        one.kill()
        one.wait()
        yield "disturbed"
        died = time.monotonic()
        if not _refused(self._on("second", resumed(run)).wait()):
            yield "not refused at once"
        while _refused(ended := self._on("second", resumed(run)).wait()):
            if time.monotonic() - died > LATER:
                yield f"still refused after {LATER:.0f} s: {ended.out[-200:]}"
                return
            time.sleep(2)
        yield self._equal(run) if ended.code == 0 else f"exit code {ended.code}: {ended.out[-200:]}"

    def race(self) -> Iterator[str]:
        """Both want to go on, at the same moment, with a run that nobody works on."""
        one, run = self._begun()
        one.kill()
        one.wait()
        old = (run / "status.json").read_text()
        (run / "status.json").write_text(old.replace('"running"', '"failed"'))
        both = [self._on(host, resumed(run)) for host in ("first", "second")]
        ended = [one.wait() for one in both]
        yield "disturbed"
        done, refused = sum(one.code == 0 for one in ended), sum(map(_refused, ended))
        if (done, refused) != (1, 1):
            yield f"{done} of both did it, {refused} were refused"
        yield self._equal(run)


def _refused(ended: Ended) -> bool:
    return ended.code != 0 and ended.clean and "still running" in ended.out


def hosts(folder: Path, trials: int) -> dict[str, Tried]:
    """Each trial so many times, with locks and without; a death, which takes half a minute, a fifth as often."""
    found: dict[str, Tried] = {}
    for locks in (True, False):
        both, words = Hosts(folder / f"{locks}", locks=locks), "with locks" if locks else "without locks"
        for number in range(trials):
            count(found, f"resume of what the other works on, {words}", f"{number}", both.while_at_work())
            count(found, f"both resume at once, {words}", f"{number}", both.race())
        for number in range(max(1, trials // 5)):
            count(found, f"resume of what died with the other, {words}", f"{number}", both.after_death())
    return found
