"""Fields judged at finite size: how far from valid held-out data are after a flow to s."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.compare.outcome import Outcome
from lieapp.config import DiscoverConfig
from lieapp.domains.base import BatchT, Movable, Own
from lieapp.domains.solutions import PatchData, Patches
from lieapp.methods.fields import Scaled, Slotted
from lieapp.methods.flow import orbit
from lieapp.methods.result import Discovery
from lieapp.methods.verdict import SMALL
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.progress import Reporter
from lieapp.results.discovery import FEW, AtSize
from lieapp.runs.store.files import write_tensors

Record = Callable[[int, int, BatchT, BatchT], None]


@dataclass(frozen=True)
class FiniteJudgement:
    """Means over data, slot by slot and s by s.

    Args:
        s: flow parameters in scaled coordinates, ascending, without 0.
        defect: rms(R_s - R_0) / (|s| rms(Q)) with R the residual of moved and unmoved data in scaled units: what
            η tends to for a large flow, and η itself for s -> 0; inf where no node is left to judge.
        share: of the nodes, those judged.
        folded: share of nodes where the moved grid is folded.
        unmoved: rms(R_0) / (|s| rms(Q)), what the same differences leave of unmoved data: a defect that isn't above
            it may be theirs.
    """

    s: list[float]
    defect: Float[Tensor, "slot s"]
    share: Float[Tensor, "slot s"]
    folded: Float[Tensor, "slot s"]
    unmoved: Float[Tensor, "slot s"]


def judge_finite(
    domain: Movable[BatchT], fields: Slotted, reach: Float[Tensor, " slot"], batches: Sequence[BatchT],
    s: list[float], step: float, report: Reporter, record: Record[BatchT] = lambda number, k, before, after: None,
) -> FiniteJudgement:  # fmt: skip
    """Move held-out data along every field and take their residual.

    Args:
        fields: of norm 1 on the data.
        reach: rms(Q) of each.
        s: ascending flow parameters without 0.
        step: of RK4 in s.
        record: called with the number of the batch, that of the flow parameter, and the batch unmoved and moved.
    """
    line, slots, pieces = sorted([*s, 0.0]), len(reach), 0
    sums, own = torch.zeros(3, slots, len(s)), 0.0
    for number, batch in enumerate(batches):
        report.progress(number, len(batches))
        points = batch.points.expand(slots, *batch.points.shape)
        moved = orbit(fields, points, torch.tensor(line).to(batch.points), step)
        pieces += len(batch.weight)
        with torch.no_grad():
            own += float(domain.validity(None, batch, power=2).score.square().sum())
        for k, value in enumerate(s):
            place = moved[line.index(value)]
            with torch.no_grad():
                after = domain.act(partial(_there, place), batch, torch.zeros(slots))
                found = domain.validity(batch, after, power=2)
                record(number, k, batch, after)
            rows = torch.stack([found.score.square(), found.share, found.folded]).reshape(3, slots, -1)
            sums[:, :, k] += rows.sum(2).cpu()
    squares, share, folded = sums / pieces
    size = torch.tensor(s).abs() * reach.to(squares)[:, None]
    return FiniteJudgement(s, squares.sqrt() / size, share, folded, (own / pieces) ** 0.5 / size)


def _there(place: Own, points: Own, s: Float[Tensor, " slot"]) -> Own:
    """A flow whose result is known."""
    return place


SHARES = (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)
"""Flow parameters that fields are judged at, in units of sigma."""

LONGEST = 140
"""Time samples of a trajectory that are moved at most."""

NODES, FEWEST = 4 * 140 * 256, 24
"""Nodes that are moved at most, over all slots; but so many time samples in any case."""

FOLDED = 0.05
"""Largest share of folded nodes with which a field can hold."""

TIMES, POINTS = 60, 128
"""Most nodes in time and along an axis of space that are kept for pictures."""


@dataclass(frozen=True)
class Judged:
    """The judgement and, of the first held-out trajectory, what was moved where.

    Args:
        tensors: `s`; `points`, slot x s x coordinate x grid, and `residual`, slot x s x component x grid: what the
            moved data have beyond the unmoved, nan where it can't be taken; all physical but the residual, which
            is the relative change of the unknown per time window.
    """

    result: FiniteJudgement
    tensors: dict[str, Tensor]

    def rows(self) -> list[AtSize]:
        """One entry for each slot; a defect that can't be taken is None."""
        r = self.result
        slots = (t.tolist() for t in (r.defect, r.share, r.folded, r.unmoved))
        return [
            AtSize(
                s=r.s, defect=[d if d < float("inf") else None for d in defect], share=share, folded=folded,
                unmoved=unmoved, holds=_holds(defect, share, folded, unmoved),
            )
            for defect, share, folded, unmoved in zip(*slots, strict=True)
        ]  # fmt: skip

    def write(self, file: Path) -> None:
        """Keep the arrays."""
        write_tensors(file, self.tensors)


