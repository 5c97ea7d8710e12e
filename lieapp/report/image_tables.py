"""What a discovery on pictures says: one sentence, tables for the terminal, and generators.csv."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lieapp.report.formula import field_text

Summary = Mapping[str, Any]
Rows = tuple[Sequence[str], Sequence[Sequence[str]]]

AFFINE = 0.9
"""Affine-ness above which a slot is called affine; the paper's ten slots have .98 or more, or .12 or less."""


def sentence(summary: Summary) -> str:
    """The result in one sentence."""
    rows = summary["generators"]
    affine = [row for row in rows if row["affine"] >= AFFINE]
    first = rows[0]
    return (
        f"{len(affine)} of {len(rows)} slots are affine; slot 1 is nearest to {first['nearest']['name']} (cosine "
        f"{first['nearest']['cosine']:.3f}) and turns the features by {first['angle']:.2f} rad"
    )


def slot_rows(summary: Summary) -> Rows:
    """Heads and rows of the table of learned fields."""
    far = max(map(abs, summary["s"]))
    heads = ("slot", f"angle up to |s| = {far:g} (rad)", "affine", "nearest", "cosine")
    rows = [
        (str(row["slot"]), f"{row['angle']:.3f}", f"{row['affine']:.3f}", row["nearest"]["name"],
         f"{row['nearest']['cosine']:.4f}")
        for row in summary["generators"]
    ]  # fmt: skip
    return heads, rows


def named_rows(summary: Summary) -> Rows:
    """Heads and rows of the table of affine fields."""
    heads = ("name", "field", "angle (rad)", "cosine with the slots' span")
    rows = [
        (row["name"], field_text(row["field"]), f"{row['angle']:.3f}", f"{row['cosine']:.4f}")
        for row in summary["reference"]
    ]
    return heads, rows


def image_tables(summary: Summary) -> list[RenderableType]:
    """What `lieapp discover` prints of pictures."""
    parts: list[RenderableType] = []
    for title, (heads, rows) in (("Learned fields", slot_rows(summary)), ("Affine fields", named_rows(summary))):
        drawn = Table(title=title, title_justify="left")
        for head in heads:
            drawn.add_column(head, justify="left" if head in ("name", "field", "nearest") else "right")
        for row in rows:
            drawn.add_row(*row)
        parts.append(drawn)
    total = summary["seconds"].get("total")
    closing = [] if total is None else [Text(f"{total:.1f} s. {summary['run']}")]
    return [*parts, Text(f"{summary['sentence']}.", style="bold"), *closing]


def write_csv(summary: Summary, file: Path) -> None:
    """A line for each slot and each affine field. Raises OSError."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["kind", "name", "angle", "affine", "cosine", *summary["coordinates"]])
        for row in summary["generators"]:
            writer.writerow(["slot", row["slot"], row["angle"], row["affine"], row["nearest"]["cosine"], "", ""])
        for row in summary["reference"]:
            components = [row["field"][name] for name in summary["coordinates"]]
            writer.writerow(["affine", row["name"], row["angle"], 1.0, row["cosine"], *components])
