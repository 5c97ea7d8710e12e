"""The paper's losses (section "Objective Functions"), each without a scale of its own.

All take the fields on the data, normalised to norm 1, in scaled coordinates. Scores say how valid a batch is that
fields moved: by a finite flow, or in the limit of a small one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.domains.base import BatchT, Domain, Line, Movable, Points, Stack
from lieapp.errors import DiscoveryError
from lieapp.methods.fields import Scaled
from lieapp.methods.flow import Flow, Solver
from lieapp.numerics import ranks

BELOW_ONE = 1e-6
"""Cosines are kept this far below 1, where the arccosine has no derivative."""


def norms(v: Stack, weight: Float[Tensor, "batch *space"]) -> Float[Tensor, " field"]:
    """Root mean square of each field under the weight ω."""
    squares, size = ranks.totals((weight * v.square().sum(2)).flatten(1).sum(1), weight.sum())
    return (squares / size).clamp_min(torch.finfo(v.dtype).tiny).sqrt()


def orthonormality(v: Stack, weight: Float[Tensor, "batch *space"], soft: float = 0.0) -> Float[Tensor, ""]:
    """Σ_{a<b} (π/2 - arccos |⟨sg V_a, V_b⟩|): only the later of two slots is pushed away (paper, L_ortho).

    Args:
        soft: angle below which it is quadratic, √(angle² + soft²) - soft; 0 leaves the paper's kink, in which the
            steps of a descent change the sign of its whole gradient.
    """
    columns = (weight.sqrt()[:, None] * v).flatten(1)
    products, size = ranks.totals(columns.detach() @ columns.T, weight.sum())
    inner = (products / size).abs().clamp_max(1 - BELOW_ONE)
    # the later slot's gradient stands in the upper triangle
    angle = math.pi / 2 - torch.arccos(inner)
    if soft > 0:
        angle = (angle.square() + soft**2).sqrt() - soft
    return angle.triu(1).sum()


def lipschitz(
    v: Stack, points: Points, tau: float, pairs: Int[Tensor, "2 pair"] | None = None
) -> Float[Tensor, ""]:
    """Σ_a mean over neighbouring nodes of max(|V(z_i) - V(z_j)| / |z_i - z_j| - τ, 0) (paper, L_Lips).

    Args:
        pairs: flat numbers of neighbouring nodes of each piece; None for neighbours along the axes.
    """
    if pairs is None:
        dims = range(-(v.ndim - 3), 0)
        parts = [(v.diff(dim=dim), points.diff(dim=dim)) for dim in dims]
    else:
        flat, places = v.flatten(3), points.flatten(2)
        parts = [(flat[..., pairs[0]] - flat[..., pairs[1]], places[..., pairs[0]] - places[..., pairs[1]])]
    total, count, tiny = v.new_zeros(()), 0, torch.finfo(v.dtype).tiny
    for change, step in parts:
        apart, away = change.square().sum(2), step.square().sum(1)
        # neighbours that coincide have one value
        ratio = torch.where(away > 0, (apart + tiny).sqrt() / away.clamp_min(tiny).sqrt(), 0)
        total = total + (ratio - tau).clamp_min(0).sum()
        count += away.numel()
    return ranks.mean(total / max(count, 1), count)


def sobolev(v: Stack, lines: Sequence[Line]) -> Float[Tensor, ""]:
    """Σ_a log(1 + roughness of V_a): the paper's penalty (app. "PDEs") on the scale of the other losses.

    Without the logarithm, which the paper doesn't have, one sine of the period alone costs 800.
    """
    return roughness(v, lines).log1p().sum()


def roughness(v: Stack, lines: Sequence[Line]) -> Float[Tensor, " field"]:
    """Σ_{i=1,2} ||∂_x^i V_a||² along the data, the Sobolev norm of order 2 less the plain one.

    Σ_n (2πn/L)^{2i} |V̂(n)|² by Parseval's identity on a periodic axis, by central differences on an open one.
    """
    total = v.new_zeros(len(v))
    for line in lines:
        derivative = v
        for _ in range(2):
            derivative = _derivative(derivative, line)
            total = total + ranks.mean(derivative.square().sum(2).flatten(1).mean(1), derivative.shape[1])
    return total


def _derivative(v: Tensor, line: Line) -> Tensor:
    count = v.shape[line.dim]
    if line.periodic:
        k = 2 * torch.pi * torch.fft.rfftfreq(count, line.spacing, dtype=v.dtype, device=v.device)
        if count % 2 == 0:
            k = torch.cat([k[:-1], torch.zeros_like(k[-1:])])  # the interpolant of the last mode is a cosine
        shape = [1] * v.ndim
        shape[line.dim] = -1
        return torch.fft.irfft(1j * k.reshape(shape) * torch.fft.rfft(v, dim=line.dim), n=count, dim=line.dim)
    ahead, behind = v.narrow(line.dim, 2, count - 2), v.narrow(line.dim, 0, count - 2)
    return (ahead - behind) / (2 * line.spacing)


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
        finite = torch.isfinite(score.detach())
        total, left = ranks.totals(torch.where(finite, score, 0).sum(1), finite.sum(1).to(score))
        self._lost = self._lost or [0] * slots
        self._check(left)
        folded = ranks.mean(found.folded.reshape(slots, -1).mean(1), score.shape[1])
        told = {"s": s.tolist(), "folded": folded.tolist()}
        # a slot without anything left says nothing in this step
        mean = total / left.clamp_min(1)
        return torch.where(left > 0, mean, torch.ones_like(mean)), told

    def _check(self, left: Float[Tensor, " slot"]) -> None:
        """Patches leave the time window now and then; not all of a slot's, step after step."""
        self._lost = [0 if count else before + 1 for count, before in zip(left.tolist(), self._lost, strict=True)]
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
        m, size = ranks.totals(m, batch.weight.sum())
        return m / (size * q.value.shape[2]), {}