def _holds(defect: list[float], share: list[float], folded: list[float], unmoved: list[float]) -> bool | None:
    """Whether a field is a symmetry at every s with enough nodes; None where nothing tells."""
    places = zip(defect, share, folded, unmoved, strict=True)
    seen = [(d, fold, own) for d, part, fold, own in places if part >= FEW]
    if not seen:
        return None
    # on a folded grid a small residual says nothing
    if max(folded) > FOLDED:
        return False
    large = [(d, fold, own) for d, fold, own in seen if not d < SMALL]
    if not large:
        return True
    # neither beside a fold, nor where the differences leave as much of valid data, is a large one a sign
    return None if all(fold > 0 or d <= own for d, fold, own in large) else False


def undecided(row: AtSize) -> str:
    """Why one of `rows` doesn't say whether its field holds, and what to do; nothing if it does."""
    if row.holds is not None:
        return ""
    if row.largest is None:
        far = min(map(abs, row.s))
        return f"moved by |s| = {far:g} and more, too few nodes are left; lower sigma"
    worst = row.defect[row.largest]
    return (
        f"its defect of {worst:.2g} comes from differences across a fold of the moved grid, or is no larger than "
        "that of unmoved data by the same differences; lower sigma, or use more points"
    )


def finite_judgement(
    config: DiscoverConfig, domain: PDEDomain, data: PDEDataset, found: Discovery, outcome: Outcome,
    report: Reporter,
) -> Judged:  # fmt: skip
    """Move held-out trajectories along every learned field and take their residual."""
    source = data.held_out.source
    chosen = data.held_out.first(config.finite.samples)
    few = NODES // (max(len(outcome.slots), 1) * math.prod(source.grid.shape))
    shape = (min(LONGEST, len(source.time), max(FEWEST, few)), *[0] * len(source.grid.axes))
    device = data.held_out.device
    patches = PatchData(chosen, data.scales, domain.evolution.time, shape, torch.float64, device)
    weight = sum(float(b.weight.sum()) for b in data.held_out.batches(config.held_out_slices, 8))
    norms = (torch.diagonal(outcome.gram)[outcome.slots] / weight).sqrt()
    fields = Scaled(found.fields, (1 / norms).to(source.values.dtype).to(device))
    s = [config.moving.sigma * share for share in SHARES]
    pictures = _Pictures(domain)
    batches = list(patches.batches(1))
    result = judge_finite(
        domain, fields, outcome.reach[outcome.slots], batches, s, config.moving.solver_step, report, pictures.keep
    )
    return Judged(result, {"s": torch.tensor(s), **pictures.tensors()})


class _Pictures:
    """The first trajectory moved along each slot."""

    def __init__(self, domain: PDEDomain) -> None:
        self.domain = domain
        self._points: list[Tensor] = []
        self._residuals: list[Tensor] = []

    def keep(self, number: int, k: int, before: Patches, after: Patches) -> None:
        """Called for every batch and flow parameter; keeps those of the first batch."""
        if number:
            return
        dims = before.points.ndim - 2
        found = self.domain.residual(after).beyond(self.domain.residual(before))
        value = torch.where(found.valid[:, None], found.value, torch.nan)
        origin, size = (
            torch.tensor(v, dtype=value.dtype, device=value.device).reshape(1, -1, *[1] * dims)
            for v in (after.scales.origin, after.scales.size)
        )
        strides = [
            max(1, -(-n // most)) for n, most in zip(value.shape[2:], (TIMES, *[POINTS] * dims), strict=False)
        ]
        thin = (..., *(slice(None, None, stride) for stride in strides))
        self._points.append((origin + size * after.points)[thin])
        self._residuals.append(value[thin])

    def tensors(self) -> dict[str, Tensor]:
        """With a dimension for s behind that of the slots."""
        return {"points": torch.stack(self._points, 1), "residual": torch.stack(self._residuals, 1)}
