"""How far a shortened `--preset paper` comes per minute, beside `quick`.

    python benchmarks/paper_short.py [--plugins ckdv kdv] [--kinds …] [--steps 800] [--seed 0] [--out FILE]

The paper's engine from nothing (its losses, finite flow) with fewer trajectories and steps and a smaller network, a
smaller sigma and a larger learning rate for so few steps: the settings stand in the result. With WENO as in the
paper, with curvilinear derivatives, and with the bilinear resampling of its ablation. Beside it the projection of
`quick`. For each moment of a training: its seconds, and the cosine of every derived generator with the span of all
four slots and with that of the first N, N being the number of generators.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from machine import heading

from lieapp.compare.subspace import cosines
from lieapp.config import DiscoverConfig
from lieapp.domains.base import Fields
from lieapp.methods.by_descent import descent, settled
from lieapp.methods.fields import Joined
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import Projection, projection_settings
from lieapp.methods.result import judge, solve
from lieapp.numerics.processor import use_processor
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.known import derived, scaled
from lieapp.pde.residual import Backend
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog
from lieapp.settings import load_config

RESULTS = Path(__file__).parent / "results" / "paper_short.md"
SHORT = (
    "samples=64", "held_out=4", "flow_batch=2", "flow_rate=3e-3", "trunk=64", "patch_time=40", "patch_space=40",
    "sigma=0.1", "sobolev_epochs=0", "w_ortho=10",
)  # fmt: skip
KINDS = {
    "paper, weno": ("weno_extra=1",),
    "paper, curvilinear": ("backend=curvilinear",),
    "paper, bilinear": ("backend=bilinear",),
    "quick": (),
}
HEAD = (
    "equation", "preset", "steps", "seconds", "cosine of each derived generator with all slots", "with the first N",
)  # fmt: skip
MARKS = 4

Row = tuple[str, ...]


def main() -> None:
    """Measure, print and write the table."""
    arguments = parse()
    use_processor(1)
    rows: list[Row] = [HEAD, ("---",) * len(HEAD)]
    for name in arguments.plugins:
        for kind in arguments.kinds:
            for row in measure(name, kind, KINDS[kind], arguments):
                rows.append((name, kind, *row))
                print(" | ".join(rows[-1]), flush=True)
    note = (
        f"Seed {arguments.seed}, one thread. `paper` with `--set {' --set '.join(SHORT)}`, and weno_extra = 1, "
        f"backend = curvilinear or bilinear, {arguments.steps} steps (the preset itself has 12800 of twice the "
        "batch). Seconds are those of the training; data, judging and start-up come on top for both."
    )
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    arguments.out.write_text(
        f"{heading('A shortened paper preset beside quick')}\n{note}\n\n{text}\n", encoding="utf-8"
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="A shortened paper preset beside quick.")
    parser.add_argument("--plugins", nargs="+", default=["ckdv", "kdv"])
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure(name: str, kind: str, sets: tuple[str, ...], arguments: argparse.Namespace) -> list[Row]:
    """A row for each moment of one training."""
    quick = kind == "quick"
    config = load_config(
        DiscoverConfig, None, [] if quick else [*SHORT, *sets], plugin=name, preset="quick" if quick else "paper",
        seed=arguments.seed,
    )  # fmt: skip
    catalog = load_catalog()
    moving = config.moving
    options = (("extra", moving.weno_extra),) if moving.backend == "weno" else ()
    domain = PDEDomain(catalog.get(name).declaration, Backend(moving.backend, options))
    data = domain.dataset(config.samples, config.held_out, config.seed)
    truth = derived(domain, config.budget, SilentReporter())
    count = len(truth.formulas)
    known = scaled(domain, truth, data.scales)

    def judged(fields: Fields) -> Row:
        slots = list(range(config.slots))
        gram = judge(domain, Joined(fields, known), data.held_out.batches(48, 8)).gram
        true = [config.slots + k for k in range(count)]
        return tuple(" ".join(f"{c:.5f}" for c in cosines(gram, span, true)) for span in (slots, slots[:count]))

    make = _projection if quick else _descent
    training, current = make(config, domain, data, arguments)
    steps = config.projection.steps if quick else arguments.steps
    return run(training, current, steps, judged)


def run(training: Any, current: Callable[[], Fields], steps: int, judged: Callable[[Fields], Row]) -> list[Row]:
    """Train; judge at every quarter, the clock stopped."""
    rows, seconds = [], 0.0
    for step in range(1, steps + 1):
        began = time.perf_counter()
        training.step()
        seconds += time.perf_counter() - began
        if step % max(1, steps // MARKS) == 0:
            rows.append((str(step), f"{seconds:.1f}", *judged(current())))
    return rows


def _projection(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, arguments: argparse.Namespace
) -> tuple[Any, Callable[[], Fields]]:
    training = Projection(domain, data.draft, projection_settings(config), config.seed)
    slices = (config.slices, config.held_out_slices)
    return training, lambda: solve(domain, data, training.network, config.slots, *slices, label=0)[0]


def _descent(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, arguments: argparse.Namespace
) -> tuple[Any, Callable[[], Fields]]:
    flow = config.flow
    torch.manual_seed(config.seed)
    network = GeneratorNetwork(domain.arguments, len(domain.components), config.slots, flow.trunk, flow.head)
    training = descent(domain, data, network, flow, config, "cpu", plain=True, steps=arguments.steps)
    return training, lambda: settled(domain, data, training.fields, (48, 24), 0)[0]


if __name__ == "__main__":
    main()
