"""Several runs beside each other: their defects, cosines and seconds, as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lieapp.report import wording
from lieapp.report.bars import bar_chart
from lieapp.report.charts import Line, line_chart
from lieapp.report.material import finite
from lieapp.report.picture_words import WORDS
from lieapp.report.wording import Summary

LEAST = 1e-16
"""1 − cosine below this is drawn here: what round-off leaves."""

NOTHING = "–"

Columns = Mapping[str, list[str]]
"""Cells by heading, run by run."""

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


def angle_figure(runs: Named) -> str:
    """How far each slot of a run on pictures turns the features; empty where none has any."""
    lines = [_line(name, [finite(row.get("angle")) for row in _slots(summary)]) for name, summary in runs]
    return _chart(lines, "slot", "angle of features (rad)", "How far each slot turns the features")


def result_columns(results: Sequence[Mapping[str, Any]], summaries: Sequence[Summary]) -> Columns:
    """What came out of each run, column by column; those that no run has anything for are left out.

    Args:
        results: of `lieapp.runs.overview.comparison`.
    """
    worst = [min((c for c in map(finite, r.get("cosines") or []) if c is not None), default=None) for r in results]
    columns = {
        "exact": [_text(r.get("count")) for r in results],
        "worst cosine": [wording.cosine(value) for value in worst],
        "angle (rad)": [wording.number(finite(r.get("angle"))) for r in results],
        "told right": [_share(_accuracy(summary)) for summary in summaries],
        "slots turn features by (rad)": [_ends([finite(s.get("angle")) for s in _slots(own)]) for own in summaries],
        "slot 1 is nearest to": [_nearest(_slots(summary)[:1]) for summary in summaries],
    }
    return {head: cells for head, cells in columns.items() if any(cell != NOTHING for cell in cells)}


def slots_table(summaries: Sequence[Summary]) -> list[list[str]]:
    """Of runs on pictures a row for each slot: its angle and the named field that is nearest, run by run."""
    most = max((len(_slots(summary)) for summary in summaries), default=0)
    return [[str(k + 1), *(_slot(_slots(summary)[k : k + 1]) for summary in summaries)] for k in range(most)]


def _slots(summary: Summary) -> list[Mapping[str, Any]]:
    """Those of a run on pictures."""
    rows = summary.get("generators") if summary.get("domain") in WORDS else None
    return [row for row in rows or [] if isinstance(row, Mapping)]


def _slot(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return NOTHING
    angle = finite(rows[0].get("angle"))
    return f"{NOTHING if angle is None else f'{angle:.3f}'} rad, {_nearest(rows)}"


def _nearest(rows: Sequence[Mapping[str, Any]]) -> str:
    near = rows[0].get("nearest") if rows else None
    if not isinstance(near, Mapping):
        return NOTHING
    return f"{near.get('name', NOTHING)} {wording.cosine(finite(near.get('cosine')), 3)}"


def _ends(values: Sequence[float | None]) -> str:
    """The least and the largest."""
    known = [value for value in values if value is not None]
    return f"{min(known):.3f} to {max(known):.3f}" if known else NOTHING


def _accuracy(summary: Summary) -> float | None:
    """Of the network that judges, or that was trained."""
    network = summary.get("network")
    return finite(network.get("accuracy") if isinstance(network, Mapping) else summary.get("accuracy"))


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:.1f} %"


def _text(value: Any) -> str:
    return NOTHING if value is None else str(value)


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
