"""What trainings on moved data say: the table with its spread, and figures.

Figures of a training on moved data: error against data, along a rollout, in training, and one prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from lieapp.document import (
    Caption,
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
from lieapp.drawing import Array, Axis, Curve, Drawing, Panel, Raster, Scale
from lieapp.extension import outcome
from lieapp.figures.charts import curves
from lieapp.figures.material import read_fields, read_lines
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
    Caption("data", "Against the number of data", "Each point is a mean over seeds."),
    Caption(
        "frames",
        "Along the rollout",
        "Each window is predicted from the one before. Mean over test trajectories and seeds.",
    ),
    Caption("training", "In training", "On validation data, mean over seeds; the {} epoch's network is tested."),
    Caption(
        "prediction",
        "A prediction beside the truth",
        "The first test trajectory and the networks of the first seed, with the most data.",
    ),
)
"""Not drawn yet."""

FEW = 4
"""So many generators have their defects written out."""

TEXT = ("variant", "values", "η", "drift of laws")
"""Columns of text; the others hold numbers."""

MEANINGS = {
    "gain in points": "percentage points more than without moves",
    "none / this": "how many times smaller than without moves: above 1 is better",
    "scale": "the largest flow parameter, chosen on validation data",
    "one window, per frame": "of predictions made from true frames, for each frame",
    "moved": "share of trajectories that were used moved; the others left the window that is needed",
    "η": "defect of each generator moved along, ascending: 0 for a symmetry",
    "drift of laws": "largest change of each total along a prediction, relative, median over test solutions",
    "values": "seed by seed",
    "seconds each": "of one training",
}
"""What columns mean, beside the measure itself."""


def document(result: Augment, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    found, accuracy = results(result), isinstance(result, Classifiers)
    tested = "last" if accuracy else "best"
    return [
        *outcome(result),
        Heading("Results", "results", term="variant" if accuracy else "variant nmse rollout"),
        found,
        Text(f"{measure(result)}; mean and spread (standard deviation) over seeds. {explained(found)}", small=True),
        *_laws(result),
        *figures([replace(own, caption=own.caption.format(tested)) for own in FIGURES], draw),
        *seconds(result.seconds),
    ]


def _laws(result: Augment) -> Document:
    """Which conservation laws were used, where any were."""
    if not isinstance(result, Operators) or not result.laws:
        return []
    names = ", ".join(result.laws)
    return [Text(f"Densities of the laws: {names}. Drift of the solutions: {drifts(result.laws)}.", small=True)]


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


def drifts(laws: Mapping[str, float | None]) -> str:
    """The drift of each law, in their order."""
    return ", ".join(f"{as_float(value):.1g}" for value in laws.values())


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
        "drift of laws": drifts(row.drift),
        "values": ", ".join(shown(result, value, row.spread) for value in row.values),
        "seconds each": f"{row.seconds:.{0 if row.seconds >= 10 else 1}f}",
    }


Tensors = Mapping[str, Array]

PREDICTED = "predicted/"

TRUTH = "truth"
"""The variant moved along derived generators: what is learned should come close to it, and lie on it."""

SOLUTION = "the solution"
"""What is predicted; `truth` is the name of a way to move."""


PREDICTIONS = "predictions.safetensors"
"""What trained operators predict, in a run's folder."""


def draw(result: Augment, folder: Path) -> Draw:
    drawn = augment_figures(result, read_lines(folder / "metrics.jsonl"), read_fields(folder / PREDICTIONS))
    return lambda key: Figure(key, "", "", drawn.get(key))


def augment_figures(result: Augment, metrics: Sequence[Mapping[str, Any]], tensors: Tensors) -> dict[str, Drawing]:
    """Each figure by its key; only those that there are data for."""
    found: dict[str, Drawing | None] = {
        "data": data_chart(result),
        "frames": frames_chart(result),
        "training": training_chart(result, metrics),
    }
    if any(key.startswith(PREDICTED) for key in tensors):
        names = list(dict.fromkeys(row.label for row in result.variants))
        found["prediction"] = prediction_figure(tensors, [n for n in names if PREDICTED + n in tensors])
    return {key: drawing for key, drawing in found.items() if drawing}


