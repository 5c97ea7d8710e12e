"""Fields judged on data they were not learned from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lieapp.domains.base import Domain, Fields


@dataclass(frozen=True)
class Judgement:
    """Sums over data for a stack of fields.

    Args:
        eta: rms(M)/rms(Q) of each field, the relative error that a moved solution accumulates over the window.
        gram: inner products of the fields, weighted by ω.
        reach: rms(Q)/rms(V) of each field.
    """

    eta: Tensor
    gram: Tensor
    reach: Tensor


def judge(domain: Domain, fields: Fields, batches: Iterable[Any]) -> Judgement:
    """eta and inner products of fields, streamed over batches."""
    m2 = q2 = gram = torch.zeros(())
    with torch.no_grad():
        for batch in batches:
            v, q = domain.characteristic(batch, fields)
            m = domain.tangent(batch, q)
            root = batch.weight.sqrt()[:, None]
            m2 = m2 + ((root * m) ** 2).flatten(1).sum(1)
            q2 = q2 + ((root * q.value) ** 2).flatten(1).sum(1)
            columns = (root * v).flatten(1)
            gram = gram + columns @ columns.T
    # what is compared from here on is small; it needn't stay on a device
    tiny = torch.finfo(q2.dtype).tiny
    reach = (q2 / torch.diagonal(gram).clamp_min(tiny)).sqrt()
    return Judgement((m2 / q2.clamp_min(tiny)).sqrt().cpu(), gram.cpu(), reach.cpu())
