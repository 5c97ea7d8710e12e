"""A self-check as a document."""

from __future__ import annotations

from lieapp.document import Block, Heading, Notice, table
from lieapp.results.check import CheckResult


def document(result: CheckResult) -> list[Block]:
    """The outcome, and a row for each check; the plugin is named where there may be several."""
    rows = [
        (None if result.plugin else row.plugin, row.name, "ok" if row.ok else "FAILED", row.detail)
        for row in result.checks
    ]
    return [
        Notice(result.sentence, "success" if result.ok else "error"),
        Heading("Checks", "checks"),
        table(["plugin", "check", "outcome", "detail"], rows),
    ]
