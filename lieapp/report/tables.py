"""Tables for the terminal, and generators.csv."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lieapp.report import wording
from lieapp.report.at_size import AtSize, at_size, words
from lieapp.report.formula import field_text
from lieapp.report.wording import Summary

_STYLES = {"exact": "green", "approximate": "yellow", "none": "dim"}


def discover_tables(summary: Summary) -> list[RenderableType]:
    """What `lieapp discover` prints: slots, derived generators with cosine, then the closing lines."""
    parts: list[RenderableType] = [_slot_table(summary)]
    if wording.written(summary):
        parts.append(_formula_table(summary))
    if wording.derived(summary):
        parts.append(_truth_table(summary))
    families = summary.get("families") or []
    parts.extend(Text(f"and {wording.family(entry)}") for entry in families)
    parts.extend([Text(wording.MEMBERS)] if families else [])
    parts.append(Text(wording.sentence(summary), style="bold"))
    parts.extend(Text(line) for line in _closing(summary))
    return parts


def _slot_table(summary: Summary) -> Table:
    table = Table(title="Learned fields", title_justify="left")
    table.add_column("slot", justify="right")
    table.add_column("η", justify="right")
    intervals = any(row.interval for row in wording.slots(summary))
    if intervals:
        table.add_column(wording.INTERVAL)
    table.add_column("verdict")
    judged = {row.slot: row for row in at_size(summary)}
    if judged:
        farthest = max(abs(s) for row in judged.values() for s in row.s)
        table.add_column(f"defect up to |s| = {wording.number(farthest)}")
    for row in wording.slots(summary):
        said = Text(row.words, style=_STYLES.get(row.verdict, ""))
        moved = [words(judged[row.number]) if row.number in judged else "–"] if judged else []
        spread = [row.interval or "–"] if intervals else []
        table.add_row(str(row.number), wording.number(row.eta), *spread, said, *moved)
    return table


def _formula_table(summary: Summary) -> Table:
    table = Table(title="Closed forms", title_justify="left")
    table.add_column("field", overflow="fold")
    table.add_column("η", justify="right")
    table.add_column("exact invariance condition")
    rows = wording.written(summary)
    rest = any(row.leftover for row in rows)
    if rest:
        table.add_column("leftover", overflow="fold")
    for row in rows:
        formula = Text("–" if row.field is None else field_text(row.field))
        said = Text(row.words, style="green" if row.proved else "yellow")
        table.add_row(formula, wording.number(row.eta), said, *([Text(row.leftover)] if rest else []))
    return table


def _truth_table(summary: Summary) -> Table:
    table = Table(title="Derived from the equation", title_justify="left")
    table.add_column("generator")
    table.add_column("field", overflow="fold")
    table.add_column("cosine with the learned span", justify="right")
    for row in wording.derived(summary):
        # Text, not markup: a bracket in a formula is no style
        table.add_row(Text(row.name), Text(field_text(row.field)), wording.cosine(row.cosine))
    return table


def _closing(summary: Summary) -> list[str]:
    said = (wording.proof(summary), wording.subspace(summary), wording.cross_check(summary))
    lines = [line for line in said if line]
    lines += [f"warning: {words}" for words in summary.get("warnings") or []]
    stages = wording.stage_seconds(summary)
    if stages:
        lines.append("seconds: " + ", ".join(f"{stage} {value:.1f}" for stage, value in stages))
    if summary.get("run"):
        lines.append(f"report: {Path(str(summary['run'])) / 'report.html'}")
    return lines


def write_csv(summary: Summary, path: Path) -> None:
    """One line for each slot, formula and derived generator; formulas in SymPy syntax."""
    coordinates = [str(name) for name in summary.get("coordinates") or _named(summary)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["kind", "name", "eta", "verdict", "proved", "cosine", *_SIZE, *coordinates])
        judged = {row.slot: row for row in at_size(summary)}
        for slot in wording.slots(summary):
            moved = [*_moved(judged.get(slot.number)), *[""] * len(coordinates)]
            writer.writerow(["learned", f"slot {slot.number}", _cell(slot.eta), slot.verdict, "", "", *moved])
        for place, entry in enumerate(summary.get("formulas") or [], start=1):
            field = entry.get("field") or {}
            said = [_cell(entry.get("eta")), entry.get("verdict", ""), entry.get("proved", "")]
            writer.writerow(
                ["formula", f"formula {place}", *said, "", *_moved(None), *(field.get(c, "") for c in coordinates)]
            )
        for row in wording.derived(summary):
            parts = [row.field.get(c, "") for c in coordinates]
            writer.writerow(["derived", row.name, "", "", "", _cell(row.cosine), *_moved(None), *parts])


_SIZE = ("finite_defect", "finite_s", "finite_share", "finite_holds")
"""The largest defect of moved data, the flow parameter it belongs to, the share of nodes judged there."""


def _moved(row: AtSize | None) -> list[str]:
    """A line's cells under `_SIZE`."""
    if row is None or row.largest is None:
        return [""] * len(_SIZE)
    k, holds = row.largest, "" if row.holds is None else repr(row.holds)
    return [_cell(row.defect[k]), _cell(row.s[k]), _cell(row.share[k]), holds]


def _named(summary: Summary) -> list[str]:
    """Coordinates of the first field, for summaries without the list."""
    fields = [e.get("field") for e in [*(summary.get("truth") or []), *(summary.get("formulas") or [])]]
    return list(next((f for f in fields if f), {}))


def _cell(value: Any) -> str:
    return "" if value is None else repr(value)
