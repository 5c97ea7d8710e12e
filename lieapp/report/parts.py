"""Parts that documents of every kind have: warnings, seconds of each stage, where a run comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from lieapp.document import Block, Column, Figure, Formula, Heading, Table, Text, joined
from lieapp.results.truth import FamilyResult

Drawn = Callable[[str], str]
"""The SVG of a figure by its key; empty where there is none."""


def nothing_drawn(key: str) -> str:
    """Of documents without figures."""
    return ""


def figures(shown: Iterable[Figure], drawn: Drawn) -> Iterator[Block]:
    """A section for each figure that is drawn."""
    for figure in shown:
        if svg := drawn(figure.key):
            yield from (Heading(figure.title, figure.key), msgspec.structs.replace(figure, svg=svg))


def family(found: FamilyResult) -> Text:
    """A family in a line: "and the family alpha ∂u for every alpha(t, x) where … = 0"."""
    line = ["and the family ", found.shown, " for every ", *joined(found.functions_shown)]
    conditions = joined(map(zero, found.conditions_shown), "; ")
    return Text([*line, " where ", *conditions] if conditions else line)


def zero(expression: Formula) -> Formula:
    """`u_t - u_xx = 0`"""
    return Formula(f"{expression.text} = 0", f"{expression.latex} = 0")


def seconds(taken: Mapping[str, float]) -> list[Block]:
    """The section of how long each stage took, in the order of work: a line, for a table of them is too wide."""
    said = ", ".join(f"{stage} {value:.1f}" for stage, value in taken.items())
    return [Heading("Seconds per stage", "seconds"), Text(said or "No times were recorded.")]


def duration(seconds: float | None) -> str:
    """`8 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds is None or seconds < 0:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


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
