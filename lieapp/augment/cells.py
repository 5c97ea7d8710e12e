"""The trainings of one `lieapp augment`, each kept as it ends, the one at work with a state to go on from."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import msgspec
from torch import Tensor

from lieapp.errors import CancelledError, ResumeError
from lieapp.methods.loop import SAVE_EVERY, Training
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
