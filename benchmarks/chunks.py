"""Many trajectories in chunks, by one process and by several: seconds, memory, the same numbers; and a cost model.

    python benchmarks/chunks.py [--sizes 2000 20000] [--workers 0 2] [--chunk 500] [--only runs|terms|model]

Each run is what a user types, `lieapp discover --method spectrum … [--on local:N]`, in a process of its own. Of
all trajectories four in five are learned from, a slice of each. Memory is that of a process without the pages of
files (RssAnon), sampled five times a second, the largest of all workers and of the first process.

Terms are measured in one process: seconds of a trajectory (simulated and measured) and of a slice (all levels of
the spectrum), seconds and bytes of merging two factors; on two workers, seconds of an empty task.
The model is a simulation of the task graph: workers take tasks in the order in which they are sent, a merge once
both of its factors are there; the scheduler handles tasks one after another. It is held against the runs, and
against Dask's own scheduler with as many threads as it is asked about workers; tasks sleep there.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import heapq
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from machine import heading, processor
from studies import RESULTS, Rows

PLUGINS = Path(__file__).parent / "plugins"
PLUGIN = "kdv-coarse"
NETWORK = 1.25e8
"""Bytes a second between machines in the model: a network of 1 Gbit/s."""

ASKED = (1_000_000, 64)
"""Trajectories and workers that the model is asked about."""

SLEEP = 0.2
"""Seconds of a task on Dask's own scheduler; those of the model are scaled alike."""


@dataclass(frozen=True)
class Terms:
    """What tasks cost, in seconds and bytes.

    Args:
        trajectory: to simulate and measure one.
        slice: to factor one at all levels.
        merge, factor: of two factors, and bytes of one.
        task: that the scheduler takes for one.
    """

    trajectory: float
    slice: float
    merge: float
    factor: int
    task: float


def main() -> None:
    """Run what isn't there yet, measure the terms, and write the tables."""
    arguments = parse()
    rows = Rows(arguments.out / "chunks.json", ("kind", "size", "workers", "chunk"))
    if arguments.only in (None, "runs"):
        for size, workers in itertools.product(arguments.sizes, arguments.workers):
            key = {"kind": "run", "size": size, "workers": workers, "chunk": arguments.chunk}
            rows.need(key, partial(run, size, workers, arguments))
    key = {"kind": "terms", "size": 0, "workers": 2, "chunk": arguments.chunk}
    if arguments.only in (None, "terms"):
        rows.need(key, lambda: asdict(terms(arguments)))
    known = next((row for row in rows.rows.values() if row["kind"] == "terms"), None)
    if known is not None and arguments.only in (None, "model"):
        found = Terms(**{name: known[name] for name in Terms.__dataclass_fields__})
        for row in [row for row in rows.rows.values() if row["kind"] == "run"]:
            row["model"] = sum(seconds(found, row["size"], row["workers"] or 1, row["chunk"], network=None))
        size, workers = ASKED
        key = {"kind": "asked", "size": size, "workers": workers, "chunk": arguments.chunk}
        rows.need(key, lambda: asked(found, size, workers, arguments.chunk))
    text = written(heading("Trajectories in chunks", []), list(rows.rows.values()))
    (arguments.out / "chunks.md").write_text(text, encoding="utf-8")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Many trajectories in chunks.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 20000])
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2], help="0: one process")
    parser.add_argument("--chunk", type=int, default=500)
    parser.add_argument("--only", choices=("runs", "terms", "model"))
    parser.add_argument("--work", type=Path, default=Path("build/chunks"), help="runs")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def settings(size: int, chunk: int) -> dict[str, object]:
    """Those of a run with so many trajectories."""
    held_out = size // 5
    return {
        "samples": size - held_out, "held_out": held_out, "slices": size - held_out, "held_out_slices": held_out,
        "chunk": chunk, "finite_samples": 0, "cross_check": "false", "threads": 1,
    }  # fmt: skip


