"""How fast derivatives of moved data are made: WENO of degree 3 (KdV) and 4 (KS), curvilinear beside it.

    python benchmarks/weno.py [--batch 4] [--points 64] [--repeats 5] [--device cpu] [--out FILE]

Prints points per second, forward and forward with backward, and the peak of memory above the process before; the
table with command, machine and date goes to benchmarks/results/weno.md. One thread on a CPU.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from machine import heading

from lieapp.numerics.differentiator import differentiator
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import MovedDifferentiator
from lieapp.numerics.processor import use_processor

RESULTS = Path(__file__).parent / "results" / "weno.md"
ORDERS = {"kdv": ((1, 0), (0, 1), (0, 3)), "ks": ((1, 0), (0, 1), (0, 2), (0, 4))}
CASES = (("weno", {}, 1), ("curvilinear", {}, 1), ("weno", {}, 8))
"""Differentiator, options, how many times the batch."""
HEAD = (
    "differentiator",
    "orders of",
    "nodes",
    "dtype",
    "forward / s",
    "forward + backward / s",
    "points/s forward",
    "points/s both",
    "peak memory / MB",
)


def main() -> None:
    """Measure each case in its own process, print and write the table."""
    arguments = parse()
    rows = [HEAD, ("---",) * len(HEAD)]
    for name, options, times in CASES:
        for equation in ORDERS:
            for dtype in ("float32", "float64"):
                rows.append(alone(name, options, equation, dtype, times, arguments))
                print(" | ".join(rows[-1]), flush=True)
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    note = (
        f"One component, nodes smoothly displaced, on {arguments.device}; medians of {arguments.repeats} calls. "
        "On a CPU seconds are the process's own, on one thread: other work on the core counts little. "
        "Memory is what the process grew by.\n"
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    title = "Derivatives of moved data"
    arguments.out.write_text(f"{heading(title)}\n{note}\n{text}\n", encoding="utf-8")
    print(f"\n{text}\n\nwritten to {arguments.out}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure how fast derivatives of moved data are made.")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--points", type=int, default=64, help="nodes along each axis")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def alone(
    name: str, options: dict, equation: str, dtype: str, times: int, arguments: argparse.Namespace
) -> tuple[str, ...]:
    """One row of the table; a process of its own, whose peak of memory is this case's."""
    batch = times * arguments.batch
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        forward, both, memory = pool.apply(measure, (name, options, equation, dtype, batch, arguments))
    nodes = batch * arguments.points**2
    label = name + "".join(f", {option}" for option in options)
    speed = (f"{nodes / forward:,.0f}", f"{nodes / both:,.0f}")
    return (
        label,
        equation,
        f"{batch} x {arguments.points}²",
        dtype,
        f"{forward:.3f}",
        f"{both:.3f}",
        *speed,
        f"{memory:.0f}",
    )


def measure(
    name: str, options: dict, equation: str, dtype: str, batch: int, arguments: argparse.Namespace
) -> tuple[float, float, float]:
    """Seconds forward, seconds forward and backward, growth of memory in MB."""
    use_processor(1)
    device = arguments.device
    made, positions, values = case(name, options, equation, dtype, batch, arguments.points, device)
    # what is imported on first use is there before the count begins
    few = case(name, options, equation, dtype, 1, 40, device)
    loss(*few).backward()
    before = peak(device)
    both = median(lambda: loss(made, positions, values).backward(), arguments)
    memory = peak(device) - before
    with torch.no_grad():
        forward = median(lambda: loss(made, positions, values), arguments)
    return forward, both, memory


def case(
    name: str, options: dict, equation: str, dtype: str, batch: int, points: int, device: str
) -> tuple[MovedDifferentiator, torch.Tensor, torch.Tensor]:
    """What `loss` takes: a differentiator, and nodes and values with gradients."""
    grid = Grid((Axis("t", 0, 1, points), Axis("x", 0, 2 * math.pi, points, periodic=True)))
    t, x = grid.mesh(torch.float64, device)
    base = torch.stack([t + 0.1 * torch.sin(x) * torch.cos(2 * t), x + 0.1 * torch.cos(x + t)])
    positions = base.expand(batch, -1, -1, -1).to(getattr(torch, dtype)).requires_grad_()
    values = torch.sin(2 * positions[:, :1] + positions[:, 1:]).detach().requires_grad_()
    return differentiator(name, grid, ORDERS[equation], **options), positions, values


def loss(made: MovedDifferentiator, positions: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """A number that depends on all derivatives."""
    found = made.jets(positions, values).derivatives
    return torch.stack([d.square().mean() for d in found.values()]).sum()


def median(work: Callable[[], object], arguments: argparse.Namespace) -> float:
    """Median seconds of one call, after one that isn't counted."""
    clock = time.process_time if arguments.device == "cpu" else time.perf_counter
    taken = []
    for _ in range(arguments.repeats + 1):
        began = clock()
        work()
        if arguments.device != "cpu":
            torch.cuda.synchronize()
        taken.append(clock() - began)
    return statistics.median(taken[1:])


def peak(device: str) -> float:
    """Largest memory so far in MB: the process's, or the CUDA allocator's."""
    if device != "cpu":
        return torch.cuda.max_memory_allocated() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
