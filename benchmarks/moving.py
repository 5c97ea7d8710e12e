"""Solutions of the five equations moved along each exact symmetry and random combinations, back on their grid.

    python benchmarks/moving.py [--plugins …] [--samples 8] [--sigma 0.2] [--seeds 0 1 2] [--runs DIR] [--out FILE]

The relative residual of moved and unmoved data, rms(u_t - F) / rms(u_t) with derivatives spectral in x and by
differences of order 8 in t; how far they depart from the solution that a simulation makes of their own first state;
for Whittaker-Shannon, bilinear interpolation and splatting; samples per second and peak memory. With --runs the
learned fields of the last run of each equation there are moved along too. Goes on where an interrupted call
stopped: what was measured is kept as JSON beside the table.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch
from jaxtyping import Bool, Float
from machine import heading
from torch import Tensor

from lieapp.augment.along import read_along
from lieapp.augment.moving import Mover, Moving
from lieapp.augment.resample import METHODS
from lieapp.augment.time_window import longest
from lieapp.data.simulate import simulate, states
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import exact, read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.numerics.codegen import Tape
from lieapp.numerics.differences import difference, radius
from lieapp.numerics.spectral import SpectralDifferentiator, resample
from lieapp.registry.catalog import load_catalog

FIVE = ("kdv", "ks", "burgers", "nkdv", "ckdv")
RESULTS = Path(__file__).parent / "results" / "moving.md"
ACCURACY = 8
"""Order of the differences in time."""

ALL = "all of them"

FEW, STEPS = 2, 40
"""Solutions, and time steps, over which a departure is taken."""


def main() -> None:
    """Measure what isn't measured yet, each equation in a process of its own; print and write the table."""
    arguments = parse()
    if arguments.one:
        print(json.dumps(measured(arguments.one, arguments)))
        return
    file = arguments.out.with_suffix(".json")
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name in arguments.plugins:
        if name not in known:
            # a process of its own, for the peak of its memory
            command = [sys.executable, __file__, *sys.argv[1:], "--one", name]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            known[name] = json.loads(answer.splitlines()[-1])
            file.write_text(json.dumps(known, indent=1), encoding="utf-8")
        print(f"{name}: done", flush=True)
    text = table({name: known[name] for name in arguments.plugins}, arguments)
    arguments.out.write_text(text, encoding="utf-8")
    print(f"\n{text}\nwritten to {arguments.out}")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure what moving solutions leaves of their residual.")
    parser.add_argument("--plugins", nargs="+", default=list(FIVE))
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of the random combinations")
    parser.add_argument("--runs", type=Path, help="folder of runs whose learned fields are moved along")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def measured(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything about one equation."""
    torch.set_num_threads(arguments.threads)
    pde = load_catalog().get(name).declaration
    system = read_pde(pde)
    data = simulate(pde, arguments.samples, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-6))
    judge = Residual(evolution_form(system), data)
    samples = data.values.transpose(1, 2)
    periods = {x: exact(right) - exact(left) for x, (left, right) in pde.region.items() if x in pde.periodic}
    truth = read_along("truth", system, periods)
    rows = []
    departures: dict[str, float] = {}
    everywhere = torch.ones(samples.shape[0], samples.shape[2], dtype=torch.bool)
    departs = Departure(evolution_form(system), data)
    departures["unmoved"] = departs(samples[:FEW], everywhere[:FEW])
    for along, label in ((truth, "truth"), *learned(name, arguments.runs)):
        for method in METHODS if label == "truth" else METHODS[:1]:
            mover = Mover.of(along, system, data, Moving(sigma=arguments.sigma, resampling=method))
            rows += [{"along": label, "method": method, **row} for row in moved(mover, samples, judge, arguments)]
            few = samples[:FEW]
            found = mover.resampled(few, mover.draw(len(few), torch.Generator().manual_seed(arguments.seeds[0])))
            departures[f"{label} {method}"] = departs(found.values, found.valid)
            print(name, label, method, file=sys.stderr, flush=True)
    return {
        "floor": judge(samples, everywhere),
        "departures": departures,
        "error": data.error,
        "rows": rows,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def learned(name: str, folder: Path | None) -> list[tuple[str, str]]:
    """The last run of an equation that kept its fields."""
    found = [p.parent for p in sorted(folder.glob(f"*-{name}-*/learned.safetensors"))] if folder else []
    return [(str(found[-1]), "learned")] if found else []


def moved(mover: Mover, samples: Tensor, judge: Residual, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Along each generator alone, for the truth, and along random combinations; one row for each."""
    rows = []
    count = len(mover.names)
    single = [(name, torch.eye(count, dtype=torch.float64)[k]) for k, name in enumerate(mover.names)]
    for name, unit in [*single, (ALL, torch.ones(count, dtype=torch.float64))]:
        residuals, shares, seconds = [], [], 0.0
        # the other ways are slow, and what they leave hardly varies
        seeds = arguments.seeds if mover.settings.resampling == METHODS[0] or name == ALL else arguments.seeds[:1]
        for seed in seeds:
            coefficients = unit * mover.draw(len(samples), torch.Generator().manual_seed(seed))
            began = time.process_time()
            found = [mover.resampled(s[None], c[None]) for s, c in zip(samples, coefficients, strict=True)]
            seconds += time.process_time() - began
            values, valid = torch.cat([f.values for f in found]), torch.cat([f.valid for f in found])
            residuals.append(judge(values, valid))
            shares.append(float(valid.double().mean()))
        rate = len(samples) * len(seeds) / seconds
        rows.append({"generator": name, "residual": residuals, "share": mean(shares), "rate": rate})
    return rows


class Residual:
    """rms(u_t - F) / rms(u_t) of solutions on a regular grid, over times whose neighbours are valid too."""

    def __init__(self, evolution: Evolution, data: Trajectories) -> None:
        jets = evolution.jets
        self.data, self._step = data, float(data.time[1] - data.time[0])
        self._needed = {s: J for s, (_, J) in jets.jets(evolution.rhs[0]).items()}
        self._orders = [tuple(J[i] for i in evolution.space) for J in self._needed.values()]
        self._tape = Tape(evolution.rhs, [*jets.independent, *self._needed])
        self._time_first = evolution.time == 0

    def __call__(self, samples: Float[Tensor, "sample 1 time x"], valid: Bool[Tensor, "sample time"]) -> float:
        """The residual of all samples together."""
        u, rim = samples[:, 0], radius(1, ACCURACY)
        found = SpectralDifferentiator(self.data.grid).derivatives(u, self._orders)
        t, x = torch.meshgrid(self.data.time, self.data.grid.axes[0].coordinates(), indexing="ij")
        (rhs,) = self._tape(*((t, x) if self._time_first else (x, t)), *(found[J] for J in self._orders))
        rate = difference(u, -2, 1, self._step, ACCURACY, periodic=False)
        window = torch.nn.functional.avg_pool1d(valid[:, None].double(), 2 * rim + 1, 1)[:, 0] == 1
        left = (rate - rhs[:, rim:-rim])[window]
        return float(left.square().mean().sqrt() / rate[window].square().mean().sqrt())


class Departure:
    """How far solutions go from what a simulation makes of their first state, over STEPS steps of their window."""

    def __init__(self, evolution: Evolution, data: Trajectories) -> None:
        self.evolution, self.data = evolution, data

    def __call__(self, samples: Float[Tensor, "sample 1 time x"], valid: Bool[Tensor, "sample time"]) -> float:
        """rms of the difference over that of the solution, at the last of the steps."""
        first = int(longest(valid.all(0)[None])[0])
        times = self.data.time[first : first + STEPS + 1].tolist()
        start = samples[:, :, first].contiguous()
        (*_, last) = states(self.evolution, self.data.grid, start, times, Tolerance(1e-6), "moving")
        true = resample(last.values, last.grid, self.data.grid)
        off = samples[:, :, first + STEPS] - true
        return float(off.square().mean().sqrt() / true.square().mean().sqrt())


def table(known: dict[str, Any], arguments: argparse.Namespace) -> str:
    """The page."""
    return "\n".join(
        [
            heading("Moving solutions along symmetries"),
            f"{arguments.samples} solutions of each equation (seed 0, tolerance 1e-6, float64, {arguments.threads} "
            f"thread), moved by coefficients uniform in [-{arguments.sigma:g}, {arguments.sigma:g}] of generators "
            "of norm 1 in scaled coordinates. Residual: rms(u_t - F)/rms(u_t), spectral in x, differences of order "
            f"8 in t, over the valid times; mean ± standard deviation over the seeds {arguments.seeds} of the "
            f"combinations, without it seed {arguments.seeds[0]} alone. Its floor, that of the unmoved solutions, "
            "is what differences in time and the simulation leave. Rates are samples for each second of the "
            "processor, one sample at a time, while other work ran.\n\n"
            "A shift in x commutes with all but aliasing: where its residual isn't the floor (burgers) that is "
            "what the points don't hold. The late samples of nkdv are too far apart for differences in time; of it "
            "the departure, below, tells more.\n",
            lines(["equation", "floor", "along", "Whittaker-Shannon", "bilinear", "splatting", "times valid"]),
            *(lines(row) for name, found in known.items() for row in residual_rows(name, found)),
            f"\nDeparture: {FEW} solutions moved along all generators at once (seed {arguments.seeds[0]}), and "
            f"what a simulation of tolerance 1e-6 makes of their first valid state in {STEPS} steps; rms of the "
            "difference over that of the solution.\n",
            lines(["equation", "unmoved", "Whittaker-Shannon", "learned fields", "bilinear", "splatting"]),
            *(lines(departure_row(name, found["departures"])) for name, found in known.items()),
            "\nSamples per second, all generators at once; the process's peak of memory, simulation included:\n",
            lines(["equation", "closed flows", "learned fields", "bilinear", "splatting", "MB"], head=True),
            *(lines(speed_row(name, found)) for name, found in known.items()),
            "",
        ]
    )


def residual_rows(name: str, found: dict[str, Any]) -> list[list[str]]:
    """A line for each generator of the truth, for all together, and for the learned fields."""
    rows = []
    for row in found["rows"]:
        if row["method"] != METHODS[0] or (row["along"] == "learned" and row["generator"] != ALL):
            continue
        others = [same(found, row["generator"], method, row["along"]) for method in METHODS[1:]]
        cells = [spread(r["residual"]) if r else "" for r in (row, *others)]
        label = row["generator"] if row["along"] == "truth" else "learned fields, all of them"
        rows.append([name, f"{found['floor']:.2e}", label, *cells, f"{100 * row['share']:.0f} %"])
    return rows


def departure_row(name: str, found: dict[str, float]) -> list[str]:
    """Of each method."""
    keys = ("unmoved", "truth whittaker", "learned whittaker", "truth bilinear", "truth splat")
    return [name, *(f"{found[key]:.1e}" if key in found else "" for key in keys)]


def speed_row(name: str, found: dict[str, Any]) -> list[str]:
    """Rates of the combinations."""
    rates = [
        same(found, ALL, METHODS[0], "truth"), same(found, ALL, METHODS[0], "learned"),
        *(same(found, ALL, method, "truth") for method in METHODS[1:]),
    ]  # fmt: skip
    return [name, *(f"{r['rate']:.1f}" if r else "" for r in rates), f"{found['memory']:.0f}"]


def same(found: dict[str, Any], generator: str, method: str, along: str) -> dict[str, Any] | None:
    """The row of a generator by another method."""
    wanted = (generator, method, along)
    return next((r for r in found["rows"] if (r["generator"], r["method"], r["along"]) == wanted), None)


def spread(values: Sequence[float]) -> str:
    """Mean and standard deviation."""
    return f"{mean(values):.2e}" + (f" ± {stdev(values):.0e}" if len(values) > 1 else "")


def lines(cells: Sequence[str], head: bool = False) -> str:
    """A row, with a rule under a head."""
    row = f"| {' | '.join(cells)} |"
    return row + "\n" + f"|{'---|' * len(cells)}" if head or cells[0] == "equation" else row


if __name__ == "__main__":
    main()
