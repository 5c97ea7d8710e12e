"""What trainings on moved data say: the table with its spread, and figures."""

from __future__ import annotations

from collections.abc import Mapping

from lieapp.document import Column, Document, Figure, Heading, Table, Text, plain_text, table
from lieapp.extension import outcome
from lieapp.report.augment_words import gain, measure, shown, signed, with_spread
from lieapp.report.parts import Drawn, figures, nothing_drawn, seconds
from lieapp.results.augment import Augment, Classifiers, Operators, Row

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


def document(result: Augment, drawn: Drawn = nothing_drawn) -> Document:
    """Everything but where the run comes from."""
    found, accuracy = results(result), isinstance(result, Classifiers)
    return [
        *outcome(result),
        Heading("Results", "results", term="variant" if accuracy else "variant nmse rollout"),
        found,
        Text(f"{measure(result)}; mean and spread (standard deviation) over seeds. {explained(found)}", small=True),
        *figures(FIGURES, drawn),
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
