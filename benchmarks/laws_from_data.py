"""Conservation laws found and proved from trajectories, seed by seed, on open axes, and on random equations.

    python benchmarks/laws_from_data.py [--only NAME] [--seeds 0 1 2 3 4] [--random 50]

Rows are kept in results/laws_from_data.json and replaced one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from from_data import FOLDERS, Benchmark, Row, Run, largest
from random_equations import equation, text

import lieapp
from lieapp.document import number
from lieapp.results.conserved import LawsFromData
from lieapp.results.from_data import FromData

NAMES = ("kdv", "nls", "ks", "mkdv", "gardner", "kawahara", "burgers", "nkdv", "schroedinger", "heat")

OPEN = ("kdv", "ks", "burgers", "nls", "ckdv", "kawahara")
"""On the first half of the axis, which is open."""

HEAD = ("equation", "seed", "proved", "undecided", "nearly constant", "the same on all data", "largest drift",
        "next η", "derived", "angle", "seconds")  # fmt: skip

NOTE = (
    "16 simulated trajectories each and 4 held-out ones, default settings. `proved`: laws proved; `derived`: laws "
    "in the class by the exact condition, those that are the same on all data included; `largest drift`: of the "
    "proved ones, along held-out trajectories; `next η`: of the first combination above them; `angle`: between the "
    "span found and the derived one, in radians. Of `half of` an equation, the first half of the axis "
    "of its trajectories is given as data, whose ends are open. Random equations: "
    "`benchmarks/random_equations.py`; some can't be simulated. Seconds: one thread, without the "
    "start of Python; rows are replaced one by one, those of whole axes were timed on another machine."
)


def measured(found: FromData) -> Row:
    """Of one run."""
    assert isinstance(found, LawsFromData)
    verdicts = [law.verdict for law in found.laws]
    return {
        "laws": [law.density for law in found.laws if law.proved], "undecided": verdicts.count("undecided"),
        "approximate": verdicts.count("approximate"), "same": [row.density for row in found.same],
        "drift": largest([law.drift for law in found.laws if law.proved]),
    }  # fmt: skip


def line(row: Row) -> list[str]:
    """The cells of a row."""
    counts = [str(row[key]) for key in ("undecided", "approximate")]
    return [str(len(row["laws"])), *counts, ", ".join(row["same"]), number(row["drift"])]


def half(name: str, seed: int) -> Run:
    """The first half of the axis of simulated trajectories."""
    import xarray as xr

    folders = [folder for folder in FOLDERS if Path(folder).is_dir()]
    data = lieapp.simulate(name, 20, seed, plugins=folders)
    (axis,) = data.grid.axes
    values = data.values[..., : axis.points // 2].numpy()
    variables = {u: (("sample", "t", axis.name), values[:, :, k]) for k, u in enumerate(data.unknowns)}
    coordinates = {"t": data.time.numpy(), axis.name: axis.coordinates()[: axis.points // 2].numpy()}
    settings = {"data": xr.Dataset(variables, coordinates), "sought": "laws", "seed": seed}
    return Run((f"half of {name}", str(seed)), name, settings)


def runs(only: str, seeds: Sequence[int], count: int) -> list[Run]:
    """Plugins on periodic and open axes, and random equations."""
    found = [
        Run((name, str(seed)), name, {"sought": "laws", "seed": seed})
        for name in NAMES if only in ("", name)
        for seed in (seeds if name in ("kdv", "nls", "ks") else seeds[:1])
    ]  # fmt: skip
    found += [
        half(name, seed) for name in OPEN if only in ("", f"half of {name}")
        for seed in (seeds[:3] if name in ("kdv", "ks", "burgers") else seeds[:1])
    ]  # fmt: skip
    drawn = [equation(n) for n in range(count)]
    return found + [Run((f"`{text(e).replace('; ', ', ')}`", "0"), e, {"sought": "laws", "seed": 0}) for e in drawn]


LAWS = Benchmark(
    "laws_from_data", "Conservation laws from trajectories", NOTE, HEAD, measured, line,
    ("Laws", lambda row: [", ".join(row["laws"])] if row["laws"] else []),
)  # fmt: skip

if __name__ == "__main__":
    LAWS.main(runs)
