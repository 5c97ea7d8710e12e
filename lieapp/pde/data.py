"""Time slices of trajectories in scaled coordinates, with the jets the linearised residual needs.

A symmetry holds on every smooth slice, solution or not. So slices are made smooth: cut at their noise floor where
an axis is periodic, fitted by polynomials on windows of the other axes; and brought to a grid on which products
don't alias (`numerics.spectral`, `numerics.polynomial`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.data.trajectories import Extent, Trajectories
from lieapp.domains.base import Domain
from lieapp.domains.solutions import Scales, Slices
from lieapp.numerics import ranks
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.polynomial import Fit, windows
from lieapp.numerics.spectral import (
    Lines,
    amplitudes,
    highest,
    loudest,
    low_pass,
    noise_floor,
    padded_points,
    resample,
)
from lieapp.numerics.tree import merged
from lieapp.pde.linearisation import Linearisation

UNIT_DEVIATION = 0.29
"""Standard deviation of an unknown in scaled coordinates, that of a uniform variable on [0, 1]."""

NOISE = 1e-9
"""Modes below this share of the largest one are cut: high derivatives would only amplify them."""


MOST, ALL, FEWEST = 2**14, 2**18, 16
"""Points of a batch and of all batches, where these are at least so many slices: planes have many points."""

GOLDEN = (5**0.5 - 1) / 2

Found = TypeVar("Found")

OnGrids = Mapping[Grid, Lines]
"""The lines of the trajectories on each grid."""

Values = Float[Tensor, "slice unknown *space"]
Finer = Float[Tensor, "slice unknown *finer"]


class _Smooth:
    """How the slices of one grid, of one window of its open axes, become smooth.

    Args:
        fits: for each axis that isn't periodic, by its place.
        degree: factors of the products that mustn't alias.
        lines: see `amplitudes`.
        noise: modes below this share of the largest are cut.
    """

    def __init__(self, lines: Lines, grid: Grid, fits: dict[int, Fit], degree: int, noise: float) -> None:
        self._source, self._fits = grid, fits
        self._steps: list[tuple[int, Grid, Grid, int]] = []
        if not fits:
            self.cut = tuple(highest(line, axis, noise) for line, axis in zip(lines, grid.axes, strict=True))
            shape = [padded_points(axis, k, degree) for axis, k in zip(grid.axes, self.cut, strict=True)]
            self.grid = grid.refined(tuple(shape))
            return
        axes: list[Axis] = []
        for dim, (i, axis) in zip(grid.dims, enumerate(grid.axes), strict=True):
            if i in fits:
                axes.append(fits[i].target(degree))
                continue
            cut = highest(lines[i], axis, noise)
            axes.append(axis.refined(padded_points(axis, cut, degree)))
            self._steps.append((dim, Grid((axis,)), Grid((axes[-1],)), cut))
        self.cut = tuple(next((s[3] for s in self._steps if s[0] == d), -1) for d in grid.dims)
        self.grid = Grid(tuple(axes))

    def __call__(self, values: Values) -> Finer:
        if not self._fits:
            return resample(low_pass(values, self._source, self.cut), self._source, self.grid)
        for dim, alone, target, cut in self._steps:
            line = low_pass(values.movedim(dim, -1), alone, (cut,))
            values = resample(line, alone, target).movedim(-1, dim)
        for dim, (i, axis) in zip(self.grid.dims, enumerate(self.grid.axes), strict=True):
            if i in self._fits:
                fit = self._fits[i]
                line = values.movedim(dim, -1)[..., fit.part]
                values = fit.at(fit.coefficients(line), axis).movedim(-1, dim)
        return values


class _Part:
    """The slices of trajectories on one window of their axes."""

    def __init__(self, trajectories: Trajectories, first: int, smooth: _Smooth) -> None:
        self.source, self.first, self.smooth = trajectories, first, smooth
        self.count, self.points = trajectories.samples * len(trajectories.time), math.prod(smooth.grid.shape)


def _parts(
    trajectories: Trajectories, first: int, degree: int, noise: float, draft: bool, lines: OnGrids | None
) -> Iterator[_Part]:  # fmt: skip
    """One part; several where axes that aren't periodic are cut into windows."""
    grid = trajectories.grid
    axes = [(i, axis) for i, axis in enumerate(grid.axes) if not axis.periodic]
    cuts = [[slice(0, axis.points)] if draft else windows(axis) for _, axis in axes]
    fits = [[(i, Fit(axis, part)) for part in cut] for (i, axis), cut in zip(axes, cuts, strict=True)]
    own = amplitudes(trajectories.values.flatten(0, 1), grid) if lines is None else lines[grid]
    for window in itertools.product(*fits):
        yield _Part(trajectories, first, _Smooth(own, grid, dict(window), degree, noise))


@runtime_checkable
class Elsewhere(Protocol):
    """Other processes that compute a sum."""

    def __call__(
        self, parts: int, count: int, size: int, share: Callable[[Domain[Slices], Iterable[Slices]], Found],
        merge: Callable[[Found, Found], Found],
    ) -> Found:  # fmt: skip
        """`share` of the batches of each of so many parts, see `SliceData.of_part`, merged pairwise."""


