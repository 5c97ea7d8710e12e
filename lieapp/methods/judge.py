"""Fields judged on data they were not learned from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import Domain, EvolvingT, Fields


@dataclass(frozen=True)
class Judgement:
    """Sums over data for a stack of fields.

    Args:
        eta: rms(M)/rms(Q) of each field, the relative error that a moved solution accumulates over the window.
        gram: inner products of the fields, weighted by ω.
        reach: rms(Q)/rms(V) of each field.
        parts: sums of M² and Q² over each independent sample, for the bootstrap; None where a batch doesn't say
            which sample is whose.
    """

    eta: Float[Tensor, " field"]
    gram: Float[Tensor, "field field"]
    reach: Float[Tensor, " field"]
    parts: tuple[Float[Tensor, "field sample"], Float[Tensor, "field sample"]] | None = None


def judge(domain: Domain[EvolvingT], fields: Fields, batches: Iterable[EvolvingT]) -> Judgement:
    """eta and inner products of fields, streamed over batches."""
    gram = torch.zeros(())
    sums: list[tuple[Tensor, Tensor]] = []
    samples: list[Tensor | None] = []
    with torch.no_grad():
        for batch in batches:
            v, q = domain.characteristic(batch, fields)
            m = domain.tangent(batch, q)
            root = batch.weight.sqrt()[:, None]
            sums.append((((root * m) ** 2).flatten(2).sum(2), ((root * q.value) ** 2).flatten(2).sum(2)))
            samples.append(batch.sample)
            columns = (root * v).flatten(1)
            gram = gram + columns @ columns.T
    # what is compared from here on is small; it needn't stay on a device
    pieces = [torch.cat([own[k] for own in sums], 1).cpu() for k in range(2)]
    m2, q2 = (piece.sum(1) for piece in pieces)
    tiny, gram = torch.finfo(q2.dtype).tiny, gram.cpu()
    reach = (q2 / torch.diagonal(gram).clamp_min(tiny)).sqrt()
    return Judgement((m2 / q2.clamp_min(tiny)).sqrt(), gram, reach, _by_sample(pieces, samples))


def _by_sample(pieces: list[Tensor], samples: list[Tensor | None]) -> tuple[Tensor, Tensor] | None:
    """Sums over the pieces of each sample."""
    known = [sample.cpu() for sample in samples if sample is not None]
    if len(known) < len(samples):
        return None
    place = torch.unique(torch.cat(known), return_inverse=True)[1]
    m2, q2 = (piece.new_zeros(len(piece), int(place.max()) + 1).index_add_(1, place, piece) for piece in pieces)
    return m2, q2
