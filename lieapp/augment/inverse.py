"""The inverse of a moved grid: which place of the unmoved grid each regular node's value comes from.

A flow sends node (i, j) to (i + a, j + b), in units of nodes; a and b are functions on the grid. Asked for is the
place (τ, y) with τ + a(τ, y) = i and y + b(τ, y) = j for every node (i, j): Newton's method with a and b
interpolated. Where a and b don't depend on x, as with every symmetry of the five equations, τ depends on i alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.augment.stencil import at_places, rows

RIGID = 1e-8
"""Displacements that vary along x by less than this share of a node don't vary."""

CLOSE = 1e-9
"""Distance in nodes at which a place counts as found, and by which it may lie outside the window."""

STEPS = 30
"""Newton's; with slopes from the nearest node each gains a digit or more on a grid that resolves displacements."""

Shift = Float[Tensor, "sample time x"]


@dataclass(frozen=True)
class Places:
    """Where values come from, in units of nodes.

    Args:
        time, x: the place on the unmoved grid for every regular node; inside the grid in time.
        found: regular nodes whose place is known and lies in the window.
        lost: regular nodes for which no place was found, though one should lie in the window.
    """

    time: Float[Tensor, "sample time x"]
    x: Float[Tensor, "sample time x"]
    found: Bool[Tensor, "sample time x"]
    lost: Bool[Tensor, "sample time x"]


def is_rigid(a: Shift, b: Shift) -> Bool[Tensor, " sample"]:
    """Samples whose displacements don't vary along x."""
    return torch.stack([(s.amax(-1) - s.amin(-1)).amax(-1) < RIGID for s in (a, b)]).all(0)


def rigid_places(
    a: Float[Tensor, "sample time"], b: Float[Tensor, "sample time"], width: int
) -> tuple[Float[Tensor, "sample time"], Float[Tensor, "sample time"], Bool[Tensor, "sample time"]]:
    """τ, b(τ) and whether τ lies in the window, for displacements that depend on time alone.

    i + a(i) must ascend.
    """
    times = a.shape[1]
    nodes = torch.arange(times, dtype=a.dtype, device=a.device).expand_as(a)
    moved = (nodes + a).contiguous()
    low = (torch.searchsorted(moved, nodes.contiguous()) - 1).clamp(0, times - 2)
    start, end = moved.gather(1, low), moved.gather(1, low + 1)
    slope = end - start
    place = (low + (nodes - start) / slope).clamp(-1, times)
    for _ in range(STEPS):
        error = place + _at(a, place, width) - nodes
        place = (place - error / slope).clamp(-1, times)
        if float(error.abs().amax()) < 1e-3 * CLOSE:
            break
    inside = (place > -CLOSE) & (place < times - 1 + CLOSE)
    place = place.clamp(0, times - 1)
    return place, _at(b, place, width), inside


def places(a: Shift, b: Shift, fine: Float[Tensor, "sample shift time fine"], widths: tuple[int, int]) -> Places:
    """The places of all regular nodes.

    Args:
        a, b: displacements at the nodes, of a map that isn't folded.
        fine: the same two on a grid that is finer in x, to interpolate.
        widths: nodes of the stencils in time and in x.
    """
    samples, times, points = a.shape
    ratio = fine.shape[-1] // points
    i = torch.arange(times, dtype=a.dtype, device=a.device)[:, None].expand(times, points).reshape(1, -1)
    j = torch.arange(points, dtype=a.dtype, device=a.device).expand(times, points).reshape(1, -1)
    slopes = _slopes(a, b)
    tau, shift, _ = rigid_places(a.mean(-1), b.mean(-1), widths[0])
    time = tau[..., None].expand(samples, times, points).reshape(samples, -1)
    x = j - shift[..., None].expand(samples, times, points).reshape(samples, -1)
    error = torch.full_like(time, torch.inf)
    for _ in range(STEPS):
        u, v = at_places(fine, time, ratio * x, widths).unbind(1)
        u, v = time + u - i, x + v - j
        error = torch.maximum(u.abs(), v.abs())
        # places that want to leave stay at the rim, where they never come close
        if float(torch.where(_within(time, times), error, 0).amax()) < CLOSE:
            break
        near = time.round().long().clamp(0, times - 1) * points + x.round().long().remainder(points)
        at, bt, ax, bx = (s.flatten(1).gather(1, near) for s in slopes)
        size = at * bx - ax * bt
        time = (time - (bx * u - ax * v) / size).clamp(-1, times)
        x = x - (at * v - bt * u) / size
    inside = _within(time, times)
    good = error < CLOSE
    shape = (samples, times, points)
    return Places(
        time.clamp(0, times - 1).reshape(shape), x.reshape(shape), (inside & good).reshape(shape),
        (inside & ~good).reshape(shape),
    )  # fmt: skip


def _within(time: Float[Tensor, "sample place"], times: int) -> Bool[Tensor, "sample place"]:
    return (time > -CLOSE) & (time < times - 1 + CLOSE)


def _at(values: Float[Tensor, "sample time"], place: Float[Tensor, "sample time"], width: int) -> Tensor:
    return torch.einsum("sij,sj->si", rows(place, values.shape[1], width), values)


def _slopes(a: Shift, b: Shift) -> tuple[Shift, Shift, Shift, Shift]:
    """∂(i + a)/∂i, ∂b/∂i, ∂a/∂j, ∂(j + b)/∂j at the nodes, of order 2."""
    along = [torch.gradient(s, dim=1)[0] for s in (a, b)]
    across = [(s.roll(-1, 2) - s.roll(1, 2)) / 2 for s in (a, b)]
    return 1 + along[0], along[1], across[0], 1 + across[1]
