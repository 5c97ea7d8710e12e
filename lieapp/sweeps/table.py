"""What the cells of a sweep found, over the grid: rows with the spread over seeds, a document, CSV and a figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from lieapp.document import Block, Column, Document, Figure, Heading, Notice, Table, Text, cosine, number, table
from lieapp.drawing import SERIES, Axis, Dots, Drawing, Panel, axis_over
from lieapp.errors import RunError, describe
from lieapp.results.base import Compared
from lieapp.results.sweep import Cell, Failure, Key, Row, Spread, Sweep
from lieapp.runs.store.directory import RunDirectory
from lieapp.sweeps.kept import read_cells
from lieapp.sweeps.spec import SEED, said, text_of

FIGURE = "sweep"
"""Key of the figure."""

MISSING = "missing"
"""State of a cell that never began."""

LEAST = 1e-16
"""Where a logarithmic axis begins: at what round-off leaves."""

MOST_NAMES = 12
"""Rows that are drawn with their names; more have numbers, as in the table."""


@dataclass(frozen=True)
class Measure:
    """A number of a run: its name in tables, and what it is in a row.

    Args:
        said: a value in words.
        drawn: what figures show of it, by its name; `log`: on a logarithmic axis, `whole`: a whole number.
    """

    name: str
    of: Callable[[Compared], float | None]
    spread: Callable[[Row], Spread | None]
    said: Callable[[float | None], str] = number
    drawn: tuple[str, Callable[[float], float]] | None = None
    log: bool = False
    whole: bool = False

    def values(self, *values: float) -> list[float]:
        """What figures show of values; a logarithmic axis begins at what round-off leaves."""
        shown = values if self.drawn is None else [*map(self.drawn[1], values)]
        return [max(value, LEAST) if self.log else value for value in shown]


def _least(found: Compared) -> float | None:
    return min((value for value in found.cosines or () if value is not None), default=None)


MEASURES = (
    Measure("exact fields", lambda found: found.count, lambda row: row.count, whole=True),
    # a cosine of .99999 and one of 1 differ by a hair; their distance from 1 by decades
    Measure(
        "smallest cosine", _least, lambda row: row.cosine, cosine, ("1 − smallest cosine", lambda c: 1 - c), True
    ),
    Measure("angle (rad)", lambda found: found.angle, lambda row: row.angle, log=True),
    Measure("accuracy", lambda found: found.accuracy, lambda row: row.accuracy),
    Measure("seconds", lambda found: found.seconds.get("total"), lambda row: row.seconds),
)


def rows_of(cells: Sequence[Cell], found: Mapping[int, Compared]) -> list[Row]:
    """A row for the cells that differ in nothing but their seed, in the order of the grid.

    Args:
        found: what the runs have to compare, by the number of the cell.
    """
    groups: dict[bytes, list[int]] = {}
    for place, cell in enumerate(cells):
        groups.setdefault(msgspec.json.encode(_seedless(cell.key)), []).append(place)
    return [_row(cells, members, found) for members in groups.values()]


def _row(cells: Sequence[Cell], members: Sequence[int], found: Mapping[int, Compared]) -> Row:
    known = [found[place] for place in members if place in found]
    count, least, angle, accuracy, seconds = (
        Spread.of(value) for value in ([measure.of(one) for one in known] for measure in MEASURES)
    )
    return Row(
        key=_seedless(cells[members[0]].key), cells=len(members), done=len(known), count=count, cosine=least,
        angle=angle, accuracy=accuracy, seconds=seconds,
    )  # fmt: skip


def _seedless(key: Key) -> Key:
    return {name: value for name, value in key.items() if name != SEED}


def so_far(run: RunDirectory) -> Sweep:
    """What the cells of a sweep found, whatever became of it since. Raises ResumeError if they can't be read."""
    plans = read_cells(run)
    ended = [outcome(RunDirectory(run.path.parent / plan.run), plan.key) for plan in plans]
    cells = [cell for cell, _ in ended]
    found = {place: known for place, (_, known) in enumerate(ended) if known is not None}
    return Sweep(run=str(run.path), sentence=sentence(cells), cells=cells, table=rows_of(cells, found))


def outcome(run: RunDirectory, key: Key, state: str = "") -> tuple[Cell, Compared | None]:
    """A cell, and what its run has to compare.

    Args:
        state: of the run, if a worker told it.
    """
    if not run.path.exists():
        return Cell(key=key, state=state or MISSING), None
    status = run.status()
    cell = Cell(key=key, state=state or status.state, run=str(run.path))
    if status.error and cell.state != "done":
        cell.error = Failure(**{name: str(status.error.get(name, "")) for name in ("type", "message", "hint")})
    try:
        result = run.summary() if cell.state == "done" else None
    except RunError as error:
        cell.state, cell.error = "failed", Failure(**describe(error))
        return cell, None
    if result is None:
        return cell, None
    found = result.compared()
    cell.count = found.count
    return cell, found


