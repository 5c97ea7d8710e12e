"""The tables of colors.md."""

from __future__ import annotations

import math
from typing import Any

from studies import table

Row = dict[str, Any]

NOTES = {
    "planted": "Extractors that one change of colours leaves alone by construction; discovery is told nothing. "
    "Cosines under the weight of colours, on held-out pictures.",
    "natural": "A network trained on the photographs as they are.",
    "trained": "Networks trained with colours changed at random, and the natural one as control: cosines of the "
    "changes with its slots.",
    "planted-ready": "Linear functions of EfficientNet-Lite0's features that don't notice a change of colours, "
    "and the network as it was as control. Right answers are those of the nearest mean feature. Affine "
    "fields have twelve dimensions, named ones six; distances are root mean squares under the weight of colours.",
    "ready-made": "EfficientNet-Lite0 trained on ImageNet, and with random weights.",
}


CONTROLS = {"planted": "", "trained": "photographs", "planted-ready": "efficientnet-lite0"}
"""The case beside each kind in which something was planted."""


def written(head: str, rows: list[Row]) -> str:
    """The whole page."""
    parts = [head]
    for kind, note in NOTES.items():
        own = [row for row in rows if row["kind"] == kind]
        if own:
            parts += [f"## {kind.capitalize()}", note, slots(own)]
            if kind == "ready-made":
                parts.append(seeds(own))
            if kind in CONTROLS:
                parts.append(planted(own, [row for row in rows if row["case"] == CONTROLS[kind]]))
            if kind == "planted-ready":
                parts.append(palettes(own))
            parts.append(bears(own))
    parts.append(conditions(rows))
    return "\n\n".join(parts) + "\n"


def slots(rows: list[Row]) -> str:
    """Every slot of every run."""
    lines: list[tuple[str, ...]] = [("case", "seed", "slot", "components", "named", "angle (rad)", "clipped at ±σ")]
    for row in rows:
        for found, clipped in zip(row["generators"], row["clipped"], strict=True):
            lines.append(
                (
                    row["case"], str(row["seed"]), str(found["slot"]), components(found), f"{found['named']:.3f}",
                    f"{found['angle']:.3f}", f"{clipped:.3f}",
                )
            )  # fmt: skip
    return table(lines)


def seeds(rows: list[Row]) -> str:
    """Angle of each slot and its share in the named span, by case, over the seeds."""
    lines: list[tuple[str, ...]] = [("case", "slot", "angle (rad): each seed", "mean", "named: each seed", "mean")]
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row["generators"] for row in rows if row["case"] == case]
        for slot in zip(*own, strict=True):
            cells = [case, str(slot[0]["slot"])]
            for key in ("angle", "named"):
                values = [found[key] for found in slot]
                cells += [", ".join(f"{value:.3f}" for value in values), f"{sum(values) / len(values):.3f}"]
            lines.append(tuple(cells))
    return table(lines)


def palettes(rows: list[Row]) -> str:
    """How much of slots is affine, how colours lie, and how steep that makes hue rotation of norm 1."""
    lines: list[tuple[str, ...]] = [
        ("case", "seed", "share of the slots in the affine span", "distance of colours from grey along two axes",
         "Lipschitz constant of hue rotation of norm 1")
    ]  # fmt: skip
    for row in rows:
        cells = (", ".join(f"{value:.3f}" for value in row[key]) for key in ("affine", "chroma"))
        # turning by 1 rad moves a colour as far as it lies from grey
        lines.append((row["case"], str(row["seed"]), *cells, f"{1 / math.hypot(*row['chroma']):.2f}"))
    return table(lines)


def planted(rows: list[Row], control: list[Row]) -> str:
    """How near slots are to what was planted; beside it a network without."""
    lines: list[tuple[str, ...]] = [
        ("planted", "case", "seed", "cosine with slot 1", "with its nearest slot", "with the span of all slots",
         "right answers", "seconds", "of the processor")
    ]  # fmt: skip
    for row in rows:
        lines.append(_planted(row["planted"], row))
    for name in dict.fromkeys(row["planted"] for row in rows):
        lines += [_planted(name, row) for row in control]
    return table(lines)


def _planted(name: str, row: Row) -> tuple[str, ...]:
    (number,) = (n for n, field in enumerate(row["reference"]) if field["name"] == name)
    cosines = [abs(products[number]) for products in row["inner"]]
    slot = max(range(len(cosines)), key=cosines.__getitem__)
    right = row.get("network", {}).get("accuracy")
    return (
        name, row["case"] if row["planted"] else "control", str(row["seed"]), down(cosines[0]),
        f"{down(cosines[slot])} (slot {slot + 1})", down(row["reference"][number]["cosine"]),
        "" if right is None else f"{100 * right:.1f} %", f"{row['wall']:.0f}", f"{row['cpu']:.0f}",
    )  # fmt: skip


def bears(rows: list[Row]) -> str:
    """The angle of each named field of norm 1, the mean over seeds."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    lines: list[tuple[str, ...]] = [("angle of a named field (rad)", *cases)]
    for number, field in enumerate(rows[0]["reference"]):
        cells = []
        for case in cases:
            angles = [row["reference"][number]["angle"] for row in rows if row["case"] == case]
            cells.append(f"{sum(angles) / len(angles):.3f}")
        lines.append((field["name"], *cells))
    return table(lines)


def components(found: Row) -> str:
    """A slot by its largest components."""
    return ", ".join(f"{part['value']:+.2f} {part['name']}" for part in found["components"])


def down(value: float) -> str:
    """Four digits, rounded down: 1 is earned."""
    return f"{int(value * 1e4) / 1e4:.4f}"


def conditions(rows: list[Row]) -> str:
    """Under what the rows came about."""
    threads = sorted({row["threads"] for row in rows})
    loads = [row["load"] for row in rows]
    return (
        f"Seconds of `lieapp discover`, start and report included, the network's training not; threads: "
        f"{', '.join(map(str, threads))}; load when each began: {min(loads):.1f} to {max(loads):.1f}."
    )
