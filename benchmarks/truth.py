"""How fast symmetries are derived and certified: seconds on one core, peak memory and count, equation by equation.

    python benchmarks/truth.py [--suite FILE] [--only id,id] [--repeats 3] [--budget SECONDS] [--out FILE]
    python benchmarks/truth.py --suite tests/lie/corpus.json --repeats 1 --budget 60 \\
        --out benchmarks/results/corpus.md

Each equation is derived in fresh processes of one thread, as often as asked. Seconds are those the derivation
says of itself (`seconds` of `lieapp truth --json`), without the start of the process; those of the certificate are
apart, and memory is the process's largest. A suite is a JSON list of objects with `id`, `equations`, `independent`,
`dependent`, `parameters`, `dimension`, `infinite` and perhaps `functions` and `periodic_x`; a null stands for what
isn't published. That of the tests is the default, their corpus of many kinds a second one. The tables go to
benchmarks/results/truth.md, or as told, all figures to a .json beside it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from machine import heading
from suites import alone, chosen, load, memory, system_of, written

HERE = Path(__file__).parent
SUITE = HERE.parent / "tests" / "lie" / "public_suite.json"
RESULTS = HERE / "results" / "truth.md"
HEAD = ("equation", "seconds", "spread", "certificate / s", "memory / MB", "dimension", "families", "certified")


def main() -> None:
    """Measure each equation, print and write the tables."""
    arguments = parse()
    found = []
    for entry in chosen(arguments.suite, arguments.only):
        found.append(summary(entry, [alone(entry, arguments.budget, measure) for _ in range(arguments.repeats)]))
        print(" | ".join(row(found[-1])), flush=True)
    figures = totals(found)
    head = heading("Deriving and certifying point symmetries")
    reasons = [(entry["id"], str(entry["dimension"]), entry["reason"]) for entry in found if entry.get("reason")]
    written(
        arguments.out, head, note(arguments), lines(figures), [HEAD, *map(row, found)],
        [("equation", "found", "reason"), *reasons],
        {"repeats": arguments.repeats, "totals": figures, "equations": found},
    )  # fmt: skip


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure how fast symmetries are derived and certified.")
    parser.add_argument("--suite", type=Path, default=SUITE, help="JSON list of equations")
    parser.add_argument("--only", help="ids of equations, with commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, help="seconds a derivation may take, as that of lieapp truth")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure(entry: dict[str, Any], budget: float | None, pipe: Any) -> None:
    """Derive one equation and send what was measured."""
    from lieapp.errors import LieappError
    from lieapp.lie import stages as truth

    spent = [0.0]
    certify = truth.certify

    def timed(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        try:
            return certify(*args, **kwargs)
        finally:
            spent[0] += time.perf_counter() - began

    truth.certify = timed  # type: ignore[assignment]
    try:
        system = system_of(entry)
        periodic = [x for x in system.jets.independent if entry.get("periodic_x") and str(x) == "x"]
        found = truth.derive(system, periodic, budget=budget).as_json()
    except LieappError as error:
        pipe.send({"error": error.message})
        return
    pipe.send(
        {
            "seconds": found["seconds"],
            "certificate": spent[0],
            "memory": memory(),
            "dimension": found["dimension"],
            "infinite": found["infinite"],
            "families": len(found["families"]),
            "certified": found["certified"],
            "reason": found["certificate"]["reason"],
        }
    )


def summary(entry: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over the repeats; the first error if one failed. What isn't certified is neither right nor wrong."""
    published = {key: entry[key] for key in ("dimension", "infinite") if entry[key] is not None}
    counted = "dimension" in published
    failed = next((run["error"] for run in runs if "error" in run), None)
    if failed is not None:
        return {"id": entry["id"], "error": failed, "published": counted, "right": False}
    seconds = [run["seconds"] for run in runs]
    certified = all(run["certified"] for run in runs)
    return {
        "id": entry["id"],
        "seconds": statistics.median(seconds),
        "all_seconds": seconds,
        "certificate": round(statistics.median(run["certificate"] for run in runs), 3),
        "memory": round(max(run["memory"] for run in runs)),
        "dimension": runs[0]["dimension"],
        "families": runs[0]["families"],
        "certified": certified,
        "reason": next((run["reason"] for run in runs if not run["certified"]), ""),
        "published": counted,
        "right": all(run[key] == value for run in runs for key, value in published.items()) if certified else None,
    }


def totals(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures of the whole suite."""
    answered = [entry for entry in found if "error" not in entry]
    counts = {
        "equations": len(found),
        "answered": len(answered),
        "certified": sum(entry["certified"] for entry in answered),
        "with_reason": sum(bool(entry["reason"]) for entry in answered if not entry["certified"]),
        "compared": sum(entry["published"] and entry["certified"] for entry in answered),
        "right": sum(entry["published"] and bool(entry["right"]) for entry in found),
    }
    if not answered:
        return counts
    whole = [entry["seconds"] for entry in answered]
    without = [entry["seconds"] - entry["certificate"] for entry in answered]
    spread = [max(entry["all_seconds"]) / max(min(entry["all_seconds"]), 1e-3) for entry in answered]
    return counts | {
        "median_seconds": round(statistics.median(whole), 3),
        "max_seconds": max(whole),
        "median_seconds_without_certificate": round(statistics.median(without), 3),
        "max_seconds_without_certificate": round(max(without), 3),
        "median_spread": round(statistics.median(spread), 2),
        "max_memory": max(entry["memory"] for entry in answered),
    }


def row(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the table."""
    if "error" in found:
        return (found["id"], *(("",) * 6), found["error"])
    slowest, fastest = max(found["all_seconds"]), min(found["all_seconds"])
    return (
        found["id"],
        f"{found['seconds']:.2f}",
        f"{fastest:.2f} to {slowest:.2f}",
        f"{found['certificate']:.2f}",
        str(found["memory"]),
        str(found["dimension"]) + (" (not the published)" if found["right"] is False else ""),
        str(found["families"]),
        "yes" if found["certified"] else "no",
    )


def lines(figures: dict[str, Any]) -> str:
    """The figures in words."""
    text = (
        f"Of {figures['equations']} equations {figures['answered']} were answered: {figures['certified']} are "
        f"certified, {figures['with_reason']} have a reason why they aren't. Of the certified ones "
        f"{figures['compared']} have a published dimension, and {figures['right']} agree, families included."
    )
    if "median_seconds" in figures:
        text += (
            f" Seconds: median {figures['median_seconds']:.2f}, largest {figures['max_seconds']:.2f}; without the "
            f"certificate {figures['median_seconds_without_certificate']:.2f} and "
            f"{figures['max_seconds_without_certificate']:.2f}. Peak memory: {figures['max_memory']} MB. Slowest "
            f"over fastest repeat, median: {figures['median_spread']:.2f}."
        )
    return text


def note(arguments: argparse.Namespace) -> str:
    """What the table means."""
    name = arguments.suite.name
    limit = f", each with a budget of {arguments.budget:g} s," if arguments.budget else ""
    return (
        f"Suite {name}, {arguments.repeats} repeats of each equation{limit} in fresh processes of one thread. "
        "Seconds are medians, from the equation read to the answer with its certificate and periodic restriction, "
        "the start of the process excluded. Memory is the process's largest. Seconds are those of the clock, "
        f"longer beside other work; the load over the last quarter of an hour: {load()}.\n"
    )


if __name__ == "__main__":
    main()