def sentence(cells: Sequence[Cell]) -> str:
    """The outcome: how many cells are done, and how the others ended."""
    states = {state: sum(cell.state == state for cell in cells) for state in dict.fromkeys(c.state for c in cells)}
    done = states.pop("done", 0)
    rest = ", ".join(f"{count} {state}" for state, count in states.items())
    return f"{done} of {len(cells)} cells are done{f'; {rest}' if rest else ''}"


def document(result: Sweep) -> Document:
    """The table over the grid, its figure, and the cells that have no result."""
    return list(_blocks(result))


def _blocks(result: Sweep) -> Iterator[Block]:
    yield Notice(result.sentence, result.level)
    yield from (Notice(words, "warning") for words in result.warnings)
    heads = list(dict.fromkeys(name for row in result.table for name in row.key))
    columns = [*map(Column, heads), Column("runs", True), *(Column(one.name, True) for one in MEASURES)]
    rows = [
        [*(_value(row.key.get(name)) for name in heads), f"{row.done}/{row.cells}",
         *(_spread(one, row) for one in MEASURES)]
        for row in result.table
    ]  # fmt: skip
    yield from (Heading("Table", "table"), table(columns, rows))
    yield Text("Mean ± standard deviation of the runs of a row, and their ends if they differ.", small=True)
    if drawing := drawn(result):
        yield from (Heading("Runs", "runs"), Figure(FIGURE, "Every run, row by row", drawing=drawing))
    if failed := [cell for cell in result.cells if cell.state != "done"]:
        yield Heading("Without result", "missing")
        yield Table(
            [Column("cell"), Column("state"), Column("run"), Column("error")],
            [[said(cell.key), cell.state, cell.run, cell.error.message if cell.error else None] for cell in failed],
        )


def _value(value: object) -> str | None:
    return None if value is None else text_of(value)


def _spread(measure: Measure, row: Row) -> str | None:
    if (spread := measure.spread(row)) is None:
        return None
    low, mean, high = (measure.said(value) for value in (spread.low, spread.mean, spread.high))
    return mean if low == high else f"{mean} ± {number(spread.deviation)} ({low} to {high})"


def drawn(result: Sweep) -> Drawing | None:
    """A panel for each measure that runs differ in: mean and ends, row by row; None if there is nothing to draw."""
    shown = [one for one in MEASURES if any(one.spread(row) for row in result.table)]
    panels = [[_panel(one, result.table)] for one in shown]
    return Drawing("Every run, row by row", panels) if panels else None


def _panel(measure: Measure, rows: Sequence[Row]) -> Panel:
    found = [(place, spread) for place, row in enumerate(rows) if (spread := measure.spread(row))]
    places = np.array([place for place, _ in found], dtype=float)
    low, mean, high = (
        np.array(measure.values(*(getattr(spread, end) for _, spread in found))) for end in ("low", "mean", "high")
    )
    label = measure.drawn[0] if measure.drawn else measure.name
    names = [said(row.key) or "all" for row in rows] if len(rows) <= MOST_NAMES else ()
    x = Axis("" if names else "row of the table", -0.5, len(rows) - 0.5, whole=True, names=names)
    y = axis_over([*low, *high], label, log=measure.log, whole=measure.whole)
    ends = Dots(np.concatenate([places, places]), np.concatenate([low, high]), [SERIES[0]])
    tips = [f"{said(rows[place].key)}: {_spread(measure, rows[place])}" for place, _ in found]
    means = Dots(places, mean, [SERIES[1]], tips=tips)
    return Panel(f"{label}: means (orange) and ends (blue)", [ends, means], x, y, aspect=3)


def as_csv(result: Sweep, found: Mapping[int, Compared]) -> bytes:
    """A line for each cell: its key, state, run, what is compared, and its error."""
    heads = list(dict.fromkeys(name for cell in result.cells for name in cell.key))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*heads, "state", "run", *(one.name for one in MEASURES), "error"])
    for place, cell in enumerate(result.cells):
        known = found.get(place, Compared())
        numbers = ("" if (value := one.of(known)) is None else repr(value) for one in MEASURES)
        error = cell.error.message if cell.error else ""
        writer.writerow([*(_value(cell.key.get(name)) for name in heads), cell.state, cell.run, *numbers, error])
    return stream.getvalue().encode()
