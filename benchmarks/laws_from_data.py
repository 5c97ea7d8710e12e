"""Conservation laws found and proved from trajectories, seed by seed, and on random equations.

    python benchmarks/laws_from_data.py [--only NAME] [--seeds 0 1 2 3 4] [--random 50]

Rows are kept in results/laws_from_data.json and replaced one by one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
from discover import RESULTS, commit
from machine import heading
from random_equations import equation, text

import lieapp
from lieapp.document import number
from lieapp.errors import LieappError
from lieapp.results.conserved import LawsFromData

NAMES = ("kdv", "nls", "ks", "mkdv", "gardner", "kawahara", "burgers", "nkdv", "schroedinger", "heat")
FOLDERS = ("plugins", "tests/plugins", "benchmarks/plugins")

HEAD = ("equation", "seed", "proved", "undecided", "nearly constant", "the same on all data", "largest drift",
        "next η", "derived", "angle", "seconds")  # fmt: skip

NOTE = (
    "16 simulated trajectories each and 4 held-out ones, default settings. `proved`: laws proved; `derived`: laws "
    "in the class by the exact condition, those that are the same on all data included; `largest drift`: of the "
    "proved ones, along held-out trajectories; `next η`: of the first combination above them; `angle`: between the "
    "span found and the derived one, in radians. Random equations: `benchmarks/random_equations.py`; some can't be "
    "simulated. Seconds: one thread, without the start of Python."
)


def measured(plugin: Any, seed: int) -> dict[str, Any]:
    """One run; its error if there is one."""
    began = time.perf_counter()
    folders = [folder for folder in FOLDERS if Path(folder).is_dir()]
    try:
        found = lieapp.discover(plugin, sought="laws", seed=seed, out=None, plugins=folders).result
    except LieappError as error:
        return {"error": error.message}
    assert isinstance(found, LawsFromData)
    seconds, etas = time.perf_counter() - began, found.spectrum.eta
    verdicts = [law.verdict for law in found.laws]
    return {
        "laws": [law.density for law in found.laws if law.proved], "undecided": verdicts.count("undecided"),
        "approximate": verdicts.count("approximate"), "same": [row.density for row in found.same],
        "drift": max((law.drift or 0.0 for law in found.laws if law.proved), default=None),
        "next": etas[found.count] if found.count < len(etas) else None,
        "derived": found.derived, "angle": found.angle, "seconds": round(seconds, 1), "commit": commit(),
    }  # fmt: skip


def line(name: str, seed: str, row: dict[str, Any]) -> str:
    """A line of the table."""
    if "error" in row:
        return f"| {name} | {seed} | {row['error']} |" + " |" * (len(HEAD) - 3)
    numbers = [number(row[key]) for key in ("drift", "next")]
    counts = [str(row[key]) for key in ("undecided", "approximate")]
    derived = "" if row["derived"] is None else str(row["derived"])
    cells = [name, seed, str(len(row["laws"])), *counts, ", ".join(row["same"]), *numbers, derived,
             number(row["angle"]), f"{row['seconds']:.1f}"]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table(rows: dict[str, dict[str, Any]]) -> str:
    """A line for each run, and the formulas below."""
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    for key, row in rows.items():
        name, _, seed = key.partition(" seed ")
        lines.append(line(name, seed, row))
    laws = dict.fromkeys(
        f"- {key.split(' seed ')[0]}: {', '.join(row['laws'])}" for key, row in rows.items() if row.get("laws")
    )
    return "\n".join(lines) + "\n\nLaws:\n\n" + "\n".join(laws)


def main() -> None:
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(description="Conservation laws from trajectories.")
    parser.add_argument("--only", default="", help="the equation with this name")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--random", type=int, default=50, help="how many random equations")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    kept = arguments.out / "laws_from_data.json"
    rows: dict[str, dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    runs: list[tuple[str, Any, int]] = [
        (f"{name} seed {seed}", name, seed)
        for name in NAMES if arguments.only in ("", name)
        for seed in (arguments.seeds if name in ("kdv", "nls", "ks") else arguments.seeds[:1])
    ]  # fmt: skip
    if not arguments.only:
        for n in range(arguments.random):
            pde = equation(n)
            runs.append((f"`{text(pde)}`", pde, 0))
    for key, plugin, seed in runs:
        rows[key] = measured(plugin, seed)
        print(key, json.dumps(rows[key]), flush=True)
        kept.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    out = f"{heading('Conservation laws from trajectories', [])}\n{NOTE}\n\n{table(rows)}\n"
    (arguments.out / "laws_from_data.md").write_text(out, encoding="utf-8")


if __name__ == "__main__":
    main()
