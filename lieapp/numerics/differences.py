"""Central finite differences on uniform axes: exact weights, and their use along one dim of a tensor."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.errors import ConfigError
from lieapp.numerics.grid import Axis


def check_accuracy(accuracy: int) -> None:
    """Raises ConfigError unless the order of accuracy is one that central differences have."""
    if accuracy < 2 or accuracy % 2:
        raise ConfigError(
            f"accuracy = {accuracy}; central differences have an even order.", hint="Give `accuracy` 2, 4, 6, …"
        )


@cache
def central_weights(order: int, accuracy: int) -> tuple[float, ...]:
    """w with Σ_k w_k f(x + k h) = h^d f^(d)(x) + O(h^(d + accuracy)), k = -r … r.

    The weights solve Σ_k w_k k^m = d! δ_md for m = 0 … 2r, in exact arithmetic (Fornberg 1988).
    """
    r = radius(order, accuracy)
    points = range(-r, r + 1)
    weights = []
    for k in points:  # the d-th derivative at 0 of Lagrange's basis polynomial of node k
        basis = [Fraction(1)]
        for other in points:
            if other != k:
                basis = [
                    (low - other * high) / (k - other)
                    for low, high in zip([Fraction(0), *basis], [*basis, Fraction(0)], strict=True)
                ]
        weights.append(float(basis[order] * math.factorial(order)))
    return tuple(weights)


def check_length(axis: Axis, needed: int, order: int, accuracy: int) -> None:
    """Raises GridError unless the axis has the nodes that derivatives of an order need."""
    what = f"derivatives of order {order} by differences of accuracy {accuracy} need"
    axis.check_points(needed, what, "accuracy")


def radius(order: int, accuracy: int) -> int:
    """How many nodes to each side a derivative takes."""
    return (order + 1) // 2 - 1 + accuracy // 2 if order else 0


def difference(
    values: Float[Tensor, "*wide"], dim: int, order: int, spacing: float, accuracy: int, periodic: bool
) -> Float[Tensor, "*inner"]:
    """The d-th derivative along a dim; without a period it is shorter by the radius at both ends."""
    if order == 0:
        return values
    parts = _taken(values, dim, order, accuracy, periodic)
    return torch.stack([part * (w / spacing**order) for w, part in parts]).sum(0)


def touched(
    there: Bool[Tensor, "*wide"], dim: int, order: int, accuracy: int, periodic: bool
) -> Bool[Tensor, "*inner"]:
    """Where all nodes that a difference takes are there; as long as that difference."""
    return torch.stack([part for _, part in _taken(there, dim, order, accuracy, periodic)]).all(0)


def _taken(values: Tensor, dim: int, order: int, accuracy: int, periodic: bool) -> list[tuple[float, Tensor]]:
    """What a difference adds up, with its weights, of a dim that is continued by the radius where periodic."""
    r, length = radius(order, accuracy), values.shape[dim]
    if periodic:
        values = torch.cat([values.narrow(dim, length - r, r), values, values.narrow(dim, 0, r)], dim)
    length = values.shape[dim] - 2 * r
    weights = enumerate(central_weights(order, accuracy))
    return [(w, values.narrow(dim, k, length)) for k, w in weights if w]
