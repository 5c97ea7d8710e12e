"""Moved solutions as a torch data set, each moved anew whenever it is asked for, and as copies for a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.utils.data import Dataset

from lieapp.api import PDE
from lieapp.augment.along import Along, read_along
from lieapp.augment.moving import Mover, Moving
from lieapp.augment.time_window import check_axes, longest
from lieapp.augment.typed import along_solutions
from lieapp.config import DataConfig
from lieapp.data.store import Change, read_trajectories
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import System, exact, read_pde
from lieapp.equations.parsing import parse_system
from lieapp.errors import DataError, UsageError
from lieapp.runs.store.directory import ROOT

Item = tuple[Float[Tensor, "component time x"], Bool[Tensor, " time"]]


class MovedSolutions(Dataset[Item]):
    """Pairs of a moved solution and the times at which it is valid.

    Combinations are drawn from torch's own random numbers: `torch.manual_seed` repeats them, and workers of a
    `DataLoader` draw different ones. A sample for which no combination leaves enough of its window comes unmoved.
    """

    def __init__(self, samples: Float[Tensor, "sample component time x"], mover: Mover) -> None:
        self.samples, self.mover = samples, mover

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Item:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Item]:
        """A batch at once, which is faster; `DataLoader` asks for batches so."""
        chosen = self.samples[list(indices)]
        generator = torch.Generator().manual_seed(int(torch.randint(2**62, ())))
        try:
            found = self.mover(chosen, generator)
        except DataError:
            return [(u, torch.ones(u.shape[1], dtype=torch.bool)) for u in chosen]
        values = torch.where(found.kept[:, None, None, None], found.samples, chosen)
        valid = found.valid | ~found.kept[:, None]
        return list(zip(values, valid, strict=True))


def moved(
    data: Trajectories | Path | str,
    along: str | Along,
    equation: PDE | System | None = None,
    dtype: torch.dtype = torch.float32,
    **settings: Any,
) -> MovedSolutions:
    """A torch data set of moved solutions: `moved("kdv.nc", along="truth", sigma=0.2)`.

    Args:
        data: a file of `lieapp data`, or trajectories.
        along: what to move along, see `Mover.of`.
        equation: the declaration; a file knows its own.
        dtype: of the solutions.
        settings: of `Moving`: sigma, scales, least, ….

    Raises what `read_trajectories` and `Mover.of` raise, UsageError for trajectories without an equation and for
    a setting that there isn't.
    """
    unknown = sorted(set(settings) - {field.name for field in fields(Moving)})
    if unknown:
        raise UsageError(
            f"moved() has no setting {unknown[0]!r}.",
            hint=f"Its settings are {', '.join(field.name for field in fields(Moving))}.",
        )
    trajectories = data if isinstance(data, Trajectories) else read_trajectories(Path(data))
    known = equation if equation is not None else equation_of(trajectories)
    mover = Mover.of(along, known, trajectories, Moving(**settings))
    return MovedSolutions(trajectories.values.transpose(1, 2).to(dtype), mover)


def equation_of(data: Trajectories) -> System:
    """The system that a file of `lieapp data` names. Raises UsageError if the data name none."""
    text, name = str(data.facts.get("equation", "")), str(data.facts.get("plugin", ""))
    if not text or not name:
        raise UsageError("the data don't say which equation they solve.", hint="Give equation=, the declaration.")
    variables = [data.time_name, *(axis.name for axis in data.grid.axes)]
    return replace(parse_system(text.splitlines(), variables, list(data.unknowns), typed=False), name=name)


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
