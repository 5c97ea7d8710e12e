"""Gradient descent on the paper's losses: validity of moved data, or of their limit s -> 0.

One step: norms of the fields on a batch, held fixed along the flow; an s for each slot; validity of each slot's
moved batch as the log of its mean; orthonormality, Lipschitz and, in the last steps, Sobolev loss. Fields that are
`Orthonormal` by themselves need no loss for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lieapp.domains.base import BatchT, Draws
from lieapp.methods import losses
from lieapp.methods.fields import Orthonormal, Scaled, values
from lieapp.methods.loop import Adam, Training


@dataclass(frozen=True)
class Weights:
    """Of the losses; the paper's main setting is (1, 3, 1)."""

    symmetry: float = 1.0
    orthonormality: float = 3.0
    lipschitz: float = 1.0
    sobolev: float = 1.0


@dataclass(frozen=True)
class Plan:
    """How a descent goes.

    Args:
        steps: in all.
        batch: pieces of data in a step.
        weights: of the losses.
        tau: largest Lipschitz constant that costs nothing, in scaled coordinates.
        rate: learning rate at a step.
        sobolev_from: first step with the Sobolev loss.
        floor: scores below this no longer drive the descent.
        clip: largest norm of a gradient. One folded piece of data makes one a thousand times too large, and Adam's
            second moments remember it for a thousand steps.
        ordered: put slots in the order of their validity, see `Descent.sort_before`.
        soft: of `losses.orthonormality`.
    """

    steps: int
    batch: int
    weights: Weights
    tau: float
    rate: Callable[[int], float]
    sobolev_from: int
    floor: float = 0.0
    clip: float = math.inf
    ordered: bool = False
    soft: float = 0.0


Rank = Callable[[Any], Int[Tensor, " slot"]]
"""The order in which slots should stand, of the fields that are trained."""

Score = Callable[[BatchT, Scaled, torch.Generator], tuple[Float[Tensor, " slot"], dict[str, Any]]]
"""Validity of each slot on a batch (0 = valid), and what else to record."""


class Descent(Training, Generic[BatchT]):
    """A descent in progress.

    Args:
        data: where batches are drawn.
        fields: a module; what it has of parameters is trained.
        score: what makes moved data valid.
        seed: of batches and flow parameters.
    """

    def __init__(
        self, data: Draws[BatchT], fields: nn.Module, score: Score[BatchT], plan: Plan, seed: int
    ) -> None:
        super().__init__(fields, Adam(fields.parameters()), torch.Generator().manual_seed(seed))
        self.data, self.fields, self.score, self.plan = data, fields, score, plan
        self._sorted_before: dict[int, Rank] = {}

    def sort_before(self, steps: Iterable[int], rank: Rank) -> None:
        """Put slots in order before each of these steps, so that the orthonormality loss favours the best ones.

        Where data have a discrete symmetry, as pictures and their mirror images have, fields that it keeps and
        fields that it reverses don't feel each other: a slot stays in the class that it began in.
        """
        self._sorted_before = dict.fromkeys(steps, rank)

    def reorder(self, order: Int[Tensor, " slot"]) -> None:
        """Slots in another order, with what Adam knows of them."""
        if isinstance(self.fields, Orthonormal):
            self.fields.reorder(order)
            self.optimizer.state.pop(self.fields.turn, None)
            return
        with torch.no_grad():
            for parameter in self.fields.own():
                parameter.copy_(parameter[order])
                for key, value in self.optimizer.state.get(parameter, {}).items():
                    if key != "step":
                        value.copy_(value[order])

    def step(self) -> dict[str, Any]:
        """One step of Adam; returns the losses and each slot's validity.

        Raises DiscoveryError if a loss isn't finite or a field can't be followed.
        """
        plan, weights = self.plan, self.plan.weights
        if self.done in self._sorted_before:
            self.reorder(self._sorted_before[self.done](self.fields))
        batch = self.data.draw(plan.batch, self.generator, self.done)
        if isinstance(self.fields, Orthonormal):
            fields, v = self.fields.now()
        else:
            fields, v = self.fields, values(self.fields, batch.points)
        size = losses.norms(v, batch.weight)
        v = v / size.reshape(-1, *[1] * (v.ndim - 1))
        scores, told = self.score(batch, Scaled(fields, 1 / size), self.generator)
        parts = {"symmetry": (scores + max(plan.floor, torch.finfo(scores.dtype).tiny)).log().sum()}
        if not isinstance(self.fields, Orthonormal):
            parts["orthonormality"] = losses.orthonormality(v, batch.weight, plan.soft)
        parts["lipschitz"] = losses.lipschitz(v, batch.points, plan.tau, batch.pairs)
        if self.done >= plan.sobolev_from and weights.sobolev > 0:
            parts["sobolev"] = losses.sobolev(v, batch.lines)
        loss = torch.stack([getattr(weights, name) * part for name, part in parts.items()]).sum()
        hint = "Lower flow_rate or sigma, or look at the data with `lieapp check`."
        value = self.descend(loss, plan.rate(self.done), hint, clip=plan.clip)
        if isinstance(self.fields, Orthonormal):
            self.fields.settle()
        shown = {name: float(part.detach()) for name, part in parts.items()}
        return {"loss": value, **shown, "validity": scores.detach().tolist(), **told}
