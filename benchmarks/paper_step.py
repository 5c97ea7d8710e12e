"""One training step of `--preset paper` as it is: seconds, memory, and what the whole preset would take.

    python benchmarks/paper_step.py [--plugins kdv ks] [--steps 6] [--out FILE]

Patches of 64 x 64, 4 slots, WENO, float32, RK4: with the preset's batch of 4, and with a batch of 1 on
one thread to set beside the code published with the paper (KdV, one thread: forward 8.5-10 s, backward 14-20 s,
2.4 GB). Each line is a process of its own, its seconds the median over steps after the first; on one thread those
are the process's own CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from machine import heading

if TYPE_CHECKING:
    from lieapp.methods.descent import Descent

RESULTS = Path(__file__).parent / "results" / "paper_step.md"
REFERENCE = 22.5
"""Seconds of the fastest step of the published code, KdV, batch 1, one thread."""

CASES = ((1, 1), (4, 1))
"""Batch and threads."""

HEAD = (
    "equation", "batch", "threads", "seconds a step (min–max)", "peak memory / GB", "reference / ours",
    "whole preset / h",
)  # fmt: skip


def main() -> None:
    """Measure, print and write the table, or one line of it."""
    arguments = parse()
    if arguments.one:
        print(json.dumps(measure(*arguments.one, arguments.steps)))
        return
    rows = [HEAD, ("---",) * len(HEAD)]
    for name in arguments.plugins:
        for batch, threads in CASES:
            rows.append(line(name, batch, threads, arguments.steps))
            print(" | ".join(rows[-1]), flush=True)
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    arguments.out.write_text(
        f"{heading('One step of the paper preset')}\n{__doc__.split(chr(10) * 2, 2)[2]}\n{text}\n", encoding="utf-8"
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="One training step of the paper preset.")
    parser.add_argument("--plugins", nargs="+", default=["kdv", "ks"])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--one", nargs=3, metavar=("PLUGIN", "BATCH", "THREADS"), help="One line, as JSON.")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def line(name: str, batch: int, threads: int, steps: int) -> tuple[str, ...]:
    """One process; what it took."""
    command = [sys.executable, __file__, "--steps", str(steps), "--one", name, str(batch), str(threads)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    seconds = found["seconds"]
    middle = statistics.median(seconds)
    faster = f"{REFERENCE / middle:.0f}" if (name, batch, threads) == ("kdv", 1, 1) else ""
    whole = f"{middle * found['steps'] / 3600:.1f}" if batch == 4 else ""
    spread = f"{middle:.2f} ({min(seconds):.2f}–{max(seconds):.2f})"
    return name, str(batch), str(threads), spread, f"{found['memory']:.1f}", faster, whole


def measure(name: str, batch: str, threads: str, steps: int) -> dict[str, object]:
    """Seconds of steps of the preset's own training on a few trajectories, peak memory, steps of the preset."""
    import torch

    from lieapp.config import DiscoverConfig
    from lieapp.settings import load_config

    torch.set_num_threads(int(threads))
    training = trained(name, int(batch))
    seconds = []
    for _ in range(steps + 1):
        # of the process: on one thread other work on the core counts little
        clock = time.process_time if threads == "1" else time.perf_counter
        began = clock()
        training.step()
        seconds.append(clock() - began)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    preset = load_config(DiscoverConfig, None, [], plugin=name, preset="paper")
    whole = preset.flow.epochs * preset.samples // preset.flow.batch
    return {"seconds": seconds[1:], "memory": memory, "steps": whole}


def trained(name: str, batch: int, device: str = "cpu") -> Descent:
    """The preset's own training on a few trajectories, before its first step."""
    import torch

    from lieapp.config import DiscoverConfig
    from lieapp.methods.by_descent import descent
    from lieapp.methods.network import GeneratorNetwork
    from lieapp.pde.domain import PDEDomain
    from lieapp.pde.residual import Backend
    from lieapp.registry.catalog import load_catalog
    from lieapp.settings import load_config

    sets = [f"flow_batch={batch}", f"samples={max(8, batch)}"]
    config = load_config(DiscoverConfig, None, sets, plugin=name, preset="paper")
    domain = PDEDomain(load_catalog().get(name).declaration, Backend(config.moving.backend))
    data = domain.dataset(config.samples, 1, 0, device)
    flow = config.flow
    torch.manual_seed(0)
    network = GeneratorNetwork(domain.arguments, len(domain.components), config.slots, flow.trunk, flow.head)
    return descent(domain, data, network, flow, config, device, plain=True)


if __name__ == "__main__":
    main()
