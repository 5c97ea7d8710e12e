"""Writes of a run counted, and one disturbed: the process is killed inside it, or the disk is full from it on.

Counted is each write to a file below a folder, and each file or folder made there, wherever in Python it happens.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
from pathlib import Path
from typing import Any, Literal

Action = Literal["count", "kill", "full"]


class Writes:
    """Counts writes below a folder; the one with the number `at`, from 1, is disturbed.

    Args:
        folder: where writes count.
        action: what happens in that write, when half of it is done: nothing, kill -9, or "no space left on device"
            there and in each later one.
        told: a file beside the folder that receives the count of writes, one byte for each.
    """

    def __init__(self, folder: Path, action: Action, at: int, told: Path) -> None:
        self._folder, self._action, self._at, self._count = folder.resolve(), action, at, 0
        self._told = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)

    def install(self) -> None:
        """From now on in this process; it has no other threads yet."""
        writes, real_open, real_os_open, real_mkdir = self, io.open, os.open, os.mkdir

        class Raw(io.FileIO):
            """A file whose writes count."""

            def write(self, data: Any, /) -> int:
                """As the file's own."""
                half = memoryview(data).cast("B")[: memoryview(data).nbytes // 2]
                writes.one(lambda: super(Raw, self).write(half))
                return super().write(data)

        def open_(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **more: Any) -> Any:
            if not set(mode) & set("wax+") or not writes.counts(file):
                return real_open(file, mode, buffering, *args, **more)
            if not isinstance(file, int) and not os.path.exists(file):
                writes.one()
            plain = mode.replace("b", "").replace("t", "")
            raw = Raw(file, plain, *([more["closefd"]] if "closefd" in more else []))
            if buffering == 0:
                return raw
            buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            if "b" in mode:
                return buffered
            names = ("encoding", "errors", "newline")
            given = {**dict(zip(names, args, strict=False)), **{k: v for k, v in more.items() if k in names}}
            return io.TextIOWrapper(buffered, **given)

        def os_open(path: Any, flags: int, *args: Any, **more: Any) -> int:
            if flags & os.O_CREAT and writes.counts(path):
                writes.one()
            return real_os_open(path, flags, *args, **more)

        def mkdir(path: Any, *args: Any, **more: Any) -> None:
            if writes.counts(path) and not os.path.exists(path):
                writes.one()
            real_mkdir(path, *args, **more)

        io.open, builtins.open, os.open, os.mkdir = open_, open_, os_open, mkdir  # type: ignore[assignment]

    def counts(self, file: Any) -> bool:
        """Whether writes to a file, given by a path or an open descriptor, count."""
        is_open = isinstance(file, int)
        place = os.readlink(f"/proc/self/fd/{file}") if is_open else os.path.abspath(os.fsdecode(file))
        return Path(place).is_relative_to(self._folder)

    def one(self, half: Any = lambda: None) -> None:
        """One write is about to happen; `half` does a part of it. Raises OSError where the disk is full."""
        self._count += 1
        os.write(self._told, b".")
        if self._count == self._at and self._action == "kill":
            half()
            os.kill(os.getpid(), signal.SIGKILL)
        if self._count >= self._at and self._action == "full":
            if self._count == self._at:
                half()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
