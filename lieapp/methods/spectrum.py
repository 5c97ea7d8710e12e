"""The eigenproblem MᵀM c = λ G c that orders all fields of a span by how much they break the equation.

M holds the linearised residuals of the span's fields on the data, G is their Gram matrix. Neither is formed:
the triangular factors of M, of the fields and of their characteristics are updated batch by batch, so singular
values are right to round-off relative to the largest (squaring would put a floor of 1e-8 under them).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Domain, EvolvingT, Fields
from lieapp.domains.spread import Allowed, Evaluated, EveryComponent, of_all
from lieapp.errors import DiscoveryError

DEPENDENT = 1e-10
"""Directions of the span whose norm on the data is below this share of the largest are dropped.

Triangular factors know norms down to 1e-15. Dropping more would hurt: a field is then only represented up to the
dropped directions, whose residuals may be large.
"""

TANGENT = 1e-3
"""Directions with rms(Q) below this share of rms(V) move data along themselves and prove nothing."""

Block = Float[Tensor, "_ batch _ *space"]
Rows = Float[Tensor, "_ _"]

ROWS, LEAST = 2, 256
"""Nodes taken of a batch with several axes of space: for each field, and at least."""

MOST = 2**22
"""Numbers in one array of fields on a batch with several axes of space."""


@dataclass(frozen=True)
class Factors:
    """Triangular factors: |R c| is the root of the sum of squares over the data of a span's element c."""

    fields: Float[Tensor, "_ span"]
    characteristics: Float[Tensor, "_ span"]
    residuals: Float[Tensor, "_ span"]
    rows: int

    def joined(self, other: Factors) -> Factors:
        """Those of the data of both."""
        return Factors(
            updated(self.fields, other.fields), updated(self.characteristics, other.characteristics),
            updated(self.residuals, other.residuals), self.rows + other.rows,
        )  # fmt: skip


@dataclass(frozen=True)
class Spectrum:
    """All directions of a span, from the most to the least symmetric.

    Args:
        eta: rms(M)/rms(Q) of each, the relative error that moved solutions accumulate over the time window.
        coefficients: each direction in the span, of norm 1 on the data.
        dropped: directions dropped because the span is linearly dependent on the data.
        tangent: directions dropped because they are tangent to the data.
    """

    eta: Float[Tensor, " direction"]
    coefficients: Float[Tensor, "direction span"]
    dropped: int
    tangent: int


def factors(
    domain: Domain[EvolvingT], fields: Fields, batches: Iterable[EvolvingT], sampled: bool = False
) -> Factors:
    """Stream over batches and keep the three triangular factors.

    Args:
        sampled: whether random nodes may stand for all where there are several axes of space.
    """
    result: list[Tensor | None] = [None, None, None]
    rows = 0
    for number, batch in enumerate(batches):
        root = batch.weight.sqrt()[:, None]
        if sampled and batch.weight.ndim > 2 and isinstance(fields, EveryComponent):
            blocks = _chosen(domain, fields, batch, number)
            rows += blocks[0].shape[0]
        else:
            blocks = tuple((block * root).flatten(1).T for block in _blocks(domain, fields, batch))
            rows += batch.weight.numel()
        for i, block in enumerate(blocks):
            result[i] = updated(result[i], block)
    size, characteristics, residuals = result
    if size is None or characteristics is None or residuals is None:
        raise DiscoveryError("there is no data to learn from.", hint="Ask for more samples.")
    if isinstance(fields, EveryComponent):
        size = of_all(size, fields.components)
    return Factors(size, characteristics, residuals, rows)


def _blocks(domain: Domain[EvolvingT], fields: Fields, batch: EvolvingT) -> tuple[Block, Block, Block]:
    """What is factored: fields, characteristics and linearised residuals; of h_k e_c the h_k suffice."""
    if isinstance(fields, EveryComponent):
        h = Evaluated(*fields.features.jvp(batch.points, batch.tangents))
        _, q = domain.characteristic(batch, EveryComponent(h, fields.components))
        return h.values[:, :, None], q.value, domain.tangent(batch, q)
    v, q = domain.characteristic(batch, fields)
    return v, q.value, domain.tangent(batch, q)


def _chosen(
    domain: Domain[EvolvingT], fields: EveryComponent, batch: EvolvingT, number: int
) -> tuple[Rows, Rows, Rows]:
    """The rows of random nodes: on several axes of space a few times as many rows as fields are as good as all.

    Fields are taken in turn, as many as MOST numbers hold.
    """
    h, dh = fields.features.jvp(batch.points, batch.tangents)
    nodes, count = batch.weight.numel(), fields.components
    wanted = min(nodes, max(LEAST, ROWS * len(h) * count))
    where = torch.randperm(nodes, generator=torch.Generator().manual_seed(number))[:wanted].to(h.device)
    root = batch.weight.flatten()[where].sqrt()
    q_rows: list[Tensor] = []
    m_rows: list[Tensor] = []
    for part, rates in zip(*(z.split(max(1, MOST // (nodes * count))) for z in (h, dh)), strict=True):
        _, q = domain.characteristic(batch, EveryComponent(Evaluated(part, rates), count))
        for found, kept in ((q.value, q_rows), (domain.tangent(batch, q), m_rows)):
            # field, batch, unknown, *space -> field, unknown, node
            kept.append(found.movedim(2, 1).flatten(2)[..., where] * root)
    q_all, m_all = (torch.cat(kept).flatten(1).T for kept in (q_rows, m_rows))
    return (h.flatten(1)[:, where] * root).T, q_all, m_all


def updated(
    factor: Float[Tensor, "_ field"] | None, block: Float[Tensor, "row field"]
) -> Float[Tensor, "_ field"]:
    """The triangular factor of all rows so far."""
    stacked = block if factor is None else torch.cat([factor, block])
    return torch.linalg.qr(stacked, mode="r")[1]


def spectrum(f: Factors, allowed: Allowed | None = None) -> Spectrum:
    """Solve the eigenproblem from the triangular factors, in the part of the span that is allowed."""
    fields, residuals = f.fields, f.residuals
    if allowed is not None:
        part = allowed.flatten().to(fields.device)
        fields, residuals = fields[:, part], residuals[:, part]
    _, size, rotation = torch.linalg.svd(fields)
    keep = size > DEPENDENT * size[0]
    whiten = rotation[keep].T / size[keep]
    _, _, directions = torch.linalg.svd(residuals @ whiten, full_matrices=True)
    coefficients = (whiten @ directions.T).T.flip(0)
    if allowed is not None:
        whole = coefficients.new_zeros(len(coefficients), len(part))
        whole[:, part] = coefficients
        coefficients = whole
    return measured(f, coefficients, dropped=int((~keep).sum()))


def measured(f: Factors, coefficients: Float[Tensor, "direction span"], dropped: int = 0) -> Spectrum:
    """Norms of given elements of the span; those tangent to the data are left out."""
    v, q, m = (
        torch.linalg.vector_norm(r @ coefficients.T, dim=0) for r in (f.fields, f.characteristics, f.residuals)
    )
    real = q > TANGENT * v
    scale = f.rows**0.5
    return Spectrum(
        eta=(m / q)[real],
        coefficients=(coefficients / v[:, None] * scale)[real],
        dropped=dropped,
        tangent=int((~real).sum()),
    )
