"""A neural operator trained on moved trajectories: Adam on the relative square error (paper, "Training FNOs").

Randomness depends on the seed and the number of the pass alone, so a resumed training draws the same moves anew.

The operator is a Fourier Neural Operator in one dimension (Li 2021; layers as in Brandstetter 2022, which the paper
follows): vₖ₊₁ = GELU(F⁻¹(R F vₖ) + W vₖ + b), R a complex matrix for each of the lowest modes; lifted from and
projected to the channels of the data point by point. Coordinates are no input: it commutes with shifts of the grid.

Its task is one of two. rollout: 20 frames give the next 20, again and again (Brandstetter 2022; the paper's KdV and
KS). single: the first frame gives the one 70 steps later (the paper's nKdV and cKdV, in which t stands explicitly).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from lieapp.augment.moving import Moved
from lieapp.augment.pipeline import Trainee
from lieapp.augment.resample import Samples
from lieapp.config_augment import check_ahead, check_history, check_modes
from lieapp.errors import UsageError
from lieapp.methods.loop import Adam
from lieapp.numerics import ranks

HEAD = 128
"""Channels of the projection's hidden layer."""

SMALLEST = 1e-12
"""Root mean square of data below which they count as 0."""


@lru_cache(maxsize=8)
def _waves(
    points: int, modes: int, dtype: torch.dtype, device: torch.device
) -> tuple[Float[Tensor, "2*{modes} {points}"], Float[Tensor, "{points} 2*{modes}"]]:
    """Matrices to the real and imaginary parts of the lowest modes, and back to values.

    Products with them take half the time of FFTs of all modes and the copies these need (256 points, 32 modes).
    """
    phase = (torch.outer(torch.arange(points), torch.arange(modes)) % points).double() * (2 * torch.pi / points)
    there = torch.stack([phase.cos(), -phase.sin()], 2)
    # a mode above 0 stands for its conjugate too
    back = there * torch.where(torch.arange(modes) > 0, 2.0, 1.0)[:, None] / points
    matrices = (there.flatten(1).T, back.flatten(1))
    to, of = (matrix.to(dtype=dtype, device=device).contiguous() for matrix in matrices)
    return to, of


