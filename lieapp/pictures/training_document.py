"""What a training of a network says: how well it tells pictures apart, what it learned from, what comes next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lieapp.document import Column, Document, Draw, Figure, Heading, Table, Text, duration, seconds, undrawn
from lieapp.extension import outcome
from lieapp.figures.charts import Line, calmed, line_chart
from lieapp.figures.material import read_lines
from lieapp.figures.training import thinned
from lieapp.results.training import Training, share_words

CURVE = "Pictures of each step told right"

LEARNED = {
    "pictures": "at most", "epochs": "epochs", "batch": "batch", "rate": "rate", "optimizer": "optimizer",
    "augment": "augment",
}  # fmt: skip
"""Settings of a training that results depend on most."""

NAMES = 12
"""Classes that are named; of more only their number is told."""


def document(result: Training, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    why = "it was in the cache, so nothing was trained" if result.cached else "no steps were recorded"
    took = "from the cache" if result.cached else duration(result.seconds.get("training"))
    columns = [Column(name, number=True) for name in ("Told right", "Loss", "Training")]
    return [
        *outcome(result),
        Heading("Accuracy", "accuracy"),
        Table(columns, [[share_words(result.accuracy), number(result.loss), took]]),
        Text("Of the pictures kept aside; the loss is the mean cross-entropy on them.", small=True),
        Heading("Network", "network"),
        Table([Column("what"), Column("value")], facts(result)),
        Text(f"Symmetries of what it sees are sought by `{next_command(result)}`."),
        Heading(CURVE, "right"),
        Figure("right", CURVE, svg=draw("right").svg, note=f"No curves: {why}."),
        *seconds(result.seconds),
    ]


def facts(result: Training) -> list[tuple[str, str]]:
    """Network, pictures and settings, by name."""
    shape, classes = " x ".join(map(str, result.shape)), str(len(result.classes))
    if 0 < len(result.classes) <= NAMES:
        classes += f": {', '.join(result.classes)}"
    rows = [
        ("network", f"{result.network}, {result.parameters} parameters"),
        ("data", result.source),
        ("pictures", f"{result.pictures} of {shape}" if result.pictures and shape else ""),
        ("learned from", number(result.learned_from)),
        ("judged on", number(result.judged_on)),
        ("classes", classes),
        *((label, str(result.settings.get(key, ""))) for key, label in LEARNED.items()),
        ("device", result.device),
        ("file", result.file),
    ]
    return [(name, text) for name, text in rows if text not in ("", "–")]


def next_command(result: Training) -> str:
    """How this network is used."""
    return shlex.join(["lieapp", "discover", "--plugin", str(result.plugin), "--set", f"trained={result.file}"])


def right_chart(metrics: Sequence[dict[str, Any]]) -> str:
    """The share of each batch that a network in training tells right; empty without any steps."""
    rows = [row for row in thinned(metrics) if isinstance(row.get("right"), float)]
    if not rows:
        return ""
    line = Line("told right", [row["step"] for row in rows], [100 * row["right"] for row in rows])
    return line_chart([calmed(line)], "training step", "told right (%)", CURVE)


def number(value: float | None) -> str:
    """As it is: counts whole, other numbers with three digits; a dash for what isn't there."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def draw(result: Training, folder: Path) -> Draw:
    """The curve of a run."""
    return lambda key: Figure(key, CURVE, svg=right_chart(read_lines(folder / "metrics.jsonl")))
