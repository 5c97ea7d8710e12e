"""A plugin's self-check, and the same as a run: its result in summary.json, what it works on in the status."""

from __future__ import annotations

from typing import Any

from lieapp.progress import Reporter
from lieapp.registry.catalog import Entry
from lieapp.runs.session import Session


def rows_of(entry: Entry, report: Reporter) -> list[dict[str, Any]]:
    """Each check of a plugin as `plugin`, `name`, `ok`, `detail`."""
    report.stage(f"check {entry.name}")
    return [
        {"plugin": entry.name, "name": str(found.name), "ok": bool(found.ok), "detail": str(found.detail)}
        for found in entry.kind.check(entry.declaration, report)
    ]


def execute(entry: Entry, session: Session) -> dict[str, Any]:
    """Check, and store the JSON of `lieapp check` with the run's id and one sentence as summary.json."""
    rows = rows_of(entry, session.report)
    failed = [row["name"] for row in rows if not row["ok"]]
    sentence = f"failed: {', '.join(failed)}" if failed else f"all {len(rows)} checks hold"
    run = session.directory
    summary = {"run": run.id, "plugin": entry.name, "sentence": sentence, "ok": not failed, "checks": rows}
    run.write_summary(summary)
    return summary
