"""What both pipelines of `lieapp augment` share: a training for each variant and seed, the summary, the report."""

from __future__ import annotations

import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lieapp.augment.cells import Cell, Cells, Ended
from lieapp.results.augment import Augment, Row, hopeless, label, sentence
from lieapp.runs.store.session import Session


class Side(ABC):
    """Solutions or pictures: what is moved and trained on. Made anew for each session of a run."""

    def __init__(self, config: Any, declaration: Any, session: Session) -> None:
        self.config, self.declaration, self.session = config, declaration, session

    @abstractmethod
    def prepare(self) -> None:
        """Data and moves."""

    def clear(self) -> None:  # noqa: B027 - nothing is to be dropped by most
        """Drop what only a run that goes on needs."""

    @abstractmethod
    def training(self, cell: Cell) -> Any:
        """See `cells.Trainings`."""

    @abstractmethod
    def judged(self, cell: Cell, training: Any) -> float:
        """See `cells.Trainings`."""

    @abstractmethod
    def result(self, cell: Cell, training: Any) -> Ended:
        """See `cells.Trainings`."""

    @abstractmethod
    def told(self, rows: list[Row]) -> Augment:
        """The table, and what was predicted."""

    def generators(self, variant: str) -> dict[str, float | None]:
        """η of each generator that a variant moves data along, where that is known."""
        return {}

    def amounts(self) -> Sequence[int]:
        """Numbers of data to learn from."""
        return list(self.config.samples)

    def scale(self, cells: Cells, amount: int, variant: str) -> float | None:
        """How far a variant moves, where that is searched for."""
        return None


def train_all(side: Side) -> Augment:
    """Do or go on with a run; returns its result and writes its other files.

    Raises LieappError for what the declaration, the data or the settings don't allow.
    """
    config, session, run = side.config, side.session, side.session.directory
    session.begin()
    side.prepare()
    with session.stopwatch.stage("training"):
        result = side.told(list(_rows(side, Cells(side, session))))
    result.run, result.plugin, result.title = str(run.path), config.plugin, side.declaration.title
    result.model, result.seeds = config.model, config.seeds
    for warning in hopeless(result):
        session.report.warn(warning)
    result.warnings, result.sentence = session.report.warnings, sentence(result)
    result.seconds = session.stopwatch.seconds()
    side.clear()
    return result


def _rows(side: Side, cells: Cells) -> Iterator[Row]:
    """A row of the table for each number of data and variant."""
    config = side.config
    for amount in side.amounts():
        for variant in config.variants:
            scale = side.scale(cells, amount, variant)
            found = []
            for seed in config.seeds:
                which = words(amount, variant, seed, scale)
                found.append(cells.result(Cell(amount, variant, seed, scale), which))
                side.session.report.line(f"{which}: {_number(found[-1].value):.4g}")
            yield row_of(amount, variant, scale, found, side.generators(variant))


def words(amount: int, variant: str, seed: int, scale: float | None) -> str:
    """Which training it is."""
    far = "" if scale is None else f", scale {scale:g}"
    return f"{label(variant)}, {amount} data, seed {seed}{far}"


def row_of(
    amount: int, variant: str, scale: float | None, found: Sequence[Ended], generators: dict[str, float | None]
) -> Row:
    """Values of all seeds, their mean and spread: the standard deviation of single trainings."""
    values = [entry.value for entry in found]
    return Row(
        variant=variant, label=label(variant), samples=amount, scale=scale, values=values, mean=_mean(values),
        spread=statistics.stdev(map(_number, values)) if len(values) > 1 else None,
        valid=_mean(entry.valid for entry in found), steps=found[0].steps,
        seconds=round(statistics.fmean(entry.seconds for entry in found), 2),
        one_step=None if found[0].one_step is None else _mean(entry.one_step for entry in found),
        moved=None if found[0].moved is None else _mean(entry.moved for entry in found),
        frames=[_mean(column) for column in zip(*(entry.frames for entry in found), strict=True)],
        generators=generators,
    )  # fmt: skip


def _mean(values: Iterable[float | None]) -> float:
    return statistics.fmean(map(_number, values))


def _number(value: float | None) -> float:
    """What cells.json has as null wasn't finite."""
    return math.nan if value is None else value
