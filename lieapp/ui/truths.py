"""Truth on demand: `lieapp truth` in a process of its own, its answer in a file that any session can read.

The answer lies in `<runs>/.truth/<plugin>-<sha256>/`, so a changed plugin file is derived anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lieapp.report.material import read_json
from lieapp.runs.process import is_alive, start_mark

BUDGET = 60.0
"""Seconds that a derivation gets; it then ends itself."""

GRACE = 15.0
"""Seconds for loading and for ending itself; a process beyond them is ended from here."""


@dataclass(frozen=True)
class Derivation:
    """What is known of a plugin's truth.

    Args:
        state: none, running, done or failed.
        seconds: since the start, while it runs.
        truth: the JSON of `lieapp truth`, when done.
        error: type, message and hint, when failed.
    """

    state: str
    seconds: float = 0.0
    truth: dict[str, Any] = field(default_factory=dict)
    error: dict[str, str] = field(default_factory=dict)


def place(root: Path, name: str, sha256: str) -> Path:
    """The folder of one plugin's answer."""
    return root / ".truth" / f"{name}-{sha256[:12] or 'installed'}"


def read(folder: Path) -> Derivation:
    """Where the derivation stands, from its files."""
    child = read_json(folder / "child.json")
    if not child:
        return Derivation("none")
    answer = read_json(folder / "answer.json")
    if "error" in answer:
        return Derivation("failed", error={key: str(value) for key, value in answer["error"].items()})
    if answer:
        return Derivation("done", truth=answer)
    seconds = time.time() - float(child.get("started", 0))
    if is_alive(child.get("pid"), str(child.get("mark", ""))):
        if seconds < BUDGET + GRACE:
            return Derivation("running", seconds=seconds)
        _end(int(child["pid"]))
        message = f"The derivation took longer than {BUDGET:g} s and was ended."
    else:
        message = "The derivation ended without an answer." + _last_words(folder / "log.txt")
    return Derivation("failed", error={"message": message, "hint": "lieapp truth on a terminal has no limit."})


def start(folder: Path, name: str) -> None:
    """Start the process; a click in a second session meanwhile changes nothing."""
    if read(folder).state == "running":
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer.json").unlink(missing_ok=True)
    command = [sys.executable, "-m", "lieapp", "truth", "--plugin", name, "--budget", f"{BUDGET:g}", "--json"]
    with (folder / "answer.json").open("wb") as answer, (folder / "log.txt").open("wb") as log:
        # a session of its own: it outlives a reload, and can be ended with its children
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=answer, stderr=log, start_new_session=True
        )
    record = {"pid": child.pid, "mark": start_mark(child.pid), "started": time.time()}
    (folder / "child.json").write_text(json.dumps(record), encoding="utf-8")


def _end(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return f" Its last line: {lines[-1][:300]}" if lines else ""
