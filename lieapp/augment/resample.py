"""Moved solutions back on the regular grid.

Whittaker-Shannon interpolation (paper, appendix) reads the trigonometric interpolant of the samples at the places
that the inverse map tells: by phases where a whole line moves by one shift, which is exact, else from a grid that
is REFINED times finer in x and polynomials between its nodes. A polynomial interpolates in time. Bilinear
interpolation and bilinear splatting are there for comparison.

The inverse map: a flow sends node (i, j) to (i + a, j + b), in units of nodes; a and b are functions on the grid.
Asked for is the place (τ, y) with τ + a(τ, y) = i and y + b(τ, y) = j for every node (i, j): Newton's method with
a and b interpolated. Where these don't depend on x, as with every symmetry of the five equations, τ depends on i
alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Complex, Float, Int
from torch import Tensor

from lieapp.numerics.bilinear import Bilinear
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import folded_share
from lieapp.numerics.spectral import resample, wavenumbers

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


RIGID = 1e-8
"""Displacements that vary along x by less than this share of a node don't vary."""

CLOSE = 1e-9
"""Distance in nodes at which a place counts as found, and by which it may lie outside the window."""

STEPS = 30
"""Newton's; with slopes from the nearest node each gains a digit or more on a grid that resolves displacements."""

Shift = Float[Tensor, "sample time x"]


class Places(NamedTuple):
    """Where values come from, in units of nodes: the place on the unmoved grid for every regular node, inside it in
    time; nodes whose place is known and lies in the window; and those without one, though it should lie there.
    """

    time: Float[Tensor, "sample place"]
    x: Float[Tensor, "sample place"]
    found: Bool[Tensor, "sample time x"]
    lost: Bool[Tensor, "sample time x"]


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
    inside = _within(place, times)
    place = place.clamp(0, times - 1)
    return place, _at(b, place, width), inside


def places(a: Shift, b: Shift, fine: Float[Tensor, "sample shift time fine"], widths: tuple[int, int]) -> Places:
    """The places of all regular nodes.

    Args:
        a, b: displacements at the nodes, of a map that isn't folded.
        fine: the same two on a grid that is finer in x, to interpolate.
        widths: nodes of the stencils in time and in x.
    """
    _, times, points = a.shape
    ratio = fine.shape[-1] // points
    lines = (torch.arange(n, dtype=a.dtype, device=a.device) for n in (times, points))
    i, j = (z.reshape(1, -1) for z in torch.meshgrid(*lines, indexing="ij"))
    along = [torch.gradient(s, dim=1)[0] for s in (a, b)]
    across = [(s.roll(-1, 2) - s.roll(1, 2)) / 2 for s in (a, b)]
    # ∂(i + a)/∂i, ∂b/∂i, ∂a/∂j, ∂(j + b)/∂j at the nodes, of order 2
    slopes = (1 + along[0], along[1], across[0], 1 + across[1])
    tau, shift, _ = rigid_places(a.mean(-1), b.mean(-1), widths[0])
    time = tau.repeat_interleave(points, 1)
    x = j - shift.repeat_interleave(points, 1)
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
    inside, good = (flags.reshape(a.shape) for flags in (_within(time, times), error < CLOSE))
    return Places(time.clamp(0, times - 1), x, inside & good, inside & ~good)


def _within(time: Float[Tensor, "sample place"], times: int) -> Bool[Tensor, "sample place"]:
    return (time > -CLOSE) & (time < times - 1 + CLOSE)


def _at(values: Float[Tensor, "sample time"], place: Float[Tensor, "sample time"], width: int) -> Tensor:
    return torch.einsum("sij,sj->si", rows(place, values.shape[1], width), values)


REFINED, WIDTH = 8, 10
"""Finer grid and nodes of the stencil in x; of the highest mode of all an error of 2e-8 is left, (kh/2)^WIDTH."""

METHODS = ("whittaker", "bilinear", "splat")

Modes = Complex[Tensor, "sample component time mode"]


@dataclass(frozen=True)
class Resampled:
    """Values at the regular nodes, 0 except at times at which every node has one (`valid`).

    Samples are `folded` whose map is, so that a node would have several values or none.
    """

    values: Samples
    valid: Bool[Tensor, "sample time"]
    folded: Bool[Tensor, " sample"]


@dataclass(frozen=True)
class Solution:
    """Unmoved samples as their equation knows them: u, its change per time step, and how many modes take that."""

    values: Samples
    rates: Samples
    modes: int

    def merged(self, low: Modes, high: Modes) -> Modes:
        """The low modes of one interpolation and the high ones of another."""
        return torch.cat([low[..., : self.modes], high[..., self.modes :]], -1)