def data_chart(result: Augment) -> Drawing | None:
    """The measure against the number of data, a curve for each variant; None with one number."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in result.variants:
        found.setdefault(row.label, []).append((row.samples, as_float(row.mean)))
    if max(map(len, found.values())) < 2:
        return None
    accuracy = isinstance(result, Classifiers)
    factor, unit = (100.0, "accuracy (%)") if accuracy else (1.0, "NMSE (no unit)")
    lines = [
        Curve(name, [x for x, _ in points], [factor * y for _, y in points], below=name == TRUTH)
        for name, points in found.items()
    ]
    return curves(lines, "data to learn from", unit, "Against the number of data", log=not accuracy)


def frames_chart(result: Augment) -> Drawing | None:
    """The error of each frame of a rollout, with the fewest data; None for other tasks."""
    if not isinstance(result, Operators) or result.task != "rollout":
        return None
    rows = result.fewest
    lines = [
        Curve(row.label, range(1, len(row.frames) + 1), [as_float(v) for v in row.frames], below=row.label == TRUTH)
        for row in rows
    ]
    title = f"Error along the rollout, {rows[0].samples} data"
    return curves(lines, "frame", "normalised square error", title, log=True)


def training_chart(result: Augment, metrics: Sequence[Mapping[str, Any]]) -> Drawing | None:
    """Validation values over the steps of each training, mean over seeds, with the fewest data."""
    judged = [row for row in metrics if row.get("valid") is not None and row.get("variant") is not None]
    if not judged:
        return None
    least = min(row["samples"] for row in judged)
    names: dict[str, dict[int, list[float]]] = {}
    for row in judged:
        if row["samples"] == least:
            names.setdefault(label(row["variant"]), {}).setdefault(row["epoch"], []).append(row["valid"])
    lines = [
        Curve(name, sorted(epochs), [float(np.mean(epochs[e])) for e in sorted(epochs)], below=name == TRUTH)
        for name, epochs in names.items()
    ]
    title = f"Validation in training, {least} data"
    accuracy = isinstance(result, Classifiers)
    measured = "accuracy" if accuracy else "NMSE (no unit)"
    return curves(lines, "epoch", measured, title, log=not accuracy)


def prediction_figure(tensors: Tensors, names: Sequence[str]) -> Drawing:
    """A test solution, what each network predicts of it, and the differences; curves if there is one frame only."""
    if tensors["truth"].shape[1] == 1:
        return _curves(tensors, names)
    truth = tensors["truth"][0]
    low, high = float(truth.min()), float(truth.max())
    predicted = [(name, tensors[PREDICTED + name][0]) for name in names]
    largest = max(float(np.abs(values - truth).max()) for _, values in predicted)
    limit = min(largest, high - low) or 1.0
    x, t = (Axis(name, float(tensors[name][0]), float(tensors[name][-1])) for name in ("x", "t"))

    def panel(title: str, values: Array, scale: Scale) -> Panel:
        return Panel(title, [Raster(values, scale)], x, t, bar=True)

    of_values, of_differences = Scale("u", low, high), Scale("difference", -limit, limit, diverging=True)
    rows = [[panel(SOLUTION, truth, of_values)]]
    for name, values in predicted:
        off = panel("its difference", values - truth, of_differences)
        rows.append([panel(name, values, of_values), off])
    return Drawing("A test solution and its predictions", rows)


def _curves(tensors: Tensors, names: Sequence[str]) -> Drawing:
    """Given, true and predicted states over x."""
    states = [("given", tensors["given"]), (SOLUTION, tensors["truth"])]
    states += [(name, tensors[PREDICTED + name]) for name in names]
    x = tensors["x"].tolist()
    lines = [Curve(name, x, values[0, 0].tolist(), below=name == SOLUTION) for name, values in states]
    return curves(lines, "x", "u", "A test state and its predictions", whole=False)


def as_float(value: float | None) -> float:
    """What a file has as null wasn't finite."""
    return float("nan") if value is None else value
