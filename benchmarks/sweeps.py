"""What a sweep gains and costs: twenty short cells on one process and on two, beside the same runs by hand.

    python benchmarks/sweeps.py [--file FILE.toml] [--by-hand 20]

A sweep is timed in three parts by the times in the status of its runs: until the first cell begins, until the last
one has ended, and until the command returns. Overhead is the time between two cells of one process. Cells are
compared with what `lieapp discover` gives by hand at the same number of threads: every key of summary.json but the
run's name and its seconds. Writes sweeps.md and sweeps.json. Measure on an idle machine: the load is noted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from machine import heading

from lieapp.results.base import result_of
from lieapp.results.sweep import Cell, Sweep
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import Status
from lieapp.sweeps.place import Local
from lieapp.sweeps.spec import SweepConfig, read_sweep

HERE = Path(__file__).parent
PROCESSES = (1, 2)
OWN = ("run", "seconds")
"""Keys of summary.json in which two runs of the same settings differ."""

HEAD = ("processes", "until the first cell / s", "cells / s", "speed-up", "after the last cell / s",
        "overhead of a cell / ms, median (largest)", "by hand, one after another / s",
        "summaries as by hand, to the last bit")  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A sweep on so many processes; seconds, but for the overheads in milliseconds.

    Args:
        by_hand: of the runs that were made by hand too, in all; None if none was.
        compared: how many of them there are; `same`: those with the same summary.
    """

    processes: int
    before: float
    cells: float
    after: float
    overheads: list[float]
    by_hand: float | None
    compared: int
    same: int


def main() -> None:
    """Measure, print and write the table."""
    arguments = parse()
    load = os.getloadavg()
    sweep = read_sweep(arguments.file)
    found = []
    for processes in PROCESSES:
        found.append(measured(arguments.file, sweep, processes, arguments.by_hand))
        print(found[-1], flush=True)
    note = (
        f"Sweep: `benchmarks/sweeps/{arguments.file.name}`, {sweep.size} cells. Load of the machine when it began "
        f"and when it ended, over one minute: {load[0]:.1f} and {os.getloadavg()[0]:.1f}. Linear algebra has "
        "cores / processes threads, by hand too. {hand}"
    )
    hand = f"By hand: the first {found[0].compared} cells." if found[0].compared else "No cell was made by hand."
    rows = "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, ("---",) * len(HEAD), *lines(found)])
    text = f"{heading('Sweeps on one machine')}\n{note.format(hand=hand)}\n\n{rows}\n"
    (arguments.out / "sweeps.md").write_text(text, encoding="utf-8")
    (arguments.out / "sweeps.json").write_text(json.dumps([*map(asdict, found)], indent=1) + "\n", encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure a sweep on one process and on two.")
    parser.add_argument("--file", type=Path, default=HERE / "sweeps" / "short.toml")
    parser.add_argument("--by-hand", type=int, default=20, metavar="N", help="cells to compare with runs by hand")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    return parser.parse_args()


def measured(file: Path, sweep: SweepConfig, processes: int, count: int) -> Measured:
    """The sweep once, and its first cells by hand."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        began = time.time()
        threads = Local(processes).threads
        folder = made(["sweep", str(file.resolve()), "--on", f"local:{processes}"], out, threads)
        ended = time.time()
        result = result_of(folder, Sweep)
        assert result is not None and all(cell.state == "done" for cell in result.cells), folder
        statuses = [RunDirectory(run_of(cell)).status() for cell in result.cells]
        first, last = min(s.created for s in statuses), max(s.finished or 0.0 for s in statuses)
        pairs = [by_hand(sweep, cell, out / f"by-hand-{k}", threads) for k, cell in enumerate(result.cells[:count])]
        took = round(sum(seconds for seconds, _ in pairs), 2) if pairs else None
        return Measured(
            processes, round(first - began, 2), round(last - first, 2), round(ended - last, 2),
            [round(1000 * gap, 1) for gap in overheads(statuses)], took, len(pairs), sum(same for _, same in pairs),
        )  # fmt: skip


def made(words: Sequence[str], out: Path, threads: int) -> Path:
    """The folder of the run that a command made."""
    command = [sys.executable, "-m", "lieapp", *words, "--out", str(out), "--json", "--quiet"]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return Path(json.loads(done.stdout)["run"])


def run_of(cell: Cell) -> Path:
    """The folder of a cell that is done."""
    assert cell.run is not None
    return Path(cell.run)


def overheads(statuses: Sequence[Status]) -> Iterator[float]:
    """Seconds between the end of a cell and the beginning of the next one of the same process."""
    for process in {status.pid for status in statuses}:
        own = sorted((s.created, s.finished or s.created) for s in statuses if s.pid == process)
        yield from (after[0] - before[1] for before, after in pairwise(own))


def by_hand(sweep: SweepConfig, cell: Cell, out: Path, threads: int) -> tuple[float, bool]:
    """Seconds of the same run by hand, and whether its summary is the same."""
    settings = sweep.settings(cell.key)
    words = [sweep.command, "--plugin", str(settings.pop("plugin"))]
    for key, value in settings.items():
        words += ["--set", f"{key}={json.dumps(value)}"]
    began = time.perf_counter()
    folder = made(words, out, threads)
    return time.perf_counter() - began, told(folder) == told(run_of(cell))


def told(folder: Path) -> dict[str, Any]:
    """What a run's summary says of its result."""
    document: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {key: value for key, value in document.items() if key not in OWN}


def lines(found: Sequence[Measured]) -> Iterator[tuple[str, ...]]:
    """A line for each number of processes."""
    for one in found:
        gaps = f"{statistics.median(one.overheads):.0f} ({max(one.overheads):.0f})" if one.overheads else "none"
        yield (
            str(one.processes), f"{one.before:.1f}", f"{one.cells:.1f}", f"{found[0].cells / one.cells:.2f}",
            f"{one.after:.1f}", gaps, "not measured" if one.by_hand is None else f"{one.by_hand:.1f}",
            f"{one.same} of {one.compared}",
        )  # fmt: skip


if __name__ == "__main__":
    main()
