"""What trainings on moved data say: the table with its spread, and figures.

Figures of a training on moved data: error against data, along a rollout, in training, and one prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lieapp.document import (
    Column,
    Document,
    Draw,
    Figure,
    Heading,
    Table,
    Text,
    figures,
    plain_text,
    seconds,
    table,
    undrawn,
)
from lieapp.extension import outcome
from lieapp.figures.axes import Axis, Frame, axis_over
from lieapp.figures.charts import WIDE, Line, line_chart
from lieapp.figures.colour import diverging, png, sequential, series
from lieapp.figures.material import read_fields, read_lines
from lieapp.figures.svg import QUIET, Sheet
from lieapp.results.augment import (
    Augment,
    Classifiers,
    Operators,
    Row,
    gain,
    label,
    measure,
    shown,
    signed,
    with_spread,
)

FIGURES = (
    Figure("data", "Against the number of data", "Each point is a mean over seeds."),
    Figure(
        "frames",
        "Along the rollout",
        "Each window is predicted from the one before. Mean over test trajectories and seeds.",
    ),
    Figure(
        "training", "In training", "On validation data, mean over seeds; the network of the best epoch is tested."
    ),
    Figure(
        "prediction",
        "A prediction beside the truth",
        "The first test trajectory and the networks of the first seed, with the most data.",
    ),
)
"""Not drawn yet."""

FEW = 4
"""So many generators have their defects written out."""

TEXT = ("variant", "values", "η")
"""Columns of text; the others hold numbers."""

MEANINGS = {
    "gain in points": "percentage points more than without moves",
    "none / this": "how many times smaller than without moves: above 1 is better",
    "scale": "the largest flow parameter, chosen on validation data",
    "one window, per frame": "of predictions made from true frames, for each frame",
    "moved": "share of trajectories that were used moved; the others left the window that is needed",
    "η": "defect of each generator moved along, ascending: 0 for a symmetry",
    "values": "seed by seed",
    "seconds each": "of one training",
}
"""What columns mean, beside the measure itself."""


def document(result: Augment, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    found, accuracy = results(result), isinstance(result, Classifiers)
    return [
        *outcome(result),
        Heading("Results", "results", term="variant" if accuracy else "variant nmse rollout"),
        found,
        Text(f"{measure(result)}; mean and spread (standard deviation) over seeds. {explained(found)}", small=True),
        *figures(FIGURES, draw),
        *seconds(result.seconds),
    ]


def results(result: Augment) -> Table:
    """A row for each number of data and variant."""
    rows = [_cells(result, row) for row in result.variants]
    return table([Column(head, number=head not in TEXT) for head in rows[0]], [list(row.values()) for row in rows])


def explained(found: Table) -> str:
    """The columns of a table, in words."""
    heads = [plain_text(column.head) for column in found.columns]
    return "; ".join(f"{head}: {MEANINGS[head]}" for head in heads if head in MEANINGS) + "."


def defects(generators: Mapping[str, float | None]) -> str | None:
    """η of the generators of a variant: one by one where they are few, else their range."""
    known = [f"{value:.1g}" for value in sorted(v for v in generators.values() if v is not None)]
    return (", ".join(known) if len(known) <= FEW else f"{known[0]} to {known[-1]}") or None


def _cells(result: Augment, row: Row) -> dict[str, str | None]:
    """By heading; None where there is nothing to say."""
    accuracy, better = isinstance(result, Classifiers), gain(result, row)
    rollout = isinstance(result, Operators) and result.task == "rollout"
    against = None if better is None else signed(100 * better) if accuracy else f"{better:.2f}"
    return {
        "data": str(row.samples),
        "variant": row.label,
        "accuracy %" if accuracy else "NMSE": with_spread(result, row),
        "gain in points" if accuracy else "none / this": against,
        "scale": None if row.scale is None else f"{row.scale:g}",
        "one window, per frame": shown(result, row.one_step) if rollout else None,
        "moved": None if row.moved is None else f"{100 * row.moved:.0f} %",
        "η": defects(row.generators),
        "values": ", ".join(shown(result, value, row.spread) for value in row.values),
        "seconds each": f"{row.seconds:.{0 if row.seconds >= 10 else 1}f}",
    }


Array = NDArray[np.floating]
Tensors = Mapping[str, Array]

PANEL, HEIGHT, GAP, TOP = 210, 190, 22, 26
"""Pixels of a panel, between panels, and above them for a title."""

PREDICTED = "predicted/"

TRUTH = "truth"
"""The variant moved along derived generators: what is learned should come close to it, and lie on it."""

SOLUTION = "the solution"
"""What is predicted; `truth` is the name of a way to move."""


PREDICTIONS = "predictions.safetensors"
"""What trained operators predict, in a run's folder."""


def draw(result: Augment, folder: Path) -> Draw:
    drawn = augment_figures(result, read_lines(folder / "metrics.jsonl"), read_fields(folder / PREDICTIONS))
    return lambda key: Figure(key, "", svg=drawn.get(key, ""))


def augment_figures(result: Augment, metrics: Sequence[Mapping[str, Any]], tensors: Tensors) -> dict[str, str]:
    """Each figure as SVG, by its key; only those that there are data for."""
    found = {
        "data": data_chart(result),
        "frames": frames_chart(result),
        "training": training_chart(result, metrics),
    }
    if any(key.startswith(PREDICTED) for key in tensors):
        names = list(dict.fromkeys(row.label for row in result.variants))
        found["prediction"] = prediction_figure(tensors, [n for n in names if PREDICTED + n in tensors])
    return {key: svg for key, svg in found.items() if svg}


