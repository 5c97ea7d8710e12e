"""What a run of `lieapp augment` says: names of variants, rows of its table, one sentence."""

from __future__ import annotations

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


def shown(summary: Summary, value: float | None) -> str:
    """A value of the table: per cent of an accuracy, three digits of an error."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" if is_accuracy(summary) else f"{value:.3g}"


def with_spread(summary: Summary, row: Mapping[str, Any]) -> str:
    """Mean and spread."""
    spread = row.get("spread")
    return shown(summary, row["mean"]) + ("" if spread is None else f" ± {shown(summary, spread)}")


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
    against = "gain in %" if accuracy else "none / this"
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
            against: "–" if better is None else f"{100 * better:+.1f}" if accuracy else f"{better:.2f}",
            "scale": "–" if row.get("scale") is None else f"{row['scale']:g}",
            "one window, per frame": shown(summary, row.get("one_step")),
            "moved": "–" if "moved" not in row else f"{100 * row['moved']:.0f} %",
            "η": defects(row),
            "values": ", ".join(shown(summary, value) for value in row["values"]),
            "seconds each": f"{row['seconds']:.0f}",
        }
        lines.append([cells[head] for head in heads])
    return heads, lines


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
    return f"With {least} data, {name} as mean and spread of {_seeds(summary)}: {told}"


def _seeds(summary: Summary) -> str:
    count = len(summary["seeds"])
    return f"{count} seed{'' if count == 1 else 's'}"
