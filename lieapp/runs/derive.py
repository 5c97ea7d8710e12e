"""A derivation as a run: its result in summary.json, what it works on in the status, ended by `cancel`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from lieapp.config import TruthConfig
from lieapp.errors import CancelledError
from lieapp.runs.derivation import derive_in_child
from lieapp.runs.session import Session


def execute(config: TruthConfig, session: Session) -> dict[str, Any]:
    """Derive, and store the JSON of `lieapp truth` with the run's id and one sentence as summary.json.

    Raises CancelledError if the run was asked to stop, and what `derive_in_child` raises.
    """
    run, report = session.directory, session.report
    report.stage("deriving")
    with tempfile.TemporaryDirectory() as place:
        notes = Path(place) / "stage"
        stage = ""

        def watch() -> None:
            nonlocal stage
            if run.cancel_requested:
                raise CancelledError(f"{run.id}: asked to stop.", hint="Start it again.")
            now = notes.read_text(encoding="utf-8") if notes.exists() else ""
            if now and now != stage:
                stage = now
                report.stage(stage)

        document = derive_in_child(config, session.folders, str(notes), watch)
    summary = {"run": run.id, "plugin": config.plugin, "sentence": sentence(document), **document}
    run.write_summary(summary)
    return summary


def sentence(document: dict[str, Any]) -> str:
    """The outcome in one sentence: "4 symmetries, 3 kept if periodic in x; certified"."""
    count, families = document["dimension"], len(document["families"])
    said = f"{count} symmetr{'y' if count == 1 else 'ies'}"
    if families:
        said += f" modulo {families} famil{'y' if families == 1 else 'ies'}"
    if document["periodic_in"]:
        said += f", {len(document['periodic'])} kept if periodic in {', '.join(document['periodic_in'])}"
    said += "; certified" if document["certified"] else "; not certified"
    if document["unsolved"]:
        said += "; equations are left unsolved"
    return said
