"""How often verdicts are right: discovery on random equations, found beside derived, row by row.

    python benchmarks/calibration.py [--count 200] [--seeds 0 1 2] [--repeated 30] [--power]

The first `count` equations of random_equations.py that can be simulated are searched by the spectrum on 8
trajectories, with the first seed; the first `repeated` of them with the other seeds too. `--power` varies noise,
trajectories and points for five of them. Rows go to benchmarks/results/calibration.json one by one, from which
calibration.md and the figures are made; what is there isn't done again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from calibration_tables import write
from discover import RESULTS, commit
from proofs import spanned
from random_equations import equation, text

from lieapp.api import PDE
from lieapp.equations.equation import read_pde
from lieapp.equations.parsing import parse_expression
from lieapp.errors import CancelledError, LieappError
from lieapp.lie.invariance import is_symmetry
from lieapp.lie.vector_field import Field
from lieapp.pde.discover import execute
from lieapp.registry.catalog import load_catalog
from lieapp.results.discovery import EquationResult
from lieapp.runs.pipeline import sitting
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.session import Session
from lieapp.settings import leaves, load_config

SETTINGS: dict[str, Any] = {
    "method": "spectrum", "cross_check": False, "finite": {"samples": 0},
    "samples": 8, "slices": 48, "held_out_slices": 32,
}  # fmt: skip
PATIENCE = 60.0
"""Seconds of the processor after which an equation is given up."""

COMMIT = commit()
"""That of the code this process has loaded."""

Progress = Callable[..., None]

POWER = (7, 13, 28, 31, 40)
"""Equations of the power curves: of orders 2 to 5, one with a coefficient in t, one with two unknowns."""

CHANGES: list[dict[str, float]] = [
    *({"noise": share} for share in (0.01, 0.02, 0.05, 0.1, 0.2)),
    *({"noise": 0.05, "samples": n} for n in (1, 2, 4, 6, 16)),
    *({"noise": 0.05, "points": n} for n in (128, 256)),
]


class SlowError(LieappError):
    """An equation whose simulation takes too long for a benchmark."""


def main() -> None:
    """Do what is missing, row by row, and write the tables."""
    parser = argparse.ArgumentParser(description="Discovery on random equations.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--repeated", type=int, default=30, help="equations that are searched with every seed")
    parser.add_argument("--power", action="store_true", help="vary noise, trajectories and points as well")
    parser.add_argument("--again", type=int, nargs="*", default=[], help="equations to do anew")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--note", default="", help="what else is to be known, such as what ran beside")
    arguments = parser.parse_args()
    file = arguments.out / "calibration.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = {key(row): row for row in known if row["number"] not in arguments.again}
    for number, seed, changed in wanted(rows, arguments):
        row = measured(number, seed, changed)
        rows[key(row)] = row
        told = ("number", "seed", "changed", "equation", "count", "proved", "failed", "wall")
        print(json.dumps({name: row[name] for name in told if name in row}), flush=True)
        lines = ",\n".join(json.dumps(rows[place]) for place in sorted(rows))
        file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    write(list(rows.values()), arguments.out, arguments.note)


def key(row: dict[str, Any]) -> tuple[int, int, str]:
    """What tells a row from others."""
    return row["number"], row["seed"], json.dumps(row.get("changed", {}))


Wanted = tuple[int, int, dict[str, float]]
"""An equation's number, the seed of its data, and what is changed for a power curve."""


def wanted(rows: dict[tuple[int, int, str], dict[str, Any]], arguments: argparse.Namespace) -> Iterator[Wanted]:
    """What isn't there; an equation that can't be simulated gives its place to the next one."""
    for place, seed in enumerate(arguments.seeds):
        number = good = 0
        while good < (arguments.repeated if place else arguments.count):
            if (number, seed, "{}") not in rows:
                yield number, seed, {}
            good += "failed" not in rows[number, seed, "{}"]
            number += 1
    for number, changed in itertools.product(POWER, CHANGES if arguments.power else ()):
        if (number, 0, json.dumps(changed)) not in rows:
            yield number, 0, changed


def measured(number: int, seed: int, changed: dict[str, float]) -> dict[str, Any]:
    """One row: what was found and what was derived, or why the equation could not be searched."""
    points = {key: int(value) for key, value in changed.items() if key == "points"}
    settings = {key: value for key, value in changed.items() if key != "points"}
    pde, began = equation(number, **points), time.perf_counter()
    row: dict[str, Any] = {"number": number, "seed": seed, "equation": text(pde), "commit": COMMIT}
    row |= {"changed": changed} if changed else {}
    try:
        result = discovered(pde, {**SETTINGS, "seed": seed, **settings})
    except CancelledError:
        raise
    except LieappError as error:
        return row | {"failed": f"{type(error).__name__}: {error}", "wall": round(time.perf_counter() - began, 1)}
    system = read_pde(pde)
    symbols = {str(s): s for s in system.jets.coordinates}
    own = [_field(derived.field, symbols) for derived in result.truth]
    proved = [(form, _field(form.field, symbols)) for form in result.formulas if form.proved and form.field]
    outside = [
        form.shown.text for form, field in proved
        if form.shown and not spanned(field, own, list(symbols.values()))
        and not (result.families and is_symmetry(system, field.components))
    ]  # fmt: skip
    derived = [[d.shown.text, d.cosine, eta] for d, eta in zip(result.truth, result.truth_eta, strict=True)]
    return row | {
        "derived": derived, "families": len(result.families), "linear": result.superposition is not None,
        "count": result.count, "proved": [form.shown.text for form, _ in proved if form.shown],
        "outside": outside, "same_span": result.formulas_check.same_span,
        "holds": result.formulas_check.holds_derived, "angle": result.subspace.angle,
        "slots": [[s.eta, s.verdict, s.confidence, c.eta]
                  for s, c in zip(result.generators, result.convergence, strict=True)],
        "approximate": [[f.slot, f.shown and f.shown.text, f.eta, f.leftover]
                        for f in result.formulas if f.slot is not None],
        "spectrum": result.spectrum.eta[:40], "warnings": result.warnings, "seconds": result.seconds,
        "wall": round(time.perf_counter() - began, 1),
    }  # fmt: skip


def discovered(pde: PDE, settings: dict[str, Any]) -> EquationResult:
    """`lieapp.discover` of a declaration without the report, whose figures would take half of the time."""
    catalog = load_catalog([])
    entry = catalog.declared(pde)
    given = dict(leaves({"plugin": pde.name, **settings}))
    config = load_config(catalog.settings(catalog.work(entry, "discover")), **given)
    methods = {name: known.item for name, known in catalog.methods.items()}
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory.create(Path(folder), config, pde.name, entry=entry)

        def work(session: Session) -> EquationResult:
            session.here, session.report.progress = True, patient(session.report.progress)
            return execute(config, pde, session)

        return sitting(run, config, work, methods=methods, quiet=True)


def patient(progress: Progress) -> Progress:
    """The same, which raises SlowError for an equation that would take all night."""
    end = time.process_time() + PATIENCE

    def look(step: int, total: int | None, *what: str) -> None:
        if time.process_time() > end:
            raise SlowError(f"after {PATIENCE:g} s it was at {step} of {total}.")
        progress(step, total, *what)

    return look


def _field(parts: dict[str, str], symbols: dict[str, Any]) -> Field:
    return Field({c: parse_expression(parts[c], symbols, integrals=True) for c in symbols})


if __name__ == "__main__":
    main()
