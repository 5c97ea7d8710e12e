"""The error of predicted solutions."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.stencil import Samples

LARGEST = 1e6
"""What the error of a frame is at most: a rollout that ran off, into infinity or short of it, is just wrong."""


def frame_errors(predicted: Samples, truth: Samples) -> Float[Tensor, "sample time"]:
    """mean (û - u)² / mean u² of each frame, over space and components, at most `LARGEST`."""
    wrong = (predicted - truth).square().mean((1, 3)) / truth.square().mean((1, 3))
    return torch.nan_to_num(wrong, nan=LARGEST, posinf=LARGEST).clamp_max(LARGEST)


def nmse(predicted: Samples, truth: Samples) -> float:
    """Normalised mean square error: frame errors, summed over the predicted frames, mean over samples.

    The sum over frames is that of Brandstetter's published code, and so of the paper's tables: a rollout of 100
    frames may reach values above 1 with small errors in each.
    """
    return float(frame_errors(predicted, truth).sum(1).mean())
