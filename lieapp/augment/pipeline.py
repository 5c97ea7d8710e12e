"""What both pipelines of `lieapp augment` share: a training for each variant and seed, the summary, the report.

Each training is kept as it ends, the one at work with a state to go on from.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import msgspec
from torch import Tensor

from lieapp.errors import CancelledError, ResumeError
from lieapp.methods.loop import SAVE_EVERY, Training
from lieapp.results.augment import Augment, Row, hopeless, label, sentence
from lieapp.runs.store.files import encode, write_atomic
from lieapp.runs.store.session import Session

FILE = "cells.json"

@dataclass(frozen=True)
class Cell:
    """One training.

    Args:
        samples: how many it learns from.
        variant: what moves them.
        scale: how far, where that is searched for.
    """

    samples: int
    variant: str
    seed: int
    scale: float | None = None

    @property
    def key(self) -> str:
        """Its name in cells.json."""
        return f"{self.samples} {self.variant} {self.seed}" + ("" if self.scale is None else f" {self.scale:g}")


class Ended(msgspec.Struct, kw_only=True):
    """What is kept of a training that ended: what the table is of, and see `results.augment.Row`."""

    value: float | None
    valid: float | None
    one_step: float | None = None
    frames: list[float | None] = []
    moved: float | None = None
    steps: int = 0
    seconds: float = 0.0


class Trainee(Training, Protocol):
    """A training that can be left and gone on with."""

    @property
    def steps(self) -> int:
        """Of the whole training."""
        ...

    @property
    def each(self) -> int:
        """Of an epoch."""
        ...

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Go on from a state."""
        ...


@runtime_checkable
class Trainings(Protocol):
    """What is trained, and how it is judged."""

    def training(self, cell: Cell) -> Any:
        """A fresh `Trainee`."""
        ...

    def judged(self, cell: Cell, training: Any) -> float:
        """The error or accuracy on validation data, at the end of an epoch."""
        ...

    def result(self, cell: Cell, training: Any) -> Ended:
        """What is kept of a training that ended, but for steps and seconds."""
        ...


class Cells:
    """Results by cell, from cells.json where they stand there, else trained now.

    Raises ResumeError if cells.json can't be read.
    """

    def __init__(self, work: Trainings, session: Session) -> None:
        self.work, self.session = work, session
        self._file = session.checkpoint.folder / FILE
        self.found = self._read()
        kept = self._part().checkpoint.training()
        # steps after the last ones kept will be taken, and their metrics written, again
        session.directory.keep_metrics(self._before() + (int(kept[0]["done"]) if kept else 0))

    def result(self, cell: Cell, words: str) -> Ended:
        """What is known of a training once it has ended; `words` say which it is."""
        if cell.key in self.found:
            return self.found[cell.key]
        self.session.report.stage(words)
        began = time.perf_counter()
        training, part = self.work.training(cell), self._part()
        part.restored(training, training.steps)

        def judged() -> dict[str, float]:
            return {"valid": self.work.judged(cell, training)}

        named = {"variant": cell.variant, "samples": cell.samples, "seed": cell.seed, "scale": cell.scale}
        fit(training, judged, part, {key: value for key, value in named.items() if value is not None})
        seconds = round(time.perf_counter() - began, 2)
        found = self.found[cell.key] = self.work.result(cell, training)
        found.steps, found.seconds = training.steps, seconds
        folder = self.session.checkpoint.folder
        folder.mkdir(exist_ok=True)
        write_atomic(self._file, encode(self.found))
        with contextlib.suppress(FileNotFoundError):
            (folder / f"{_name(len(self.found) - 1)}.safetensors").unlink()
        return found

    def _before(self) -> int:
        """Steps of the trainings that have ended."""
        return sum(found.steps for found in self.found.values())

    def _part(self) -> Session:
        """The session of the training at work: trainings come in the same order in every sitting."""
        state = self.session.checkpoint.of(_name(len(self.found)))
        return self.session.part("training", state, before=self._before())

    def _read(self) -> dict[str, Ended]:
        if not self._file.exists():
            return {}
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Ended])
        except (OSError, msgspec.DecodeError) as error:
            raise ResumeError(
                f"{self._file} can't be read: {error}.",
                hint="Delete the folder checkpoint/ to start that run over.",
            ) from None


def fit(
    training: Trainee, judged: Callable[[], dict[str, float]], session: Session, named: Mapping[str, Any]
) -> None:
    """Go on to the end, judged after every epoch; what that says is recorded with the step, and what it is `named`.

    A request to stop leaves a state of the last step, an interrupt one of some seconds before: copying it at every
    step would take longer than the step of a large network.
    """
    began = saved = time.perf_counter()
    while training.done < training.steps:
        row = training.step()
        if training.done % training.each == 0:
            row |= judged()
        elapsed = round(time.perf_counter() - began, 3)
        session.metrics({"step": training.done, "total": training.steps, **row, "seconds": elapsed, **named})
        try:
            session.report.progress(training.done, training.steps, f"epoch {row['epoch']}, loss {row['loss']:.3g}")
        except CancelledError:
            session.checkpoint.save(training.state(), [])
            raise
        if time.perf_counter() - saved > SAVE_EVERY:
            session.checkpoint.save(training.state(), [])
            saved = time.perf_counter()


def _name(number: int) -> str:
    return f"training{number}"


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
