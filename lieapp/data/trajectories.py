"""Trajectories: solutions on one grid, with what is known about their accuracy.

`thin` and `noisy` make data worse on purpose, to see what can still be found in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.sizes import check_thinned
from lieapp.errors import DataError
from lieapp.numerics.grid import Grid
from lieapp.numerics.tree import merged

Found = TypeVar("Found")

STILL = 1e-9
"""Variation below this share of the largest value counts as none."""


@dataclass(frozen=True)
class Trajectories:
    """Solutions u(t, x) of one equation.

    Args:
        time: kept output times, physical units.
        values: the unknowns at these times and points.
        time_name: name of the evolution variable.
        error: estimated relative error of the values; nan where no estimate exists.
        facts: how they were made (steps, points, seconds), for provenance.
    """

    time: Float[Tensor, " time"]
    grid: Grid
    values: Float[Tensor, "sample time component *space"]
    unknowns: tuple[str, ...]
    time_name: str = "t"
    error: float = float("nan")
    facts: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """Number of trajectories."""
        return self.values.shape[0]

    def select(self, samples: slice | list[int]) -> Trajectories:
        """Some of the trajectories."""
        return replace(self, values=self.values[samples])

    def to(self, device: torch.device | str) -> Trajectories:
        """The same trajectories on a device."""
        return replace(self, time=self.time.to(device), values=self.values.to(device))

    def check_varying(self, name: str) -> None:
        """Whether there is anything to learn from.

        Raises DataError if an unknown is one constant everywhere, or if nothing varies along an axis of space.
        """
        check_varying([self], name, "Change the initial state, or what the source gives.")


SMALLEST, LARGEST = 1e-100, 1e100
"""Sizes of an unknown's largest value that squares and cubes can be computed with in double precision."""


def check_magnitude(values: Sequence[Tensor], unknown: str, name: str, hint: str) -> None:
    """Whether the largest value of an unknown, or all of them are 0, is of a size that can be computed with.

    Raises DataError for any other.
    """
    _check_largest(max(float(z.abs().amax()) for z in values), unknown, name, hint)


def _check_largest(largest: float, unknown: str, name: str, hint: str) -> None:
    # what isn't a number is refused where it arises
    if largest != 0 and largest == largest and not SMALLEST <= largest <= LARGEST:
        raise DataError(
            f"{name}: the largest value of {unknown} is {largest:.3g}; data are computed with where it lies "
            f"between {SMALLEST:g} and {LARGEST:g}.",
            hint=hint,
        )


@dataclass(frozen=True)
class Extent:
    """How far the values of trajectories reach; those of two sets give that of both.

    Args:
        count: values of each unknown.
        low, high, mean, squares: of each unknown; sums of squares are about the mean.
        along: for each axis of space, the largest deviation from the mean along it.
    """

    count: int
    low: Float[Tensor, " unknown"]
    high: Float[Tensor, " unknown"]
    mean: Float[Tensor, " unknown"]
    squares: Float[Tensor, " unknown"]
    along: Float[Tensor, " axis"]

    @classmethod
    def of(cls, data: Trajectories) -> Extent:
        """That of some trajectories."""
        values, flat = data.values, data.values.movedim(2, 0).flatten(1)
        mean = flat.mean(1)
        along = [(values - values.mean(dim, keepdim=True)).abs().amax() for dim in data.grid.dims]
        squares = (flat - mean[:, None]).square().sum(1)
        found = (flat.amin(1), flat.amax(1), mean, squares, torch.stack(along))
        return cls(flat.shape[1], *(z.cpu() for z in found))

    def joined(self, other: Extent) -> Extent:
        """That of both sets."""
        count = self.count + other.count
        apart, share = other.mean - self.mean, other.count / count
        return Extent(
            count, torch.minimum(self.low, other.low), torch.maximum(self.high, other.high),
            self.mean + share * apart, self.squares + other.squares + self.count * share * apart.square(),
            torch.maximum(self.along, other.along),
        )  # fmt: skip

    @property
    def spreads(self) -> list[float]:
        """The standard deviation of each unknown."""
        return (self.squares / (self.count - 1)).sqrt().tolist()

    def check(self, data: Trajectories, name: str, hint: str = "Change the initial state.") -> None:
        """Whether there is anything to learn from these values, those of data like `data`.

        Raises DataError if an unknown is one constant everywhere, or of a size that can't be computed with, or if
        nothing varies along an axis of space.
        """
        for unknown, low, high in zip(data.unknowns, self.low.tolist(), self.high.tolist(), strict=True):
            _check_largest(max(-low, high), unknown, name, UNITS)
            if high - low <= STILL * max(-low, high):
                raise DataError(
                    f"{name}: {unknown} is {low:g} at every time and place of every sample; "
                    "nothing can be learned from data that don't vary.",
                    hint=hint,
                )
        largest = float(torch.maximum(-self.low, self.high).max())
        for axis, deviation in zip(data.grid.axes, self.along.tolist(), strict=True):
            if deviation <= STILL * largest:
                raise DataError(
                    f"{name}: the data don't vary along {axis.name}; fields along it can't be told apart.",
                    hint=hint,
                )


@runtime_checkable
class Over(Protocol):
    """What the pieces of some data give, merged pairwise; several processes may share the pieces."""

    def __call__(
        self, look: Callable[[Trajectories], Found], merge: Callable[[Found, Found], Found]
    ) -> Found:  # fmt: skip
        """`look` of each piece, merged."""
        ...


def over_all(pieces: Sequence[Trajectories]) -> Over:
    """Pieces one after another in this process."""
    return lambda look, merge: merged(map(look, pieces), merge)


def check_varying(pieces: Sequence[Trajectories], name: str, hint: str) -> None:
    """Check trajectories, taken together; a single one may be constant. Raises what `Extent.check` raises."""
    merged(map(Extent.of, pieces), Extent.joined).check(pieces[0], name, hint)


UNITS = "Measure it in other units, in the data and in the equation."

STREAM = 7919
"""Set apart from the seed's own use, so that noise isn't made of the numbers that made the initial states."""


def thin(data: Trajectories, points: int = 1, times: int = 1) -> Trajectories:
    """Every so many points along each axis of space, every so many times.

    Raises GridError if the points of a periodic axis can't be divided evenly or too few would be left.
    """
    if points == times == 1:
        return data
    axes = {axis.name: axis.points for axis in data.grid.axes}
    shape, _ = check_thinned(axes, len(data.time), points, times)
    values = data.values[:, ::times]
    for i in range(len(axes)):
        values = values[(slice(None),) * (3 + i) + (slice(None, None, points),)]
    return replace(data, values=values, time=data.time[::times], grid=data.grid.refined(tuple(shape)))


def noisy(data: Trajectories, share: float, seed: int) -> Trajectories:
    """White noise added to every value, its standard deviation a share of each unknown's own."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + STREAM)
    values = data.values
    dims = [d for d in range(values.ndim) if d != 2]
    size = (values - values.mean(dims, keepdim=True)).square().mean(dims, keepdim=True).sqrt()
    noise = torch.randn(values.shape, generator=generator, dtype=values.dtype).to(values.device)
    return replace(data, values=values + share * size * noise)
