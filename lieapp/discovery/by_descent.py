"""The paper's way: fields by gradient descent, from nothing or from what another stage found."""

from __future__ import annotations

import copy
import math

import torch
from torch import nn

from lieapp.discovery.beside import Beside
from lieapp.discovery.descent import Descent
from lieapp.discovery.fields import Combination, Scaled, Slotted
from lieapp.discovery.judge import judge
from lieapp.discovery.loop import Checkpoint, train
from lieapp.discovery.network import FeatureNetwork
from lieapp.discovery.result import SIZE, Dataset, Discovery, Level, Metrics, solve
from lieapp.domains.base import Domain, EvolvingT
from lieapp.progress import Reporter

FLOOR = 1e-7
"""Defects below this are equally good when two answers are compared."""


def by_descent(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], training: Descent, levels: list[Level],
    slices: tuple[int, int], checkpoint: Checkpoint, report: Reporter, metrics: Metrics = lambda row: None,
) -> Discovery:  # fmt: skip
    """Train fields from scratch; slots stay in the order of the orthonormality loss.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        slices: how many slices to normalise and to judge on.

    Raises DiscoveryError if the loss isn't finite or a field can't be followed.
    """
    steps = training.plan.steps

    def judged(done: int) -> Level:
        return settled(domain, data, training.fields, slices, done)[1]

    train(training, steps, levels, judged, checkpoint, report, metrics)
    fields, last = settled(domain, data, training.fields, slices, steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(last.eta))


def settled(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], fields: nn.Module, slices: tuple[int, int], label: int
) -> tuple[Slotted, Level]:
    """One fixed field for each slot, of norm 1 on the training data, judged on the held-out data."""
    fixed = copy.deepcopy(fields).to(torch.float64).requires_grad_(False)
    whole = list(data.train.batches(slices[0], SIZE))
    weight = sum(batch.weight.sum() for batch in whole)
    size = (torch.diagonal(judge(domain, fixed, whole).gram) / weight.cpu()).sqrt()
    scaled = Scaled(fixed, (1 / size).to(whole[0].points))
    eta = judge(domain, scaled, data.held_out.batches(slices[1], SIZE)).eta
    return scaled, Level(label, eta.tolist())


def refinable(found: Discovery) -> Combination | None:
    """A copy of learned fields that a descent can change; None where the features are fixed."""
    fields = found.fields
    if not isinstance(fields, Combination) or not isinstance(fields.features, FeatureNetwork | Beside):
        return None
    return Combination(copy.deepcopy(fields.features), nn.Parameter(fields.coefficients.clone()))


def refined(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], found: Discovery, training: Descent,
    slices: tuple[int, int], checkpoint: Checkpoint, report: Reporter, metrics: Metrics = lambda row: None,
    before: int = 0,
) -> Discovery:  # fmt: skip
    """Descend on the features of learned fields, solve for the fields in them again, and keep the better answer.

    Args:
        training: of `refinable(found)`.
        before: steps that metrics have counted already.
    """
    train(training, training.plan.steps, [], None, checkpoint, report, metrics, before)
    features = training.fields.features
    assert isinstance(features, FeatureNetwork | Beside)
    features = copy.deepcopy(features).to(torch.float64).requires_grad_(False)
    old = found.levels[-1]
    fields, solved, level = solve(domain, data, features, len(old.eta), *slices, label=old.label)
    better = _size(level) < _size(old)
    report.line(f"flow stage: {'kept' if better else 'no better on held-out data, left as they were'}")
    if not better:
        return found
    return Discovery(
        found.method, fields, [*found.levels[:-1], level], found.grows, sorted(solved.eta.tolist()), found.warnings
    )


def _size(level: Level) -> float:
    """Sum of the logs of the defects."""
    return sum(math.log(max(eta, FLOOR)) for eta in level.eta)
