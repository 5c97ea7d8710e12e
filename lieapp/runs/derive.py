"""A derivation as a run: its result in summary.json, what it works on in the status, ended by `cancel`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lieapp.config import TruthConfig
from lieapp.errors import CancelledError
from lieapp.pde.derivation import derive_in_child
from lieapp.report.truth_document import document
from lieapp.results.truth import TruthResult
from lieapp.runs.pipeline import write_run_report
from lieapp.runs.store.session import Session


def execute(config: TruthConfig, session: Session) -> TruthResult:
    """Derive, and store the result with the run's id as summary.json; what it says as report.html.

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

        result = derive_in_child(config, session.folders, str(notes), watch)
    result.run = run.id
    run.write_summary(result)
    write_run_report(run, result.title or "; ".join(config.equation), "Symmetries derived", document(result))
    return result
