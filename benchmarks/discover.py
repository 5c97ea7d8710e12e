"""The main job on the five equations: `lieapp discover` as a user runs it, several seeds, both methods.

    python benchmarks/discover.py [--seeds 0 1 2 3 4] [--plugins …] [--methods neural spectrum]

Each run is a process of its own, start-up, data, derivation and report included. The neural runs are checked by
the spectrum, the spectrum runs are not checked (cross_check=false), to show what it costs alone. The worst
cosine is that of the derived generator the learned span holds least well. Rows are added to
benchmarks/results/discover.json, from which discover.md is made.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import heading

FIVE = ("ckdv", "kdv", "ks", "burgers", "nkdv")
RESULTS = Path(__file__).parent / "results"
STAGES = ("start", "data", "truth", "discovery", "cross-check", "compare", "formulas", "finite", "report")
HEAD = ("equation", "method", "seeds", "derived", "exact found", "proved", "angle / rad (max)",
        "worst exact η (max)", "next η (min)", "worst cosine (min)", *(f"{s} / s" for s in STAGES),
        "whole process / s (min–max)")  # fmt: skip


SHORT = ("equation", "method", "derived", "proved", "angle / rad (max)", "worst exact η (max)", "next η (min)",
         "whole process / s (min–max)")  # fmt: skip
"""What README shows of it."""

NOTE = """Rows of earlier calls are kept and replaced one by one; `discover.json` says at which commit each was
measured. Stages are medians over the seeds."""


def main() -> None:
    """Run, print and write the tables."""
    arguments = parse()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "discover.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = {(row["equation"], row["method"], row["seed"]): row for row in known}
    for method in arguments.methods:
        for name in arguments.plugins:
            for seed in arguments.seeds:
                rows[name, method, seed] = run(name, method, seed)
                print(json.dumps(rows[name, method, seed]), flush=True)
                file.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    whole = table(list(rows.values()))
    tables = f"{written(whole, SHORT)}\n\n{written(whole)}"
    # without seeds nothing was measured: the table is written anew from rows of earlier calls
    title = heading("Discovery on the five equations", None if arguments.seeds else [])
    text = f"{title}\n{NOTE} {arguments.note}\n\n{tables}\n"
    (arguments.out / "discover.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Run the main job on the five equations.")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3, 4])
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--methods", nargs="+", default=["neural", "spectrum"])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    return parser.parse_args()


def run(name: str, method: str, seed: int) -> dict[str, Any]:
    """One process; what its JSON says and how long it took from outside."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lieapp", "discover", "--plugin", name, "--method", method]
        command += ["--seed", str(seed), "--out", folder, "--json", "--quiet"]
        command += ["--set", "cross_check=false"] if method == "spectrum" else []
        began = time.perf_counter()
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        wall = time.perf_counter() - began
    summary = json.loads(found.stdout)
    exact = [row["eta"] for row in summary["generators"] if row["verdict"] == "exact"]
    other = [row["eta"] for row in summary["generators"] if row["verdict"] != "exact"]
    return {
        "equation": name, "method": method, "seed": seed, "commit": commit(), "count": summary["count"],
        "proved": sum(row["proved"] for row in summary["formulas"]),
        "formulas": [row["field"] for row in summary["formulas"] if row["proved"]],
        "derived": len(summary["truth"]), "cosines": [row["cosine"] for row in summary["truth"]],
        "angle": summary["subspace"]["angle"], "exact_eta": exact, "other_eta": other,
        "holds": [(row["verdict"], (row.get("finite") or {}).get("holds")) for row in summary["generators"]],
        "cross_check": summary["cross_check"], "seconds": summary["seconds"], "wall": round(wall, 2),
    }  # fmt: skip


def commit() -> str:
    """The commit that is measured."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def written(lines: list[tuple[str, ...]], columns: tuple[str, ...] = HEAD) -> str:
    """Some columns as Markdown."""
    places = [HEAD.index(column) for column in columns]
    return "\n".join(f"| {' | '.join(line[place] for place in places)} |" for line in lines)


def table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The head and one line for each equation and method."""
    lines = [HEAD, ("---",) * len(HEAD)]
    for key in dict.fromkeys((row["equation"], row["method"]) for row in rows):
        group = [row for row in rows if (row["equation"], row["method"]) == key]
        lines.append((*key, *summarised(group)))
    return lines


def summarised(group: list[dict[str, Any]]) -> list[str]:
    """Worst values and spread over the seeds; stages are medians."""
    walls = [row["wall"] for row in group]
    counts = sorted({row["count"] for row in group})
    angles = [row["angle"] for row in group if row["angle"] is not None]
    return [
        " ".join(str(row["seed"]) for row in group),
        str(group[0]["derived"]),
        "–".join(map(str, counts)),
        "–".join(str(n) for n in sorted({row.get("proved", "not asked") for row in group}, key=str)),
        f"{max(angles):.1e}" if angles else "none",
        f"{max(max(row['exact_eta'], default=0.0) for row in group):.1e}",
        f"{min(min(row['other_eta'], default=float('inf')) for row in group):.1e}",
        f"{int(min(min(row['cosines'], default=0.0) for row in group) * 1e7) / 1e7:.7f}",
        *(f"{statistics.median(row['seconds'].get(stage, 0.0) for row in group):.1f}" for stage in STAGES),
        f"{statistics.median(walls):.1f} ({min(walls):.1f}–{max(walls):.1f})",
    ]


if __name__ == "__main__":
    main()
