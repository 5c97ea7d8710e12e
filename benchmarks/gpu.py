"""What a GPU is worth: seconds of one training step, spectrum or simulation on it, and on the same machine's CPU.

    python benchmarks/gpu.py [--tests] [--cpu] [--only paper data …] [--sizes 2] [--seconds 500] [--threads N]
                             [--out FILE]

Nothing begins after so many seconds, and each row takes at most 80: the whole takes less than ten minutes with any
card. A row is a process of its own. `--tests` runs `pytest -m gpu` first, in at most half of the time. Without a
GPU the script says so and ends. With --cpu it measures the CPU alone. The table goes to benchmarks/results/gpu.md
and all figures to gpu.json beside it, row by row.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from machine import heading, processor
from suites import memory, table

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "gpu.md"

LIMIT = 80.0
"""Seconds of a row, with all that it loads."""

ENOUGH, MOST = 8.0, 10
"""Seconds after which, and number of calls after which no more are measured."""

NOTE = """Seconds of one call: the median (least–most) of those after the first, up to ten in about 8 s.
The paper preset and ResNet-18 compute in float32, where torch lets a GPU round convolutions to TF32, spectrum and
simulation in float64. Threads on the CPU: {threads}. Memory is the most that torch's tensors took on the GPU.
"""

HEAD = ("work", "size", "CPU / s", "GPU / s", "CPU / GPU", "GPU memory / GB")


@dataclass(frozen=True)
class Case:
    """Something to measure.

    Args:
        title: what it is; `unit`: what is counted in its `sizes`.
        prepare: makes what is called, for a size and a device.
    """

    title: str
    unit: str
    sizes: tuple[int, ...]
    prepare: Callable[[int, str], Callable[[], object]]


def paper(batch: int, device: str) -> Callable[[], object]:
    """A step of the paper preset: patches of 64 x 64, 4 slots, WENO, RK4."""
    from paper_step import trained

    return trained("kdv", batch, device).step


def spectrum(slices: int, device: str) -> Callable[[], object]:
    """All levels of the method spectrum on 16 trajectories, with the defaults of `discover` but for the slices."""
    from lieapp.config import DiscoverConfig
    from lieapp.methods.by_spectrum import by_spectrum
    from lieapp.methods.loop import Alone
    from lieapp.pde.domain import PDEDomain
    from lieapp.registry.catalog import load_catalog

    config = DiscoverConfig(plugin="kdv")
    domain = PDEDomain(load_catalog().get("kdv").declaration)
    data = domain.dataset(config.samples, config.held_out, 0, device)
    degrees, unknowns = config.spectrum.degrees, config.spectrum.unknown_degree
    counts = (slices, config.held_out_slices)
    return lambda: by_spectrum(domain, data, degrees, config.modes, unknowns, config.slots, counts, Alone())


def simulation(samples: int, device: str) -> Callable[[], object]:
    """Trajectories of Korteweg-de Vries as `discover` asks for them."""
    from lieapp.data.simulate import simulate
    from lieapp.data.stepping import Tolerance
    from lieapp.registry.catalog import load_catalog

    declaration, tolerance = load_catalog().get("kdv").declaration, Tolerance(1e-3)
    return lambda: simulate(declaration, samples, torch.Generator().manual_seed(0), device, tolerance)


def moved(dtype: str, patches: int, device: str) -> Callable[[], object]:
    """WENO derivatives of patches of 64 x 64 up to the third order, forward and backward."""
    from weno import case, loss

    what = case("weno", {}, "kdv", dtype, patches, 64, device)
    return lambda: loss(*what).backward()


def resnet(batch: int, device: str) -> Callable[[], object]:
    """A step of ResNet-18 on pictures of 32 x 32 in ten classes, by the paper's optimiser."""
    from lieapp.augment.classifier import ClassifierTraining, Recipe
    from lieapp.data.images.pictures import Pictures
    from lieapp.pictures.extractor import Extractor, Shape

    generator, names = torch.Generator().manual_seed(0), tuple("abcdefghij")
    pixels = torch.rand(batch, 3, 32, 32, generator=generator)
    pictures = Pictures(pixels, torch.arange(batch) % len(names), names)
    torch.manual_seed(0)
    extractor = Extractor("resnet18", Shape(3, 32, 32, len(names))).to(device)
    recipe = Recipe(epochs=10**6, batch=batch, rate=1e-3, optimizer="sgd", flip=True)
    return ClassifierTraining(extractor, pictures, recipe, 0).step


CASES = {
    "paper": Case("step of the paper preset, kdv", "batch", (4, 32), paper),
    "spectrum": Case("method spectrum, kdv", "slices", (96, 768), spectrum),
    "data": Case("simulation, kdv", "trajectories", (64, 512), simulation),
    "weno": Case("WENO and its gradients, kdv, float32", "patches", (4, 64), partial(moved, "float32")),
    "weno64": Case("WENO and its gradients, kdv, float64", "patches", (4, 64), partial(moved, "float64")),
    "resnet": Case("step of ResNet-18, pictures", "batch", (128, 512), resnet),
}


