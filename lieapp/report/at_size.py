"""Fields at finite size in words, in a table and as a chart: held-out data moved along them, and their defect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from lieapp.compare.verdict import SMALL
from lieapp.document import Cell, Column, Table
from lieapp.report.charts import Line, line_chart
from lieapp.report.wording import number
from lieapp.results.discovery import AtSize, EquationResult, Slot

Rows: TypeAlias = Sequence[tuple[Slot, AtSize]]

ROWS = 4
"""Most rows of pictures of moved solutions."""

NOTHING = "no data left"

NOTE = (
    "Held-out solutions were moved along each learned field to the flow parameters s, and the finite defect "
    "rms(Rₛ − R₀) / (|s| rms Q), R being the equation's residual, is the relative error of the change that was "
    f"made; it tends to η as s → 0. A field holds if that is below {number(SMALL)} at every s that leaves enough "
    "nodes; undecided is a larger one where the moved grid is partly folded, or that unmoved solutions have too "
    "by the same differences. Where less than half of the nodes could be judged, their share stands beside."
)


def judged(result: EquationResult) -> Rows:
    """The slots that were judged at finite size; none in runs without that judgement."""
    return [(slot, slot.finite) for slot in result.generators if slot.finite is not None]


def cell(row: AtSize, place: int, of: str = "of nodes") -> str:
    """A defect, with the share of nodes where it is less than half."""
    defect, share = row.defect[place], row.share[place]
    if defect is None:
        return NOTHING
    return number(defect) + (f" ({_percent(share)} {of})" if share < 0.5 else "")


def said(row: AtSize) -> str:
    """Whether it holds, as one word."""
    return "–" if row.largest is None else {True: "yes", False: "no", None: "undecided"}[row.holds]


def words(row: AtSize) -> str:
    """Whether the field holds and its largest defect, in few words: a terminal is 80 columns wide."""
    if row.largest is None:
        return NOTHING
    holds = {True: "holds", False: "fails", None: "undecided"}[row.holds]
    return f"{holds}: {cell(row, row.largest, 'left')}"


def size_table(rows: Rows) -> Table:
    """The table slot x s."""
    line = sorted({s for _, row in rows for s in row.s})
    columns = [Column(head, number=True) for head in ("slot", *(f"s = {number(s)}" for s in line))]
    cells: list[list[Cell]] = []
    for slot, row in rows:
        values = [cell(row, row.s.index(s)) if s in row.s else None for s in line]
        cells.append([str(slot.slot), *values, said(row)])
    return Table([*columns, Column("holds")], cells)


def folds(rows: Rows) -> str:
    """Where the moved grid was folded, in a sentence."""
    parts = [f"slot {s.slot}, up to {_percent(max(row.folded))} of the nodes" for s, row in rows if max(row.folded)]
    return f"The moved grid is folded in part: {'; '.join(parts)}." if parts else ""


def size_chart(rows: Rows) -> str:
    """The defects over s, with η where s is 0."""
    lines = []
    for slot, row in rows:
        points = [(s, math.nan if d is None else d, False) for s, d in zip(row.s, row.defect, strict=True)]
        points.append((0.0, math.nan if slot.eta is None else slot.eta, True))
        x, y, linear = zip(*sorted(points), strict=True)
        lines.append(Line(f"slot {slot.slot}", x, y, [k for k, hollow in enumerate(linear) if hollow]))
    label = "flow parameter s (scaled coordinates, no unit)"
    title = "Defect of solutions moved to s"
    return line_chart(lines, label, "defect (no unit)", title, log=True, whole=False, symbols=True)


def pictured(rows: Rows) -> list[int]:
    """Places of the slots that are drawn: the exact ones and the best of the others."""
    exact = [k for k, (slot, _) in enumerate(rows) if slot.verdict == "exact"]
    others = [k for k, (slot, _) in enumerate(rows) if slot.verdict != "exact"][:1]
    return [*exact[: ROWS - len(others)], *others]


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
