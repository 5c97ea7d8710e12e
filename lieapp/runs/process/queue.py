"""Queued runs: put one in, make sure that somebody works on them, ask one to stop."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from lieapp.child import child_command
from lieapp.errors import RunError
from lieapp.registry.catalog import Entry
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import FINISHED


def cancel(run: RunDirectory) -> str:
    """Stop a run that waits, or ask the process that works on it to stop; gives the state then.

    Raises RunError if there is nothing to stop or the folder can't be written.
    """
    state = run.state
    if state in FINISHED or state == "unreadable":
        hint = f"Continue with --resume {run.path}." if state == "lost" else ""
        raise RunError(f"{run.id} is {state}; there is nothing to cancel.", hint=hint)
    run.request_cancel()
    return withdraw(run)


def withdraw(run: RunDirectory) -> str:
    """Set a queued run that was asked to stop to cancelled, unless it is just started; gives the state."""
    with run.locked() as free:
        if free and run.state == "queued" and run.cancel_requested:
            run.update(state="cancelled", finished=time.time())
    return run.state


def enqueue(root: Path, config: msgspec.Struct, *, entry: Entry | None = None, folders: Sequence[Path] = ()) -> str:
    """Write a queued run and give its id; `ensure_runner` then starts it when its turn comes.

    `folders` are the plugin folders outside the working folder (`Catalog.folders`). Raises RunError if
    `root` can't be written.
    """
    name = str(getattr(config, "plugin", None) or getattr(config, "kind", "run"))
    return RunDirectory.create(root, config, name, entry=entry, folders=folders, state="queued").id


def ensure_runner(root: Path) -> None:
    """Start a detached runner if a run is waiting; if one is at work already the new one leaves by itself.

    Raises RunError if it can't be started.
    """
    if next_queued(root) is not None:
        _send_to_background(root)


def start_now(root: Path, run_id: str) -> None:
    """Have a queued run worked on at once, beside those that take turns: for short work that somebody waits for.

    Raises RunError if it can't be started.
    """
    _send_to_background(root, run_id)


def _send_to_background(root: Path, *only: str) -> None:
    command = child_command("lieapp.runs.process.runner", str(root), *only)
    # the command returns as soon as the runner has left for the background
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True)
    if done.returncode:
        raise RunError(
            f"{root}: the runner can't be started: {done.stderr.strip()}",
            hint="The run stays queued; `lieapp discover --resume RUN` executes it without a runner.",
        )


def next_queued(root: Path, passed_over: Collection[str] = ()) -> RunDirectory | None:
    """The run that has waited longest; those asked to stop are set to cancelled on the way.

    `passed_over` are ids that were tried in vain.
    """
    waiting = []
    for run in RunDirectory.list(root):
        status = run.status()
        if status.state != "queued" or run.id in passed_over:
            continue
        # a folder that can't be written is somebody else's: not ours to start
        with contextlib.suppress(RunError, OSError):
            if not run.cancel_requested or withdraw(run) == "queued":
                waiting.append((status.created, run.id, run))
    return min(waiting)[2] if waiting else None
