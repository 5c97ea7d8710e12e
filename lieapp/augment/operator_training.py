"""A neural operator trained on moved trajectories: Adam on the relative square error (paper, "Training FNOs").

Randomness depends on the seed and the number of the pass alone, so a resumed training draws the same moves anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.augment.fno import FNO1d
from lieapp.augment.moving import Moved
from lieapp.augment.operator_task import Channels, OperatorTask
from lieapp.augment.stencil import Samples
from lieapp.errors import DiscoveryError, UsageError
from lieapp.methods.states import load_state, state_of

DROP, DROPS = 0.4, 4
"""The rate falls by this factor, after each of as many equal parts of the training (every 10 of 40 epochs)."""

BEST = "best."

Moves = Callable[[int], Moved]
"""All trajectories moved, by the number of the round: the same number gives the same moves."""


@dataclass(frozen=True)
class OperatorRecipe:
    """How an operator is trained.

    Args:
        epochs: parts of the training after which it is judged.
        passes: how often an epoch goes through the trajectories, each time from a random start.
        batch: pairs in a step.
        rate: learning rate at the beginning.
        renew: passes that use the same moved trajectories.
    """

    epochs: int
    passes: int
    batch: int
    rate: float
    renew: int = 1

    def rate_at(self, epoch: int) -> float:
        """The rate in an epoch, counted from 0."""
        return self.rate * DROP ** (DROPS * epoch // self.epochs)


class OperatorTraining:
    """A training in progress; `step` goes on from wherever its state was loaded.

    Args:
        network: maps the task's frames to its frames.
        samples: unmoved trajectories, on the device and in the dtype that moves want.
        moves: of them.

    Raises UsageError if there are fewer samples than a batch needs.
    """

    def __init__(
        self, network: FNO1d, task: OperatorTask, samples: Samples, moves: Moves, recipe: OperatorRecipe, seed: int
    ) -> None:
        if len(samples) < recipe.batch:
            raise UsageError(
                f"samples = {len(samples)}: fewer than batch = {recipe.batch}, and a step has one pair of each.",
                hint=f"Set batch to {len(samples)} or less, or use more samples.",
            )
        self.network, self.task, self.samples, self.moves = network, task, samples, moves
        self.recipe, self.seed = recipe, seed
        self.optimizer = torch.optim.Adam(network.parameters(), recipe.rate)
        self.done = 0
        self.each = len(samples) // recipe.batch * recipe.passes
        self.best = float("inf")
        self.moved = self.asked = 0
        self._kept: dict[str, Tensor] = {}
        self._round, self._order = -1, torch.empty(0, dtype=torch.long)
        self._starts = torch.empty(0, dtype=torch.long)
        self._pool = samples.float()

    @property
    def steps(self) -> int:
        """Of the whole training."""
        return self.each * self.recipe.epochs

    def step(self) -> dict[str, Any]:
        """One step of Adam; its loss. Raises DiscoveryError if that isn't finite."""
        recipe = self.recipe
        in_pass = len(self.samples) // recipe.batch
        number, place = divmod(self.done, in_pass)
        if not place or not len(self._order):
            self._begin(number)
        part = slice(place * recipe.batch, (place + 1) * recipe.batch)
        given, wanted = self.task.pairs(self._pool, self._order[part], self._starts[part])
        loss = relative_error(self.network.train()(given), wanted)
        if not torch.isfinite(loss):
            raise DiscoveryError(
                f"the loss of the operator is {float(loss.detach())} at step {self.done}.", hint="Lower rate."
            )
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.rate_at(self.done // self.each)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.done += 1
        return {"loss": float(loss.detach()), "epoch": (self.done - 1) // self.each + 1}

    def judged(self, error: float) -> None:
        """Keep the network if its error on validation data is the least so far."""
        if error < self.best or not self._kept:
            self.best = error
            self._kept = {k: v.detach().cpu().clone() for k, v in self.network.state_dict().items()}

    def chosen(self) -> FNO1d:
        """The network, as it was when its error was least."""
        if self._kept:
            self.network.load_state_dict(self._kept)
        return self.network.eval()

    def state(self) -> dict[str, Tensor]:
        """Everything that going on needs."""
        counts = torch.tensor([self.moved, self.asked])
        state = state_of(self.network, self.optimizer, torch.Generator(), self.done)
        kept = {f"{BEST}{name}": value for name, value in self._kept.items()}
        return {**state, **kept, "best": torch.tensor(self.best, dtype=torch.float64), "counts": counts}

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Go on from a state; the next step is the one an uninterrupted training would take."""
        self._kept = {k.removeprefix(BEST): v for k, v in tensors.items() if k.startswith(BEST)}
        self.best = float(tensors["best"])
        self.done = load_state(self.network, self.optimizer, torch.Generator(), tensors)
        self._round = -1
        number, place = divmod(self.done, len(self.samples) // self.recipe.batch)
        if place or number % self.recipe.renew:
            self._begin(number)
        # that was counted before
        self.moved, self.asked = (int(n) for n in tensors["counts"])

    def _begin(self, number: int) -> None:
        """A pass: every trajectory once, in random order, each from a random admissible start."""
        if self._round != number // self.recipe.renew:
            self._renew(number // self.recipe.renew)
        generator = drawn_for(self.seed, 2 * number + 1)
        order = torch.randperm(len(self.samples), generator=generator)
        chance = torch.rand(self._there.shape, generator=generator).to(self._there.device)
        best = torch.where(self._there, chance, -1.0).argmax(1)
        starts = torch.tensor(self.task.starts, device=best.device)[best]
        self._order = order.to(best.device)
        self._starts = starts[self._order]

    def _renew(self, number: int) -> None:
        """Move all trajectories; one that has no admissible start then stays as it was."""
        moved = self.moves(number)
        there = self.task.admissible(moved.valid) & moved.kept[:, None]
        use = there.any(1)
        self._there: Bool[Tensor, "sample start"] = there | ~use[:, None]
        self._pool = torch.where(use[:, None, None, None], moved.samples.to(self.samples), self.samples).float()
        self.moved, self.asked = self.moved + int(use.sum()), self.asked + len(use)
        self._round = number


def drawn_for(seed: int, number: int) -> torch.Generator:
    """Random numbers of one pass, or one round of moves: even and odd numbers don't meet."""
    return torch.Generator().manual_seed((seed * 1_000_003 + number) % 2**63)


def relative_error(predicted: Channels, wanted: Channels) -> Float[Tensor, ""]:
    """|û - u|² / |u|², mean over pairs."""
    return ((predicted - wanted).square().sum((1, 2)) / wanted.square().sum((1, 2))).mean()
