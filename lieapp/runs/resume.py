"""Find the run meant by --resume and make sure that it is one that can go on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lieapp.errors import ResumeError, RunError
from lieapp.runs.store.directory import RunDirectory
from lieapp.settings import leaves


def find_resumable(root: Path, text: str, kind: str, given: Mapping[str, Any]) -> RunDirectory:
    """The run of that kind; `given` are the settings typed beside --resume, which must be the run's own.

    Raises ResumeError if there is no such run, if it is of another kind or plugin, has other settings, or
    is still being worked on.
    """
    try:
        run = RunDirectory.find(root, text)
        config = run.config()
    except RunError as error:
        raise ResumeError(f"nothing to resume: {error.message}", hint=error.hint) from None
    if config.get("kind") != kind:
        raise ResumeError(
            f"{run.id} is a run of `lieapp {config.get('kind')}`, not of `lieapp {kind}`.",
            hint=f"Type `lieapp {config.get('kind')} --resume {run.path}`.",
        )
    own = dict(leaves(config))
    for key, value in given.items():
        if own.get(key) != value:
            raise ResumeError(
                f"{run.id} has {key} = {own.get(key)!r}, not {value!r}.",
                hint=f"Omit {key} to continue that run, or omit --resume to start a new one.",
            )
    status = run.status()
    if status.state == "running":
        with run.locked() as free:
            if not free:
                raise ResumeError(
                    f"{run.id}: process {status.pid} on {status.host} is still running it.",
                    hint=f"Stop it first with `lieapp runs cancel {run.path}`, or wait.",
                )
    return run


def changed_plugin(run: RunDirectory, sha256: str) -> str:
    """A warning if the plugin's file is another than the one the run began with; empty if it isn't."""
    origin = run.provenance().get("plugin")
    before = origin.get("sha256") if isinstance(origin, dict) else None
    if not before or before == sha256:
        return ""
    return f"{run.id}: the plugin's file changed since the run began (sha256 {before[:8]}, now {sha256[:8]})."
