"""What both pipelines of `lieapp augment` share: a training for each variant and seed, the summary, the report.

Each training is kept as it ends, the one at work with a state to go on from.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import torch
from torch import nn

from lieapp.augment.document import as_float
from lieapp.errors import CancelledError, ResumeError
from lieapp.methods.loop import SAVE_EVERY, Adam, Training, joined
from lieapp.numerics import ranks
from lieapp.reading import contents
from lieapp.results.augment import Augment, Row, hopeless, label, sentence
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import opened, sealed
from lieapp.runs.store.session import Session


@dataclass(frozen=True)
class Cell:
    """One training: how many data it learns from, what moves them and how far, where that is searched for."""

    samples: int
    variant: str
    seed: int
    scale: float | None = None

    @property
    def key(self) -> str:
        """Its name in cells.json."""
        return f"{self.samples} {self.variant} {self.seed}" + ("" if self.scale is None else f" {self.scale:g}")

    @property
    def words(self) -> str:
        """Which training it is."""
        far = "" if self.scale is None else f", scale {self.scale:g}"
        return f"{label(self.variant)}, {self.samples} data, seed {self.seed}{far}"


class Ended(msgspec.Struct, kw_only=True):
    """What is kept of a training that ended: what the table is of, and see `results.augment.Row`."""

    value: float | None
    valid: float | None
    one_step: float | None = None
    frames: list[float | None] = []
    moved: float | None = None
    drift: dict[str, float | None] = {}
    steps: int = 0
    seconds: float = 0.0


UNKNOWN = Ended(value=None, valid=None)
"""What a process that only trains along knows of a training."""


class Trainee(Training):
    """A training that is judged after every epoch, which has `each` steps; `steps` in all."""

    def __init__(
        self, module: nn.Module, optimizer: torch.optim.Optimizer | Adam, generator: torch.Generator, each: int,
        epochs: int,
    ) -> None:  # fmt: skip
        super().__init__(module, optimizer, generator)
        self.each, self.steps = each, each * epochs


class Side(ABC):
    """Solutions or pictures: what is moved and trained on. Made anew for each session of a run.

    Trainings come in the same order in every session; those that have ended stand in cells.json.
    """

    def __init__(self, config: Any, declaration: Any, session: Session) -> None:
        self.config, self.declaration, self.session = config, declaration, session
        self._file = session.checkpoint.folder / "cells.json"
        self._ended: dict[str, Ended] = {}

    @abstractmethod
    def prepare(self) -> None:
        """Data and moves."""

    @abstractmethod
    def training(self, cell: Cell) -> Any:
        """A fresh `Trainee`."""

    @abstractmethod
    def judged(self, cell: Cell, training: Any) -> float:
        """The error or accuracy on validation data, at the end of an epoch."""

    @abstractmethod
    def result(self, cell: Cell, training: Any) -> Ended:
        """What is kept of a training that ended, but for steps and seconds."""

    @abstractmethod
    def told(self, rows: list[Row]) -> Augment:
        """The table, and what was predicted."""

    @property
    def amounts(self) -> Sequence[int]:
        """The numbers of data to learn from; known once data are prepared."""
        found: Sequence[int] = self.config.samples
        return found

    def clear(self) -> None:  # noqa: B027 - nothing is to be dropped by most
        """Drop what only a run that goes on needs."""

    def generators(self, variant: str) -> dict[str, float | None]:
        """η of each generator that a variant moves data along, where that is known."""
        return {}

    def scale(self, amount: int, variant: str) -> float | None:
        """How far a variant moves, where that is searched for."""
        return None

    def run(self) -> Augment:
        """Do or go on with a run; returns its result and writes its other files.

        Raises LieappError for what the declaration, the data or the settings don't allow.
        """
        config, session = self.config, self.session
        session.begin()
        self.prepare()
        with session.stopwatch.stage("training"):
            result = self.told(self._rows())
        result.run, result.plugin, result.title = str(session.directory.path), config.plugin, self.declaration.title
        result.model, result.seeds = config.model, config.seeds
        for warning in hopeless(result):
            session.report.warn(warning)
        result.warnings, result.sentence = session.report.warnings, sentence(result)
        result.seconds = session.stopwatch.seconds()
        self.clear()
        return result

    def follow(self) -> None:
        """What another process of torchrun does: the trainings that the first one makes.

        Raises LieappError for what the declaration, the data or the settings don't allow.
        """
        self.session.begin()
        self.prepare()
        self._rows()

    def _rows(self) -> list[Row]:
        self._ended = ranks.agreed(self._read())
        kept = self._part().checkpoint.training()
        # steps after the last ones kept will be taken, and their metrics written, again
        self.session.directory.keep_metrics(self._before() + (int(kept[0]["done"]) if kept else 0))
        return [self._row(amount, variant) for amount in self.amounts for variant in self.config.variants]

    def trained(self, cell: Cell) -> Ended:
        """What is known of a training once it has ended: from cells.json, else trained now."""
        if cell.key in self._ended:
            return self._ended[cell.key]
        self.session.report.stage(cell.words)
        began = time.perf_counter()
        training, part = self.training(cell), self._part()
        part.restored(training, training.steps)
        named = {"variant": cell.variant, "samples": cell.samples, "seed": cell.seed}
        named |= {} if cell.scale is None else {"scale": cell.scale}
        fit(training, lambda: {"valid": self.judged(cell, training)}, part, named)
        seconds = round(time.perf_counter() - began, 2)
        found = UNKNOWN if ranks.follows() else self.result(cell, training)
        found = ranks.agreed(msgspec.structs.replace(found, steps=training.steps, seconds=seconds))
        self._ended[cell.key] = found
        self._file.parent.mkdir(exist_ok=True)
        write_atomic(self._file, sealed(self._ended))
        with contextlib.suppress(FileNotFoundError):
            (self._file.parent / f"training{len(self._ended) - 1}.safetensors").unlink()
        return found

    def _row(self, amount: int, variant: str) -> Row:
        """Values of all seeds, their mean and spread: the standard deviation of single trainings."""
        scale = self.scale(amount, variant)
        found = []
        for seed in self.config.seeds:
            cell = Cell(amount, variant, seed, scale)
            found.append(self.trained(cell))
            self.session.report.line(f"{cell.words}: {as_float(found[-1].value):.4g}")
        values, first = [entry.value for entry in found], found[0]
        return Row(
            variant=variant, label=label(variant), samples=amount, scale=scale, values=values, mean=_mean(values),
            spread=statistics.stdev(map(as_float, values)) if len(values) > 1 else None,
            valid=_mean(entry.valid for entry in found), steps=first.steps,
            seconds=round(statistics.fmean(entry.seconds for entry in found), 2),
            one_step=None if first.one_step is None else _mean(entry.one_step for entry in found),
            moved=None if first.moved is None else _mean(entry.moved for entry in found),
            frames=[_mean(column) for column in zip(*(entry.frames for entry in found), strict=True)],
            generators=self.generators(variant),
            drift={law: _mean(entry.drift[law] for entry in found) for law in first.drift},
        )  # fmt: skip

    def _before(self) -> int:
        """Steps of the trainings that have ended."""
        return sum(found.steps for found in self._ended.values())

    def _part(self) -> Session:
        """The session of the training at work."""
        state = self.session.checkpoint.of(f"training{len(self._ended)}")
        return self.session.part("training", state, before=self._before())

    def _read(self) -> dict[str, Ended]:
        """What ended in earlier sessions. Raises ResumeError if cells.json can't be read."""
        if not self._file.exists():
            return {}
        try:
            return msgspec.convert(opened(contents(self._file)), dict[str, Ended])
        except (OSError, ValueError) as error:
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
    joined(training)
    while training.done < training.steps:
        with ranks.stepping():
            row = training.step()
        if training.done % training.each == 0 and not ranks.follows():
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


def _mean(values: Iterable[float | None]) -> float:
    return statistics.fmean(map(as_float, values))
