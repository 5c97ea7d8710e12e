"""Several runs beside each other: their defects, cosines and seconds, as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lieapp.report import wording
from lieapp.report.bars import bar_chart
from lieapp.report.charts import Line, line_chart
from lieapp.report.material import finite
from lieapp.report.wording import Summary
from lieapp.results import PictureDiscovery, Training
from lieapp.results.base import Result
from lieapp.results.pictures import Slot
from lieapp.results.training import share_words

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


def angle_figure(runs: Sequence[tuple[str, Result]]) -> str:
    """How far each slot of a run on pictures turns the features; empty where none has any."""
    lines = [_line(name, [row.angle for row in _slots(result)]) for name, result in runs]
    return _chart(lines, "slot", "angle of features (rad)", "How far each slot turns the features")


def result_columns(results: Sequence[Mapping[str, Any]], found: Sequence[Result]) -> Columns:
    """What came out of each run, column by column; those that no run has anything for are left out.

    Args:
        results: of `lieapp.runs.overview.comparison`.
    """
    worst = [min((c for c in map(finite, r.get("cosines") or []) if c is not None), default=None) for r in results]
    columns = {
        "exact": [_text(r.get("count")) for r in results],
        "worst cosine": [wording.cosine(value) for value in worst],
        "angle (rad)": [wording.number(finite(r.get("angle"))) for r in results],
        "told right": [_told_right(own) for own in found],
        "slots turn features by (rad)": [_ends([row.angle for row in _slots(own)]) for own in found],
        "slot 1 is nearest to": [_nearest(*_slots(own)[:1]) for own in found],
    }
    return {head: cells for head, cells in columns.items() if any(cell != NOTHING for cell in cells)}


def slots_table(found: Sequence[Result]) -> list[list[str]]:
    """Of runs on pictures a row for each slot: its angle and the named field that is nearest, run by run."""
    most = max((len(_slots(result)) for result in found), default=0)
    return [[str(k + 1), *(_slot(*_slots(result)[k : k + 1]) for result in found)] for k in range(most)]


def _slots(result: Result) -> list[Slot]:
    """Those of a run on pictures."""
    return result.generators if isinstance(result, PictureDiscovery) else []


def _slot(row: Slot | None = None) -> str:
    if row is None:
        return NOTHING
    return f"{NOTHING if row.angle is None else f'{row.angle:.3f}'} rad, {_nearest(row)}"


def _nearest(row: Slot | None = None) -> str:
    return NOTHING if row is None else f"{row.nearest.name} {wording.cosine(row.nearest.cosine, 3)}"


def _ends(values: Sequence[float | None]) -> str:
    """The least and the largest."""
    known = [value for value in values if value is not None]
    return f"{min(known):.3f} to {max(known):.3f}" if known else NOTHING


def _told_right(result: Result) -> str:
    """Of the network that judges, or that was trained."""
    match result:
        case Training():
            return share_words(result.accuracy)
        case PictureDiscovery(network=network) if network is not None:
            return network.told_right
    return NOTHING


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
