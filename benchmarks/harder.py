"""The main job on the equations of tests/plugins, beyond the five: several seeds, both methods.

    python benchmarks/harder.py [--seeds 0 1] [--plugins …] [--methods neural spectrum]

Each run is a process of its own at default settings, start-up, data, derivation and report included; the spectrum
runs are not checked by the other method (cross_check=false). The number of derived generators is that on the
periodic domain, modulo families. "False exact": exact slots beyond the derived dimension, where no family may have
members among them; "wrong proofs": proved formulas beyond it. Rows are added to benchmarks/results/harder.json,
from which harder.md is made.
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

from discover import commit
from machine import heading

RESULTS = Path(__file__).parent / "results"
PLUGINS = Path(__file__).parents[1] / "tests" / "plugins"
HEAD = ("equation", "method", "seeds", "exact found", "derived", "families", "worst cosine (min)",
        "formulas proved", "same span as derived", "false exact", "wrong proofs", "next η (min)", "discovery / s",
        "whole process / s (min–max)")  # fmt: skip
NOTE = """Rows of earlier calls are kept and replaced one by one; `harder.json` says at which commit each was
measured. Where there is a family the exact ones beyond the derived are members of it."""


def main() -> None:
    """Run, print and write the tables."""
    arguments = parse()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "harder.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = {(row["equation"], row["method"], row["seed"]): row for row in known}
    for method in arguments.methods:
        for name in arguments.plugins:
            for seed in arguments.seeds:
                rows[name, method, seed] = run(name, method, seed)
                print(json.dumps(rows[name, method, seed]), flush=True)
                file.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    head = heading("Discovery on harder equations", [])
    text = f"{head}\n{NOTE} {arguments.note}\n\n{table(list(rows.values()))}\n"
    (arguments.out / "harder.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Run the main job on harder equations.")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1])
    parser.add_argument("--plugins", nargs="+", default=sorted(path.stem for path in PLUGINS.glob("*.py")))
    parser.add_argument("--methods", nargs="+", default=["neural", "spectrum"])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    return parser.parse_args()


def run(name: str, method: str, seed: int) -> dict[str, Any]:
    """One process; what its JSON says and how long it took from outside."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lieapp", "discover", "--plugin", name, "--plugins", str(PLUGINS)]
        command += ["--method", method, "--seed", str(seed), "--out", folder, "--json", "--quiet"]
        command += ["--set", "cross_check=false"] if method == "spectrum" else []
        began = time.perf_counter()
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        wall = time.perf_counter() - began
    summary = json.loads(found.stdout)
    proved = sum(form["proved"] for form in summary["formulas"])
    check = summary["formulas_check"]
    return {
        "equation": name, "method": method, "seed": seed, "commit": commit(), "count": summary["count"],
        "derived": len(summary["truth"]), "families": len(summary["families"]),
        "cosines": [row["cosine"] for row in summary["truth"]], "proved": proved, "formulas": summary["formulas"],
        "same_span": check["same_span"],
        "false_exact": 0 if summary["families"] else max(summary["count"] - len(summary["truth"]), 0),
        "wrong_proofs": max(proved - len(summary["truth"]), 0),
        "eta": [[row["verdict"], row["eta"]] for row in summary["generators"]],
        "cross_check": summary["cross_check"], "warnings": summary["warnings"], "seconds": summary["seconds"],
        "wall": round(wall, 2),
    }  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each equation and method."""
    lines = [HEAD, ("---",) * len(HEAD)]
    for key in dict.fromkeys((row["equation"], row["method"]) for row in rows):
        group = [row for row in rows if (row["equation"], row["method"]) == key]
        lines.append((*key, *summarised(group)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summarised(group: list[dict[str, Any]]) -> list[str]:
    """Worst values and spread over the seeds; seconds are medians."""
    walls = [row["wall"] for row in group]
    cosines = [cosine for row in group for cosine in row["cosines"]]
    other = [eta for row in group for verdict, eta in row["eta"] if verdict != "exact"]
    return [
        " ".join(str(row["seed"]) for row in group),
        "–".join(map(str, sorted({row["count"] for row in group}))),
        str(group[0]["derived"]),
        str(group[0]["families"]),
        f"{int(min(cosines) * 1e7) / 1e7:.7f}" if cosines else "none derived",
        "–".join(map(str, sorted({row["proved"] for row in group}))),
        f"{sum(row['same_span'] for row in group)} of {len(group)}",
        str(sum(row["false_exact"] for row in group)),
        str(sum(row["wrong_proofs"] for row in group)),
        f"{min(other):.1e}" if other else "none",
        f"{statistics.median(row['seconds']['discovery'] for row in group):.1f}",
        f"{statistics.median(walls):.1f} ({min(walls):.1f}–{max(walls):.1f})",
    ]


if __name__ == "__main__":
    main()
