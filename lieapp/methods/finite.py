"""Fields judged at finite size: how far from valid held-out data are after a flow to s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import BatchT, Movable, Own
from lieapp.methods.fields import Slotted
from lieapp.methods.flow import orbit
from lieapp.progress import Reporter

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
