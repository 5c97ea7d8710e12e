"""What a discovery on pictures says: one sentence, tables for the terminal and pages, and generators.csv."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lieapp.report.formula import field_text
from lieapp.report.picture_words import WORDS, Shown, Words
from lieapp.report.wording import cosine

Summary = Mapping[str, Any]
Rows = tuple[Sequence[str], Sequence[Sequence[str]]]

INSIDE = 0.9
"""Share from which on a slot counts as one of the named span; the paper's ten have .98 or more, or .12 or less."""


def words_of(summary: Summary) -> Words:
    """What things are called where this is moved."""
    return WORDS[summary["domain"]]


def sentence(summary: Summary) -> str:
    """The result in one sentence."""
    rows, words = summary["generators"], words_of(summary)
    inside = [row for row in rows if row[words.share] >= INSIDE]
    first = rows[0]
    return (
        f"{len(inside)} of {len(rows)} slots {'is' if len(inside) == 1 else 'are'} {words.are} (share of at least "
        f"{INSIDE:g}); slot 1 is nearest to {first['nearest']['name']} "
        f"(cosine {cosine(first['nearest']['cosine'], 3)}) and turns the features by {first['angle']:.2f} rad"
    )


def components(row: Summary) -> str:
    """A slot by its largest components: 0.95 brightness − 0.28 shift of blue."""
    text = ""
    for part in row.get("components", ()):
        minus = part["value"] < 0
        text += (" − " if minus else " + ") if text else ("−" if minus else "")
        text += f"{abs(part['value']):.2f} {part['name']}"
    return text


def slot_rows(summary: Summary) -> Rows:
    """Heads and rows of the table of learned fields."""
    far, share = max(map(abs, summary["s"])), words_of(summary).share
    heads = ("slot", f"angle up to |s| = {far:g} (rad)", share, "nearest", "cosine", "components")
    rows = [
        (str(row["slot"]), f"{row['angle']:.3f}", cosine(row[share], 3), row["nearest"]["name"],
         cosine(row["nearest"]["cosine"], 4), components(row))
        for row in summary["generators"]
    ]  # fmt: skip
    clipped = summary.get("clipped")
    if clipped is None:
        return heads, rows
    return (*heads, "clipped"), [(*row, f"{part:.3f}") for row, part in zip(rows, clipped, strict=True)]


def named_rows(summary: Summary) -> Rows:
    """Heads and rows of the table of named fields."""
    heads = ("name", "field", "angle (rad)", "cosine with the slots' span")
    rows = [
        (row["name"], field_text(row["field"]), f"{row['angle']:.3f}", cosine(row["cosine"], 4))
        for row in summary["reference"]
    ]
    return heads, rows


def along_rows(summary: Summary) -> Rows:
    """Heads and rows of the inner products of slots with the orthonormalised basis of the named span."""
    basis = summary.get("basis") or {"names": [], "inner": []}
    rows = [(str(n), *(f"{value:.3f}" for value in row)) for n, row in enumerate(basis["inner"], 1)]
    return ("slot", *basis["names"]), rows


def check_rows(summary: Summary) -> Rows:
    """Heads and rows of the fields that are borne best for s -> 0; no rows where that wasn't asked."""
    check = summary.get("cross_check") or {"slopes": [], "components": []}
    rows = [
        (str(n), f"{slope:.3f}", components({"components": parts}))
        for n, (slope, parts) in enumerate(zip(check["slopes"], check["components"], strict=False), 1)
    ]
    return ("place", "angle/|s| for s → 0 (rad)", "components"), rows


TEXT = ("name", "field", "nearest", "components")
"""Columns of text; the others hold numbers."""


def check_note(summary: Summary) -> str:
    """How the slots stand to the fields that are borne best for s -> 0; empty where that wasn't asked."""
    check = summary.get("cross_check")
    if check is None:
        return ""
    along = ", ".join(cosine(value, 3) for value in check["cosines"])
    return (
        "Of all quadratic fields those that the network bears best for s → 0, by an eigenproblem without training. "
        f"Largest principal angle between as many of them and the slots: {check['angle']:.2f} rad; cosines of the "
        f"slots with their span: {along}."
    )


def tables(summary: Summary) -> list[tuple[str, Rows, str]]:
    """Every table with its title before it and the note below it."""
    words = words_of(summary)
    found = [
        ("Learned fields", slot_rows(summary), words.share_note),
        (words.named, named_rows(summary), words.named_note),
        ("Quadratic fields for s → 0", check_rows(summary), check_note(summary)),
    ]
    return [(title, rows, note) for title, rows, note in found if rows[1]]


def figures_of(summary: Summary) -> list[Shown]:
    """Every figure of a run, in the order in which pages show them; the strips come last."""
    strips = [
        Shown(f"strip{row['slot']}", f"Held-out pictures moved along slot {row['slot']}", components(row))
        for row in summary["generators"]
    ]
    return [*words_of(summary).figures, *strips]


def picture_tables(summary: Summary) -> list[RenderableType]:
    """What `lieapp discover` prints of pictures."""
    parts: list[RenderableType] = []
    for title, (heads, rows), _ in tables(summary):
        drawn = Table(title=title, title_justify="left")
        for head in heads:
            drawn.add_column(head, justify="left" if head in TEXT else "right")
        for row in rows:
            drawn.add_row(*row)
        parts.append(drawn)
    total = summary["seconds"].get("total")
    closing = [] if total is None else [Text(f"report: {summary['run']}/report.html ({total:.1f} s)")]
    return [*parts, Text(f"{summary['sentence']}.", style="bold"), *closing]


def write_csv(summary: Summary, file: Path) -> None:
    """A line for each slot and each named field. Raises OSError."""
    share, coordinates = words_of(summary).share, summary["coordinates"]
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["kind", "name", "angle", share, "cosine", *coordinates])
        for row in summary["generators"]:
            empty = [""] * len(coordinates)
            writer.writerow(["slot", row["slot"], row["angle"], row[share], row["nearest"]["cosine"], *empty])
        for row in summary["reference"]:
            components = [row["field"][name] for name in coordinates]
            writer.writerow([share, row["name"], row["angle"], 1.0, row["cosine"], *components])
