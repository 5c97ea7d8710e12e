"""Slots found: the paper's training at reduced size on its five equations, several seeds.

    python benchmarks/slots.py [--plugins …] [--seeds 0 1 2] [--steps 240] [--out FOLDER]

Training by gradient on the paper's losses in the limit of a small flow, weights (1, 3, 1), τ = 3, four slots. A
slot is right if its η is below .1 and its cosine with the span of the derived generators .99 or more; found is
the number of independent directions of the right ones among the first N slots, N being how many generators there
are. Rows are added to slots.json as they come; an interrupted call goes on where it was. slots.md is made from
it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from machine import heading
from studies import FOUND, RESULTS, VALID, Case, Rows, Settings, case, held_against, nearest, table, trained

from lieapp.numerics.processor import use_processor

FIVE = ("kdv", "ks", "burgers", "nkdv", "ckdv")
PAPER = {"kdv": "3 of 3", "ks": "3 of 3", "burgers": "3 of 3", "nkdv": "3 of 3", "ckdv": "2 of 2"}
"""Found in each of three runs, read by eye from pictures of inner products (its section "PDEs")."""

HEAD = (
    "equation", "seed", "found with the first N", "with all four", "paper",
    "generator that each right slot holds most of", "last generator in its nearest slot (η)",
    "cosine of each slot with the span", "η of each slot", "naive cosines",
)  # fmt: skip


def main() -> None:
    """Measure what is missing and write the table."""
    arguments = parse()
    use_processor(1)
    settings = Settings(steps=arguments.steps, width=arguments.width)
    rows = Rows(arguments.out / "slots.json", ("equation", "seed", "steps", "width"))
    for name in arguments.plugins:
        held: list[Case] = []
        for seed in arguments.seeds:
            entry = {"equation": name, "seed": seed, "steps": settings.steps, "width": settings.width}
            rows.need(entry, lambda e=entry, h=held: measured(arguments, h, e))
        write(arguments.out / "slots.md", list(rows.rows.values()), settings, arguments)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Slots found by the paper's training at reduced size.")
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--width", type=int, default=Settings.width)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--held-out", type=int, default=4)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measured(arguments: argparse.Namespace, held: list[Case], entry: dict[str, Any]) -> dict[str, Any]:
    """One training; the data are made once for all seeds."""
    if not held:
        held.append(case(entry["equation"], arguments.samples, arguments.held_out))
    (one,) = held
    settings = Settings(steps=entry["steps"], width=entry["width"], seed=entry["seed"])
    ((_, fields),) = trained(one, settings)
    return {"names": one.truth.names, **held_against(one, fields, settings.slots)}


def write(file: Path, rows: list[dict[str, Any]], settings: Settings, arguments: argparse.Namespace) -> None:
    """The table of all rows there are."""
    rows = [row for row in rows if (row["steps"], row["width"]) == (settings.steps, settings.width)]
    lines = [HEAD, *(line(row) for row in rows)]
    note = (
        f"Training: {settings.told()}. {arguments.samples} trajectories, simulated with seed 0 for all; the seeds "
        "are those of the network and of the batches. Found: independent directions of the slots with η < "
        f'{VALID} and cosine at least {FOUND} with the span of the derived generators, on held-out data; "-" '
        "where a slot is none of them. A generator here is what of it is orthogonal to those before it. Naive: "
        "cosine of each generator as it is with the span of the first N slots, whatever they are; an untrained "
        "network reaches .99 on KS, so it says little."
    )
    file.write_text(f"{heading('Slots found by training')}\n{note}\n\n{table(lines)}\n", encoding="utf-8")


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """One training."""
    count = len(row["names"])
    most = [max(range(count), key=lambda k: abs(inner[k])) for inner in row["inner"]]
    right = [e < VALID and c >= FOUND for e, c in zip(row["eta"], row["cosine"], strict=True)]
    words = [f"{row['names'][k]} {abs(i[k]):.2f}" for i, k in zip(row["inner"], most, strict=True)]
    return (
        row["equation"], str(row["seed"]), f"{row['found']} of {count}", f"{row['found_all']} of {count}",
        PAPER.get(row["equation"], ""), ", ".join(w if r else "-" for w, r in zip(words, right, strict=True)),
        nearest(row), cosines(row["cosine"]), " ".join(f"{eta:.1e}" for eta in row["eta"]), cosines(row["naive"]),
    )  # fmt: skip


def cosines(values: list[float]) -> str:
    """To five digits, rounded down: 1.00000 is earned."""
    return " ".join(f"{int(value * 1e5) / 1e5:.5f}" for value in values)


if __name__ == "__main__":
    main()
