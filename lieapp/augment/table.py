"""A flow's displacement tabulated over (t, x, u) and interpolated: a smooth map of few points moves many.

A flow sends (t, x, u) to (t, x, u) + d(t, x, u) with d smooth, whatever the solution is. On a solution's grid d is
asked for at tens of thousands of points; some hundred nodes hold it to TOLERANCE: Chebyshev polynomials in t and u,
Fourier modes in x. What the table says is compared with the flow at random points of the data before it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.velocity import Points

SIZES = ((6, 3, 3), (12, 5, 5), (20, 9, 8), (28, 17, 12))
"""Nodes in t, x and u that are tried in turn; an odd number in x. The last are a sixth of a usual grid's points."""

TOLERANCE = 1e-8
"""Error of the displacement in scaled coordinates up to which a table is used."""

CHECKED = 48
"""Points of each sample at which that is looked at."""

Follow = Callable[[Points], Points]


@dataclass(frozen=True)
class Box:
    """Where a sample's graph lies.

    Args:
        places: of t, x and u among the coordinates.
        period: of x.
    """

    places: tuple[int, int, int]
    period: float


def moved_by_table(follow: Follow, points: Points, box: Box) -> Points | None:
    """Points of solutions on a regular grid, moved; None where no table is good enough.

    Args:
        follow: moves any points of these samples, each along its own field.
        points: in scaled coordinates; t along the third axis, x along the last.
    """
    t, x, u = (points[:, i] for i in box.places)
    where = torch.linspace(0, t[0].numel() - 1, CHECKED, device=points.device).long()
    some = points.flatten(2)[..., where][..., None]
    exact = follow(some)
    for size in SIZES:
        if 2 * size[0] * size[1] * size[2] > t[0].numel():
            return None
        shift = _shift(follow, (t[0, :, 0], x[0, 0], u), size, box)
        moved = points + shift
        off = (moved.flatten(2)[..., where][..., None] - exact).abs().amax()
        # not finite counts as off
        if float(off) < TOLERANCE:
            return moved
    return None


def _shift(
    follow: Follow,
    lines: tuple[Float[Tensor, " time"], Float[Tensor, " x"], Float[Tensor, "sample time x"]],
    size: tuple[int, int, int],
    box: Box,
) -> Float[Tensor, "sample coordinate time x"]:
    """The interpolated displacement."""
    t, x, u = lines
    n, m, k = size
    samples, like = len(u), {"dtype": u.dtype, "device": u.device}
    cosines, roots = (torch.cos(torch.pi * (torch.arange(c, **like) + 0.5) / c) for c in (n, k))
    (t_middle, t_half), (u_middle, u_half) = _interval(t[None]), _interval(u.flatten(1))
    angles = torch.arange(m, **like) / m
    grid = torch.meshgrid(t_middle + t_half * cosines, x[0] + box.period * angles, roots, indexing="ij")
    nodes = [z.flatten().expand(samples, -1) for z in grid]
    nodes[2] = u_middle[:, None] + u_half[:, None] * nodes[2]
    start = torch.stack([nodes[box.places.index(i)] for i in range(3)], 1)[..., None]
    table = (follow(start) - start).reshape(samples, 3, n, m, k)
    in_t = _chebyshev((t - t_middle) / t_half, n) @ torch.linalg.inv(_chebyshev(cosines, n))
    in_x = _fourier((x - x[0]) / box.period, m) @ torch.linalg.inv(_fourier(angles, m))
    in_u = torch.linalg.inv(_chebyshev(roots, k))
    # one axis after the other: all at once would take the products of the matrices first
    coefficients = torch.einsum("lk,scijk->lscij", in_u, table)
    coefficients = torch.einsum("ti,lscij->lsctj", in_t, coefficients)
    coefficients = torch.einsum("xj,lsctj->lsctx", in_x, coefficients)
    return _series(coefficients, ((u - u_middle[:, None, None]) / u_half[:, None, None])[:, None])


def _interval(values: Float[Tensor, "sample point"]) -> tuple[Float[Tensor, " sample"], Float[Tensor, " sample"]]:
    """Middle and half length; a constant's length is 1."""
    low, high = values.amin(1), values.amax(1)
    half = (high - low) / 2
    return (high + low) / 2, torch.where(half > 0, half, 0.5)


def _chebyshev(y: Float[Tensor, " point"], count: int) -> Float[Tensor, "point {count}"]:
    """T_0 … T_{count-1}."""
    return torch.cos(torch.arange(count, dtype=y.dtype, device=y.device) * torch.acos(y.clamp(-1, 1))[:, None])


def _fourier(y: Float[Tensor, " point"], count: int) -> Float[Tensor, "point {count}"]:
    """1 and cosines and sines of an odd count, of period 1."""
    angle = 2 * torch.pi * y[:, None] * torch.arange(1, count // 2 + 1, dtype=y.dtype, device=y.device)
    return torch.cat([torch.ones_like(y)[:, None], torch.cos(angle), torch.sin(angle)], 1)


def _series(
    coefficients: Float[Tensor, "order sample coordinate time x"], y: Float[Tensor, "sample 1 time x"]
) -> Float[Tensor, "sample coordinate time x"]:
    """Σ c_l T_l(y), by Clenshaw's recurrence."""
    last, before = torch.zeros_like(coefficients[0]), torch.zeros_like(coefficients[0])
    for c in coefficients[1:].flip(0):
        last, before = c + 2 * y * last - before, last
    return coefficients[0] + y * last - before
