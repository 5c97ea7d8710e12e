"""The paper's way: fields by gradient descent, from nothing or from what another stage found."""

from __future__ import annotations

import copy
import math

import torch
from torch import nn

from lieapp.config import DiscoverConfig, Flow, Gradient
from lieapp.domains.base import Domain, EvolvingT
from lieapp.domains.solutions import PatchData, SolutionDomain, Solutions
from lieapp.domains.spread import Features, Homogeneous
from lieapp.methods.beside import Beside
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Combination, Scaled, Slotted
from lieapp.methods.flow import Solver
from lieapp.methods.loop import Session, train
from lieapp.methods.losses import FiniteScore, LinearScore
from lieapp.methods.network import FeatureNetwork
from lieapp.methods.result import SIZE, Dataset, Discovery, Level, judge, solve

FLOOR = 1e-7
"""Defects below this are equally good when two answers are compared."""


PATCH, FIRST_PATCH = (48, 64), (64, 64)
"""Nodes of a patch in time and along each axis of space unless they are given; the second where fields are trained
from nothing, as in the code published with the paper."""


def descent(
    domain: SolutionDomain, data: Solutions, fields: nn.Module, settings: Gradient | Flow, config: DiscoverConfig,
    device: torch.device | str, plain: bool, steps: int = 0,
) -> Descent:  # fmt: skip
    """A descent on the paper's losses: as a flow stage on moved patches, as a gradient stage on slices.

    Args:
        fields: a module, from nothing or `refinable`.
        plain: as in the paper, for fields from nothing; else beyond what unmoved data have.
        steps: in place of those that the epochs make, unless 0.
    """
    trajectories = data.train.trajectories
    each = settings.batch if isinstance(settings, Flow) else settings.trajectories
    steps = steps or max(1, settings.epochs * trajectories // each)
    plan = Plan(
        steps=steps,
        batch=settings.batch,
        weights=Weights(settings.w_sym, settings.w_ortho, settings.w_lips, settings.w_sobolev),
        tau=settings.tau,
        rate=lambda step: settings.rate * (1.0 if 2 * step < steps or not plain else 0.1),
        sobolev_from=steps - settings.sobolev_epochs * max(1, trajectories // each),
        floor=0.0 if plain else config.floor,
        clip=settings.clip,
    )
    if isinstance(settings, Gradient):
        return Descent(data.draft, fields.to(device, torch.float64), LinearScore(domain), plan, config.seed)
    dtype = torch.float32 if settings.dtype == "float32" else torch.float64
    moving = config.moving
    score = FiniteScore(domain, moving.sigma, Solver(moving.solver, moving.solver_step, moving.adjoint), plain)
    moved = patches(data, settings, plain, dtype)
    return Descent(moved, fields.to(device, dtype), score, plan, config.seed)


def patches(data: Solutions, settings: Flow, plain: bool, dtype: torch.dtype = torch.float64) -> PatchData:
    """Patches of the training data in the shape asked for."""
    return data.patches(settings.patch_time, settings.patch_space, FIRST_PATCH if plain else PATCH, dtype)


def by_descent(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], training: Descent, levels: list[Level],
    slices: tuple[int, int], session: Session,
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

    train(training, steps, levels, judged, session)
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
    if not isinstance(fields, Combination) or not _learned(fields.features):
        return None
    coefficients = nn.Parameter(fields.coefficients.clone())
    if isinstance(fields.features, Homogeneous):
        # fields of another degree in the unknowns stay out
        allowed = (coefficients != 0).any(0)
        coefficients.register_hook(lambda gradient: gradient * allowed)
    return Combination(copy.deepcopy(fields.features), coefficients)


def _learned(features: Features) -> bool:
    if isinstance(features, Homogeneous):
        return _learned(features.features)
    return isinstance(features, FeatureNetwork | Beside)


def refined(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], found: Discovery, training: Descent,
    slices: tuple[int, int], session: Session,
) -> Discovery:  # fmt: skip
    """Descend on the features of learned fields, solve for the fields in them again, and keep the better answer.

    Args:
        training: of `refinable(found)`.
    """
    train(training, training.plan.steps, [], None, session)
    features = training.fields.features
    assert isinstance(features, FeatureNetwork | Beside | Homogeneous)
    features = copy.deepcopy(features).to(torch.float64).requires_grad_(False)
    old = found.levels[-1]
    fields, solved, level = solve(domain, data, features, len(old.eta), *slices, label=old.label)
    better = _size(level) < _size(old)
    session.report.line(f"flow stage: {'kept' if better else 'no better on held-out data, left as they were'}")
    if not better:
        return found
    return Discovery(
        found.method, fields, [*found.levels[:-1], level], found.grows, sorted(solved.eta.tolist()), found.warnings
    )


def _size(level: Level) -> float:
    """Sum of the logs of the defects."""
    return sum(math.log(max(eta, FLOOR)) for eta in level.eta)
