"""Many trajectories in chunks, by one process and by several: seconds, memory, the same numbers; and a cost model.

    python benchmarks/chunks.py [--sizes 2000 20000] [--files 1000 10000] [--workers 0 2] [--chunk 500]
                                [--only runs|files|terms|model]

Each run is what a user types, `lieapp discover --method spectrum … [--on local:N]`, in a process of its own. Of
all trajectories four in five are learned from, a slice of each. Memory is that of a process without the pages of
files (RssAnon), sampled five times a second, the largest of all workers and of the first process.

Files are HDF5 with exact solutions of Burgers on an open axis, 128 points and 100 times (100 MB for 1,000), which
`lieapp discover --data FILE` reads in stretches of 64 MB.

Terms are measured in one process: seconds of a trajectory (simulated and measured) and of a slice (all levels of
the spectrum), seconds and bytes of merging two factors; on two workers, seconds of an empty task.
`chunks_model.py` says what these terms make of other numbers.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from chunks_model import SLEEP, Terms, asked, seconds, task_seconds
from machine import heading, processor
from studies import RESULTS, Rows

PLUGINS = Path(__file__).parent / "plugins"
PLUGIN = "kdv-coarse"

ASKED = (1_000_000, 64)
"""Trajectories and workers that the model is asked about."""

NU, BLOCK = 0.1, 100
"""Of solutions in files, and how many are written at a time."""


def main() -> None:
    """Run what isn't there yet, measure the terms, and write the tables."""
    arguments = parse()
    arguments.work.mkdir(parents=True, exist_ok=True)
    rows = Rows(arguments.out / "chunks.json", ("kind", "size", "workers", "chunk"))
    if arguments.only in (None, "runs"):
        for size, workers in itertools.product(arguments.sizes, arguments.workers):
            key = {"kind": "run", "size": size, "workers": workers, "chunk": arguments.chunk}
            rows.need(key, partial(run, size, workers, arguments))
    if arguments.only in (None, "files"):
        for size, workers in itertools.product(arguments.files, arguments.workers):
            key = {"kind": "files", "size": size, "workers": workers, "chunk": 0}
            rows.need(key, partial(of_file, size, workers, arguments))
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
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10000], help="trajectories in a file")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2], help="0: one process")
    parser.add_argument("--chunk", type=int, default=500)
    parser.add_argument("--only", choices=("runs", "files", "terms", "model"))
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
    """One discovery on simulated trajectories, by one process (0 workers) or with others."""
    words = ["--plugins", str(PLUGINS), "--plugin", PLUGIN]
    return discovery(words, settings(size, arguments.chunk), workers, arguments)


def of_file(size: int, workers: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One discovery on a file of so many trajectories."""
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        # the command runs in the folder of runs
        file = written_file(Path(folder).resolve() / "solutions.h5", size)
        words = ["--equation", f"u_t + u*u_x - {NU}*u_xx", "--data", str(file)]
        given: dict[str, object] = {"finite_samples": 0, "cross_check": "false", "threads": 1, "slices": size}
        found = discovery(words, given, workers, arguments)
        return {**found, "megabytes": file.stat().st_size / 1e6}


def written_file(file: Path, size: int) -> Path:
    """Exact solutions of Burgers, -2 ν ψ_x / ψ with ψ = 1 + Σ a exp(ν k² t + k x) (Hopf 1950)."""
    import h5py
    import numpy as np

    x, t, rng = np.linspace(-1, 1, 128), np.linspace(0, 1, 100), np.random.default_rng(0)
    with h5py.File(file, "w") as opened:
        opened["x"], opened["t"] = x, t
        u = opened.create_dataset("u", (size, len(t), len(x)), dtype="f8")
        for first in range(0, size, BLOCK):
            count = min(BLOCK, size - first)
            k, a = rng.uniform(-4, 4, (3, count, 1, 1)), rng.uniform(0.3, 1, (3, count, 1, 1))
            terms = a * np.exp(NU * k**2 * t[:, None] + k * x)
            u[first : first + count] = -2 * NU * (terms * k).sum(0) / (1 + terms.sum(0))
    return file


def discovery(
    words: Sequence[str], given: Mapping[str, object], workers: int, arguments: argparse.Namespace
) -> dict[str, Any]:
    """What a user types, in a process of its own, by itself (0 workers) or with others."""
    words = ["discover", *words, "--method", "spectrum", "--json", "--quiet"]
    words += [word for pair in given.items() for word in ("--set", "=".join(map(str, pair)))]
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


def written(head: str, rows: list[dict[str, Any]]) -> str:
    """The tables."""
    runs = of_kind(rows, "run")
    lines = [
        head, "\n| trajectories | chunks | processes | data / s | discovery / s | model of both / s | memory of "
        "the first / MB | of the others / MB | η of the slots | largest difference of η, fields |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for row in runs:
        memory, apart = largest(row), apart_from_one(row, runs)
        eta = ", ".join(f"{eta:.1e}" for eta in row["eta"])
        lines.append(
            f"| {row['size']} | {-(-row['size'] // row['chunk'])} | {row['workers'] or 'one'} | "
            f"{row['seconds']['data']:.1f} | {row['seconds']['discovery']:.1f} | {row.get('model', 0):.1f} | "
            f"{memory[0]} | {memory[1] if row['workers'] else ''} | {eta} | {apart} |"
        )
    files = of_kind(rows, "files")
    if files:
        lines += [
            "\n| trajectories of a file | size / MB | processes | reading / s | data / s | discovery / s | memory "
            "of the first / MB | of the others / MB | fields found | largest difference of η, fields |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
    for row in files:
        memory, apart = largest(row), apart_from_one(row, files)
        seconds = " | ".join(f"{row['seconds'][key]:.1f}" for key in ("reading", "data", "discovery"))
        lines.append(
            f"| {row['size']} | {row['megabytes']:.0f} | {row['workers'] or 'one'} | {seconds} | {memory[0]} | "
            f"{memory[1] if row['workers'] else ''} | {row['count']} | {apart} |"
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


def of_kind(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Rows by size and number of processes."""
    return sorted((row for row in rows if row["kind"] == kind), key=lambda row: (row["size"], row["workers"]))


def largest(row: dict[str, Any]) -> list[str]:
    """Memory of the first process and of the others, in MB."""
    return [f"{row['memory'][key] / 1e6:.0f}" for key in ("first", "others")]


def apart_from_one(row: dict[str, Any], runs: list[dict[str, Any]]) -> str:
    """How far what several processes found is from what one did."""
    alone = next((other for other in runs if other["size"] == row["size"] and not other["workers"]), None)
    if not row["workers"] or alone is None:
        return ""
    pairs = ((row[key], alone[key]) for key in ("spectrum", "fields"))
    return ", ".join(f"{max(abs(a - b) for a, b in zip(*pair, strict=True)):.1g}" for pair in pairs)


if __name__ == "__main__":
    main()
