"""Adam (Kingma & Ba 2015) by torch's own function for a step."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim.adam import adam

MOMENTS = ("exp_avg", "exp_avg_sq")
"""What is kept of each parameter beside the number of its steps, by torch's names."""


class Adam:
    """What `torch.optim.Adam` does, which loads torch's compiler first: more than a second and 125 MB.

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
