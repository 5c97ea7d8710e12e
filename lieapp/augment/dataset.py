"""Moved solutions as a torch data set, each moved anew whenever it is asked for, and as copies for a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.utils.data import Dataset

from lieapp.api import PDE
from lieapp.augment.along import Along, read_along
from lieapp.augment.given import OF_FILES, Equation, given
from lieapp.augment.moving import Mover, Moving
from lieapp.augment.time_window import check_axes, longest
from lieapp.augment.typed import along_solutions
from lieapp.config import DataConfig
from lieapp.data.store import Change
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import exact, read_pde
from lieapp.errors import DataError, UsageError
from lieapp.runs.store.directory import ROOT

Item = tuple[Float[Tensor, "component time x"], Bool[Tensor, " time"]]


class MovedSolutions(Dataset[Item]):
    """Pairs of a moved solution and the times at which it is valid.

    Combinations are drawn from torch's own random numbers: `torch.manual_seed` repeats them, and workers of a
    `DataLoader` draw different ones. A sample for which no combination leaves enough of its window comes unmoved.
    All samples stand there `copies` times, one row of them after the other.
    """

    def __init__(self, samples: Float[Tensor, "sample component time x"], mover: Mover, copies: int = 1) -> None:
        self.samples, self.mover, self.copies = samples, mover, copies

    def __len__(self) -> int:
        return self.copies * len(self.samples)

    def __getitem__(self, index: int) -> Item:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} moved solutions, not one of number {index}.")
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Item]:
        """A batch at once, which is faster; `DataLoader` asks for batches so."""
        chosen = self.samples[[i % len(self.samples) for i in indices]]
        generator = torch.Generator().manual_seed(int(torch.randint(2**62, ())))
        try:
            found = self.mover(chosen, generator)
        except DataError:
            return [(u, torch.ones(u.shape[1], dtype=torch.bool)) for u in chosen]
        values = torch.where(found.kept[:, None, None, None], found.samples, chosen)
        valid = found.valid | ~found.kept[:, None]
        return list(zip(values, valid, strict=True))


def moved(
    data: object,
    along: str | Path | Along,
    equation: Equation | None = None,
    dtype: torch.dtype = torch.float32,
    *,
    axes: Mapping[str, object] | None = None,
    copies: int = 1,
    misfit: float = 0.01,
    **settings: Any,
) -> MovedSolutions:
    """A torch data set of moved solutions: `moved("kdv.nc", along="truth", sigma=0.2)`.

    Of an array: `moved(u, axes={"t": t, "x": x}, equation="u_t + u*u_x + u_xxx", along="truth")`.

    Args:
        data: a file or several, an xarray Dataset, an array, arrays by the names of unknowns, or trajectories.
        along: what to move along, see `Mover.of`; a run is given by its path.
        equation: a plugin's name, an equation in jet notation (several for a system), or a declaration; files and
            Datasets of `lieapp data` know their own.
        dtype: of the solutions.
        axes: of an array, the points of each of its dimensions by name, in their order; a first dimension without
            an axis holds the samples.
        copies: how many times each solution stands in the data set, moved in another way each time.
        misfit: above it, data are refused if the equation fits them with other coefficients.
        settings: of `Moving` (sigma, scales, least, …), and of how files are read: map, every, window, samples,
            parameter (docs/data.md).

    Raises LieappError for data that can't be read or moved, UsageError for data without an equation and for a
    setting that there isn't, and what `Mover.of` raises.
    """
    own = [field.name for field in fields(Moving)]
    unknown = sorted(set(settings) - {*own, *OF_FILES})
    if unknown:
        raise UsageError(
            f"moved() has no setting {unknown[0]!r}.", hint=f"Its settings are {', '.join([*own, *OF_FILES])}."
        )
    if copies < 1:
        raise UsageError(f"copies is {copies!r}; it must be at least 1.", hint="Leave it out for one.")
    reading = {key: value for key, value in settings.items() if key in OF_FILES}
    known, trajectories = given(data, equation, axes, reading, misfit)
    moving = Moving(**{key: value for key, value in settings.items() if key in own})
    mover = Mover.of(str(along) if isinstance(along, Path) else along, known, trajectories, moving)
    return MovedSolutions(trajectories.values.transpose(1, 2).to(dtype), mover, copies)


APART = 7919
"""Between the seed of the initial states and that of the combinations."""


def mover_for(config: DataConfig, declaration: PDE) -> Change:
    """What sends simulated trajectories to moved ones as the settings say, and says what was done.

    Everything about it is checked now: raises what `along_solutions` and `Mover.of` raise. What it returns raises
    DataError if nothing is left of any copy.
    """
    (spec,) = along_solutions((config.moved_by,), config.plugin, ROOT, "--moved-by")
    settings, copies = Moving(sigma=config.sigma, middle=config.middle), config.copies
    check_axes(declaration)
    system, region = read_pde(declaration), declaration.region
    periods = {x: exact(right) - exact(left) for x, (left, right) in region.items() if x in declaration.periodic}
    along = read_along(spec, system, periods)

    def change(data: Trajectories) -> tuple[Trajectories, dict[str, Any]]:
        mover = Mover.of(along, system, data, settings)
        samples = data.values.transpose(1, 2).repeat(copies, 1, 1, 1)
        found = mover(samples, torch.Generator().manual_seed((config.seed + APART) % 2**63))
        # what is given up is left out; of the others the longest window that all of them have
        first, length = (int(v) for v in longest(found.valid[found.kept].all(0)[None]))
        window = slice(first, first + length)
        values = found.samples[found.kept].transpose(1, 2)[:, window].contiguous()
        facts = {
            "moved_by": spec,
            "generators": "; ".join(mover.names),
            "sigma": settings.sigma,
            "copies": copies,
            "drawn_again": found.rejected,
            "folded": found.folded,
            "left_out": int((~found.kept).sum()),
        }
        # the accuracy of what was moved isn't that of the simulation any more
        return replace(data, time=data.time[window], values=values, error=float("nan")), facts

    return change