@dataclass
class Results:
    """What is known so far, written whenever something is added.

    Args:
        rows: of the table, each with `case`, `size` and `device`.
        tests: the outcome of the tests.
    """

    out: Path
    threads: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    tests: str = ""

    def add(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self.rows.append(row)
        print(json.dumps(row), flush=True)
        self.write()

    def write(self) -> None:
        """Table and figures."""
        head = heading("What a GPU is worth")
        cards = dict.fromkeys(row["card"] for row in self.rows if row.get("card"))
        gpu = f"\nGPU: {', '.join(cards)}, CUDA {torch.version.cuda}\n" if cards else ""
        tests = f"\n`pytest -m gpu`: {self.tests}\n" if self.tests else ""
        note = NOTE.format(threads=self.threads)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        self.out.write_text(f"{head}{gpu}{tests}\n{note}\n{table(lines(self.rows))}\n", encoding="utf-8")
        figures = {"heading": head, "processor": processor(), "threads": self.threads, "tests": self.tests}
        text = json.dumps({**figures, "rows": self.rows}, indent=1)
        self.out.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Measure what there is time for."""
    arguments = parse()
    if arguments.one:
        name, size, device = arguments.one
        print(json.dumps(measure(CASES[name], int(size), device, arguments.threads)))
        return
    end = time.monotonic() + arguments.seconds
    is_there = torch.cuda.is_available()
    if not (is_there or arguments.cpu):
        raise SystemExit("there is no CUDA device here; --cpu measures the CPU alone.")
    results = Results(arguments.out, arguments.threads)
    if arguments.tests:
        results.tests = tested(arguments.seconds / 2)
        print(f"pytest -m gpu: {results.tests}", flush=True)
        results.write()
    for place in range(arguments.sizes):
        for name in arguments.only:
            for device in ("cuda", "cpu") if is_there else ("cpu",):
                if time.monotonic() < end:
                    results.add(alone(name, CASES[name].sizes[place], device, arguments.threads))
    print(f"written to {arguments.out}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Seconds of lieapp's work on a GPU and on a CPU.")
    parser.add_argument("--tests", action="store_true", help="run `pytest -m gpu` first")
    parser.add_argument("--cpu", action="store_true", help="measure the CPU where there is no GPU")
    parser.add_argument("--only", nargs="+", choices=tuple(CASES), default=list(CASES))
    parser.add_argument("--sizes", type=int, choices=(1, 2), default=2, help="of each: the small one, or both")
    parser.add_argument("--seconds", type=float, default=500.0, help="after which nothing is begun")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the CPU")
    parser.add_argument("--one", nargs=3, metavar=("CASE", "SIZE", "DEVICE"), help="One row, as JSON.")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def tested(limit: float) -> str:
    """How the tests that need a GPU ended: their last line, and those that failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests/gpu"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not done in {limit:.0f} s"
    said = (done.stdout or done.stderr).strip().splitlines()
    return "; ".join([*said[-1:], *(line for line in said if line.startswith(("FAILED", "ERROR")))])


def alone(name: str, size: int, device: str, threads: int) -> dict[str, Any]:
    """One row, by a process of its own; the error in words if it fails or takes too long."""
    row: dict[str, Any] = {"case": name, "size": size, "device": device}
    command = [sys.executable, __file__, "--threads", str(threads), "--one", name, str(size), device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {**row, "error": f"not done in {LIMIT:.0f} s"}
    if done.returncode:
        return {**row, "error": (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]}
    return {**row, **json.loads(done.stdout.splitlines()[-1])}


def measure(case: Case, size: int, device: str, threads: int) -> dict[str, Any]:
    """Seconds of the first call and of those after it, peak memory in GB, and the card's name."""
    from lieapp.numerics.processor import use_processor

    use_processor(threads)
    is_gpu = device != "cpu"
    work, seconds = case.prepare(size, device), list[float]()
    while len(seconds) < 2 or (len(seconds) <= MOST and sum(seconds[1:]) < ENOUGH):
        began = time.perf_counter()
        work()
        if is_gpu:
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    peak = torch.cuda.max_memory_allocated() / 1e9 if is_gpu else memory() / 1e3
    card = {"card": torch.cuda.get_device_name()} if is_gpu else {}
    return {"first": seconds[0], "seconds": seconds[1:], "memory": peak, **card}


def lines(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The table: both devices side by side."""
    found = {(row["case"], row["size"], row["device"]): row for row in rows}
    made = [HEAD]
    for name, size in dict.fromkeys((row["case"], row["size"]) for row in rows):
        cpu, cuda = (found.get((name, size, device), {}) for device in ("cpu", "cuda"))
        both = "seconds" in cpu and "seconds" in cuda
        faster = f"{statistics.median(cpu['seconds']) / statistics.median(cuda['seconds']):.1f}" if both else ""
        used = f"{cuda['memory']:.2f}" if "memory" in cuda else ""
        case = CASES[name]
        made.append((case.title, f"{case.unit} {size}", told(cpu), told(cuda), faster, used))
    return made


def told(row: dict[str, Any]) -> str:
    """Seconds, or why there are none."""
    if "seconds" not in row:
        return row.get("error", "not measured")
    middle, low, high = (f(row["seconds"]) for f in (statistics.median, min, max))
    return f"{middle:.3g} ({low:.3g}–{high:.3g})"


if __name__ == "__main__":
    main()
