"""One training by one process and by two of torchrun: the losses of each step, milliseconds of a step, files.

    python benchmarks/torchrun.py [--only PART_OF_A_NAME …]

Each run is what a user types, in processes of its own with one thread each: `python -m lieapp …`, and
`python -m torch.distributed.run --standalone --nproc-per-node 2 -m lieapp …` (torchrun) on CPUs, by gloo. Seed and
batch are the same. How much round-off alone changes losses is seen in a third run: one process with two threads,
which adds up the same numbers in another order. Losses and seconds are those of metrics.jsonl. The milliseconds of
a step are the mean of the middle half of the times between two rows: judgement between steps is no part of it.
Files are all those of the folder of runs; the names of runs, which hold the time, are left out. Writes torchrun.md
and torchrun.json after each training. Measure on an idle machine: the load is noted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from machine import heading

from lieapp.runs.store.directory import RunDirectory

HERE = Path(__file__).parent
TOGETHER = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
DISCOVER = ("discover", "--plugin", "kdv", "--set", "samples=8", "--set", "held_out=2", "--set", "slices=40",
            "--set", "held_out_slices=20", "--set", "slots=4", "--set", "cross_check=false",
            "--set", "finite.samples=0")  # fmt: skip
AUGMENT = ("augment", "--plugin", "kdv", "--with", "none", "--seeds", "0", "--samples", "16",
           "--set", "validation=2", "--set", "test=2", "--set", "epochs=2", "--set", "passes=15")  # fmt: skip
CASES: dict[str, tuple[str, ...]] = {
    "projection, batch 24": (*DISCOVER, "--method", "projection", "--set", "projection.steps=60"),
    "projection, batch 192": (
        *DISCOVER, "--method", "projection", "--set", "projection.steps=60", "--set", "projection.batch=192",
    ),
    "flow, batch 4": (
        *DISCOVER, "--method", "flow", "--set", "flow.batch=4", "--set", "flow.epochs=4",
        "--set", "flow.patch_time=24", "--set", "flow.patch_space=32",
    ),
    "network of augment, batch 16": (*AUGMENT, "--set", "batch=16"),
}  # fmt: skip
"""What is typed for each training, beside `lieapp`."""

HEAD = ("training", "steps", "1 process / ms per step", "2 processes / ms per step", "gain",
        "largest relative difference of a step's loss", "by two threads", "files, the same names")  # fmt: skip


@dataclass(frozen=True)
class Run:
    """A training by so many processes, of so many threads each.

    Args:
        load: of the machine before it, over one minute.
        wall: seconds of the whole command.
        losses, seconds: of each step; seconds since the training began.
        files: what the folder of runs holds.
    """

    training: str
    processes: int
    threads: int
    load: float
    wall: float
    losses: list[float]
    seconds: list[float]
    files: list[str]

    @property
    def step(self) -> float:
        """Milliseconds of a step."""
        took = sorted(after - before for before, after in pairwise(self.seconds))
        quarter = len(took) // 4
        middle = took[quarter : len(took) - quarter]
        return 1000 * sum(middle) / len(middle)


Trio = tuple[Run, Run, Run]
"""By one process, by two, and by one with two threads."""


def main() -> None:
    """Measure, print and write the table."""
    arguments = parse()
    found = []
    for training, words in CASES.items():
        if not arguments.only or any(part in training for part in arguments.only):
            found.append((made(training, words, 1), made(training, words, 2), made(training, words, 1, 2)))
            print(*next(lines(found[-1:])), sep=" | ", flush=True)
            write(found, arguments.out)


def write(found: Sequence[Trio], out: Path) -> None:
    """The table and what it is made of."""
    runs = [run for trio in found for run in trio]
    note = (
        "Two processes, one thread each, on the CPUs of one machine. Load of the machine before each run, over one "
        f"minute: {min(run.load for run in runs):.1f} to {max(run.load for run in runs):.1f}. Times count only if "
        "nothing else runs: the two processes wait for each other at every step."
    )
    rows = "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, ("---",) * len(HEAD), *lines(found)])
    text = f"{heading('One training on several processes')}\n{note}\n\n{rows}\n"
    (out / "torchrun.md").write_text(text, encoding="utf-8")
    (out / "torchrun.json").write_text(json.dumps([*map(asdict, runs)]) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure trainings on one process and on two.")
    parser.add_argument("--only", nargs="+", metavar="PART", help=f"parts of names: {'; '.join(CASES)}")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    return parser.parse_args()


def made(training: str, words: Sequence[str], processes: int, threads: int = 1) -> Run:
    """The training by so many processes, and what is written."""
    start = TOGETHER if processes > 1 else ()
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, *start, "-m", "lieapp", *words, "--seed", "0", "--device", "cpu", "--out", name]
        command += ["--set", f"threads={threads}", "--json", "--quiet"]
        load, began = os.getloadavg()[0], time.perf_counter()
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        wall = time.perf_counter() - began
        if done.returncode:
            raise SystemExit(f"{training}, {processes} processes: {done.stdout}{done.stderr}")
        [run] = RunDirectory.list(Path(name))  # all processes write one
        rows = run.metrics()
        files = sorted(str(file.relative_to(run.path)) for file in Path(name).rglob("*") if file.is_file())
    return Run(
        training, processes, threads, load, round(wall, 2), [row["loss"] for row in rows],
        [row["seconds"] for row in rows], files,
    )  # fmt: skip


def lines(found: Sequence[Trio]) -> Iterator[tuple[str, ...]]:
    """A line for each training."""
    for one, two, threads in found:
        strange = sorted(set(one.files) ^ set(two.files))
        yield (
            one.training, str(len(one.losses)), f"{one.step:.1f}", f"{two.step:.1f}", f"{one.step / two.step:.2f}",
            f"{apart(one, two):.1e}", f"{apart(one, threads):.1e}",
            f"{len(one.files)}, but for {', '.join(strange)}" if strange else f"{len(one.files)}, yes",
        )  # fmt: skip


def apart(one: Run, other: Run) -> float:
    """The largest relative difference of a step's loss."""
    return max(abs(a - b) / abs(a) for a, b in zip(one.losses, other.losses, strict=True))


if __name__ == "__main__":
    main()
