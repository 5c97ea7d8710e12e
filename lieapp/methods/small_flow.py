"""The fields of a span that data bear best for s -> 0: an eigenproblem, where that limit says something.

With T the derivative of the features' direction along each field of the span (`Domain.tangent`) and G their inner
products: K c = λ G c with K the mean of TᵀT over data. √λ is the root mean square of angle/|s|.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.domains.base import BatchT, Domain
from lieapp.domains.spread import EveryComponent, Features
from lieapp.methods.by_flow import gram
from lieapp.methods.fields import Combination

DEPENDENT = 1e-9
"""Directions whose squared norm on the data is below this share of the largest are dropped."""


@dataclass(frozen=True)
class SmallFlow:
    """Directions of a span, ascending.

    Args:
        slopes: √λ of each.
        fields: the directions asked for, of norm 1 under the weight.
    """

    slopes: Float[Tensor, " direction"]
    fields: Combination


def small_flow(
    domain: Domain[BatchT], features: Features, batches: Iterable[BatchT], most: int
) -> SmallFlow:
    """All slopes of the fields h_k e_c, and the lowest `most` directions.

    Raises what torch raises where the domain's features have no forward derivative.
    """
    count = len(domain.components)
    span = EveryComponent(features, count)
    batches = list(batches)
    change, pieces, weight = torch.zeros((), dtype=torch.float64), 0, 0.0
    with torch.no_grad():
        for batch in batches:
            found = domain.tangent(batch, domain.characteristic(batch, span)[1]).double().cpu()
            change = change + torch.einsum("nb...,mb...->nm", found, found)
            pieces, weight = pieces + found.shape[1], weight + float(batch.weight.sum())
    size, rotation = torch.linalg.eigh(gram(span, batches) / weight)
    keep = size > DEPENDENT * size[-1]
    whiten = rotation[:, keep] / size[keep].sqrt()
    slopes, directions = torch.linalg.eigh(whiten.T @ (change / pieces) @ whiten)
    chosen = (whiten @ directions[:, :most]).T.reshape(-1, features.count, count)
    fields = Combination(features, chosen.to(batches[0].points))
    return SmallFlow(slopes.clamp_min(0).sqrt(), fields)
