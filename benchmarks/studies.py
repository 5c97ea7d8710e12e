"""What the studies of the paper share: one set of data, a reduced training on its losses, and what it found."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lieapp.compare.subspace import cosines, normalised
from lieapp.data.stepping import Tolerance
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import PatchData
from lieapp.errors import DiscoveryError
from lieapp.methods.by_descent import settled
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Joined, Slotted
from lieapp.methods.flow import Solver
from lieapp.methods.losses import FiniteScore, LinearScore
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import one_cycle
from lieapp.methods.result import judge
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.pde.known import Derived, derived, scaled
from lieapp.pde.residual import Backend
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

RESULTS = Path(__file__).parent / "results"
FOUND = 0.99
"""Cosine from which on a slot lies in the span of the derived generators, or one of them in that of the slots."""

VALID = 0.1
"""η below which a slot counts as a symmetry, as everywhere in lieapp."""

APART = 0.3
"""Singular value of the right slots above which a direction of theirs counts: copies of one slot count once."""

PATCH = (40, 40)
"""Time samples and points of a patch that a finite flow moves."""


@dataclass(frozen=True)
class Case:
    """An equation with its data and its derived generators.

    Args:
        known: the derived generators as fields, `truth.names` being their names.
    """

    domain: PDEDomain
    data: PDEDataset
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
        floor: validity, as relative change per time window, below which a slot no longer drives the training; the
            published code's differences leave more than that of true solutions.
        sigma: flow parameters within ±sigma; None for the limit of a small flow.
        backend: what differentiates moved data.
        batch: slices of the limit, or patches of a finite flow.
        seed: of the network's weights and of the batches.
    """

    steps: int = 400
    width: int = 64
    batch: int = 8
    rate: float = 0.02
    floor: float = 0.1
    slots: int = 4
    w_sym: float = 1.0
    w_ortho: float = 3.0
    w_lips: float = 1.0
    tau: float = 3.0
    sigma: float | None = None
    backend: str = "curvilinear"
    seed: int = 0

    def told(self) -> str:
        """The sentence that stands in a result."""
        score = "the linearised residual" if self.sigma is None else f"a finite flow on patches of {PATCH}"
        pieces = "slices" if self.sigma is None else "patches"
        return (
            f"{self.steps} steps of Adam (one cycle up to {self.rate:g}) on {self.batch} {pieces}, trunk of "
            f"{self.width} and heads of 32, {self.slots} slots, floor {self.floor:g}, validity by {score}, "
            "orthonormality, Lipschitz and, in the last fifth, Sobolev loss, float64"
        )


def case(name: str, samples: int = 16, held_out: int = 4, seed: int = 0, folders: Sequence[Path] = ()) -> Case:
    """Simulate and derive, with the tolerance that `lieapp discover` has.

    Raises DiscoveryError if no generators are derived.
    """
    catalog = load_catalog(folders)
    domain = PDEDomain(catalog.get(name).declaration)
    data = domain.dataset(samples, held_out, seed, tolerance=Tolerance(1e-3))
    reporter = SilentReporter()
    truth = derived(domain, 60.0, reporter)
    if not truth.formulas:
        raise DiscoveryError(
            f"{name}: there are no derived generators to hold fields against ({'; '.join(reporter.warnings)}).",
            hint="Look at the equation with `lieapp truth`.",
        )
    return Case(domain, data, truth, scaled(domain, truth, data.scales))


def descent(case: Case, settings: Settings) -> Descent:
    """A training from nothing."""
    domain, data, steps = case.domain, case.data, settings.steps
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = GeneratorNetwork(domain.arguments, len(domain.components), settings.slots, settings.width, 32)
    plan = Plan(
        steps=steps,
        batch=settings.batch,
        weights=Weights(settings.w_sym, settings.w_ortho, settings.w_lips),
        tau=settings.tau,
        rate=lambda step: one_cycle(step, steps, settings.rate),
        sobolev_from=steps * 4 // 5,
        floor=settings.floor,
        clip=1.0,
    )
    fields = network.to(torch.float64)
    if settings.sigma is None:
        return Descent(data.draft, fields, LinearScore(domain), plan, settings.seed)
    if settings.backend != domain.backend.name:
        domain = PDEDomain(domain.declaration, Backend(settings.backend))
    score = FiniteScore(domain, settings.sigma, Solver("rk4", 0.2, False), plain=True)
    patches = PatchData(data.train.source, data.scales, domain.evolution.time, PATCH, torch.float64)
    return Descent(patches, fields, score, plan, settings.seed)


