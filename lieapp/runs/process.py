"""Is that process still the one that wrote its number down?"""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path


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
