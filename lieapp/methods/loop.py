"""The loop around a training: levels at every doubling of the steps, metrics, checkpoints of its whole state."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.optim.adam import adam

from lieapp.errors import DiscoveryError
from lieapp.methods.fields import Slotted
from lieapp.methods.result import Level
from lieapp.numerics import ranks
from lieapp.progress import Reporter, SilentReporter

MOMENTS = ("exp_avg", "exp_avg_sq")
"""What is kept of each parameter beside the number of its steps, by torch's names."""


class Adam:
    """Adam (Kingma & Ba 2015), what `torch.optim.Adam` does, which loads torch's compiler first: more than a second
    and 125 MB.

    Args:
        betas: of the means of gradients and of their squares.
    """

    def __init__(self, parameters: Iterable[Tensor], betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self.parameters, self.betas = list(parameters), betas
        self.state: dict[Tensor, dict[str, Tensor]] = {}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for p in self.parameters:
            p.grad = None

    def step(self, rate: float) -> None:
        """Change all parameters that have a gradient."""
        moved = [(p, p.grad) for p in self.parameters if p.grad is not None]
        for p, _ in moved:
            if p not in self.state:
                self.state[p] = {"step": torch.tensor(0.0), **{key: torch.zeros_like(p) for key in MOMENTS}}
        own = [self.state[p] for p, _ in moved]
        with torch.no_grad():
            adam(
                [p for p, _ in moved], [gradient for _, gradient in moved],
                *([kept[key] for kept in own] for key in MOMENTS), [], [kept["step"] for kept in own],
                amsgrad=False, beta1=self.betas[0], beta2=self.betas[1], lr=rate, weight_decay=0.0, eps=1e-8,
                maximize=False,
            )  # fmt: skip


MODULE, ADAM = "network.", "adam."


class Training(ABC):
    """A training in progress; `step` goes on from wherever its state was loaded.

    Args:
        module: what is trained.
        generator: of what is drawn at random.
    """

    def __init__(
        self, module: nn.Module, optimizer: torch.optim.Optimizer | Adam, generator: torch.Generator
    ) -> None:
        self.module, self.optimizer, self.generator = module, optimizer, generator
        self.done = 0

    @abstractmethod
    def step(self) -> dict[str, Any]:
        """One step; what to record of it, `loss` among it."""

    def descend(
        self, loss: Tensor, rate: float, hint: str, what: str = "the loss", clip: float = math.inf
    ) -> float:
        """One step down the loss, with a gradient of norm `clip` at most; returns the loss.

        Raises DiscoveryError if it isn't finite.
        """
        value = float(loss.detach())
        if not math.isfinite(value):
            raise DiscoveryError(f"{what} is {value} at step {self.done}.", hint=hint)
        self.optimizer.zero_grad()
        loss.backward()
        ranks.average(self.module.parameters())
        size = nn.utils.clip_grad_norm_(self.module.parameters(), clip)
        if not bool(size.isfinite()):
            raise DiscoveryError(f"the gradient of {what} isn't finite at step {self.done}.", hint=hint)
        if isinstance(self.optimizer, Adam):
            self.optimizer.step(rate)
        else:
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self.optimizer.step()
        self.done += 1
        return value

    def state(self) -> dict[str, Tensor]:
        """Everything that going on needs: copies on the CPU, for a safetensors file."""
        tensors = {f"{MODULE}{k}": v for k, v in self.module.state_dict().items()}
        for name, parameter in self.module.named_parameters():
            for key, value in self.optimizer.state.get(parameter, {}).items():
                tensors[f"{ADAM}{key}.{name}"] = torch.as_tensor(value)
        tensors |= {"generator": self.generator.get_state(), "done": torch.tensor(self.done)}
        return {k: v.detach().cpu().contiguous().clone() for k, v in tensors.items()}

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Go on from a state; the next step is the one an uninterrupted training would take."""
        own = {k.removeprefix(MODULE): v for k, v in tensors.items() if k.startswith(MODULE)}
        self.module.load_state_dict(own)
        kept = [(*k.split(".", 2)[1:], v) for k, v in tensors.items() if k.startswith(ADAM)]
        for name, parameter in self.module.named_parameters():
            # Adam keeps its step count on the CPU
            entries = {k: v.clone() if k == "step" else v.to(parameter) for k, whose, v in kept if whose == name}
            if entries:
                self.optimizer.state[parameter] = entries
        self.generator.set_state(tensors["generator"])
        self.done = int(tensors["done"])


SAVE_EVERY = 5.0
"""Seconds between two checkpoints."""


@runtime_checkable
class Checkpoint(Protocol):
    """Where a training keeps its state."""

    def save(self, state: dict[str, Tensor], levels: list[Level]) -> None:
        """Keep the state of a training and its levels."""


@runtime_checkable
class Session(Protocol):
    """What long work is handed: whom it tells, and where it keeps its state."""

    @property
    def report(self) -> Reporter:
        """Progress, lines and warnings."""

    @property
    def checkpoint(self) -> Checkpoint:
        """Where the training at work keeps its state."""

    def metrics(self, row: dict[str, Any]) -> None:
        """Record a row; its `step` and `total` count from the beginning of this training."""

    def show(self, fields: Slotted, step: int) -> None:
        """Let pages draw these fields, those of a step, while the work goes on."""


@runtime_checkable
class RunSession(Session, Protocol):
    """The session of a run.

    Args:
        config: the settings of the whole run.
    """

    config: Any
    seed: int

    @property
    def device(self) -> str:
        """Where tensors live."""

    @property
    def again(self) -> bool:
        """Whether the run is at the second go of its training."""

    def restored(self, training: Training, steps: int) -> list[Level]:
        """Load what the checkpoint holds of a training, which is then at work; the levels it had reached."""


class NoCheckpoint:
    """Keeps nothing."""

    def save(self, state: dict[str, Tensor], levels: list[Level]) -> None:
        """Ignored."""


@dataclass
class Alone:
    """A session without a run, for library use: says nothing and keeps nothing unless told where."""

    report: Reporter = field(default_factory=SilentReporter)
    checkpoint: Checkpoint = field(default_factory=NoCheckpoint)

    def metrics(self, row: dict[str, Any]) -> None:
        """Ignored."""

    def show(self, fields: Slotted, step: int) -> None:
        """Ignored."""


def marks(steps: int) -> list[int]:
    """The steps after which fields are judged: an eighth, a quarter, a half and all of them."""
    return sorted({max(1, steps // n) for n in (8, 4, 2)} | {steps})


def joined(training: Training) -> bool:
    """Whether this process only trains along; it then has the state of the first one, which keeps and tells all."""
    state = ranks.agreed(training.state() if ranks.size() > 1 else {})
    if ranks.follows():
        training.load(state)
    return ranks.follows()


def train(
    training: Training, steps: int, levels: list[Level], judge: Callable[[int], Level] | None, session: Session
) -> None:
    """Go on to the end; `levels` grows by what `judge` says at each mark but the last.

    Args:
        training, levels: fresh, or as a checkpoint left them.
        judge: a level with the number of steps as its label; None if none is wanted.

    An interrupt leaves a checkpoint of the last complete step. Raises DiscoveryError if the loss isn't finite.
    """
    if joined(training):
        judge, session = None, Alone()
    began = saved = time.perf_counter()
    # of the last complete step: an interrupt may come in the middle of the next one
    whole = training.state()
    try:
        while training.done < steps:
            if judge and training.done in marks(steps) and training.done not in {level.label for level in levels}:
                levels.append(judge(training.done))
            with ranks.stepping():
                row = training.step()
            whole = training.state()
            elapsed = round(time.perf_counter() - began, 3)
            session.metrics({"step": training.done, "total": steps, **row, "seconds": elapsed})
            session.report.progress(training.done, steps, f"loss {row['loss']:.2f}")
            if time.perf_counter() - saved > SAVE_EVERY:
                session.checkpoint.save(whole, levels)
                saved = time.perf_counter()
    finally:
        session.checkpoint.save(whole, levels)
