"""Short work that somebody waits for: a derivation or a self-check, as a run that begins at once."""

from __future__ import annotations

import msgspec

from lieapp.errors import RunError
from lieapp.registry.catalog import Catalog, Entry
from lieapp.runs.process.queue import enqueue, ensure_runner, start_now
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import ACTIVE
from lieapp.ui.places import newest_first, runs_root

KINDS = ("truth", "check")
"""The kinds of runs that don't wait behind a training."""

MOST = 2
"""How many of them work beside each other; more take turns with the other runs."""

LOOKED_AT = 60
"""How many of the newest runs are looked through for one of them."""


def start(config: msgspec.Struct, entry: Entry | None, catalog: Catalog) -> str:
    """Start a run of one of those kinds and give its id.

    Raises RunError if the folder of runs can't be written or no process can be started.
    """
    root = runs_root()
    run_id = enqueue(root, config, entry=entry, folders=catalog.folders)
    busy = [run for run in newest_first()[:LOOKED_AT] if run.state in ACTIVE and kind_of(run) in KINDS]
    if len(busy) < MOST:
        start_now(root, run_id)
    else:
        ensure_runner(root)
    return run_id


def latest(kind: str, entry: Entry) -> RunDirectory | None:
    """The newest run of a kind on exactly this file's content; None if there is none."""
    named = [run for run in newest_first() if f"-{entry.name}-" in run.id]
    for run in named[:LOOKED_AT]:
        origin = run.provenance().get("plugin") or {}
        if kind_of(run) == kind and origin.get("sha256") == entry.sha256 and origin.get("name") == entry.name:
            return run
    return None


def kind_of(run: RunDirectory) -> str:
    """The kind in a run's settings; empty if they can't be read."""
    try:
        return str(run.config().get("kind", ""))
    except RunError:
        return ""
