"""Generalised symmetries found and proved from data, seed by seed, and on random equations.

    python benchmarks/generalised_from_data.py [--only NAME] [--seeds 0 1 2 3 4] [--random 50]

Rows are kept in results/generalised_from_data.json and replaced one by one.
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
from laws_from_data import FOLDERS
from machine import heading
from random_equations import equation, text

import lieapp
from lieapp.document import number
from lieapp.errors import LieappError
from lieapp.results.characteristics import GeneralisedFromData

CASES = (("kdv", 5), ("kdv", 7), ("mkdv", 5), ("gardner", 5), ("nls", 3), ("burgers", 4), ("nkdv", 5), ("ks", 5),
         ("kawahara", 5), ("heat", 3))  # fmt: skip
"""Plugins and orders; the first two with every seed."""

HEAD = ("equation", "order", "seed", "proved", "beyond point symmetries", "undecided", "only small", "largest η",
        "next η", "derived", "angle", "seconds")  # fmt: skip

NOTE = (
    "16 simulated trajectories each and 4 held-out ones, default settings. `proved`: symmetries proved, point ones "
    "included; `derived`: symmetries in the class by the exact condition; `largest η`: of the proved ones, on "
    "held-out data; `next η`: of the first combination above them; `angle`: between the span found and the derived "
    "one, in radians. Random equations: `benchmarks/random_equations.py`, order 5; some can't be simulated. "
    "Seconds: one thread, without the start of Python."
)


def measured(plugin: Any, order: int, seed: int) -> dict[str, Any]:
    """One run; its error if there is one."""
    began = time.perf_counter()
    folders = [folder for folder in FOLDERS if Path(folder).is_dir()]
    settings = {"sought": "generalised", "generalised": {"order": order}, "seed": seed}
    try:
        found = lieapp.discover(plugin, out=None, plugins=folders, **settings).result
    except LieappError as error:
        return {"error": error.message}
    assert isinstance(found, GeneralisedFromData)
    seconds, etas = time.perf_counter() - began, found.spectrum.eta
    verdicts = [row.verdict for row in found.generalised]
    proved = [row for row in found.generalised if row.proved]
    return {
        "proved": len(proved), "undecided": verdicts.count("undecided"),
        "approximate": verdicts.count("approximate"),
        "beyond": [", ".join(row.characteristic.values()) for row in proved if row.kind != "point"],
        "eta": max((row.eta or 0.0 for row in proved), default=None),
        "next": etas[found.count] if found.count < len(etas) else None,
        "derived": found.derived, "angle": found.angle, "seconds": round(seconds, 1), "commit": commit(),
    }  # fmt: skip


def line(cells: list[str], row: dict[str, Any]) -> str:
    """A line of the table."""
    if "error" in row:
        return f"| {' | '.join(cells)} | {row['error']} |" + " |" * (len(HEAD) - 4)
    counts = [str(row["proved"]), str(len(row["beyond"])), str(row["undecided"]), str(row["approximate"])]
    numbers = [number(row["eta"]), number(row["next"]), "" if row["derived"] is None else str(row["derived"])]
    return f"| {' | '.join([*cells, *counts, *numbers, number(row['angle']), str(row['seconds'])])} |"


def table(rows: dict[str, dict[str, Any]]) -> str:
    """A line for each run, and the formulas below."""
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    lines += [line(key.split("; "), row) for key, row in rows.items()]
    beyond = dict.fromkeys(
        f"- {key.split('; ')[0]}: {one}" for key, row in rows.items() for one in row.get("beyond", ())
    )
    return "\n".join(lines) + "\n\nBeyond point symmetries:\n\n" + "\n".join(beyond)


def main() -> None:
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(description="Generalised symmetries from data.")
    parser.add_argument("--only", default="", help="the equation with this name")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--random", type=int, default=50, help="how many random equations")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    kept = arguments.out / "generalised_from_data.json"
    rows: dict[str, dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    runs: list[tuple[str, Any, int, int]] = [
        (f"{name}; {order}; {seed}", name, order, seed)
        for name, order in CASES if arguments.only in ("", name)
        for seed in (arguments.seeds if name == "kdv" else arguments.seeds[:1])
    ]  # fmt: skip
    for n in range(0 if arguments.only else arguments.random):
        pde = equation(n)
        runs.append((f"`{text(pde).replace('; ', ', ')}`; 5; 0", pde, 5, 0))
    for key, plugin, order, seed in runs:
        rows[key] = measured(plugin, order, seed)
        print(key, json.dumps(rows[key]), flush=True)
        kept.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    out = f"{heading('Generalised symmetries from data', [])}\n{NOTE}\n\n{table(rows)}\n"
    (arguments.out / "generalised_from_data.md").write_text(out, encoding="utf-8")


if __name__ == "__main__":
    main()
