"""The paper's hyper-parameter studies on KS at reduced size: τ, σ, the weights of the losses, differentiation.

    python benchmarks/sensitivity.py [--studies tau sigma backend] [--seeds 0 1 2] [--steps 400]
    lieapp sweep benchmarks/sweeps/weights.toml --on local:1
    python benchmarks/sensitivity.py --studies --sweep RUN

One cell is one training of 20-35 s on one core. τ is studied by gradient in the limit of a small flow, where σ
doesn't occur; σ and the differentiation of moved data by the finite flow itself, on patches, with fewer steps;
the data are simulated once for all of these. Rows are added to sensitivity.json as they come; an interrupted call
goes on where it was, seed by seed. The weights are a sweep, whose cells are runs of `lieapp discover`: `--sweep`
takes its result over into weights.csv and weights.json. Found is the number of independent directions of those of
the first three slots that are right: η below .1, cosine .99 or more with the span of the derived generators, on
held-out data. sensitivity.md is made from both, the paper's counts beside ours.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from cells import finished
from machine import heading
from safetensors.torch import load_file
from studies import (
    FOUND,
    RESULTS,
    VALID,
    Case,
    Rows,
    Settings,
    case,
    held_against,
    held_in,
    nearest,
    rounded,
    table,
    trained,
)

from lieapp.config import DiscoverConfig
from lieapp.numerics.processor import use_processor
from lieapp.results.base import result_of
from lieapp.results.discovery import EquationResult
from lieapp.runs.store.directory import RunDirectory

TAUS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
SIGMAS = (0.1, 0.2, 0.4, 0.6, 0.8)
FLOW_STEPS, FLOW_BATCH, FLOW_RATE = 150, 2, 3e-3
"""Of the finite flow: at the rate of the limit, moved patches fold and training diverges from σ = .2 on."""

BACKENDS = {"weno": "3", "curvilinear": "", "bilinear": "2 at best, slots not orthogonal"}
"""What differentiates moved data, and what the paper says of it (its section "Ablation Studies")."""

PAPER_TAU = dict.fromkeys(TAUS, "3")
PAPER_SIGMA = {0.1: "3", 0.2: "3", 0.4: "3", 0.6: "2 (the third in slot 4)", 0.8: "2"}
PAPER_WEIGHTS = {
    (1.0, 1.0): (2, 3, 3), (1.0, 3.0): (2, 3, 3), (1.0, 10.0): (3, 3, 3),
    (3.0, 1.0): (2, 2, 2), (3.0, 3.0): (3, 3, 3), (3.0, 10.0): (3, 3, 3),
    (10.0, 1.0): (1, 2, 2), (10.0, 3.0): (2, 2, 2), (10.0, 10.0): (3, 3, 3),
}  # fmt: skip
"""(w_sym, w_ortho) -> generators found for w_Lips = 1, 3, 10 (the paper's section "Hyperparameter analysis")."""

WEIGHTS, TRIPLE = ("w_sym", "w_ortho", "w_lips"), (1.0, 3.0, 10.0)

VARIED = ("w_sym", "w_ortho", "w_lips", "tau", "sigma", "backend", "seed", "steps", "width", "rate", "batch")


def main() -> None:
    """Train the cells that are missing, seed by seed, take over a sweep, and write the tables."""
    arguments = parse()
    use_processor(1)
    rows = Rows(arguments.out / "sensitivity.json", VARIED)
    held: list[Case] = []
    for study, seed in itertools.product(arguments.studies, arguments.seeds):
        for settings in cells(study, arguments):
            settings = dataclasses.replace(settings, seed=seed)
            entry = {key: getattr(settings, key) for key in VARIED}
            rows.need(entry, lambda s=settings: measured(arguments, held, s))
        write(arguments, list(rows.rows.values()))
    if arguments.sweep:
        keep(arguments.sweep, arguments.out)
    write(arguments, list(rows.rows.values()))


def keep(sweep: Path, out: Path) -> None:
    """Take over a sweep over the weights: what it says of its cells, and what their slots are."""
    shutil.copy(sweep / "cells.csv", out / "weights.csv")
    lines = ",\n".join(json.dumps(rounded(of_run(folder))) for folder in finished(sweep))
    (out / "weights.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def of_run(folder: Path) -> dict[str, Any]:
    """Settings and slots of a run; inner products are those on the drawing grid of its first held-out solution."""
    config, found = RunDirectory(folder).config_as(DiscoverConfig), result_of(folder, EquationResult)
    arrays = load_file(folder / "fields.safetensors")
    assert found is not None  # of a run that is done
    both = torch.cat([arrays["learned"], arrays["truth"]]).double()
    values = (both / arrays["scale"].double().reshape(-1, *[1] * (both.ndim - 2))).flatten(1)
    own = config.gradient
    steps = own.epochs * config.samples // own.trajectories
    return {
        **{key: getattr(own, key) for key in WEIGHTS}, "seed": config.seed, "steps": steps, "trunk": own.trunk,
        "head": own.head, "batch": own.batch, "rate": own.rate, "slots": config.slots,
        "names": [row.name for row in found.truth],
        **held_in(values @ values.T, [float("inf") if row.eta is None else row.eta for row in found.generators]),
    }  # fmt: skip


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="The paper's hyper-parameter studies at reduced size.")
    parser.add_argument("--studies", nargs="*", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--plugin", default="ks")
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--flow-steps", type=int, default=FLOW_STEPS)
    parser.add_argument("--width", type=int, default=Settings.width)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--held-out", type=int, default=4)
    parser.add_argument("--sweep", type=Path, metavar="RUN", help="folder of the sweep over the weights")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def cells(study: str, arguments: argparse.Namespace) -> list[Settings]:
    """The settings of a study, of any seed."""
    base = Settings(steps=arguments.steps, width=arguments.width)
    if study == "tau":
        return [dataclasses.replace(base, tau=tau) for tau in TAUS]
    if study == "sigma":
        flow = dataclasses.replace(base, steps=arguments.flow_steps, batch=FLOW_BATCH, rate=FLOW_RATE)
        return [dataclasses.replace(flow, sigma=sigma) for sigma in SIGMAS]
    flow = dataclasses.replace(base, steps=arguments.flow_steps, batch=FLOW_BATCH, rate=FLOW_RATE, sigma=0.1)
    return [dataclasses.replace(flow, backend=backend) for backend in BACKENDS]


def measured(arguments: argparse.Namespace, held: list[Case], settings: Settings) -> dict[str, Any]:
    """One training; the data are made once."""
    if not held:
        held.append(case(arguments.plugin, arguments.samples, arguments.held_out))
    ((_, fields),) = trained(held[0], settings)
    return {"names": held[0].truth.names, **held_against(held[0], fields, settings.slots)}


def write(arguments: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """The tables of all rows there are."""
    # whatever was typed: rows of earlier calls stay, and the tables say how many seeds there are
    parts = [heading("Sensitivity of the training on KS", []), note(arguments)]
    for study, (title, make) in STUDIES.items():
        wanted = cells(study, arguments)
        lines = make([(settings, of_cell(rows, settings)) for settings in wanted])
        if any(of_cell(rows, settings) for settings in wanted):
            parts += [f"## {title}", table(lines)]
    file = arguments.out / "weights.json"
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))
        parts += ["## Weights of the losses", weights_note(known), table(by_weights(known))]
    (arguments.out / "sensitivity.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def of_cell(rows: list[dict[str, Any]], settings: Settings) -> list[dict[str, Any]]:
    """The rows of one cell, all seeds."""
    keys = [key for key in VARIED if key != "seed"]
    return [row for row in rows if all(row[key] == getattr(settings, key) for key in keys)]


Cells = list[tuple[Settings, list[dict[str, Any]]]]
HEAD = (
    "found, each seed", "paper", "with all four slots", "right slots of four",
    "Galilean boost in its nearest slot (η)", "η of the slots, each seed",
)  # fmt: skip


def by_tau(done: Cells) -> list[tuple[str, ...]]:
    """A line for each τ."""
    return [("τ", *HEAD), *((f"{s.tau:g}", *told(rows, PAPER_TAU[s.tau])) for s, rows in done if rows)]


def by_sigma(done: Cells) -> list[tuple[str, ...]]:
    """A line for each σ."""
    return [
        ("σ", *HEAD), *((f"{s.sigma:g}", *told(rows, PAPER_SIGMA[s.sigma or 0])) for s, rows in done if rows)
    ]  # fmt: skip


def by_backend(done: Cells) -> list[tuple[str, ...]]:
    """A line for each way to differentiate."""
    return [
        ("differentiation", *HEAD), *((s.backend, *told(rows, BACKENDS[s.backend])) for s, rows in done if rows)
    ]  # fmt: skip


def by_weights(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """A line for each triple of weights."""
    lines: list[tuple[str, ...]] = [("w_sym", "w_ortho", "w_Lips", *HEAD)]
    for key in dict.fromkeys(tuple(row[weight] for weight in WEIGHTS) for row in rows):
        own = [row for row in rows if tuple(row[weight] for weight in WEIGHTS) == key]
        paper = PAPER_WEIGHTS[key[:2]][TRIPLE.index(key[2])]
        lines.append((*(f"{value:g}" for value in key), *told(own, str(paper))))
    return lines


def told(rows: Sequence[dict[str, Any]], paper: str) -> tuple[str, ...]:
    """What the seeds of a cell found."""
    rows = sorted(rows, key=lambda row: row["seed"])
    return (
        " ".join(str(row["found"]) for row in rows),
        paper,
        " ".join(str(row["found_all"]) for row in rows),
        " ".join(str(row["right"]) for row in rows),
        "; ".join(nearest(row) for row in rows),
        "; ".join(" ".join(f"{eta:.0e}" for eta in row["eta"]) for row in rows),
    )


STUDIES = {
    "tau": ("Lipschitz threshold τ", by_tau),
    "sigma": ("Transformation scale σ, by the finite flow", by_sigma),
    "backend": ("Differentiation of moved data, by the finite flow with σ = .1", by_backend),
}


def note(arguments: argparse.Namespace) -> str:
    """What was done."""
    limit = cells("tau", arguments)[0]
    flow = cells("sigma", arguments)[0]
    return (
        f"Training: {limit.told()}; for σ and differentiation: {flow.told()}. Weights (1, 3, 1), τ = 3 unless it "
        f"is varied. {arguments.samples} trajectories, simulated with seed 0 for all cells; the seeds are those of "
        "the network and of the batches, in ascending order in each cell. Found, out of 3: independent directions "
        f"of those of the first three slots with η < {VALID} and cosine at least {FOUND} with the span of the "
        "derived generators. The paper's counts are read by eye from one run of 50 epochs on 1024 trajectories."
    )


def weights_note(rows: Sequence[dict[str, Any]]) -> str:
    """What was done for the weights."""
    own = rows[0]
    return (
        "Each cell is a run of `lieapp discover`, one of the sweep `benchmarks/sweeps/weights.toml`; `weights.csv` "
        f"has a line for each. Method gradient: {own['steps']} steps of Adam (rate {own['rate']:g}, a tenth of it "
        f"in the second half) on {own['batch']} slices, trunk of {own['trunk']} and heads of {own['head']}, "
        f"{own['slots']} slots, half as many more if all are exact, no floor. The seed of a cell is also that of "
        "its trajectories. Found as above, with the cosines on the drawing grid of the first held-out solution."
    )


if __name__ == "__main__":
    main()
