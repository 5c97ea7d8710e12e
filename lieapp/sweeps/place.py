"""Where the cells of a sweep run, as it is typed; Dask isn't loaded for that."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec

from lieapp.errors import UsageError
from lieapp.reading import UnreadableError, read, reason

PACKAGES = ("dask", "distributed")
INSTALL = "pip install 'lieapp[cluster]'"

LOCAL = "local"
"""A process for each core of this machine."""

EXAMPLES = "Write --on local:4 for four processes of this machine, or --on tcp://HOST:8786 for a scheduler of Dask."

ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):(\d+)")


@dataclass(frozen=True)
class Local:
    """Processes of this machine; each works on one cell at a time with so many threads."""

    workers: int

    @property
    def threads(self) -> int:
        """Threads of each, so that all of them together have a core for each thread."""
        return max(1, cores() // self.workers)

    def __str__(self) -> str:
        return f"local:{self.workers}"


@dataclass(frozen=True)
class Remote:
    """A scheduler that somebody started."""

    address: str

    def __str__(self) -> str:
        return self.address


class _SchedulerFile(msgspec.Struct):
    """What lieapp reads of the file that a scheduler writes."""

    address: str


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def place_of(on: str | None, file: Path | None) -> Local | Remote:
    """What --on and --scheduler-file mean; a process for each core of this machine without both.

    Raises UsageError for anything else.
    """
    if file is not None:
        if on is not None:
            raise UsageError("--on and --scheduler-file are both given.", hint="Give one of them.")
        try:
            return Remote(read(file, _SchedulerFile).address)
        except (OSError, UnreadableError) as error:
            raise UsageError(
                f"--scheduler-file {file}: it can't be read: {reason(error)}.",
                hint=f"`dask scheduler --scheduler-file {file}` writes it.",
            ) from None
    if on in (None, LOCAL):
        return Local(cores())
    if (local := re.fullmatch(r"local:(\d{1,4})", on)) and int(local[1]):
        return Local(int(local[1]))
    if (remote := ADDRESS.fullmatch(on)) and int(remote[3]) < 2**16:
        return Remote(on)
    raise UsageError(f"--on {on}: expected local, local:N with N from 1 to 9999, tcp://HOST:PORT or tls://HOST:PORT.",
                     hint=EXAMPLES)  # fmt: skip


def check_installed(command: str = "lieapp sweep") -> None:
    """Raises UsageError unless the packages of the extra are there, which a command needs."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise UsageError(
            f"{command} needs {' and '.join(missing)}, not installed here.",
            hint=f"Install the extra with `{INSTALL}`.",
        )
