"""Several runs beside each other: their defects, cosines and seconds, as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lieapp.report import wording
from lieapp.report.bars import bar_chart
from lieapp.report.charts import Line, line_chart
from lieapp.report.wording import Summary

LEAST = 1e-16
"""1 − cosine below this is drawn here: what round-off leaves."""

Named = Sequence[tuple[str, Summary]]
"""What each run is called in figures, and its summary."""


def eta_figure(runs: Named) -> str:
    """η of the slots of each run, best first; empty without any."""
    lines = [_line(name, [row.eta for row in wording.slots(summary)]) for name, summary in runs]
    return _chart(lines, "slot", "defect η (no unit)", "Defect of each slot")


def cosine_figure(runs: Named) -> str:
    """1 − cosine of each derived generator with the exact slots of a run; empty where none has any.

    A cosine of .99999 and one of 1 differ by a hair; their distance from 1 by decades.
    """
    lines = []
    for name, summary in runs:
        cosines = [row.cosine for row in wording.derived(summary)]
        lines.append(_line(name, [None if c is None else max(1 - c, LEAST) for c in cosines]))
    return _chart(
        lines,
        "derived generator, in the order of the table",
        "1 − cosine (no unit)",
        "What of each derived generator is missed",
    )


def seconds_figure(runs: Named) -> str:
    """Seconds of each stage; empty where none were kept."""
    rows = [(name, _stages(summary)) for name, summary in runs]
    rows = [(name, sizes) for name, sizes in rows if sizes]
    return bar_chart(rows, "time in seconds", "Seconds per stage") if rows else ""


def _stages(summary: Summary) -> Mapping[str, float]:
    return {stage: seconds for stage, seconds in wording.stage_seconds(summary) if stage != "total"}


def _line(name: str, values: Sequence[float | None]) -> Line:
    numbers = [float("nan") if value is None else value for value in values]
    return Line(name, list(range(1, len(values) + 1)), numbers)


def _chart(lines: Sequence[Line], x: str, y: str, title: str) -> str:
    shown = [line for line in lines if any(value == value for value in line.y)]
    return line_chart(shown, x, y, title, log=True, symbols=True) if shown else ""


def differences(differ: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[str]]]:
    """Each setting that differs with its value in every run, as text; `–` where a run doesn't have it."""
    return [(key, ["–" if value is None else str(value) for value in values]) for key, values in differ.items()]