class Resampler:
    """From moved nodes to the regular grid.

    Args:
        time, x: the axes; time starts at 0, x is periodic.
        method: one of METHODS.
        order: of the interpolation in time.
    """

    def __init__(self, time: Axis, x: Axis, method: str = "whittaker", order: int = 8) -> None:
        self.grid, self.x, self.method, self.order = Grid((time, x)), x, method, order

    def __call__(
        self, positions: Float[Tensor, "sample axis time x"], values: Samples, before: Solution | None = None
    ) -> Resampled:
        """Moved values at the regular nodes.

        Positions, to which nodes were moved, have time first, and x isn't wrapped. What they carried `before`, with
        its rate of change, gives a better interpolation in time.
        """
        folded = (folded_share(self.grid, positions) > 0) | ~values.isfinite().flatten(1).all(1)
        if self.method == "splat":
            found = Bilinear(self.grid, [(0, 0)]).jets(positions, values)
            return _masked(found.derivatives[0, 0], found.valid.all(-1), folded)
        nodes = torch.stack(self.grid.mesh(positions.dtype, positions.device))
        steps = [axis.spacing for axis in self.grid.axes]
        # what is folded has no inverse: it stays where it is, and is told
        kept = ~folded[:, None, None]
        a, b = (torch.where(kept, (positions[:, n] - nodes[n]) / step, 0) for n, step in enumerate(steps))
        values = torch.where(kept[:, None], values, 0)
        made, valid = torch.zeros_like(values), torch.zeros_like(values[:, 0, :, 0], dtype=torch.bool)
        rigid = torch.zeros_like(folded)
        if self.method == "whittaker":
            rigid = torch.stack([(s.amax(-1) - s.amin(-1)).amax(-1) < RIGID for s in (a, b)]).all(0)
        for chosen, way in ((rigid, self._shifted), (~rigid, self._gathered)):
            if bool(chosen.any()):
                own = None
                if before is not None and self.method != "bilinear":
                    own = Solution(before.values[chosen], before.rates[chosen], before.modes)
                made[chosen], valid[chosen], lost = way(a[chosen], b[chosen], values[chosen], own)
                folded = folded.masked_scatter(chosen, folded[chosen] | lost)
        return _masked(made, valid, folded)

    def _shifted(
        self, a: Shift, b: Shift, values: Samples, before: Solution | None
    ) -> tuple[Samples, Bool[Tensor, "sample time"], Bool[Tensor, " sample"]]:
        """Lines that move as a whole: polynomials in time, phases in x. The Nyquist mode stays a cosine."""
        times = values.shape[2]
        place, shift, inside = rigid_places(a.mean(-1), b.mean(-1), self.order)
        modes = torch.fft.rfft(rows(place, times, self.order)[:, None] @ values)
        if before is not None:
            i, p, q = hermite(place, times, self.order)
            lines = matrix(i, p, times)[:, None] @ before.values + matrix(i, q, times)[:, None] @ before.rates
            lines = lines + rows(place, times, self.order)[:, None] @ (values - before.values)
            modes = before.merged(torch.fft.rfft(lines), modes)
        k = wavenumbers(Grid((self.x,)), values.dtype, values.device)[0]
        phases = torch.exp(-1j * k * (shift * self.x.spacing)[:, None, :, None])
        return torch.fft.irfft(modes * phases, n=self.x.points), inside, torch.zeros_like(inside[:, 0])

    def _gathered(
        self, a: Shift, b: Shift, values: Samples, before: Solution | None
    ) -> tuple[Samples, Bool[Tensor, "sample time"], Bool[Tensor, " sample"]]:
        """Each node from a place of its own."""
        widths = (self.order, WIDTH)
        time, x, found, missed = places(a, b, self._finer(torch.stack([a, b], 1)), widths)
        valid, lost = found.all(-1), missed.flatten(1).any(1)
        if self.method == "bilinear":
            return at_places(values, time, x, (2, 2)).reshape(values.shape), valid, lost
        made = at_places(self._finer(values), time, REFINED * x, widths).reshape(values.shape)
        if before is not None:
            u, rates = self._finer(before.values), self._finer(before.rates)
            better = at_places(u, time, REFINED * x, widths, rates).reshape(values.shape)
            change = at_places(self._finer(values - before.values), time, REFINED * x, widths)
            modes = torch.fft.rfft(better + change.reshape(values.shape))
            merged = before.merged(modes, torch.fft.rfft(made))
            made = torch.fft.irfft(merged, n=self.x.points)
        return made, valid, lost

    def _finer(self, values: Samples) -> Float[Tensor, "sample component time fine"]:
        """The trigonometric interpolant on a finer grid in x."""
        return resample(values, Grid((self.x,)), Grid((self.x.refined(REFINED * self.x.points),)))


def _masked(values: Samples, valid: Bool[Tensor, "sample time"], folded: Bool[Tensor, " sample"]) -> Resampled:
    valid = valid & ~folded[:, None]
    return Resampled(torch.where(valid[:, None, :, None], values, 0), valid, folded)
