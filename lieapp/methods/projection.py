"""The neural method: features trained by variable projection, and the best fields in them by linear algebra.

At each step the lowest N eigenvectors of MᵀM c = λ G c over the fields h_k e_c are the best fields that the
features allow; the network then descends Σ log λ_n with these vectors held fixed, which is the exact gradient
unless N cuts a cluster of equal eigenvalues (Golub & Pereyra 1973).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.config import DiscoverConfig
from lieapp.domains.base import Domain, Draws, EvolvingT
from lieapp.domains.spread import Evaluated, EveryComponent, Features, Homogeneous, independent, of_all
from lieapp.errors import DiscoveryError
from lieapp.methods.beside import Beside
from lieapp.methods.fields import Combination
from lieapp.methods.loop import Adam, Session, Training, train
from lieapp.methods.network import FeatureNetwork
from lieapp.methods.result import Dataset, Discovery, Level, notes, solve, taken
from lieapp.numerics import ranks

DEPENDENT = 1e-10
"""Eigenvalues of the Gram matrix below this share of the largest are dropped."""

SLOWER = "Lower the learning rate with --set projection.rate=…, or look at the data with `lieapp check`."

BETAS = (0.9, 0.99)
"""Of Adam: in some hundred steps the mean of squares over a thousand would still be that of the beginning."""


@dataclass(frozen=True)
class Settings:
    """Of the network and its training; what each means stands in docs/command-line.md."""

    slots: int
    steps: int
    width: int
    features: int
    modes: int
    batch: int
    rate: float
    floor: float


class Projection(Training, Generic[EvolvingT]):
    """A training in progress.

    Args:
        domain, data: where fields are judged and what they are learned from.
        seed: of the network's weights and the batches.
        further: functions to take beside the network's features.
    """

    def __init__(
        self, domain: Domain[EvolvingT], data: Draws[EvolvingT], settings: Settings, seed: int,
        device: torch.device | str = "cpu", further: Features | None = None,
    ) -> None:  # fmt: skip
        self.domain, self.data, self.settings = domain, data, settings
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            arguments = independent(domain.arguments) if domain.homogeneous else domain.arguments
            network = FeatureNetwork(arguments, settings.width, settings.features, settings.modes)
        network = network.to(torch.float64).to(device)
        features = network if further is None else Beside(network, further)
        self.network = Homogeneous(features, domain.arguments.unknowns) if domain.homogeneous else features
        self._taken = taken(domain, self.network)
        optimizer = Adam(self.network.parameters(), BETAS)
        super().__init__(self.network, optimizer, torch.Generator().manual_seed(seed))
        self.fields: Combination | None = None
        """Those of the last step, for pictures while it goes on."""

    def step(self) -> dict[str, Any]:
        """One descent step; returns the loss and rms(M)/rms(Q) of each slot on the batch.

        Raises DiscoveryError if the loss isn't finite.
        """
        batch = self.data.draw(self.settings.batch, self.generator)
        shared = Evaluated(*self.network.jvp(batch.points, batch.tangents))
        with torch.no_grad():
            coefficients = ranks.first(self._lowest(batch, shared.detached()))
        v, q = self.domain.characteristic(batch, Combination(shared, coefficients))
        m = self.domain.tangent(batch, q)
        root = batch.weight.sqrt()[:, None]
        v2, q2, m2 = ranks.totals(*(((root * z) ** 2).flatten(1).sum(1) for z in (v, q.value, m)))
        loss = (m2 / v2 + self.settings.floor**2).log().sum() / 2
        rate = one_cycle(self.done, self.settings.steps, self.settings.rate)
        value = self.descend(loss, rate, SLOWER)
        self.fields = Combination(self.network, coefficients)
        return {"loss": value, "eta": (m2 / q2.clamp_min(1e-300)).detach().sqrt().tolist()}

    def _lowest(self, batch: EvolvingT, features: Evaluated) -> Float[Tensor, "slot feature component"]:
        """The best fields in the features on one batch."""
        count = len(self.domain.components)
        _, q = self.domain.characteristic(batch, EveryComponent(features, count))
        root = batch.weight.sqrt()
        columns = (root * features.values).flatten(1)
        residuals = (root[:, None] * self.domain.tangent(batch, q)).flatten(1)
        own = of_all(columns @ columns.T, count)
        part = None if self._taken is None else self._taken.flatten().to(own.device)
        if part is not None:
            own, residuals = own[part][:, part], residuals[part]
        own, gram = ranks.totals(own, residuals @ residuals.T)
        best = lowest(own, gram, self.settings.slots)
        if best is None:
            raise DiscoveryError(f"the network's features aren't finite at step {self.done}.", hint=SLOWER)
        if part is not None:
            whole = best.new_zeros(len(best), len(part))
            whole[:, part] = best
            best = whole
        return best.reshape(-1, features.count, count)


def lowest(
    own: Float[Tensor, "field field"], residuals: Float[Tensor, "field field"], slots: int
) -> Float[Tensor, "slot field"] | None:
    """The combinations of fields with the least residuals relative to their own size; None if that isn't finite.

    Args:
        own, residuals: the inner products of the fields and of their residuals.
    """
    size, rotation = torch.linalg.eigh(own)
    keep = size > DEPENDENT * size[-1]
    if not bool(keep.any()):
        return None
    whiten = rotation[:, keep] / size[keep].sqrt()
    gram = whiten.T @ residuals @ whiten
    return (whiten @ torch.linalg.eigh(gram)[1][:, :slots]).T


def one_cycle(step: int, total: int, peak: float, warm: float = 0.2) -> float:
    """Learning rate: a cosine rise from peak/25 over the first fifth, a cosine fall to peak/1000 after it."""
    x = step / max(total - 1, 1)
    low, high, part = (peak / 25, peak, x / warm) if x < warm else (peak / 1000, peak, (1 - x) / (1 - warm))
    return low + (high - low) * (1 - math.cos(math.pi * part)) / 2


def projection_settings(config: DiscoverConfig, steps: int = 0) -> Settings:
    """Those of the training in the settings of a run; `steps` in place of its own unless 0."""
    own = config.projection
    return Settings(
        config.slots, steps or own.steps, own.width, own.features, config.modes, own.batch, own.rate, config.floor
    )


def by_projection(
    domain: Domain[EvolvingT], data: Dataset[EvolvingT], training: Projection[EvolvingT], levels: list[Level],
    slices: tuple[int, int], session: Session,
) -> Discovery:  # fmt: skip
    """Train to the end and solve for the fields in the final features.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        slices: how many slices to solve and to judge on.

    Raises DiscoveryError if the loss isn't finite.
    """
    steps, slots = training.settings.steps, training.settings.slots

    def judged(done: int) -> Level:
        return solve(domain, data, training.network, slots, *slices, label=done)[2]

    train(training, steps, levels, judged, session)
    fields, found, last = solve(domain, data, training.network, slots, *slices, label=steps)
    return Discovery("neural", fields, [*levels, last], "training steps", sorted(found.eta.tolist()), notes(found))
