"""A torch data set of solutions, each moved anew whenever it is asked for."""

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
from lieapp.augment.along import Along
from lieapp.augment.moving import Mover, Moving
from lieapp.data.store import read_trajectories
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import System
from lieapp.equations.parsing import parse_system
from lieapp.errors import DataError, UsageError

Item = tuple[Float[Tensor, "component time x"], Bool[Tensor, " time"]]


class MovedSolutions(Dataset[Item]):
    """Pairs of a moved solution and the times at which it is valid.

    Combinations are drawn from torch's own random numbers: `torch.manual_seed` repeats them, and workers of a
    `DataLoader` draw different ones. A sample for which no combination leaves enough of its window comes unmoved.
    """

    def __init__(self, samples: Float[Tensor, "sample component time x"], mover: Mover) -> None:
        self.samples, self.mover = samples, mover

    def __len__(self) -> int:
        """Number of solutions."""
        return len(self.samples)

    def __getitem__(self, index: int) -> Item:
        """One solution, moved."""
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
    """A torch data set of moved solutions: `moved("kdv.h5", along="truth", sigma=0.2)`.

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
