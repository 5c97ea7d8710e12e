"""Polynomial interpolation on uniform nodes: the weights of the few nodes around each place."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

Samples = Float[Tensor, "sample component time x"]
"""Solutions on one grid."""


def stencil(
    place: Float[Tensor, "*place"], points: int, width: int, periodic: bool = False
) -> tuple[Int[Tensor, "*place node"], Float[Tensor, "*place node"]]:
    """The `width` nodes nearest to each place, in units of nodes, and their Lagrange weights.

    The polynomial through them has an error of order `width`. At the ends of an open axis the nodes lie to one
    side; on a node the weights are exactly 0 and 1.
    """
    first = place.floor() - (width // 2 - 1)
    if not periodic:
        first = first.clamp(0, points - width)
    offsets = torch.arange(width, device=place.device)
    nodes = first.long()[..., None] + offsets
    gaps = (place - first)[..., None] - offsets
    before = torch.cumprod(torch.cat([torch.ones_like(gaps[..., :1]), gaps[..., :-1]], -1), -1)
    behind = torch.cumprod(torch.cat([torch.ones_like(gaps[..., :1]), gaps[..., 1:].flip(-1)], -1), -1).flip(-1)
    scale = [(-1.0) ** (width - 1 - j) / (math.factorial(j) * math.factorial(width - 1 - j)) for j in range(width)]
    weights = before * behind * torch.tensor(scale, dtype=place.dtype, device=place.device)
    return nodes.remainder(points) if periodic else nodes, weights


def hermite(
    place: Float[Tensor, "*place"], points: int, width: int
) -> tuple[Int[Tensor, "*place node"], Float[Tensor, "*place node"], Float[Tensor, "*place node"]]:
    """The same nodes with the weights of values and of slopes, those per node: of order 2 `width`."""
    nodes, weights = stencil(place, points, width)
    gap = place[..., None] - nodes
    at_node = [sum(1 / (j - m) for m in range(width) if m != j) for j in range(width)]
    slopes = torch.tensor(at_node, dtype=place.dtype, device=place.device)
    squares = weights.square()
    return nodes, (1 - 2 * slopes * gap) * squares, gap * squares


def matrix(
    nodes: Int[Tensor, "sample time node"], weights: Float[Tensor, "sample time node"], points: int
) -> Float[Tensor, "sample time point"]:
    """Weights of a few nodes as a matrix that is applied to all."""
    made = torch.zeros(*weights.shape[:-1], points, dtype=weights.dtype, device=weights.device)
    return made.scatter_(-1, nodes, weights)


def rows(place: Float[Tensor, "sample time"], points: int, width: int) -> Float[Tensor, "sample time point"]:
    """A matrix that sends values at all nodes to values at the places."""
    return matrix(*stencil(place, points, width), points)


def at_places(
    values: Float[Tensor, "sample channel time x"], time: Float[Tensor, "sample place"],
    x: Float[Tensor, "sample place"], widths: tuple[int, int],
    rates: Float[Tensor, "sample channel time x"] | None = None,
) -> Float[Tensor, "sample channel place"]:  # fmt: skip
    """Values between the nodes of a grid that is open in time and periodic in x, both places in units of nodes.

    Args:
        rates: slopes in time per node, for an interpolation of twice the order.
    """
    times, points = values.shape[2:]
    j, b = stencil(x, points, widths[1], periodic=True)
    if rates is None:
        parts = [(values, *stencil(time, times, widths[0]))]
    else:
        i, a, r = hermite(time, times, widths[0])
        parts = [(values, i, a), (rates, i, r)]
    # sample by sample, which fits the caches
    found = [sum(_at_places(z[s], i[s], a[s], j[s, :, 0], b[s]) for z, i, a in parts) for s in range(len(values))]
    return torch.stack(found)


def _at_places(
    values: Float[Tensor, "channel time x"], i: Int[Tensor, "place in_time"], a: Float[Tensor, "place in_time"],
    first: Int[Tensor, " place"], b: Float[Tensor, "place in_x"],
) -> Float[Tensor, "channel place"]:  # fmt: skip
    """One sample; `first` of the nodes in x, whose runs lie side by side in memory."""
    (channels, times, points), width = values.shape, b.shape[-1]
    lines = values.permute(1, 2, 0)
    lines = torch.cat([lines, lines[:, : width - 1]], 1).contiguous()
    long = points + width - 1
    runs = lines.flatten().as_strided((times * long - width + 1, width * channels), (channels, 1))
    total = values.new_zeros(len(first), width * channels)
    for m in range(a.shape[-1]):
        total.addcmul_(runs.index_select(0, i[:, m] * long + first), a[:, m, None])
    return torch.einsum("pwc,pw->cp", total.unflatten(1, (width, channels)), b)
