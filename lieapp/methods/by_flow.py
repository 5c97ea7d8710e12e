"""Fields by descent on the validity of moved data; and those that data bear best for s -> 0, an eigenproblem.

With T the derivative of the features' direction along each field of the span (`Domain.tangent`) and G their inner
products: K c = λ G c with K the mean of TᵀT over data. √λ is the root mean square of angle/|s|.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lieapp.domains.base import Batch, BatchT, Domain, Fields, Movable
from lieapp.domains.spread import EveryComponent, Features
from lieapp.methods import losses
from lieapp.methods.descent import Descent
from lieapp.methods.fields import Combination, Orthonormal, Scaled, Slotted, values
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
    fixed = copy.deepcopy(fields).requires_grad_(False)
    return normalised(fixed.now()[0] if isinstance(fixed, Orthonormal) else fixed, batches)


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


DEPENDENT = 1e-9
"""Directions whose squared norm on the data is below this share of the largest are dropped."""


@dataclass(frozen=True)
class SmallFlow:
    """Directions of a span, ascending.

    Args:
        slopes: √λ of each.
        fields: the directions asked for, of norm 1 under the weight.
    """

    slopes: Float[Tensor, " direction"]
    fields: Combination


def small_flow(
    domain: Domain[BatchT], features: Features, batches: Iterable[BatchT], most: int
) -> SmallFlow:
    """All slopes of the fields h_k e_c, and the lowest `most` directions.

    Raises what torch raises where the domain's features have no forward derivative.
    """
    count = len(domain.components)
    span = EveryComponent(features, count)
    batches = list(batches)
    change, pieces, weight = torch.zeros((), dtype=torch.float64), 0, 0.0
    with torch.no_grad():
        for batch in batches:
            found = domain.tangent(batch, domain.characteristic(batch, span)[1]).double().cpu()
            change = change + torch.einsum("nb...,mb...->nm", found, found)
            pieces, weight = pieces + found.shape[1], weight + float(batch.weight.sum())
    size, rotation = torch.linalg.eigh(gram(span, batches) / weight)
    keep = size > DEPENDENT * size[-1]
    whiten = rotation[:, keep] / size[keep].sqrt()
    slopes, directions = torch.linalg.eigh(whiten.T @ (change / pieces) @ whiten)
    chosen = (whiten @ directions[:, :most]).T.reshape(-1, features.count, count)
    fields = Combination(features, chosen.to(batches[0].points))
    return SmallFlow(slopes.clamp_min(0).sqrt(), fields)
