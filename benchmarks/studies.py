"""What the studies of the paper share: one set of data, a reduced training on its losses, and what it found."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from lieapp.compare.subspace import cosines, normalised
from lieapp.data.stepping import Tolerance
from lieapp.discovery.by_descent import settled
from lieapp.discovery.descent import Descent, Plan, Weights
from lieapp.discovery.fields import Joined, Slotted
from lieapp.discovery.flow import Solver
from lieapp.discovery.generator import GeneratorNetwork
from lieapp.discovery.judge import judge
from lieapp.discovery.projection import one_cycle
from lieapp.discovery.scores import FiniteScore, LinearScore
from lieapp.domains.formulas import FixedFields
from lieapp.domains.pde import Dataset, PDEDomain
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog
from lieapp.runs.truth import Derived, derived, scaled

RESULTS = Path(__file__).parent / "results"
FOUND = 0.99
"""Cosine with a span of slots from which on a generator counts as found."""

PATCH = (40, 40)
"""Time samples and points of a patch that a finite flow moves."""


@dataclass(frozen=True)
class Case:
    """An equation with its data and its derived generators.

    Args:
        known: the derived generators as fields, `truth.names` being their names.
    """

    domain: PDEDomain
    data: Dataset
    truth: Derived
    known: FixedFields

    @property
    def count(self) -> int:
        """How many generators there are."""
        return len(self.truth.names)


@dataclass(frozen=True)
class Settings:
    """Of one training, the paper's (appendix "Experiment Details") at reduced size.

    Args:
        sigma: flow parameters within ±sigma; None for the limit of a small flow.
        batch: slices of the limit, or patches of a finite flow.
        seed: of the network's weights and of the batches.
    """

    steps: int = 240
    width: int = 64
    batch: int = 8
    rate: float = 0.01
    slots: int = 4
    w_sym: float = 1.0
    w_ortho: float = 3.0
    w_lips: float = 1.0
    tau: float = 3.0
    sigma: float | None = None
    seed: int = 0

    def told(self) -> str:
        """The sentence that stands in a result."""
        score = "the linearised residual" if self.sigma is None else f"a finite flow on patches of {PATCH}"
        pieces = "slices" if self.sigma is None else "patches"
        return (
            f"{self.steps} steps of Adam (one cycle up to {self.rate:g}) on {self.batch} {pieces}, trunk of "
            f"{self.width} and heads of 32, {self.slots} slots, validity by {score}, orthonormality, Lipschitz "
            "and, in the last fifth, Sobolev loss, float64"
        )


def case(name: str, samples: int = 16, held_out: int = 4, seed: int = 0, folders: Sequence[Path] = ()) -> Case:
    """Simulate and derive, with the tolerance that `lieapp discover` has."""
    catalog = load_catalog(folders)
    domain = PDEDomain(catalog.get(name).declaration)
    data = domain.dataset(samples, held_out, seed, tolerance=Tolerance(1e-3))
    truth = derived(domain, catalog.folders, 60.0, SilentReporter())
    return Case(domain, data, truth, scaled(domain, truth, data.scales))


def descent(case: Case, settings: Settings) -> Descent:
    """A training from nothing."""
    domain, data, steps = case.domain, case.data, settings.steps
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = GeneratorNetwork(domain.periodic, domain.dependent, settings.slots, settings.width, 32)
    plan = Plan(
        steps=steps,
        batch=settings.batch,
        weights=Weights(settings.w_sym, settings.w_ortho, settings.w_lips),
        tau=settings.tau,
        rate=lambda step: one_cycle(step, steps, settings.rate),
        sobolev_from=steps * 4 // 5,
        clip=1.0,
    )
    fields = network.to(torch.float64)
    if settings.sigma is None:
        return Descent(data.draft, fields, LinearScore(domain), plan, settings.seed)
    score = FiniteScore(domain, settings.sigma, Solver("rk4", 0.2, False), plain=True)
    patches = domain.patches(data.train.source, data.scales, PATCH, torch.float64)
    return Descent(patches, fields, score, plan, settings.seed)


def trained(case: Case, settings: Settings, every: int = 0) -> Iterator[tuple[int, Slotted]]:
    """The steps done and the fields, of norm 1 on the training data: every so many steps and at the end."""
    training = descent(case, settings)
    for step in range(1, settings.steps + 1):
        training.step()
        if step == settings.steps or (every and step % every == 0):
            yield step, settled(case.domain, case.data, training.fields, (48, 24), step)[0]


def held_against(case: Case, fields: Slotted, slots: int) -> dict[str, Any]:
    """Learned fields held against the derived generators on held-out data.

    `first` and `all`: cosine of each generator with the span of the first N slots, N being the number of
    generators, and of all; `inner`: slot x generator; `eta` of each slot.
    """
    judged = judge(case.domain, Joined(fields, case.known), case.data.held_out.batches(48, 8))
    true = [slots + k for k in range(case.count)]
    return {
        "first": cosines(judged.gram, list(range(min(case.count, slots))), true),
        "all": cosines(judged.gram, list(range(slots)), true),
        "inner": normalised(judged.gram)[:slots][:, true].tolist(),
        "eta": judged.eta[:slots].tolist(),
    }


def found(values: Sequence[float], least: float = FOUND) -> int:
    """How many generators are found."""
    return sum(value >= least for value in values)


class Rows:
    """Results that are written as they come; those of an earlier call are not computed again.

    Args:
        file: a JSON list of objects.
        keys: the entries that tell rows apart.
    """

    def __init__(self, file: Path, keys: Sequence[str]) -> None:
        self.file, self.keys = file, tuple(keys)
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        self.rows: dict[tuple[Any, ...], dict[str, Any]] = {self._key(row): row for row in known}

    def _key(self, row: dict[str, Any]) -> tuple[Any, ...]:
        # as JSON, so that 3 and 3.0 are told apart as little as they are when read back
        return tuple(json.dumps(float(v) if isinstance(v, int) else v) for v in (row.get(k) for k in self.keys))

    def need(self, row: dict[str, Any], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The row with these entries, made and written unless it is there."""
        key = self._key(row)
        if key not in self.rows:
            self.rows[key] = {**row, **make()}
            self.file.parent.mkdir(parents=True, exist_ok=True)
            text = "[\n" + ",\n".join(json.dumps(rounded(r)) for r in self.rows.values()) + "\n]\n"
            self.file.write_text(text, encoding="utf-8")
            print(json.dumps(rounded(self.rows[key])), flush=True)
        return self.rows[key]


def rounded(value: Any) -> Any:
    """Numbers to six digits, which is more than the results have."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, (list, tuple)) else value


def as_entries(settings: Settings) -> dict[str, Any]:
    """The settings as entries of a row."""
    return asdict(settings)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Markdown; the first row is the head."""
    lines = [rows[0], ("---",) * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float], form: str = ".2g") -> str:
    """median (min–max)."""
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"
