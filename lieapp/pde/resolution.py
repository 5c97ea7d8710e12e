"""Times at which data have too few points along an axis of space, as behind a front that steepens.

On a periodic axis the Fourier modes of the highest derivative in the equation should decay: where the last of them
aren't small, modes are missing, and derivatives of the data aren't those of the solution. On other axes that shows
in what the fits leave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.data.trajectories import Over, Trajectories
from lieapp.equations.evolution import Evolution
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.polynomial import ENDS, Fit, windows
from lieapp.numerics.spectral import bandwidth, noise_floor, to_modes
from lieapp.pde.data import NOISE
from lieapp.pde.weak import derivative

LAST = 8
"""The last of so many equal parts of the modes should be small."""

RESOLVED = 1e-2
"""Share of the largest mode, or of the values' deviation, from which on what is left isn't small."""

ABOVE = 10
"""How far above the level of noise something must be to count."""


@dataclass(frozen=True)
class Few:
    """How often an axis has too few points.

    Args:
        times: at how many times of all trajectories, of `total`.
        first, last: the ends of these times.
    """

    times: int
    total: int
    first: float
    last: float

    def joined(self, other: Few) -> Few:
        """That of both sets of trajectories."""
        times, total = self.times + other.times, self.total + other.total
        return Few(times, total, min(self.first, other.first), max(self.last, other.last))


def few_points(orders: Sequence[int], level: float, piece: Trajectories) -> list[Few]:
    """How often each axis has too few points in some trajectories.

    Args:
        orders: that of the highest derivative along each axis.
        level: of noise, relative to the deviation of the values.
    """
    found = []
    for place, order in enumerate(orders):
        flag = _few(piece, place, order, level)
        time = piece.time[flag.any(0).cpu()]
        ends = (float(time[0]), float(time[-1])) if len(time) else (math.inf, -math.inf)
        found.append(Few(int(flag.sum()), flag.numel(), *ends))
    return found


def both_few(one: list[Few], other: list[Few]) -> list[Few]:
    """That of both sets of trajectories, for each axis."""
    return [a.joined(b) for a, b in zip(one, other, strict=True)]


def unresolved_words(evolution: Evolution, pieces: Sequence[Trajectories], level: float, over: Over) -> list[str]:
    """What is said of each axis that has too few points at some times.

    Args:
        level: of noise, relative to the deviation of the values.
        over: merges what the pieces give.
    """
    orders = [_order(evolution, place) for place in range(len(pieces[0].grid.axes))]
    samples = sum(piece.samples for piece in pieces)
    found: list[Few] = over(partial(few_points, orders, level), both_few)
    said = []
    for axis, few in zip(pieces[0].grid.axes, found, strict=True):
        if not few.times:
            continue
        of = f" of {samples} trajectories" if samples > 1 else ""
        said.append(
            f"{axis.name} is under-resolved at {few.times} of {few.total} times{of}, between "
            f"{pieces[0].time_name} = {few.first:.4g} and {few.last:.4g}. All of them are used: an exact symmetry "
            "holds on any smooth slice, resolved or not. Approximate symmetries and moved solutions are less "
            "accurate there"
        )
    return said


def _order(evolution: Evolution, place: int) -> int:
    """That of the highest derivative along an axis of space."""
    i = evolution.space[place]
    return max((J[i] for f in evolution.rhs for _, J in evolution.jets.jets(f).values()), default=0)


def _few(data: Trajectories, place: int, order: int, level: float) -> Bool[Tensor, "sample time"]:
    """At which times of which trajectories an axis has too few points."""
    axis = data.grid.axes[place]
    if axis.periodic:
        floor = max(NOISE, noise_floor(data.values.flatten(0, 1), data.grid) if _closed(data) else ABOVE * level)
        return torch.stack([_undecayed(values, place, order, floor) for values in data.values])
    return torch.stack([_left(values, place, axis) > max(RESOLVED, ABOVE * level) for values in data.values])


def _closed(data: Trajectories) -> bool:
    return all(axis.periodic for axis in data.grid.axes)


def _undecayed(
    values: Float[Tensor, "time component *space"], place: int, order: int, floor: float
) -> Bool[Tensor, " time"]:
    """Whether the last modes of ∂^order are above RESOLVED of the largest, those of the values above `floor`."""
    modes = torch.fft.rfft(values.movedim(2 + place, -1), dim=-1).abs()
    modes = modes.reshape(*modes.shape[:2], -1, modes.shape[-1]).square().sum(2).sqrt()[..., 1:]
    k = torch.arange(1, modes.shape[-1] + 1, dtype=modes.dtype, device=modes.device)
    last = max(len(k) // LAST, 1)
    # where nothing varies along the axis, modes are rounding
    most = modes.amax(-1).clamp_min(NOISE * float(modes.amax()) or 1.0)
    steep = modes * k**order
    high = steep[..., -last:].amax(-1) > RESOLVED * steep.amax(-1)
    return (high & (modes[..., -last:].amax(-1) > floor * most)).any(1)


def _left(values: Float[Tensor, "time component *space"], place: int, axis: Axis) -> Float[Tensor, " time"]:
    """What the fits of the windows leave, the worst of them, over the deviation along the axis."""
    lines = values.movedim(2 + place, -1)
    spread = lines.std(-1).flatten(1).square().mean(1).sqrt()
    return torch.stack([*_residues(lines, axis)]).amax(0) / spread.clamp_min(NOISE * float(spread.max()) or 1.0)


def _residues(lines: Float[Tensor, "*batch point"], axis: Axis) -> Iterator[Float[Tensor, " time"]]:
    for part in windows(axis):
        fit, inside = Fit(axis, part), lines[..., part]
        yield fit.left_over(inside, fit.coefficients(inside)).square().flatten(1).mean(1).sqrt()


STEEP = 0.05
"""Share of the largest mode of a derivative below which its last modes lie if totals of products are resolved."""


HALVED = 0.1
"""Change of a derivative without every second node, relative to its size, up to which it is resolved."""


MOST_LINES = 4096
"""Lines along an open axis that are looked at."""


def resolved_order(pieces: Sequence[Trajectories], noise: float, most: int) -> int:
    """The highest order up to `most` of derivatives along the axes that the data resolve; -1 if none.

    Args:
        noise: modes below this share of the largest are cut; where that is because of noise, the last modes are the
            last of those that are kept.
    """
    return min(
        _resolved(piece, place, noise, most) if axis.periodic else _resolved_by_halves(piece, place, most)
        for piece in pieces for place, axis in enumerate(piece.grid.axes)
    )  # fmt: skip


def _resolved_by_halves(piece: Trajectories, place: int, most: int) -> int:
    """On an open axis: derivatives of splines through all nodes and through every second one are alike inside."""
    axis, lines = piece.grid.axes[place], piece.values.movedim(3 + place, -1).flatten(0, -2)
    lines = lines[:: len(lines) // MOST_LINES + 1, None].cpu()
    nodes = axis.coordinates()[::2]
    half = Axis(axis.name, float(nodes[0]), float(nodes[-1]), len(nodes), nodes=tuple(nodes.tolist()))
    inside = (1 - ((nodes - half.left) / half.length * 2 - 1) ** 2) ** ENDS
    for order in range(1, most + 1):
        full = derivative(lines, [axis], [order])[..., ::2]
        left = full - derivative(lines[..., ::2], [half], [order])
        size = (HALVED * full.abs()).clamp_min(NOISE * float(lines.abs().max()) / half.spacing**order)
        if float((inside * left**2).sum()) > float((inside * size**2).sum()):
            return order - 1
    return most


def _resolved(piece: Trajectories, place: int, noise: float, most: int) -> int:
    axis = Grid((piece.grid.axes[place],))
    lines = piece.values.movedim(3 + place, -1).flatten(0, -2)
    kept = bandwidth(lines, axis, noise)[0] if noise > NOISE else axis.axes[0].points // 2
    size = to_modes(lines, axis).abs().square().mean(0).sqrt()[1 : kept + 1]
    if not len(size) or not float(size.max()):
        return most
    k = torch.arange(1, len(size) + 1, dtype=size.dtype, device=size.device)
    last = max(len(k) // LAST, 1)
    for order in range(most + 1):
        steep = size * k**order
        if float(steep[-last:].max()) > STEEP * float(steep.max()):
            return order - 1
    return most
