"""What a neural operator learns from trajectories: which frames it is given, and which it predicts.

rollout: 20 frames give the next 20, again and again (Brandstetter 2022; the paper's KdV and KS). single: the first
frame gives the one 70 steps later (the paper's nKdV and cKdV, in which t stands explicitly).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lieapp.augment.stencil import Samples
from lieapp.config_augment import check_ahead, check_history

Channels = Float[Tensor, "pair channel x"]
Operator = Callable[[Channels], Channels]
Frames = Float[Tensor, "sample component frame x"]


@dataclass(frozen=True)
class OperatorTask:
    """Frames of one prediction, counted from its start: `frames` in, as many out, `gap` after the first one in.

    Args:
        frames: in, and out.
        gap: steps from the first frame in to the first one out.
        starts: where predictions begin when trained on.
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
        inside = torch.arange(self.frames, device=samples.device)
        parts = []
        for first in (starts, starts + self.gap):
            times = first[:, None] + inside
            # indices apart from each other put the axis they make first
            parts.append(samples[which[:, None], :, times].flatten(1, 2))
        return parts[0], parts[1]

    def admissible(self, valid: Bool[Tensor, "sample time"]) -> Bool[Tensor, "sample start"]:
        """Starts of which every frame is known."""
        inside = torch.arange(self.frames, device=valid.device)
        found = []
        for start in self.starts:
            found.append(valid[:, start + inside].all(1) & valid[:, start + self.gap + inside].all(1))
        return torch.stack(found, 1)

    def predicted(self, operator: Operator, samples: Samples) -> tuple[Frames, Frames]:
        """Predictions from the first training start on, each made from the one before, and the truth there."""
        start, frames = self.starts[0], self.frames
        first = samples[:, :, start : start + frames]
        parts, place = [], start + self.gap
        while place + frames <= samples.shape[2]:
            first = self._step(operator, first)
            parts.append(first)
            place += frames
            if self.gap != frames:
                break
        begin = start + self.gap
        return torch.cat(parts, 2), samples[:, :, begin : begin + frames * len(parts)]

    def one_step(self, operator: Operator, samples: Samples) -> tuple[Frames, Frames]:
        """Predictions of one window, each made from true frames, and the truth there."""
        stride = range(self.starts[0], self.starts[-1] + 1, self.frames)
        given = [samples[:, :, s : s + self.frames] for s in stride]
        parts = [self._step(operator, part) for part in given]
        truth = [samples[:, :, s + self.gap : s + self.gap + self.frames] for s in stride]
        return torch.cat(parts, 2), torch.cat(truth, 2)

    def _step(self, operator: Operator, given: Frames) -> Frames:
        channels = given.transpose(1, 2).flatten(1, 2)
        return operator(channels).unflatten(1, (self.frames, given.shape[1])).transpose(1, 2)