class SliceData:
    """Trajectories as a supply of slices.

    Args:
        pieces: trajectories, those of one piece on one grid and at the same times.
        degree: factors of the products that mustn't alias.
        noise: modes below this share of the largest are cut.
        draft: one fit of the whole of an axis that isn't periodic, however much it leaves, in place of windows. Of
            one window a batch shows too little: many fields that aren't symmetries pass on it.
        lines: those of all pieces on a grid together, where they are chunks of one set; see
            `numerics.spectral.amplitudes`.
        device: of slices, where it isn't that of the trajectories.
    """

    def __init__(
        self, pieces: Sequence[Trajectories], linearisation: Linearisation, scales: Scales, degree: int,
        noise: float = NOISE, draft: bool = False, lines: OnGrids | None = None,
        device: torch.device | str | None = None,
    ) -> None:  # fmt: skip
        self.source, self.scales, self._linearisation = pieces[0], scales, linearisation
        self.pieces, self._made, self._lines = list(pieces), (degree, noise), lines
        self._device = pieces[0].values.device if device is None else torch.device(device)
        self.elsewhere: Elsewhere | None = None
        """Computes sums in other processes; None where this one does."""
        firsts = [0, *itertools.accumulate(piece.samples for piece in pieces)]
        self.trajectories = firsts[-1]
        self._parts = [
            part
            for piece, first in zip(pieces, firsts, strict=False)
            for part in _parts(piece, first, degree, noise, draft, lines)
        ]

    def stirred(self) -> SliceData:
        """The slices times random waves, each its own: smooth as they are, and rich in modes, but no solutions.

        An exact symmetry holds on them as well. A field that holds on a few modes only, or on what solutions have
        become after a long time, doesn't.
        """
        # one chunk is enough
        pieces = self.pieces if self._lines is None else self.pieces[:1]
        stirred = [_stirred(piece) for piece in pieces]
        return SliceData(stirred, self._linearisation, self.scales, *self._made, device=self._device)

    def under(self, linearisation: Linearisation) -> SliceData:
        """The same slices with what another equation makes of them."""
        return SliceData(
            self.pieces, linearisation, self.scales, *self._made, lines=self._lines, device=self._device
        )

    @property
    def sources(self) -> list[Trajectories]:
        """Trajectories on one grid, at the same times: all such chunks of one set, else the first piece."""
        if self._lines is None:
            return [self.source]
        grid, time = self.source.grid, self.source.time
        return [piece for piece in self.pieces if piece.grid == grid and torch.equal(piece.time, time)]

    def first(self, count: int) -> list[Trajectories]:
        """The first so many trajectories of `sources`, or all there are."""
        found: list[Trajectories] = []
        for piece in self.sources:
            if count > 0:
                found.append(piece.select(slice(0, count)))
                count -= piece.samples
        return found

    @property
    def device(self) -> torch.device:
        """That of the slices."""
        return self._device

    @property
    def grid(self) -> Grid:
        """The grid of the slices, of the first window."""
        return self._parts[0].smooth.grid

    @property
    def kept(self) -> tuple[int, ...]:
        """The highest mode along each axis that is kept; -1 where the axis isn't periodic."""
        return self._parts[0].smooth.cut

    @property
    def slices(self) -> int:
        """Number of slices in all."""
        return sum(part.count for part in self._parts)

    @property
    def rows(self) -> int:
        """How many independent values there are: of a periodic axis the modes that are kept count."""
        kept, count = self.kept, 0
        for piece in self.pieces:
            axes = zip(piece.grid.axes, kept, strict=True)
            points = math.prod(min(axis.points, 2 * k + 1) if k >= 0 else axis.points for axis, k in axes)
            count += piece.samples * len(piece.time) * len(piece.unknowns) * points
        return count

    @property
    def time(self) -> int:
        """The place of time among the coordinates."""
        return self._linearisation.evolution.time

    def _take(self, part: _Part, indices: Int[Tensor, " batch"]) -> Slices:
        """The slices with these numbers, counted trajectory by trajectory."""
        source = part.source
        indices = indices.to(source.values.device)
        sample, time = indices // len(source.time), indices % len(source.time)
        values = part.smooth(source.values[sample, time].to(self._device))
        times = source.time[time].to(self._device)
        made = self._linearisation.slices(times, values, part.smooth.grid, self.scales)
        return replace(made, sample=sample.to(self._device) + part.first)

    def batches(self, count: int, size: int) -> Iterator[Slices]:
        """`count` slices spread over trajectories and times, the same at every call.

        At least one of each part. `size` at a time, or fewer where slices are so large that they would hold more
        than MOST points.
        """
        for number in range(len(self._parts)):
            yield from self.of_part(number, count, size)

    def of_part(self, number: int, count: int, size: int) -> Iterator[Slices]:
        """Those of `batches` that are of one part."""
        share = math.ceil(count / len(self._parts))
        shares = [min(share, part.count, max(FEWEST, ALL // part.points)) for part in self._parts[: number + 1]]
        part, begun = self._parts[number], sum(shares[:-1])
        i = torch.arange(shares[-1])
        # trajectories in turn; times by the golden section, which leaves no large gap at any count
        times = len(part.source.time)
        time = ((i + begun).double() * GOLDEN).remainder(1.0).mul(times).long()
        indices = (i % part.source.samples) * times + time
        for chunk in indices.split(max(1, min(size, MOST // part.points))):
            yield self._take(part, chunk)

    def summed(
        self, domain: Domain[Slices], count: int, size: int,
        share: Callable[[Domain[Slices], Iterable[Slices]], Found], merge: Callable[[Found, Found], Found],
    ) -> Found:  # fmt: skip
        """See `methods.result.InChunks`."""
        if self.elsewhere is not None:
            return self.elsewhere(len(self._parts), count, size, share, merge)
        numbers = range(len(self._parts))
        return merged((share(domain, self.of_part(number, count, size)) for number in numbers), merge)

    def draw(self, size: int, generator: torch.Generator, step: int = 0) -> Slices:
        """Random slices, all of one part."""
        part = self._parts[0]
        if len(self._parts) > 1:
            part = self._parts[int(torch.randint(len(self._parts), (), generator=generator))]
        most = max(1, MOST // part.points)
        limit = f"of slices of {part.points} points" if most < size else ""
        drawn = torch.randint(part.count, (min(size, most),), generator=generator)
        return self._take(part, ranks.own(drawn, limit))


def noise_of(data: Trajectories) -> float:
    """The noise floor of data on periodic axes; 0 where an axis isn't periodic."""
    periodic = all(axis.periodic for axis in data.grid.axes)
    return noise_floor(data.values.flatten(0, 1), data.grid) if periodic else 0.0


@dataclass(frozen=True)
class Measured:
    """What is measured of trajectories, so that what is known of two sets gives that of both.

    Args:
        lines: see `numerics.spectral.amplitudes`.
        noise: see `noise_of`; the largest of each set by itself.
    """

    extent: Extent
    lines: OnGrids
    noise: float

    @classmethod
    def of(cls, data: Trajectories) -> Measured:
        """That of some trajectories."""
        lines = amplitudes(data.values.flatten(0, 1), data.grid)
        return cls(Extent.of(data), {data.grid: tuple(line.cpu() for line in lines)}, noise_of(data))

    def joined(self, other: Measured) -> Measured:
        """That of both sets."""
        both = {grid: loudest(line, self.lines.get(grid, line)) for grid, line in other.lines.items()}
        lines = {**self.lines, **both}
        return Measured(self.extent.joined(other.extent), lines, max(self.noise, other.noise))


@dataclass(frozen=True)
class Known:
    """What is measured of trajectories in chunks: of those to learn from, and of those to judge on."""

    train: Measured
    held_out: Measured


WAVES, STIR = 3, 0.5
"""Waves along each axis that stir slices, and the largest share by which they change an unknown."""


def _stirred(piece: Trajectories) -> Trajectories:
    """u (1 + STIR mean of cos(2πk (x - left)/length + φ)), φ random for each slice, unknown, axis and k."""
    values = piece.values
    generator = torch.Generator().manual_seed(0)
    waves = torch.zeros_like(values)
    for dim, axis in zip(piece.grid.dims, piece.grid.axes, strict=True):
        # an open axis holds half a period: its ends differ
        period = axis.length * (1 if axis.periodic else 2)
        along = 2 * math.pi * (axis.coordinates(values.dtype, values.device) - axis.left) / period
        for k in range(1, WAVES + 1):
            phase = 2 * math.pi * torch.rand(values.shape[:3], generator=generator, dtype=values.dtype)
            wave = torch.cos(k * along + phase.to(values.device)[..., None])
            shape = [1] * len(piece.grid.axes)
            shape[dim] = axis.points
            waves = waves + wave.reshape(*values.shape[:3], *shape)
    return replace(piece, values=values * (1 + STIR * waves / (WAVES * len(piece.grid.axes))))


def measure_scales(
    pieces: Sequence[Trajectories], order: Sequence[str], spreads: Sequence[float] | None = None
) -> Scales:
    """Origin and size of every coordinate, measured on the data.

    A constant unknown gets size 1.

    Args:
        spreads: standard deviation of each unknown, where it is known.
    """
    first = pieces[0]
    begin = min(float(piece.time[0]) for piece in pieces)
    known = {first.time_name: (begin, max(float(piece.time[-1]) for piece in pieces) - begin or 1.0)}
    for i, axis in enumerate(first.grid.axes):
        left = min(piece.grid.axes[i].left for piece in pieces)
        right = max(piece.grid.axes[i].right for piece in pieces)
        known[axis.name] = (left, axis.length if axis.periodic else right - left)
    if spreads is None:
        spreads = merged(map(Extent.of, pieces), Extent.joined).spreads
    for name, spread in zip(first.unknowns, spreads, strict=True):
        known[name] = (0.0, spread / UNIT_DEVIATION or 1.0)
    return Scales(tuple(known[n][0] for n in order), tuple(known[n][1] for n in order))
