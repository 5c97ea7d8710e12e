"""Batch normalisation of a batch that several processes share: torch's own one for that needs GPUs."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lieapp.numerics import ranks


class WholeBatchNorm(nn.BatchNorm2d):
    """`BatchNorm2d` whose mean and variance are those of the whole batch.

    y = γ (x - m)/√(v + ε) + β, with m and v over pictures, rows and columns of all processes' shares.
    """

    def forward(self, input: Float[Tensor, "picture channel y x"]) -> Float[Tensor, "picture channel y x"]:
        """As torch's in one process, and outside of steps of a training."""
        if not self.training or not ranks.shared():
            return super().forward(input)
        everywhere = (0, 2, 3)
        count = input.new_full((), input.numel() / input.shape[1])
        total, count = ranks.totals(input.sum(everywhere), count)
        away = input - (total / count)[:, None, None]
        variance = ranks.totals(away.square().sum(everywhere))[0] / count
        self._note((total / count).detach(), (variance * count / (count - 1)).detach())
        return away * (self.weight * (variance + self.eps).rsqrt())[:, None, None] + self.bias[:, None, None]

    def _note(self, mean: Tensor, variance: Tensor) -> None:
        """What pictures are normalised by once the network is trained: running means of unbiased statistics."""
        assert self.momentum is not None and self.running_mean is not None and self.running_var is not None
        with torch.no_grad():
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance, self.momentum)
            if self.num_batches_tracked is not None:
                self.num_batches_tracked += 1


def over_whole_batches(network: nn.Module) -> None:
    """Let the network's layers normalise by whole batches, where several processes train it."""
    for layer in network.modules():
        if type(layer) is nn.BatchNorm2d and ranks.size() > 1:
            layer.__class__ = WholeBatchNorm
