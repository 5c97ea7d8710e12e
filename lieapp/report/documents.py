"""Documents that no kind of declaration brings: of a self-check, and where a run comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lieapp.document import Block, Column, Heading, Notice, Table, Text, table
from lieapp.extension import OUTCOMES
from lieapp.results.check import CheckResult


def check_document(result: CheckResult) -> list[Block]:
    """The outcome, and a row for each check; the plugin is named where there may be several."""
    rows = [
        (None if result.plugin else row.plugin, row.name, OUTCOMES[row.ok], row.detail)
        for row in result.checks
    ]
    return [
        Notice(result.sentence, "success" if result.ok else "error"),
        Heading("Checks", "checks"),
        table(["plugin", "check", "outcome", "detail"], rows),
    ]


def provenance(recorded: Mapping[str, Any], config: Mapping[str, Any]) -> list[Block]:
    """The section of what a run came from; settings and seeds last."""
    head = Heading("Provenance", "provenance", pages_only=True)
    rows = provenance_rows(recorded, config)
    return [head, Table([Column("what"), Column("value")], rows) if rows else Text("No provenance was recorded.")]


def provenance_rows(recorded: Mapping[str, Any], config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a run came from, as pairs of a dotted key and its value."""
    return [*_flat(recorded), *_flat(config, "config")]


def _flat(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Nested objects as dotted keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(item, str | int | float) for item in value):
            yield key, " ".join(map(str, value))
        else:
            for place, item in enumerate(value):
                yield from _flat(item, f"{key}[{place}]")
    elif value is not None:
        yield key, str(value)
