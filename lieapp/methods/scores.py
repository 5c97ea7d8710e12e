"""Validity of fields on a batch: of data moved by a finite flow, or of the limit of a small one."""

from __future__ import annotations

from typing import Any, Generic

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import BatchT, Domain, Movable
from lieapp.errors import DiscoveryError
from lieapp.methods.fields import Scaled
from lieapp.methods.flow import Flow, Solver

LOST = 20
"""Steps in a row after which nothing left to judge is an error."""


class FiniteScore(Generic[BatchT]):
    """The paper's: each slot moves the batch to an s of its own, drawn evenly from [-σ, σ].

    Args:
        plain: take the validity of the moved data as it is, as the paper does; else less that of the unmoved.
    """

    def __init__(self, domain: Movable[BatchT], sigma: float, solver: Solver, plain: bool) -> None:
        self.domain, self.sigma, self.solver, self.plain = domain, sigma, solver, plain
        self._lost: list[int] = []

    def __call__(
        self, batch: BatchT, fields: Scaled, generator: torch.Generator
    ) -> tuple[Float[Tensor, " slot"], dict[str, Any]]:
        """Mean validity of each slot's moved batch; `s` and the share of folded nodes for the record."""
        slots = len(fields.factors)
        s = self.sigma * (2 * torch.rand(slots, generator=generator, dtype=torch.float64) - 1)
        s = s.to(batch.points)
        moved = self.domain.act(Flow(fields, self.solver), batch, s)
        found = self.domain.validity(None if self.plain else batch, moved)
        score = found.score.reshape(slots, -1)
        left = torch.isfinite(score.detach())
        self._lost = self._lost or [0] * slots
        self._check(left)
        told = {"s": s.tolist(), "folded": found.folded.reshape(slots, -1).mean(1).tolist()}
        # a slot without anything left says nothing in this step
        mean = torch.where(left, score, 0).sum(1) / left.sum(1).clamp_min(1)
        return torch.where(left.any(1), mean, torch.ones_like(mean)), told

    def _check(self, left: Tensor) -> None:
        """Patches leave the time window now and then; not all of a slot's, step after step."""
        self._lost = [0 if any(row) else before + 1 for row, before in zip(left.tolist(), self._lost, strict=True)]
        if max(self._lost) >= LOST:
            raise DiscoveryError(
                f"slot {1 + self._lost.index(LOST)}: no patch moved by |s| up to {self.sigma:g} has a node left to "
                f"judge, {LOST} steps in a row: all left the time window, or the moved grid is torn.",
                hint="Lower sigma or tau, or raise patch_time.",
            )


class LinearScore(Generic[BatchT]):
    """The limit s -> 0: mean absolute linearised residual of each slot's field."""

    def __init__(self, domain: Domain[BatchT]) -> None:
        self.domain = domain

    def __call__(
        self, batch: BatchT, fields: Scaled, generator: torch.Generator
    ) -> tuple[Float[Tensor, " slot"], dict[str, Any]]:
        """Nothing else to record."""
        _, q = self.domain.characteristic(batch, fields)
        m = (batch.weight[:, None] * self.domain.tangent(batch, q).abs()).flatten(1).sum(1)
        return m / (batch.weight.sum() * q.value.shape[2]), {}
