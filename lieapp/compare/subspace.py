"""Spans of fields compared by inner products, cosines and principal angles (Björck & Golub 1973).

Everything comes from one Gram matrix of learned and derived fields together, weighted by ω on held-out data in
scaled coordinates, so that no field has to be stored.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

Gram = Float[Tensor, "field field"]


def normalised(gram: Gram) -> Gram:
    """Inner products of the fields scaled to norm 1."""
    norm = torch.diagonal(gram).clamp_min(torch.finfo(gram.dtype).tiny).sqrt()
    return gram / norm[:, None] / norm[None]


def cosines(gram: Gram, span: list[int], others: list[int]) -> list[float]:
    """Norm of the projection of each other field, normalised, on the span of some fields; 0 for no span."""
    if not span:
        return [0.0] * len(others)
    inner = orthonormal(gram, span).T @ gram[span][:, others]
    return (inner.square().sum(0) / torch.diagonal(gram)[others]).clamp(0, 1).sqrt().tolist()


def principal_angle(gram: Gram, first: list[int], second: list[int]) -> float | None:
    """The largest principal angle in radians between two spans; None if one is empty."""
    if not first or not second:
        return None
    a, b = orthonormal(gram, first), orthonormal(gram, second)
    overlap = a.T @ gram[first][:, second] @ b
    smallest = torch.linalg.svdvals(overlap)[-1].clamp(0, 1)
    # sine from what is left over: the arccosine has no digits near 1
    if a.shape[1] <= b.shape[1]:
        left = torch.eye(a.shape[1], dtype=gram.dtype) - overlap @ overlap.T
    else:
        left = torch.eye(b.shape[1], dtype=gram.dtype) - overlap.T @ overlap
    sine = torch.linalg.eigvalsh(left)[-1].clamp(0, 1).sqrt()
    return float(torch.atan2(sine, smallest))


def orthonormal(gram: Gram, span: list[int]) -> Float[Tensor, "span direction"]:
    """Coefficients of an orthonormal basis of a span, dependent directions dropped."""
    value, vector = torch.linalg.eigh(normalised(gram[span][:, span]))
    keep = value > 1e-12 * value[-1]
    norm = torch.diagonal(gram)[span].sqrt()
    return vector[:, keep] / value[keep].sqrt() / norm[:, None]


DEPENDENT = 1e-6
"""Squared norm below which what a field of norm 1 adds to those before it is round-off; values may be float32."""


def independent(gram: Gram, span: list[int]) -> list[int]:
    """Those of a span, in its order, that aren't combinations of the ones before them."""
    unit, kept = normalised(gram), list[int]()
    for number in span:
        projection = cosines(unit, kept, [number])[0] if kept else 0.0
        if 1 - projection**2 > DEPENDENT:
            kept.append(number)
    return kept


def orthonormalised(gram: Gram, basis: list[int]) -> Float[Tensor, "basis direction"]:
    """Coefficients of Gram and Schmidt's fields: each is made of those of the basis up to its own place."""
    lower = torch.linalg.cholesky(gram[basis][:, basis])
    return torch.linalg.solve_triangular(lower, torch.eye(len(basis), dtype=gram.dtype), upper=False).T


SMALL = 0.2
"""Components below this aren't named."""


def largest_components(gram: Gram, field: int, others: list[int], most: int = 3) -> list[tuple[int, float]]:
    """What a field is mostly made of: numbers of others of norm 1, and coefficients of the field of norm 1.

    Orthogonal matching pursuit (Pati 1993): each time the one that brings the combination nearest, until the next
    one brings less than `SMALL`. The nearest one is always named.
    """
    unit, chosen = normalised(gram), list[int]()
    while len(chosen) < most:
        reached = cosines(unit, chosen, [field])[0]
        found = [(cosines(unit, [*chosen, n], [field])[0], n) for n in others if n not in chosen]
        if not found:
            break
        best, number = max(found, key=lambda pair: pair[0])
        if chosen and best**2 - reached**2 < SMALL**2:
            break
        chosen.append(number)
    matrix = unit[chosen][:, chosen]
    coefficients = torch.linalg.lstsq(matrix, unit[chosen, field][:, None]).solution[:, 0].tolist()
    return sorted(zip(chosen, coefficients, strict=True), key=lambda pair: -abs(pair[1]))
