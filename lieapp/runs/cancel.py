"""Ask a run to stop."""

from __future__ import annotations

import time

from lieapp.errors import RunError
from lieapp.runs.directory import RunDirectory
from lieapp.runs.status import FINISHED


def cancel(run: RunDirectory) -> str:
    """Stop a run that waits, or ask the process that works on it to stop; gives the state then.

    Raises RunError if there is nothing to stop or the folder can't be written.
    """
    state = run.state
    if state in FINISHED or state == "unreadable":
        hint = f"It can go on with --resume {run.path}." if state == "lost" else ""
        raise RunError(f"{run.id} is {state}; there is nothing to cancel.", hint=hint)
    run.request_cancel()
    return withdraw(run)


def withdraw(run: RunDirectory) -> str:
    """Set a queued run that was asked to stop to cancelled, unless it is just started; gives the state."""
    with run.locked() as free:
        if free and run.state == "queued" and run.cancel_requested:
            run.update(state="cancelled", finished=time.time())
    return run.state
