"""Parts that documents of every kind have: warnings, seconds of each stage, where a run comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lieapp.document import Block, Column, Heading, Notice, Table, Text
from lieapp.results.base import Result


def outcome(result: Result) -> list[Block]:
    """The sentence and the warnings, which lead every document."""
    return [Notice(result.sentence, "success"), *(Notice(words, "warning") for words in result.warnings)]


def seconds(taken: Mapping[str, float]) -> list[Block]:
    """The section of how long each stage took, in the order of work: a line, for a table of them is too wide."""
    said = ", ".join(f"{stage} {value:.1f}" for stage, value in taken.items())
    return [Heading("Seconds per stage", "seconds"), Text(said or "No times were recorded.")]


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