def trained(case: Case, settings: Settings, every: int = 0) -> Iterator[tuple[int, Slotted]]:
    """The steps done and the fields, of norm 1 on the training data: every so many steps and at the end."""
    training = descent(case, settings)
    for step in range(1, settings.steps + 1):
        training.step()
        if step == settings.steps or (every and step % every == 0):
            yield step, settled(case.domain, case.data, training.fields, (48, 24), step)[0]


def held_against(case: Case, fields: Slotted, slots: int) -> dict[str, Any]:
    """Learned fields held against the derived generators on held-out data, see `held_in`."""
    judged = judge(case.domain, Joined(fields, case.known), case.data.held_out.batches(48, 8))
    return held_in(judged.gram, judged.eta[:slots].tolist())


def held_in(gram: torch.Tensor, eta: Sequence[float]) -> dict[str, Any]:
    """Slots held against generators, by the inner products of both, slots first, and the slots' η.

    A slot is right if its η is below VALID and its cosine with the span of the generators is FOUND or more.
    `found`: how many independent directions the right ones of the first N slots have, N being the number of
    generators; `found_all`: of all slots. `held`, `held_all`: cosine of each generator with the span of these
    directions. `inner`: slot x generator; `cosine`: of each slot with the span of the generators; `eta` of each
    slot; `naive`: cosine of each generator as it is with the span of the first N slots, whatever they are.

    In `held` and `inner` a generator is what of it is orthogonal to those before it. As it is the Galilean boost of
    KS has cosine .98 with a translation on the window, and even an untrained network holds it.
    """
    slots = len(eta)
    true = [*range(slots, len(gram))]
    first = list(range(min(len(true), slots)))
    inner = normalised(with_own_parts(gram, slots))[:slots][:, true]
    cosine = torch.linalg.vector_norm(inner, dim=1)
    right = [n for n in range(slots) if eta[n] < VALID and cosine[n] >= FOUND]
    directions = [independent(inner[[n for n in right if n in wanted]]) for wanted in (first, range(slots))]
    return {
        "found": len(directions[0]),
        "found_all": len(directions[1]),
        "right": len(right),
        "held": torch.linalg.vector_norm(directions[0], dim=0).tolist(),
        "held_all": torch.linalg.vector_norm(directions[1], dim=0).tolist(),
        "inner": inner.tolist(),
        "cosine": cosine.tolist(),
        "eta": list(eta),
        "naive": cosines(gram, first, true),
    }


def nearest(row: dict[str, Any]) -> str:
    """The slot of the first N that holds most of the last generator: its cosine with it and its η."""
    slot = max(range(min(len(row["names"]), len(row["eta"]))), key=lambda n: abs(row["inner"][n][-1]))
    return f"{abs(row['inner'][slot][-1]):.3f} ({row['eta'][slot]:.1e})"


def independent(rows: torch.Tensor) -> torch.Tensor:
    """An orthonormal basis of the directions that some slots have, in the orthonormal generators."""
    if not len(rows):
        return rows.new_zeros(0, rows.shape[1])
    _, size, directions = torch.linalg.svd(rows, full_matrices=False)
    return directions[size > APART]


def with_own_parts(gram: torch.Tensor, slots: int) -> torch.Tensor:
    """Inner products with each generator replaced by what of it is orthogonal to those before it."""
    size = torch.diagonal(gram)[slots:].sqrt()
    lower = torch.linalg.cholesky(gram[slots:, slots:] / size[:, None] / size)
    own = torch.linalg.solve_triangular(lower, torch.diag(1 / size), upper=False)
    change = torch.block_diag(torch.eye(slots, dtype=gram.dtype), own)
    return change @ gram @ change.T


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

    def lacks(self, row: dict[str, Any]) -> bool:
        """Whether there is no row with these entries yet."""
        return self._key(row) not in self.rows

    def need(self, row: dict[str, Any], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The row with these entries, made and written unless it is there."""
        key = self._key(row)
        if self.lacks(row):
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


def table(rows: Sequence[Sequence[str]]) -> str:
    """Markdown; the first row is the head."""
    lines = [rows[0], ("---",) * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float], form: str = ".2g") -> str:
    """median (min–max)."""
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"
