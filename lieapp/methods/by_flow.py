"""Fields by descent on the validity of moved data alone, where the limit of a small flow says nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lieapp.domains.base import Batch, BatchT, Fields, Movable
from lieapp.methods import losses
from lieapp.methods.descent import Descent
from lieapp.methods.fields import Scaled, Slotted, values
from lieapp.methods.flow import Flow, Solver
from lieapp.methods.loop import Session, marks, train
from lieapp.methods.result import Dataset, Discovery, Level

SIZE = 64
"""Pieces of data moved at a time, of each field."""

RANKED_ON = 64
"""Pieces of data to learn from that slots are put in order on."""

SHARES = (-1.0, -0.5, 0.5, 1.0)
"""Flow parameters that fields are judged at, as shares of σ."""


def by_flow(
    domain: Movable[BatchT], data: Dataset[BatchT], training: Descent[BatchT], levels: list[Level], judged_on: int,
    sigma: float, solver: Solver, session: Session,
) -> Discovery:  # fmt: skip
    """Train fields from scratch.

    Slots stand in the order of their validity on data to learn from, if the plan wants it so, at every mark and at
    the end; else as the orthonormality loss leaves them.

    The `eta` of the levels is the mean validity of held-out data moved to ±σ/2 and ±σ.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        judged_on: how many held-out pieces of data.

    Raises DiscoveryError if the loss isn't finite or a field can't be followed.
    """

    def judged(done: int) -> Level:
        fields = unit_fields(training.fields, data.train.batches(1, 1))
        batches = data.held_out.batches(judged_on, SIZE)
        found = mean_validity(domain, fields, batches, [share * sigma for share in SHARES], solver)
        return Level(done, found.mean(1).tolist())

    def rank(fields: nn.Module) -> Int[Tensor, " slot"]:
        own = unit_fields(fields, data.train.batches(1, 1))
        found = mean_validity(domain, own, data.train.batches(RANKED_ON, SIZE), [s * sigma for s in SHARES], solver)
        return found.mean(1).argsort()

    steps = training.plan.steps
    if training.plan.ordered:
        training.sort_before(marks(steps)[:-1], rank)
    train(training, steps, levels, judged, session)
    if training.plan.ordered:
        training.reorder(rank(training.fields))
    fields = unit_fields(training.fields, data.train.batches(1, 1))
    last = judged(steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(last.eta))


def unit_fields(fields: nn.Module, batches: Iterable[Batch]) -> Scaled:
    """A fixed copy of the fields, each of norm 1 under the weight of the data."""
    return normalised(copy.deepcopy(fields).requires_grad_(False), batches)


def normalised(fields: Slotted, batches: Iterable[Batch]) -> Scaled:
    """The fields divided by their norms under the weight of the data."""
    squares, weight = torch.zeros(()), torch.zeros(())
    for batch in batches:
        own = losses.norms(values(fields, batch.points), batch.weight).square() * batch.weight.sum()
        squares, weight = squares.to(own) + own, weight.to(own) + batch.weight.sum()
    return Scaled(fields, (weight / squares).sqrt())


def gram(fields: Fields, batches: Iterable[Batch]) -> Float[Tensor, "field field"]:
    """Inner products of the fields under the weight of the data, in float64."""
    total = torch.zeros((), dtype=torch.float64)
    with torch.no_grad():
        for batch in batches:
            columns = (batch.weight.sqrt()[:, None] * values(fields, batch.points)).flatten(1).double().cpu()
            total = total + columns @ columns.T
    return total


def mean_validity(
    domain: Movable[BatchT], fields: Slotted, batches: Iterable[BatchT], s: Sequence[float], solver: Solver
) -> Float[Tensor, "slot s"]:
    """Mean validity of data moved by each field to each flow parameter."""
    flow = Flow(fields, solver)
    total, count = torch.zeros(()), 0
    with torch.no_grad():
        for batch in batches:
            slots = len(values(fields, batch.points))
            moved = [domain.act(flow, batch, torch.full((slots,), value).to(batch.points)) for value in s]
            scores = torch.stack([domain.validity(None, own).score.reshape(slots, -1) for own in moved], 1)
            total = total + scores.sum(2).cpu()
            count += scores.shape[2]
    return total / max(count, 1)
