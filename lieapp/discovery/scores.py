"""Validity of fields on a batch: of data moved by a finite flow, or of the limit of a small one."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.discovery.fields import Scaled
from lieapp.discovery.flow import Flow, Solver
from lieapp.domains.base import Domain
from lieapp.errors import DiscoveryError


class FiniteScore:
    """The paper's: each slot moves the batch to an s of its own, drawn evenly from [-σ, σ].

    Args:
        plain: take the validity of the moved data as it is, as the paper does; else less that of the unmoved.
    """

    def __init__(self, domain: Domain, sigma: float, solver: Solver, plain: bool) -> None:
        self.domain, self.sigma, self.solver, self.plain = domain, sigma, solver, plain

    def __call__(
        self, batch: Any, fields: Scaled, generator: torch.Generator
    ) -> tuple[Float[Tensor, " slot"], dict[str, Any]]:
        """Mean validity of each slot's moved batch; `s` and the share of folded nodes for the record."""
        slots = len(fields.factors)
        s = self.sigma * (2 * torch.rand(slots, generator=generator, dtype=torch.float64) - 1)
        s = s.to(batch.points)
        moved = self.domain.act(Flow(fields, self.solver), batch, s)
        found = self.domain.validity(None if self.plain else batch, moved)
        if not bool(torch.isfinite(found.score.detach()).all()):
            far = ", ".join(f"{value:.3g}" for value in s.tolist())
            raise DiscoveryError(
                f"moved by s = {far}, a piece of data has no node left to judge: all left the time window, or the "
                "moved grid is torn.",
                hint="Lower sigma or tau, or raise patch_time.",
            )
        told = {"s": s.tolist(), "folded": found.folded.reshape(slots, -1).mean(1).tolist()}
        return found.score.reshape(slots, -1).mean(1), told


class LinearScore:
    """The limit s -> 0: mean absolute linearised residual of each slot's field."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def __call__(
        self, batch: Any, fields: Scaled, generator: torch.Generator
    ) -> tuple[Float[Tensor, " slot"], dict[str, Any]]:
        """Nothing else to record."""
        _, q = self.domain.characteristic(batch, fields)
        m = (batch.weight[:, None] * self.domain.tangent(batch, q).abs()).flatten(1).sum(1)
        return m / (batch.weight.sum() * q.value.shape[2]), {}