def run(size: int, workers: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One discovery in a process of its own, by itself (0 workers) or with others."""
    arguments.work.mkdir(parents=True, exist_ok=True)
    words = ["discover", "--plugins", str(PLUGINS), "--plugin", PLUGIN, "--method", "spectrum", "--json", "--quiet"]
    given = ("=".join(map(str, pair)) for pair in settings(size, arguments.chunk).items())
    words += [word for pair in given for word in ("--set", pair)]
    words += ["--on", f"local:{workers}"] if workers else []
    load, began = os.getloadavg()[0], time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "lieapp", *words], stdout=subprocess.PIPE, cwd=arguments.work, env=environment,
        text=True,
    ) as process:  # fmt: skip
        memory = Memory(process.pid)
        said = process.communicate()[0]
        largest = memory.end()
    if process.returncode:
        raise SystemExit(said)
    summary, wall = json.loads(said), time.perf_counter() - began
    return {
        "processor": processor(), "load": load, "wall": wall, "memory": largest,
        **{key: summary[key] for key in ("seconds", "count")},
        "eta": [row["eta"] for row in summary["generators"]], "spectrum": summary["spectrum"]["eta"],
        "fields": coefficients(arguments.work / summary["run"]),
    }  # fmt: skip


def coefficients(folder: Path) -> list[float]:
    """Those of all slots."""
    from safetensors.torch import load_file

    tensors = load_file(folder / "learned.safetensors")
    return [float(z) for name in sorted(tensors) if name.endswith("coefficients") for z in tensors[name].flatten()]


class Memory:
    """The largest memory of a process and of the largest of those that it started, from now on."""

    def __init__(self, pid: int) -> None:
        self._pid, self._own, self._others, self._over = pid, 0, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def end(self) -> dict[str, int]:
        """Bytes of both."""
        self._over.set()
        self._thread.join()
        return {"first": self._own, "others": self._others}

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            self._own = max(self._own, held(self._pid))
            self._others = max(self._others, *map(held, children(self._pid)), 0)


def held(pid: int) -> int:
    """Bytes of a process, without pages of files; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")), 0)


def children(pid: int) -> Iterator[int]:
    """All processes that began with one."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, file.read_text(encoding="utf-8").split()):
                yield child
                yield from children(child)


def terms(arguments: argparse.Namespace) -> Terms:
    """What tasks cost in this process, and on a scheduler with two workers."""
    import torch

    from lieapp.config import DiscoverConfig
    from lieapp.domains.spread import EveryComponent
    from lieapp.methods.basis import Degrees, TensorBasis
    from lieapp.methods.result import SIZE, factored
    from lieapp.numerics.processor import use_processor
    from lieapp.pde.chunks import Simulated
    from lieapp.pde.data import Known
    from lieapp.pde.domain import PDEDomain
    from lieapp.registry.catalog import load_catalog
    from lieapp.runs.store.checkpoint import Checkpoint

    use_processor(1)
    half = arguments.chunk // 2
    config = DiscoverConfig(plugin=PLUGIN, samples=half, held_out=arguments.chunk - half, chunk=arguments.chunk)
    domain = PDEDomain(load_catalog([PLUGINS]).get(PLUGIN).declaration)
    with tempfile.TemporaryDirectory() as folder:
        chunks = Simulated(config, domain, Checkpoint(Path(folder) / "checkpoint"), "cpu")
        began = time.perf_counter()
        made = chunks.make(0, torch.Generator().manual_seed(0).get_state())
        trajectory = (time.perf_counter() - began) / arguments.chunk
        assert made.train is not None and made.held_out is not None  # half of the chunk each
        data, began = chunks.dataset(Known(made.train, made.held_out)).train, time.perf_counter()
        with torch.no_grad():
            for degree in config.spectrum.degrees:
                basis = TensorBasis(domain.arguments, Degrees(config.modes, degree, config.spectrum.unknown_degree))
                fields = EveryComponent(basis, len(domain.components))
                found = factored(fields, domain, data.of_part(0, half, SIZE))
    slice_ = (time.perf_counter() - began) / half
    began = time.perf_counter()
    for _ in range(5):
        found.joined(found)
    merge = (time.perf_counter() - began) / 5
    return Terms(trajectory, slice_, merge, len(pickle.dumps(found)), task_seconds())


def task_seconds() -> float:
    """Seconds of a task that does nothing, merged with others, on two workers."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        asleep(client, 50, 0.0)
        count = 500
        began = time.perf_counter()
        asleep(client, count, 0.0)
        return (time.perf_counter() - began) / (2 * count - 1)


def asleep(client: Any, count: int, seconds: float) -> int:
    """So many tasks that sleep, merged pairwise."""
    from lieapp.numerics.tree import merged

    tasks = (client.submit(sleeping, seconds, number, pure=False) for number in range(count))
    found: int = merged(tasks, lambda one, other: client.submit(int.__add__, one, other, pure=False)).result()
    return found


def sleeping(seconds: float, number: int) -> int:
    """A task that sleeps."""
    time.sleep(seconds)
    return 1


def seconds(terms: Terms, size: int, workers: int, chunk: int, network: float | None) -> tuple[float, float]:
    """Of the data and of the spectrum's factors, by a simulation of both task graphs.

    Args:
        network: bytes a second between workers; None on one machine.
    """
    count, learned = -(-size // chunk), -(-4 * size // (5 * chunk))
    carried = terms.factor / network if network else 0.0
    made = simulated([terms.trajectory * chunk] * count, 0.0, workers, terms.task)
    return made, simulated([terms.slice * chunk] * learned, terms.merge + carried, workers, terms.task)


def simulated(leaves: list[float], merge: float, workers: int, task: float) -> float:
    """When a tree of tasks is done: leaves of so many seconds, merged pairwise in their order."""
    from lieapp.numerics.tree import merged

    durations: list[float] = []
    above: dict[int, int] = {}

    def add(duration: float, *needs: int) -> int:
        above.update(dict.fromkeys(needs, len(durations)))
        durations.append(duration)
        return len(durations) - 1

    merged((add(leaf) for leaf in leaves), lambda one, other: add(merge, one, other))
    missing = collections.Counter(above.values())
    # a task reaches the workers once it is sent, and what it needs is there; the one that was sent first goes first
    events = [(task * (number + 1), True, number) for number in range(len(durations)) if not missing[number]]
    waiting, free, now = list[int](), workers, 0.0
    heapq.heapify(events)
    while events:
        now, begins, number = heapq.heappop(events)
        if begins:
            heapq.heappush(waiting, number)
        else:
            free += 1
            higher = above.get(number)
            if higher is not None:
                missing[higher] -= 1
                if not missing[higher]:
                    heapq.heappush(events, (max(now, task * higher) + task, True, higher))
        while free and waiting:
            chosen, free = heapq.heappop(waiting), free - 1
            heapq.heappush(events, (now + durations[chosen], False, chosen))
    return now


def asked(terms: Terms, size: int, workers: int, chunk: int) -> dict[str, Any]:
    """What the model says of many trajectories, and what Dask's scheduler takes for as many tasks that sleep."""
    from distributed import Client

    data, factors = seconds(terms, size, workers, chunk, NETWORK)
    count = -(-size // chunk)
    with Client(n_workers=4, threads_per_worker=workers // 4, dashboard_address=None) as client:
        began = time.perf_counter()
        asleep(client, count, SLEEP)
        taken = time.perf_counter() - began
    return {
        "data": data, "factors": factors, "alone": (terms.trajectory + 0.8 * terms.slice) * size,
        "slept": taken, "slept_model": simulated([SLEEP] * count, 0.0, workers, terms.task), "tasks": 2 * count - 1,
    }  # fmt: skip


def written(head: str, rows: list[dict[str, Any]]) -> str:
    """The tables."""
    runs = sorted((row for row in rows if row["kind"] == "run"), key=lambda row: (row["size"], row["workers"]))
    lines = [
        head, "\n| trajectories | chunks | processes | data / s | discovery / s | model of both / s | memory of "
        "the first / MB | of the others / MB | η of the slots | largest difference of η, fields |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for row in runs:
        alone = next((other for other in runs if other["size"] == row["size"] and not other["workers"]), None)
        apart = "" if not row["workers"] or alone is None else ", ".join(
            f"{max(map(abs, map(float.__sub__, row[key], alone[key]))):.1g}" for key in ("spectrum", "fields")
        )  # fmt: skip
        memory = [f"{row['memory'][key] / 1e6:.0f}" for key in ("first", "others")]
        eta = ", ".join(f"{eta:.1e}" for eta in row["eta"])
        lines.append(
            f"| {row['size']} | {-(-row['size'] // row['chunk'])} | {row['workers'] or 'one'} | "
            f"{row['seconds']['data']:.1f} | {row['seconds']['discovery']:.1f} | {row.get('model', 0):.1f} | "
            f"{memory[0]} | {memory[1] if row['workers'] else ''} | {eta} | {apart} |"
        )
    for row in (row for row in rows if row["kind"] == "terms"):
        lines.append(
            f"\nTerms: a trajectory {1e3 * row['trajectory']:.2f} ms, a slice {1e3 * row['slice']:.2f} ms, a "
            f"merge {1e3 * row['merge']:.1f} ms, a factor {row['factor'] / 1e6:.2f} MB, a task "
            f"{1e3 * row['task']:.1f} ms."
        )
    for row in (row for row in rows if row["kind"] == "asked"):
        lines.append(
            f"\nThe model says of {row['size']} trajectories in chunks of {row['chunk']} on {row['workers']} "
            f"workers, with 1 Gbit/s between them: data {row['data']:.0f} s, factors {row['factors']:.0f} s; one "
            f"process would take {row['alone'] / 3600:.1f} h. Dask's scheduler with {row['workers']} threads in "
            f"four workers took {row['slept']:.1f} s for {row['tasks']} tasks, of which those of chunks sleep "
            f"{SLEEP} s; the model says {row['slept_model']:.1f} s."
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
