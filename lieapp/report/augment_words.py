"""What a run of `lieapp augment` says: names of variants, rows of its table, one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

Summary = Mapping[str, Any]
Rows = tuple[Sequence[str], Sequence[Sequence[str]]]

WORDS = {"fields": "learned", "formulas": "proved", "approximate": "approximate"}
"""What is taken of a run."""

TEXT = ("variant", "values", "η")
"""Columns of text; the others hold numbers."""

MOST_DECIMALS = 8
"""Of an error."""

FEW = 4
"""So many generators have their defects written out."""


def label(variant: str) -> str:
    """A variant as tables have it: `learned 01b48e` for the exact fields of the run that ends so."""
    return " + ".join(_part(part.strip()) for part in variant.split("+"))


def _part(part: str) -> str:
    kind, sign, path = part.partition(":")
    if sign and kind in WORDS:
        return f"{WORDS[kind]} {_short(path)}"
    return part if "/" not in part and not re.fullmatch(r".*-[0-9a-f]{6}", part) else f"learned {_short(part)}"


def _short(path: str) -> str:
    """The end of a run's name, which tells runs apart; the whole name if it was given another."""
    name = PurePath(path).name
    found = re.fullmatch(r"\d{8}T\d{6}Z-.+-([0-9a-f]{6})", name)
    return found[1] if found else name


def is_accuracy(summary: Summary) -> bool:
    """Whether more is better."""
    return bool(summary.get("measure") == "accuracy")


def shown(summary: Summary, value: float | None, spread: float | None = None) -> str:
    """A value of the table: per cent of an accuracy; of an error three digits, or two of its spread."""
    if value is None:
        return "–"
    if is_accuracy(summary):
        return f"{100 * value:.1f}"
    if not spread or not math.isfinite(value):
        return f"{value:.3g}"
    decimals = min(max(0, 1 - math.floor(math.log10(spread))), MOST_DECIMALS)
    return f"{value:.{decimals}f}"


def with_spread(summary: Summary, row: Mapping[str, Any]) -> str:
    """Mean and spread."""
    spread = row.get("spread")
    mean = shown(summary, row["mean"], spread)
    return mean if spread is None else f"{mean} ± {shown(summary, spread, spread)}"


def gain(summary: Summary, row: Mapping[str, Any], against: str = "none") -> float | None:
    """How many times smaller an error is than that of another variant with as many data; of accuracies, how much
    larger."""
    other = next(
        (r for r in summary["variants"] if r["variant"] == against and r["samples"] == row["samples"]), None
    )
    if other is None or other is row:
        return None
    if is_accuracy(summary):
        return float(row["mean"] - other["mean"])
    return float(other["mean"] / row["mean"]) if row["mean"] else None


def measure(summary: Summary) -> str:
    """What the values are, in words."""
    if is_accuracy(summary):
        return f"Right answers on {summary['judged_on']} test pictures, in per cent"
    if summary["task"] == "single":
        return f"Normalised mean square error of the state {summary['gap']} time steps later"
    return (
        f"Normalised mean square error of a rollout, {summary['frames']} frames giving the next, summed over "
        f"{summary['predicted']} frames"
    )


def rows(summary: Summary) -> Rows:
    """Heads and rows of the table."""
    accuracy = is_accuracy(summary)
    heads = ["data", "variant", "accuracy %" if accuracy else "NMSE"]
    against = "gain in points" if accuracy else "none / this"
    heads += [against] if any(r["variant"] == "none" for r in summary["variants"]) else []
    heads += ["scale"] if any(r.get("scale") is not None for r in summary["variants"]) else []
    heads += ["one window, per frame"] if summary.get("task") == "rollout" else []
    heads += ["moved"] if any("moved" in r for r in summary["variants"]) else []
    heads += ["η"] if any(r.get("generators") for r in summary["variants"]) else []
    heads += ["values", "seconds each"]
    lines = []
    for row in summary["variants"]:
        better = gain(summary, row)
        cells = {
            "data": str(row["samples"]),
            "variant": row["label"],
            heads[2]: with_spread(summary, row),
            against: "–" if better is None else signed(100 * better) if accuracy else f"{better:.2f}",
            "scale": "–" if row.get("scale") is None else f"{row['scale']:g}",
            "one window, per frame": shown(summary, row.get("one_step")),
            "moved": "–" if "moved" not in row else f"{100 * row['moved']:.0f} %",
            "η": defects(row),
            "values": ", ".join(shown(summary, value, row.get("spread")) for value in row["values"]),
            "seconds each": f"{row['seconds']:.{0 if row['seconds'] >= 10 else 1}f}",
        }
        lines.append([cells[head] for head in heads])
    return heads, lines


def signed(value: float) -> str:
    """A difference, with a sign that is as wide as a figure."""
    return f"{value:+.1f}".replace("-", "−")


COLUMNS = {
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


def explained(summary: Summary) -> str:
    """The columns of its table, in words."""
    return "; ".join(f"{head}: {COLUMNS[head]}" for head in rows(summary)[0] if head in COLUMNS) + "."


def hopeless(summary: Summary) -> list[str]:
    """Variants whose predictions are no better than 0 everywhere, which has the error 1 in each frame."""
    if is_accuracy(summary):
        return []
    frames = summary["predicted"] if summary.get("task") == "rollout" else 1
    names = [f"{row['label']} with {row['samples']} data" for row in summary["variants"] if row["mean"] >= frames]
    words = f"no better than predicting 0 ({', '.join(names)}): an NMSE of {frames} says so; train for longer"
    return [words] if names else []


def defects(row: Mapping[str, Any]) -> str:
    """η of the generators of a variant: one by one where they are few, else their range."""
    values = sorted((row.get("generators") or {}).values())
    if not values:
        return "–"
    shown = [f"{value:.1g}" for value in values]
    return ", ".join(shown) if len(shown) <= FEW else f"{shown[0]} to {shown[-1]}"


def sentence(summary: Summary) -> str:
    """The results with the fewest data in one sentence."""
    least = min(row["samples"] for row in summary["variants"])
    own = [row for row in summary["variants"] if row["samples"] == least]
    name, unit = ("accuracy", " %") if is_accuracy(summary) else ("NMSE", "")
    told = "; ".join(f"{row['label']} {with_spread(summary, row)}{unit}" for row in own)
    count = len(summary["seeds"])
    how = "of one seed" if count == 1 else f"as mean and spread of {count} seeds"
    return f"With {least} data, {name} {how}: {told}"
