"""Data throughput: 64 trajectories of each of the five equations, in the regimes of their plugins.

    python benchmarks/data_throughput.py [--samples 64] [--tolerance 1e-3] [--threads 2] [--plugins …] [--out FILE]

Prints seconds, steps for an output interval, grid and estimated error; the table with command, machine and date
goes to benchmarks/results/data_throughput.md.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import torch
from machine import heading

from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.registry.catalog import load_catalog

FIVE = ("kdv", "ks", "burgers", "nkdv", "ckdv")
RESULTS = Path(__file__).parent / "results" / "data_throughput.md"
NOTE = (
    "float64, seed 0. Steps and simulated points are those of the last interval. Burgers data come by Cole-Hopf: "
    "the heat equation is solved exactly.\n"
)
HEAD = (
    "equation",
    "samples",
    "t x points kept",
    "simulated points",
    "steps per interval",
    "estimated error",
    "seconds",
)


def main() -> None:
    """Measure, print and write the table."""
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    catalog = load_catalog()
    rows = [HEAD, ("---",) * len(HEAD)]
    for name in arguments.plugins:
        rows.append(measure(catalog.get(name).declaration, arguments))
        print(" | ".join(rows[-1]), flush=True)
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(f"{heading('Data throughput')}\n{NOTE}\n{text}\n", encoding="utf-8")
    print(f"\n{text}\n\nwritten to {arguments.out}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure how fast trajectories are simulated.")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--tolerance", type=float, default=1e-3, help="relative error allowed over the window")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure(declaration: object, arguments: argparse.Namespace) -> tuple[str, ...]:
    """One row of the table."""
    began = time.perf_counter()
    data = simulate(
        declaration,  # type: ignore[arg-type]
        arguments.samples,
        torch.Generator().manual_seed(0),
        tolerance=Tolerance(arguments.tolerance),
    )
    seconds = time.perf_counter() - began
    kept = " x ".join(map(str, (len(data.time), *data.grid.shape)))
    facts = data.facts
    name = getattr(declaration, "name", "")
    measured = (facts["points"], facts["steps"], f"{data.error:.1e}", f"{seconds:.1f}")
    return (name, str(data.samples), kept, *map(str, measured))


if __name__ == "__main__":
    main()
