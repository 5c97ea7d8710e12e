"""What is still found in noisy and in coarse data.

    python benchmarks/noise.py [--seeds 0 1 2] [--plugins …] [--methods spectrum neural]

`lieapp discover` on the five equations with 0, 1 and 5 % of white noise added, on all data and on half the points
and a quarter of the time samples. Nothing is told to the program: it estimates the noise itself. Each run is a
process of its own; rows are added to benchmarks/results/noise.json, from which noise.md is made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from discover import FIVE, RESULTS, commit
from machine import heading

CASES = ((0.0, 1, 1), (0.01, 1, 1), (0.05, 1, 1), (0.0, 2, 4), (0.01, 2, 4), (0.05, 2, 4))
"""Noise as a share of the standard deviation, every so many points, every so many times."""

HEAD = ("equation", "method", "noise", "points", "times", "seeds", "exact found", "derived", "proved",
        "false exact", "worst cosine (min)", "angle / rad (max)", "whole process / s (max)")  # fmt: skip


def main() -> None:
    """Run, print and write the tables."""
    parser = argparse.ArgumentParser(description="Discovery in noisy and coarse data.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--methods", nargs="+", default=["spectrum"])
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "noise.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = {key_of(row): row for row in known}
    for method in arguments.methods:
        for name in arguments.plugins:
            for case in CASES:
                for seed in arguments.seeds:
                    row = run(name, method, case, seed)
                    rows[key_of(row)] = row
                    print(json.dumps(row), flush=True)
                    file.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    text = f"{heading('Noisy and coarse data')}\n{table(list(rows.values()))}\n"
    (arguments.out / "noise.md").write_text(text, encoding="utf-8")
    print(text)


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What a row is about."""
    return (row["equation"], row["method"], row["noise"], row["points"], row["times"], row["seed"])


def run(name: str, method: str, case: tuple[float, int, int], seed: int) -> dict[str, Any]:
    """One process; what its JSON says."""
    noise, points, times = case
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lieapp", "discover", "--plugin", name, "--method", method]
        command += ["--seed", str(seed), "--out", folder, "--json", "--quiet"]
        settings = {"noise": noise, "every_point": points, "every_time": times, "finite_samples": 0}
        settings |= {"cross_check": "false"} if method == "spectrum" else {}
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        began = time.perf_counter()
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        wall = time.perf_counter() - began
    summary = json.loads(found.stdout)
    check = summary["formulas_check"]
    return {
        "equation": name, "method": method, "noise": noise, "points": points, "times": times, "seed": seed,
        "commit": commit(), "count": summary["count"], "derived": len(summary["truth"]), "proved": check["proved"],
        "formulas": [row["field"] for row in summary["formulas"] if row["proved"]],
        "same_span": check["same_span"], "angle": summary["subspace"]["angle"],
        "cosines": [row["cosine"] for row in summary["truth"]], "wall": round(wall, 1),
    }  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each equation, method and case."""
    lines = [HEAD, ("---",) * len(HEAD)]
    for key in dict.fromkeys(key_of(row)[:-1] for row in rows):
        group = [row for row in rows if key_of(row)[:-1] == key]
        name, method, noise, points, times = key
        angles = [row["angle"] for row in group if row["angle"] is not None]
        lines.append((
            name, method, f"{100 * noise:g} %", f"1/{points}", f"1/{times}",
            " ".join(str(row["seed"]) for row in group),
            "–".join(map(str, sorted({row["count"] for row in group}))),
            str(group[0]["derived"]),
            "–".join(map(str, sorted({row["proved"] for row in group}))),
            str(sum(max(row["count"] - row["derived"], 0) for row in group)),
            f"{int(min(min(row['cosines'], default=0.0) for row in group) * 1e7) / 1e7:.7f}",
            f"{max(angles):.1e}" if angles else "none",
            f"{max(row['wall'] for row in group):.0f}",
        ))  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
