"""Several runs beside each other: results in columns; defects, cosines and seconds as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lieapp.document import cosine, cosines, number
from lieapp.figures.axes import Frame, axis_over
from lieapp.figures.charts import Line, line_chart
from lieapp.figures.colour import hexadecimal, sequential
from lieapp.figures.svg import Sheet
from lieapp.results.base import Compared, Nearest

WIDTH, LEFT, TOP, BOTTOM, LEGEND = 620, 72, 34, 52, 130
BAR, GAP = 20, 12


def bar_chart(rows: Sequence[tuple[str, Mapping[str, float]]], label: str, title: str) -> str:
    """One bar for each row, its parts in the order of the first row that has them; lengths add up.

    Args:
        rows: name and size of each part.
        label: of the axis, with the unit.
    """
    parts = list(dict.fromkeys(part for _, sizes in rows for part in sizes))
    # from dark to light in the order of the parts: as many colours as there are, also for the colour-blind
    ramp = sequential(np.arange(len(parts), dtype=float), 0, max(len(parts) - 1, 1))
    colours = {part: hexadecimal(rgb) for part, rgb in zip(parts, ramp, strict=True)}
    height = max(len(rows) * (BAR + GAP) + GAP, 19 * len(parts) + 8)
    sheet = Sheet(WIDTH, TOP + height + BOTTOM, title)
    x = axis_over([0.0, *(sum(sizes.values()) for _, sizes in rows)], label)
    frame = Frame(sheet, LEFT, TOP, WIDTH - LEFT - LEGEND - 12, height, x, axis_over([0, 1], ""))
    for place, (name, sizes) in enumerate(rows):
        top, start = TOP + GAP + place * (BAR + GAP), 0.0
        for part, size in sizes.items():
            left, width = (
                LEFT + x.share(start) * frame.width,
                (x.share(start + size) - x.share(start)) * frame.width,
            )
            tip = f"{name}, {part}: {number(size)}"
            sheet.rect(left, top, width, BAR, colours[part], stroke="#fff", tip=tip)
            start += size
        sheet.write(LEFT - 8, top + BAR - 5, name, size=11, anchor="end")
    frame.draw_x(title)
    for place, (part, colour) in enumerate(colours.items()):
        top = TOP + 19 * place
        sheet.rect(WIDTH - LEGEND, top, 14, 12, colour)
        sheet.write(WIDTH - LEGEND + 20, top + 11, part, size=11.5)
    return sheet.text()


LEAST = 1e-16
"""1 − cosine below this is drawn here: what round-off leaves."""

NOTHING = "–"

Columns = Mapping[str, list[str]]
"""Cells by heading, run by run."""

Named = Sequence[tuple[str, Compared]]
"""What each run is called in figures, and its result."""


def eta_figure(runs: Named) -> str:
    """η of the slots of each run, best first; empty without any."""
    lines = [_line(name, found.etas) for name, found in runs]
    return _chart(lines, "slot", "defect η (no unit)", "Defect of each slot")


def cosine_figure(runs: Named) -> str:
    """1 − cosine of each derived generator with the exact slots of a run; empty where none has any.

    A cosine of .99999 and one of 1 differ by a hair; their distance from 1 by decades.
    """
    lines = [
        _line(name, [None if c is None else max(1 - c, LEAST) for c in found.cosines or ()]) for name, found in runs
    ]
    return _chart(
        lines,
        "derived generator, in the order of the table",
        "1 − cosine (no unit)",
        "What of each derived generator is missed",
    )


def angle_figure(runs: Named) -> str:
    """How far each slot of a run on pictures turns the features; empty where none has any."""
    lines = [_line(name, found.turns) for name, found in runs]
    return _chart(lines, "slot", "angle of features (rad)", "How far each slot turns the features")


def seconds_figure(runs: Named) -> str:
    """Seconds of each stage; empty where none were kept."""
    rows = [(name, {stage: s for stage, s in found.seconds.items() if stage != "total"}) for name, found in runs]
    rows = [(name, sizes) for name, sizes in rows if sizes]
    return bar_chart(rows, "time in seconds", "Seconds per stage") if rows else ""


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


def _line(name: str, values: Sequence[float | None]) -> Line:
    numbers = [float("nan") if value is None else value for value in values]
    return Line(name, list(range(1, len(values) + 1)), numbers)


def _chart(lines: Sequence[Line], x: str, y: str, title: str) -> str:
    shown = [line for line in lines if any(value == value for value in line.y)]
    return line_chart(shown, x, y, title, log=True, symbols=True) if shown else ""


def differences(differ: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[str]]]:
    """Each setting that differs with its value in every run, as text; `–` where a run doesn't have it."""
    return [(key, ["–" if value is None else str(value) for value in values]) for key, values in differ.items()]
