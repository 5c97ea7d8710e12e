"""The main job on the equations of tests/plugins, beyond the five: several seeds, both methods.

    lieapp sweep benchmarks/sweeps/harder-neural.toml
    lieapp sweep benchmarks/sweeps/harder-spectrum.toml
    python benchmarks/harder.py [RUN …]

Each row is a cell of a sweep at default settings; the spectrum runs are not checked by the other method
(cross_check=false). RUN is the folder of a sweep, whose cells are taken over. The number of derived generators is
that on the periodic domain, modulo families. "False exact": exact slots beyond the derived dimension, where no
family may have members among them; "wrong proofs": proved formulas beyond it. Rows are added to
benchmarks/results/harder.json, from which harder.md is made.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from cells import finished
from discover import commit
from machine import heading

RESULTS = Path(__file__).parent / "results"
HEAD = ("equation", "method", "seeds", "exact found", "derived", "families", "worst cosine (min)",
        "formulas proved", "same span as derived", "false exact", "wrong proofs", "next η (min)", "discovery / s",
        "whole run / s (min–max)")  # fmt: skip
NOTE = """Rows of earlier calls are kept and replaced one by one; `harder.json` says at which commit each was
taken over. Where there is a family the exact ones beyond the derived are members of it."""


def main() -> None:
    """Take over sweeps, print and write the tables."""
    arguments = parse()
    file = arguments.out / "harder.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    known += [of_run(folder) for sweep in arguments.sweeps for folder in finished(sweep)]
    rows = [*{(row["equation"], row["method"], row["seed"]): row for row in known}.values()]
    file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    head = heading("Discovery on harder equations", [])
    text = f"{head}\n{NOTE} {arguments.note}\n\n{table(rows)}\n"
    (arguments.out / "harder.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Tables of sweeps over harder equations.")
    parser.add_argument("sweeps", type=Path, nargs="*", metavar="RUN")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    return parser.parse_args()


def of_run(folder: Path) -> dict[str, Any]:
    """What a run's JSON says."""
    summary, config = (json.loads((folder / f"{name}.json").read_text()) for name in ("summary", "config"))
    proved = sum(form["proved"] for form in summary["formulas"])
    return {
        "equation": summary["plugin"], "method": config["method"], "seed": config["seed"], "commit": commit(),
        "count": summary["count"], "derived": len(summary["truth"]), "families": len(summary["families"]),
        "cosines": [row["cosine"] for row in summary["truth"]], "proved": proved, "formulas": summary["formulas"],
        "same_span": summary["formulas_check"]["same_span"],
        "false_exact": 0 if summary["families"] else max(summary["count"] - len(summary["truth"]), 0),
        "wrong_proofs": max(proved - len(summary["truth"]), 0),
        "eta": [[row["verdict"], row["eta"]] for row in summary["generators"]],
        "cross_check": summary["cross_check"], "warnings": summary["warnings"], "seconds": summary["seconds"],
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
    totals = [row["seconds"]["total"] for row in group]
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
        f"{statistics.median(totals):.1f} ({min(totals):.1f}–{max(totals):.1f})",
    ]


if __name__ == "__main__":
    main()
