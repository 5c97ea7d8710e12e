"""The heading of a result: command, machine, date."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path


def heading(title: str, options: Sequence[str] | None = None) -> str:
    """Markdown that says how a result came about, by `options` of the script if others than were typed."""
    typed = sys.argv[1:] if options is None else options
    command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *map(shlex.quote, typed)])
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "sympy", "numpy"))
    return (
        f"# {title}\n\nCommand: `{command}`\n\nMachine: {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}\n\nDate: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}\n"
    )


def processor() -> str:
    """The processor's model, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.machine()
