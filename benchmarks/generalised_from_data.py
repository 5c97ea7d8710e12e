"""Generalised symmetries found and proved from data, seed by seed, and on random equations.

    python benchmarks/generalised_from_data.py [--only NAME] [--seeds 0 1 2 3 4] [--random 50]

Rows are kept in results/generalised_from_data.json and replaced one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
from from_data import Benchmark, Row, Run, largest
from random_equations import equation, text

from lieapp.document import number
from lieapp.results.characteristics import GeneralisedFromData
from lieapp.results.from_data import FromData

CASES = (("kdv", 5), ("kdv", 7), ("mkdv", 5), ("gardner", 5), ("nls", 3), ("burgers", 4), ("nkdv", 5), ("ks", 5),
         ("kawahara", 5), ("heat", 3))  # fmt: skip
"""Plugins and orders; the first two with every seed."""

LEARNED = (("kdv", 5), ("mkdv", 5), ("burgers", 3), ("ks", 4))
"""The same with `generalised.basis=network`."""

HEAD = ("equation", "order", "seed", "proved", "beyond point symmetries", "undecided", "only small", "largest η",
        "next η", "derived", "angle", "seconds")  # fmt: skip

NOTE = (
    "16 simulated trajectories each and 4 held-out ones, default settings. `proved`: symmetries proved, point ones "
    "included; `derived`: symmetries in the class by the exact condition; `largest η`: of the proved ones, on "
    "held-out data; `next η`: of the first combination above them; `angle`: between the span found and the derived "
    "one, in radians. Random equations: `benchmarks/random_equations.py`, order 5; some can't be simulated. "
    "*network*: with `generalised.basis=network`; next η is then that of the first direction of its features above "
    "the proved ones. Seconds: one thread, without the start of Python; rows are replaced one by one, those of "
    "monomials were timed on another machine."
)


def measured(found: FromData) -> Row:
    """Of one run."""
    assert isinstance(found, GeneralisedFromData)
    verdicts = [row.verdict for row in found.generalised]
    proved = [row for row in found.generalised if row.proved]
    return {
        "proved": len(proved), "undecided": verdicts.count("undecided"),
        "approximate": verdicts.count("approximate"),
        "beyond": [", ".join(row.characteristic.values()) for row in proved if row.kind != "point"],
        "eta": largest([row.eta for row in proved]),
    }  # fmt: skip


def line(row: Row) -> list[str]:
    """The cells of a row."""
    counts = [str(row["proved"]), str(len(row["beyond"])), str(row["undecided"]), str(row["approximate"])]
    return [*counts, number(row["eta"])]


def case(name: str, given: Any, order: int, seed: int, basis: str = "monomials") -> Run:
    """One run."""
    settings = {"sought": "generalised", "generalised": {"order": order, "basis": basis}, "seed": seed}
    return Run((name, str(order), str(seed)), given, settings)


def runs(only: str, seeds: Sequence[int], count: int) -> list[Run]:
    """Plugins, and random equations."""
    found = [
        case(name, name, order, seed)
        for name, order in CASES if only in ("", name)
        for seed in (seeds if name == "kdv" else seeds[:1])
    ]  # fmt: skip
    found += [
        case(f"{name}, network", name, order, seed, "network")
        for name, order in LEARNED if only in ("", "network", f"{name}, network")
        for seed in (seeds if name == "kdv" else seeds[:1])
    ]  # fmt: skip
    drawn = [equation(n) for n in range(count)]
    return found + [case(f"`{text(e).replace('; ', ', ')}`", e, 5, 0) for e in drawn]


GENERALISED = Benchmark(
    "generalised_from_data", "Generalised symmetries from data", NOTE, HEAD, measured, line,
    ("Beyond point symmetries", lambda row: row["beyond"]),
)  # fmt: skip

if __name__ == "__main__":
    GENERALISED.main(runs)