class SpectralConvolution(nn.Module):
    """v -> F⁻¹(R F v): a complex matrix for each of the lowest modes (0 included), higher ones dropped."""

    def __init__(self, width: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        # real and imaginary part apart: optimisers and files know real numbers best
        self.weight = nn.Parameter(torch.rand(2, modes, width, width) / width)

    def forward(self, values: Float[Tensor, "batch x channel"]) -> Float[Tensor, "batch x channel"]:
        """Raises ConfigError on grids with fewer modes."""
        batch, points, width = values.shape
        check_modes(self.modes, points)
        to, back = _waves(points, self.modes, values.dtype, values.device)
        low = torch.matmul(to, values).reshape(batch, self.modes, 2 * width).transpose(0, 1)
        real, imaginary = self.weight
        # (a + i b)(R + i I) as one real product
        matrix = torch.cat([torch.cat([real, imaginary], 2), torch.cat([-imaginary, real], 2)], 1)
        found = torch.bmm(low, matrix).transpose(0, 1).reshape(batch, 2 * self.modes, width)
        return torch.matmul(back, found)


class FNO1d(nn.Module):
    """From the channels of one function to those of another, both on one uniform periodic grid of any size.

    Args:
        inputs, outputs: channels.
        width: channels of the Fourier layers.
        modes: Fourier modes they multiply, at most half the points.
        layers: how many of them.
    """

    scale: Float[Tensor, " 1"]

    def __init__(self, inputs: int, outputs: int, width: int, modes: int, layers: int) -> None:
        super().__init__()
        self.lift = nn.Linear(inputs, width)
        self.spectral = nn.ModuleList(SpectralConvolution(width, modes) for _ in range(layers))
        self.pointwise = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.project = nn.Sequential(nn.Linear(width, HEAD), nn.GELU(), nn.Linear(HEAD, outputs))
        self.register_buffer("scale", torch.ones(1))

    def normalise_by(self, values: Float[Tensor, "..."]) -> None:
        """Take the unit of inputs and outputs from data: their root mean square."""
        self.scale.fill_(float(values.double().square().mean().sqrt().clamp_min(SMALLEST)))

    def forward(self, values: Float[Tensor, "batch input x"]) -> Float[Tensor, "batch output x"]:
        """Outputs in the units of the inputs. Raises ConfigError on grids with fewer than 2 `modes` points."""
        # channels last: each layer is then one product, whose gradient is cheaper than that of a convolution
        found = self.lift(values.transpose(1, 2) / self.scale)
        for spectral, pointwise in zip(self.spectral, self.pointwise, strict=True):
            found = functional.gelu(spectral(found) + pointwise(found))
        projected: Tensor = self.project(found)
        return projected.transpose(1, 2) * self.scale


Channels = Float[Tensor, "pair channel x"]
Operator = Callable[[Channels], Channels]
Frames = Float[Tensor, "sample component frame x"]
Projection = Callable[[Channels, Channels, Int[Tensor, " sample"]], Channels]
"""What is made of a prediction: of what was given, what was predicted from it, and where that begins."""


@dataclass(frozen=True)
class OperatorTask:
    """Frames of one prediction, counted from its start: `frames` in, as many out, `gap` after the first one in.

    `starts` are where predictions begin when trained on.
    """

    frames: int
    gap: int
    starts: tuple[int, ...]

    @classmethod
    def rollout(cls, times: int, history: int, aligned: bool) -> OperatorTask:
        """Windows of `history` frames. The first window of a trajectory is left to solutions moved in time.

        Args:
            aligned: train only from multiples of `history`, as rollouts go; else from every frame.

        Raises ConfigError unless three windows fit.
        """
        check_history(history, times)
        return cls(history, history, tuple(range(history, times - 2 * history + 1, history if aligned else 1)))

    @classmethod
    def single(cls, times: int, ahead: int) -> OperatorTask:
        """From the first frame to the one `ahead` steps later. Raises ConfigError unless there is such a frame."""
        check_ahead(ahead, times)
        return cls(1, ahead, (0,))

    def pairs(
        self, samples: Samples, which: Int[Tensor, " pair"], starts: Int[Tensor, " pair"]
    ) -> tuple[Channels, Channels]:
        """What is given and what is to be predicted: frames and components as channels."""
        times = starts[:, None] + torch.arange(self.frames, device=samples.device)
        # indices apart from each other put the axis they make first
        given, wanted = (samples[which[:, None], :, t].flatten(1, 2) for t in (times, times + self.gap))
        return given, wanted

    def admissible(self, valid: Bool[Tensor, "sample time"]) -> Bool[Tensor, "sample start"]:
        """Starts of which every frame is known."""
        known = valid.unfold(1, self.frames, 1).all(2)
        starts = torch.tensor(self.starts, device=valid.device)
        return known[:, starts] & known[:, starts + self.gap]

    def predicted(
        self, operator: Operator, samples: Samples, project: Projection | None = None
    ) -> tuple[Frames, Frames]:
        """Predictions from the first training start on, each made from the one before, and the truth there."""
        start, frames = self.starts[0], self.frames
        begin = start + self.gap
        window, parts = samples[:, :, start : start + frames], []
        for n in range((samples.shape[2] - begin) // frames if self.gap == frames else 1):
            window = self._step(operator, window, start + n * frames, project)
            parts.append(window)
        return torch.cat(parts, 2), samples[:, :, begin : begin + frames * len(parts)]

    def one_step(
        self, operator: Operator, samples: Samples, project: Projection | None = None
    ) -> tuple[Frames, Frames]:
        """Predictions of one window, each made from true frames, and the truth there."""
        stride = range(self.starts[0], self.starts[-1] + 1, self.frames)
        parts = [self._step(operator, samples[:, :, s : s + self.frames], s, project) for s in stride]
        truth = [samples[:, :, s + self.gap : s + self.gap + self.frames] for s in stride]
        return torch.cat(parts, 2), torch.cat(truth, 2)

    def _step(self, operator: Operator, given: Frames, start: int, project: Projection | None) -> Frames:
        channels = given.transpose(1, 2).flatten(1, 2)
        found = operator(channels)
        if project is not None:
            found = project(channels, found, torch.full((len(given),), start, device=given.device))
        return found.unflatten(1, (self.frames, given.shape[1])).transpose(1, 2)


DROP, DROPS = 0.4, 4
"""The rate falls by this factor, after each of as many equal parts of the training (every 10 of 40 epochs)."""

BEST = "best."

Moves = Callable[[int], Moved]
"""All trajectories moved, by the number of the round: the same number gives the same moves."""

Penalty = Callable[[Channels, Channels, Int[Tensor, " pair"]], Float[Tensor, ""]]
"""What is added to the loss: of what was given, what is predicted from it, and where that begins."""


@dataclass(frozen=True)
class OperatorRecipe:
    """How an operator is trained: `batch` pairs in a step, at `rate` in the beginning.

    An epoch, after which it is judged, goes through the trajectories in `passes`, each from a random start; `renew`
    of them use the same moved trajectories.
    """

    epochs: int
    passes: int
    batch: int
    rate: float
    renew: int = 1

    def rate_at(self, epoch: int) -> float:
        """The rate in an epoch, counted from 0."""
        return self.rate * DROP ** (DROPS * epoch // self.epochs)


class OperatorTraining(Trainee):
    """A training in progress.

    The samples are unmoved trajectories, on the device and in the dtype that moves want. Raises UsageError if there
    are fewer than a batch needs.
    """

    def __init__(
        self, network: FNO1d, task: OperatorTask, samples: Samples, moves: Moves, recipe: OperatorRecipe, seed: int,
        penalty: Penalty | None = None,
    ) -> None:  # fmt: skip
        if len(samples) < recipe.batch:
            raise UsageError(
                f"samples = {len(samples)}: fewer than batch = {recipe.batch}, and a step has one pair of each.",
                hint=f"Set batch to {len(samples)} or less, or use more samples.",
            )
        each = len(samples) // recipe.batch * recipe.passes
        super().__init__(network, Adam(network.parameters()), torch.Generator(), each, recipe.epochs)
        self.network, self.task, self.samples, self.moves = network, task, samples, moves
        self.recipe, self.seed, self.penalty = recipe, seed, penalty
        self.best = float("inf")
        self.moved = self.asked = 0
        self._kept: dict[str, Tensor] = {}
        self._round, self._pool = -1, samples.float()
        self._order = self._starts = torch.empty(0, dtype=torch.long)

    def step(self) -> dict[str, Any]:
        """One step of Adam; its loss. Raises DiscoveryError if that isn't finite."""
        recipe = self.recipe
        in_pass = len(self.samples) // recipe.batch
        number, place = divmod(self.done, in_pass)
        if not place or not len(self._order):
            self._begin(number)
        part = ranks.own(torch.arange(place * recipe.batch, (place + 1) * recipe.batch))
        starts = self._starts[part]
        given, wanted = self.task.pairs(self._pool, self._order[part], starts)
        # |û - u|² / |u|², mean over pairs
        predicted = self.network.train()(given)
        loss = ((predicted - wanted).square().sum((1, 2)) / wanted.square().sum((1, 2))).mean()
        if self.penalty is not None:
            loss = loss + self.penalty(given, predicted, starts)
        loss = ranks.mean(loss, len(part))
        rate = recipe.rate_at(self.done // self.each)
        value = self.descend(loss, rate, "Lower rate.", "the loss of the operator")
        return {"loss": value, "epoch": (self.done - 1) // self.each + 1}

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
        counts = torch.tensor([self.moved, self.asked])
        kept = {f"{BEST}{name}": value for name, value in self._kept.items()}
        return {**super().state(), **kept, "best": torch.tensor(self.best, dtype=torch.float64), "counts": counts}

    def load(self, tensors: dict[str, Tensor]) -> None:
        self._kept = {k.removeprefix(BEST): v for k, v in tensors.items() if k.startswith(BEST)}
        self.best = float(tensors["best"])
        super().load(tensors)
        self._round = -1
        number, place = divmod(self.done, len(self.samples) // self.recipe.batch)
        if place or number % self.recipe.renew:
            self._begin(number)
        # that was counted before
        self.moved, self.asked = (int(n) for n in tensors["counts"])

    def _begin(self, number: int) -> None:
        """A pass: every trajectory once, in random order, each from a random admissible start.

        First all are moved anew where it is time; one that has no admissible start then stays as it was.
        """
        if self._round != number // self.recipe.renew:
            self._round = number // self.recipe.renew
            moved = self.moves(self._round)
            there = self.task.admissible(moved.valid) & moved.kept[:, None]
            use = there.any(1)
            self._there: Bool[Tensor, "sample start"] = there | ~use[:, None]
            self._pool = torch.where(use[:, None, None, None], moved.samples.to(self.samples), self.samples).float()
            self.moved, self.asked = self.moved + int(use.sum()), self.asked + len(use)
        generator = drawn_for(self.seed, 2 * number + 1)
        order = torch.randperm(len(self.samples), generator=generator)
        chance = torch.rand(self._there.shape, generator=generator).to(self._there.device)
        best = torch.where(self._there, chance, -1.0).argmax(1)
        starts = torch.tensor(self.task.starts, device=best.device)[best]
        self._order = order.to(best.device)
        self._starts = starts[self._order]


def drawn_for(seed: int, number: int) -> torch.Generator:
    """Random numbers of one pass, or one round of moves: even and odd numbers don't meet."""
    return torch.Generator().manual_seed((seed * 1_000_003 + number) % 2**63)