def data_chart(result: Augment) -> str:
    """The measure against the number of data, a curve for each variant; empty with one number."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in result.variants:
        curves.setdefault(row.label, []).append((row.samples, as_float(row.mean)))
    if max(map(len, curves.values())) < 2:
        return ""
    accuracy = isinstance(result, Classifiers)
    factor, unit = (100.0, "accuracy (%)") if accuracy else (1.0, "NMSE (no unit)")
    lines = [
        Line(name, [x for x, _ in points], [factor * y for _, y in points], below=name == TRUTH)
        for name, points in curves.items()
    ]
    return line_chart(
        lines, "data to learn from", unit, "Against the number of data", log=not accuracy, symbols=True
    )


def frames_chart(result: Augment) -> str:
    """The error of each frame of a rollout, with the fewest data; empty for other tasks."""
    if not isinstance(result, Operators) or result.task != "rollout":
        return ""
    rows = result.fewest
    lines = [
        Line(row.label, range(1, len(row.frames) + 1), [as_float(v) for v in row.frames], below=row.label == TRUTH)
        for row in rows
    ]
    title = f"Error along the rollout, {rows[0].samples} data"
    return line_chart(lines, "frame", "normalised square error", title, log=True)


def training_chart(result: Augment, metrics: Sequence[Mapping[str, Any]]) -> str:
    """Validation values over the steps of each training, mean over seeds, with the fewest data."""
    judged = [row for row in metrics if row.get("valid") is not None and row.get("variant") is not None]
    if not judged:
        return ""
    least = min(row["samples"] for row in judged)
    names: dict[str, dict[int, list[float]]] = {}
    for row in judged:
        if row["samples"] == least:
            names.setdefault(label(row["variant"]), {}).setdefault(row["epoch"], []).append(row["valid"])
    lines = [
        Line(name, sorted(epochs), [float(np.mean(epochs[e])) for e in sorted(epochs)], below=name == TRUTH)
        for name, epochs in names.items()
    ]
    title = f"Validation in training, {least} data"
    accuracy = isinstance(result, Classifiers)
    measured = "accuracy" if accuracy else "NMSE (no unit)"
    return line_chart(lines, "epoch", measured, title, log=not accuracy)


def prediction_figure(tensors: Tensors, names: Sequence[str]) -> str:
    """A test solution, what each network predicts of it, and the differences; curves if there is one frame only."""
    if tensors["truth"].shape[1] == 1:
        return _curves(tensors, names)
    truth = tensors["truth"][0]
    low, high = float(truth.min()), float(truth.max())
    differences = {name: tensors[PREDICTED + name][0] - truth for name in names}
    largest = max(float(np.abs(difference).max()) for difference in differences.values())
    limit = min(largest, high - low) or 1.0
    width = (1 + len(names)) * (PANEL + GAP) + GAP
    sheet = Sheet(width, 2 * (HEIGHT + TOP) + GAP, "A test solution and its predictions")
    panels = [(SOLUTION, truth), *((name, tensors[PREDICTED + name][0]) for name in names)]
    for place, (name, values) in enumerate(panels):
        left = place * (PANEL + GAP) + GAP / 2
        sheet.write(left, TOP - 8, name, size=12)
        sheet.image(left, TOP, PANEL, HEIGHT, png(sequential(values[::-1], low, high)))
        if place:
            top = HEIGHT + 2 * TOP
            sheet.write(left, top - 8, f"difference, up to ± {limit:.2g}", size=11, colour=QUIET)
            sheet.image(left, top, PANEL, HEIGHT, png(diverging(differences[names[place - 1]][::-1], limit)))
    note = f"across x, upwards t from {tensors['t'][0]:.4g} to {tensors['t'][-1]:.4g}"
    sheet.write(GAP / 2, HEIGHT + 2 * TOP + 20, note, size=11, colour=QUIET)
    sheet.write(GAP / 2, HEIGHT + 2 * TOP + 38, f"values from {low:.3g} to {high:.3g}", size=11, colour=QUIET)
    return sheet.text()


def _curves(tensors: Tensors, names: Sequence[str]) -> str:
    """Given, true and predicted states over x."""
    x = tensors["x"].tolist()
    lines = [("given", tensors["given"]), (SOLUTION, tensors["truth"])]
    lines += [(name, tensors[PREDICTED + name]) for name in names]
    sheet = Sheet(760, 340, "A test state and its predictions")
    values = [v[0, 0] for _, v in lines]
    across: Axis = axis_over(x, "x")
    frame = Frame(sheet, 72, 30, 500, 250, across, axis_over(np.concatenate(values).tolist(), "u"))
    frame.draw("A test state and its predictions", grid=True)
    for place, ((name, _), line) in enumerate(zip(lines, values, strict=True)):
        colour, dash = series(place)
        # what is predicted is seen below the predictions that hit it
        width, opacity = WIDE if name == SOLUTION else (1.6, 1.0)
        key = 44 + 19 * place
        points = [frame.at(a, float(b)) for a, b in zip(x, line, strict=True)]
        for run in (points, [(590, key), (614, key)]):
            sheet.path(run, colour, width, dash, opacity)
        sheet.write(620, key + 4, name, size=11.5)
    return sheet.text()


def as_float(value: float | None) -> float:
    """What a file has as null wasn't finite."""
    return float("nan") if value is None else value
