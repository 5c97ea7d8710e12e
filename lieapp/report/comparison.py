"""Several runs beside each other: results in columns; defects, cosines and seconds as figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lieapp.document import cosine, cosines, number
from lieapp.drawing import Curve, Drawing
from lieapp.figures.charts import bars, curves
from lieapp.results.base import Compared, Nearest

LEAST = 1e-16
"""1 − cosine below this is drawn here: what round-off leaves."""

NOTHING = "–"

Columns = Mapping[str, list[str]]
"""Cells by heading, run by run."""

MEASURED: tuple[tuple[Callable[[Compared], Sequence[float | None]], str, str, str], ...] = (
    (lambda found: found.etas, "slot", "defect η (no unit)", "Defect of each slot"),
    (
        lambda found: [None if c is None else max(1 - c, LEAST) for c in found.cosines or ()],
        "derived generator, in the order of the table",
        "1 − cosine (no unit)",
        "Missing part of each derived generator",
    ),
    (lambda found: found.turns, "slot", "angle of features (rad)", "Feature angle of each slot"),
)
"""Values of a run that are drawn as a curve, the labels of both axes and the title."""

Named = Sequence[tuple[str, Compared]]
"""What each run is called in figures, and its result."""


def figures(runs: Named) -> Iterator[Drawing]:
    """Defects of slots, best first, cosines, angles of features and seconds; what no run has is left out.

    A cosine of .99999 and one of 1 differ by a hair; their distance from 1, which is drawn, by decades.
    """
    for values, x, y, title in MEASURED:
        lines = [_line(name, values(found)) for name, found in runs]
        shown = [line for line in lines if any(value == value for value in line.y)]
        if shown:
            yield curves(shown, x, y, title, log=True)
    rows = [(name, {stage: s for stage, s in found.seconds.items() if stage != "total"}) for name, found in runs]
    rows = [(name, sizes) for name, sizes in rows if sizes]
    if rows:
        yield bars(rows, "time in seconds", "Seconds per stage")


def result_columns(results: Sequence[Compared]) -> Columns:
    """What came out of each run, column by column; those that no run has anything for are left out."""
    worst = [min((c for c in found.cosines or () if c is not None), default=None) for found in results]
    columns = {
        "exact": [NOTHING if found.count is None else str(found.count) for found in results],
        "worst cosine": cosines(worst),
        "angle (rad)": [number(found.angle) for found in results],
        "accuracy": [NOTHING if r.accuracy is None else f"{100 * r.accuracy:.1f} %" for r in results],
        "slots turn features by (rad)": [_ends(found.turns) for found in results],
        "slot 1 is nearest to": [_nearest(found.nearest[:1]) for found in results],
    }
    return {head: cells for head, cells in columns.items() if any(cell != NOTHING for cell in cells)}


def slots_table(results: Sequence[Compared]) -> list[list[str]]:
    """Of runs on pictures a row for each slot: its angle and the named field that is nearest, run by run."""
    most = max((len(found.turns) for found in results), default=0)
    return [[str(k + 1), *(_slot(found, k) for found in results)] for k in range(most)]


def _slot(found: Compared, k: int) -> str:
    if k >= len(found.turns):
        return NOTHING
    turn = found.turns[k]
    return f"{NOTHING if turn is None else f'{turn:.3f}'} rad, {_nearest(found.nearest[k : k + 1])}"


def _nearest(rows: Sequence[Nearest]) -> str:
    return f"{rows[0].name} {cosine(rows[0].cosine, 3)}" if rows else NOTHING


def _ends(values: Sequence[float | None]) -> str:
    """The least and the largest."""
    known = [value for value in values if value is not None]
    return f"{min(known):.3f} to {max(known):.3f}" if known else NOTHING


def _line(name: str, values: Sequence[float | None]) -> Curve:
    numbers = [float("nan") if value is None else value for value in values]
    return Curve(name, list(range(1, len(values) + 1)), numbers)


def differences(differ: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[str]]]:
    """Each setting that differs with its value in every run, as text; `–` where a run doesn't have it."""
    return [(key, [_said(value) for value in values]) for key, values in differ.items()]


def _said(value: Any) -> str:
    """A setting as text; lists without the brackets of Python."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return "–" if value is None else str(value)
