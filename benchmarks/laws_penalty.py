"""What networks gain from conservation laws, by a penalty on their drift or by projection, and what that costs.

    python benchmarks/laws_penalty.py [--studies kdv ckdv …] [--minutes 30] [--work DIR] [--out FILE]

Each study is one run of `lieapp augment`, kept in --work and gone on with where an interrupted call, or one out of
minutes, left it. Results go to a JSON file as they come, and the tables are written from that.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from augment import RESULTS, finished, ratio, table_line, with_spread
from machine import heading

REDUCED = ("width=24", "modes=24", "layers=3", "batch=8", "passes=32", "test=16")
"""Settings other than the defaults: 2560 steps."""

WEIGHTS = ("0", "0.1", "1", "10")
"""Of the penalty, compared on other trajectories than those of the tables."""

TRIED = {f"kdv-{weight}": ("kdv", ("--seed", "10", "--seeds", "0,1"), weight) for weight in WEIGHTS}
STUDIES = {**{name: (name, (), "") for name in ("kdv", "ckdv", "mkdv")}, **TRIED}
"""Plugin, options and weight (empty for the default) of each run."""

PLUGINS = Path(__file__).parents[1] / "tests" / "plugins"

INTRODUCTION = (
    "Fourier neural operators trained as usual (*none*), with a penalty on the drift of proved conservation laws "
    "(*penalty*), and as usual with predictions projected to the totals given (*projection*), on the same 32 "
    "trajectories, with the same seeds of networks and batches. NMSE is the normalised mean square error of test "
    "trajectories, mean and standard deviation over seeds; of kdv and mkdv that of a rollout, summed over its "
    "frames. The drift of a law is the largest change of its total along a prediction, relative to the integral of "
    "the density's absolute value: the median over test trajectories, the mean over seeds. Seconds are those of "
    "one training, on a shared machine."
)


def main() -> None:
    """Do what is left, then write the tables."""
    parser = argparse.ArgumentParser(description="What networks gain from conservation laws.")
    parser.add_argument("--studies", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--minutes", type=float, default=30.0, help="stop, to be gone on with, after so many")
    parser.add_argument("--work", type=Path, default=Path("laws-penalty-work"), help="folder of runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "laws_penalty.md")
    arguments = parser.parse_args()
    ends = time.monotonic() + 60 * arguments.minutes
    data = arguments.out.with_suffix(".json")
    found: dict[str, Any] = json.loads(data.read_text()) if data.exists() else {}
    for key in arguments.studies:
        if key not in found and (summary := studied(key, arguments.work, ends)) is not None:
            keys = ("plugin", "task", "predicted", "seeds", "laws", "variants")
            rows = [{k: v for k, v in row.items() if k != "frames"} for row in summary["variants"]]
            found[key] = {**{k: summary[k] for k in keys}, "variants": rows}
            data.write_text(json.dumps(found, indent=1) + "\n")
    parts = [heading("Operators that keep conservation laws"), INTRODUCTION]
    for key in ("kdv", "ckdv", "mkdv"):
        if key in found:
            parts += [f"## {key}", "\n".join(lines(found[key]))]
    if any(key in found for key in TRIED):
        parts += ["## Weights of the penalty, on other trajectories of kdv", "\n".join(weights(found))]
    arguments.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"{len(found)} of {len(STUDIES)} studies are done: {arguments.out}")


def studied(key: str, work: Path, ends: float) -> dict[str, Any] | None:
    """The summary of a study's run; None if there was no time."""
    plugin, options, weight = STUDIES[key]
    ways = "penalty" if weight else "none,penalty,projection"
    more = [part for text in (*REDUCED, *([f"penalty={weight}"] if weight else [])) for part in ("--set", text)]
    words = ("augment", "--plugin", plugin, "--plugins", str(PLUGINS), "--with", ways, *options, *more)
    return finished(work / f"penalty-{key}", words, ends)


def lines(study: dict[str, Any]) -> Iterator[str]:
    """The table of one equation."""
    yield table_line(["way", "NMSE", "by seed", "none / this", "one window, per frame", "drift", "seconds"])
    yield table_line(["---"] * 7)
    base = study["variants"][0]["mean"]
    for row in study["variants"]:
        by_seed = ", ".join(f"{value:.3g}" for value in row["values"])
        cells = [row["label"], with_spread(row, False), by_seed, ratio(base, row["mean"]), f"{row['one_step']:.3g}"]
        yield table_line([*cells, drifts(row["drift"]), f"{row['seconds']:.0f}"])
    yield ""
    names = ", ".join(f"`{name}`" for name in study["laws"])
    yield f"Densities: {names}. Drift of the solutions themselves, in single precision: {drifts(study['laws'])}."


def weights(found: dict[str, Any]) -> Iterator[str]:
    """The table of weights; the error on validation data may choose one."""
    yield table_line(["weight", "validation NMSE", "test NMSE", "drift", "seconds"])
    yield table_line(["---"] * 5)
    for key, (_, _, weight) in TRIED.items():
        for row in found[key]["variants"] if key in found else []:
            cells = [weight, f"{row['valid']:.3g}", with_spread(row, False), drifts(row["drift"])]
            yield table_line([*cells, f"{row['seconds']:.0f}"])


def drifts(laws: dict[str, float]) -> str:
    """Of each law, in their order."""
    return ", ".join(f"{value:.2g}" for value in laws.values())


if __name__ == "__main__":
    main()
