"""How fast published conservation laws and symmetries beyond point ones are derived and certified.

    python benchmarks/beyond.py [--only id,id] [--budget SECONDS] [--out FILE]

Each entry of tests/lie/beyond.json is derived in a fresh process of one thread, with its order. Seconds are from
the equation read to the answer with proofs, densities and certificate, the start of the process excluded; of
symmetries, point ones included. What is found is compared in tests/lie/test_beyond.py; here numbers are: of laws,
or of symmetries beyond point ones, and of families, where these are published. The table goes to
benchmarks/results/beyond.md, all figures to a .json beside it.
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
SUITE = HERE.parent / "tests" / "lie" / "beyond.json"
RESULTS = HERE / "results" / "beyond.md"
BUDGET = 60.0

HEAD = ("equation", "order", "seconds", "memory / MB", "found", "families", "class", "certified")


def main() -> None:
    """Measure each entry, print and write the table."""
    arguments = parse()
    found = []
    for entry in chosen(SUITE, arguments.only):
        found.append(compared(entry, alone(entry, arguments.budget, measure)))
        print(" | ".join(row(found[-1])), flush=True)
    figures = totals(found)
    head = heading("Deriving and certifying conservation laws and symmetries beyond point ones")
    reasons = [(e["id"], e["reason"]) for e in found if e.get("reason") and not e["certified"]]
    written(
        arguments.out, head, note(arguments), lines(figures), [HEAD, *map(row, found)],
        [("equation", "reason"), *reasons], {"budget": arguments.budget, "totals": figures, "equations": found},
    )  # fmt: skip


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure how fast laws and generalised symmetries are derived.")
    parser.add_argument("--only", help="ids of entries, with commas")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds a derivation may take")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure(entry: dict[str, Any], budget: float, pipe: Any) -> None:
    """Derive one entry and send what was measured."""
    from lieapp.errors import LieappError
    from lieapp.lie.beyond.laws import conservation_laws
    from lieapp.lie.deadline import Clock
    from lieapp.lie.stages import derive

    started = time.perf_counter()
    try:
        system = system_of(entry)
        if entry["kind"] == "laws":
            result = conservation_laws(system, entry["order"], Clock(budget))
            count, proved = len(result.laws), all(law.proved for law in (*result.laws, *result.families))
        else:
            hierarchy = derive(system, budget=budget, order=entry["order"]).hierarchy
            if hierarchy is None:
                pipe.send({"error": "the budget ran out before symmetries beyond point ones were sought"})
                return
            result = hierarchy
            beyond = [one for one in hierarchy.symmetries if one.kind != "point"]
            count, proved = len(beyond), all(one.proved for one in hierarchy.symmetries)
    except LieappError as error:
        pipe.send({"error": error.message})
        return
    reasons = [*result.unsolved, result.certificate.reason]
    pipe.send(
        {
            "seconds": round(time.perf_counter() - started, 3),
            "memory": round(memory()),
            "count": count,
            "families": len(result.families),
            "proved": proved,
            "class": result.sought,
            "certified": result.certified,
            "reason": "; ".join(dict.fromkeys(filter(None, reasons))),
        }
    )


def compared(entry: dict[str, Any], measured: dict[str, Any]) -> dict[str, Any]:
    """What was measured, with whether the numbers are the published ones; null where none is."""
    known = {"count": None if entry["orders"] is None else len(entry["orders"]), "families": entry["families"]}
    published = {key: value for key, value in known.items() if value is not None and entry["orders"] is not None}
    right = None
    if "error" not in measured and published:
        right = all(measured[key] == value for key, value in published.items())
    return {"id": entry["id"], "order": entry["order"], "right": right, **measured}


def totals(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures of the whole suite."""
    answered = [entry for entry in found if "error" not in entry]
    figures: dict[str, Any] = {
        "entries": len(found),
        "answered": len(answered),
        "proved": sum(entry["proved"] for entry in answered),
        "certified": sum(entry["certified"] for entry in answered),
        "with_reason": sum(bool(entry["reason"]) for entry in answered if not entry["certified"]),
        "compared": sum(entry["right"] is not None for entry in found),
        "right": sum(bool(entry["right"]) for entry in found),
    }
    if answered:
        seconds = [entry["seconds"] for entry in answered]
        figures |= {"median_seconds": round(statistics.median(seconds), 3), "max_seconds": max(seconds)}
        figures["max_memory"] = max(entry["memory"] for entry in answered)
    return figures


def row(found: dict[str, Any]) -> tuple[str, ...]:
    """A line of the table."""
    if "error" in found:
        return (found["id"], str(found["order"]), *([""] * 5), found["error"])
    return (
        found["id"],
        str(found["order"]),
        f"{found['seconds']:.2f}",
        str(found["memory"]),
        str(found["count"]) + (" (not the published)" if found["right"] is False else ""),
        str(found["families"]),
        "polynomials" if found["class"].startswith("polynomials") else "general",
        "yes" if found["certified"] else "no",
    )


def lines(figures: dict[str, Any]) -> str:
    """The figures in words."""
    text = (
        f"Of {figures['entries']} entries {figures['answered']} were answered, {figures['proved']} with a proof of "
        f"everything found: {figures['certified']} are certified, {figures['with_reason']} have a reason why they "
        f"aren't. {figures['compared']} have published numbers, and {figures['right']} agree."
    )
    if "median_seconds" in figures:
        text += (
            f" Seconds: median {figures['median_seconds']:.2f}, largest {figures['max_seconds']:.2f}. "
            f"Peak memory: {figures['max_memory']} MB."
        )
    return text


def note(arguments: argparse.Namespace) -> str:
    """What the table means."""
    return (
        f"Suite beyond.json, each entry with a budget of {arguments.budget:g} s in a fresh process of one thread. "
        "`found` counts laws, or symmetries beyond point ones, modulo families. The class is general (any function "
        "of the derivatives up to the order) unless polynomials are told. Seconds are those of the clock, longer "
        f"beside other work; the load over the last quarter of an hour: {load()}.\n"
    )


if __name__ == "__main__":
    main()
