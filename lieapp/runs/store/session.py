"""What long work is handed: the run's files, whom to tell, its seconds, checkpoint, device, seed and budget."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

import lieapp
from lieapp.errors import ResumeError
from lieapp.reading import contents
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import opened, sealed

if TYPE_CHECKING:
    from lieapp.extension import Method
    from lieapp.methods.fields import Slotted
    from lieapp.methods.loop import Training
    from lieapp.methods.result import Level
    from lieapp.numerics.tree import Team
    from lieapp.runs.store.checkpoint import Checkpoint
    from lieapp.runs.store.reporter import RunReporter

TOTAL = "total"


class SecondGo(msgspec.Struct):
    """That a run trains once more, beginning with so many slots."""

    slots: int = 0


Kept = TypeVar("Kept")


def _kept(file: Path, kind: type[Kept]) -> Kept | None:
    """What an earlier session kept; None if there was none. Raises ResumeError if it can't be read."""
    if not file.exists():
        return None
    try:
        content = contents(file)
        # earlier versions kept the slots of a second go as a bare number
        found = {"slots": int(content)} if content.strip().isdigit() else opened(content or b"{}")
        return msgspec.convert(found, kind)
    except (OSError, ValueError) as error:
        hint = "Delete the folder checkpoint/ to start that run over."
        raise ResumeError(f"{file} can't be read: {error}.", hint=hint) from None


class Stopwatch:
    """Times the stages of one session, beginning with `start`, on top of what earlier sessions left in a file.

    Args:
        file: where the sums are kept; a session that is killed leaves those of its last `save`.
        began: when this process began, on the clock of `time.perf_counter`.
    """

    def __init__(self, file: Path, began: float) -> None:
        self._file, self._began, self._now = file, began, ("start", began)
        self._stages: dict[str, float] = {}
        with contextlib.suppress(ResumeError):
            self._stages = _kept(file, dict[str, float]) or {}
        self._earlier = self._stages.pop(TOTAL, 0.0)
        self._over()

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, also one that is interrupted."""
        self._now = name, time.perf_counter()
        try:
            yield
        finally:
            self._over()
            # what ended the stage matters more than a full disk
            with contextlib.suppress(OSError):
                self.save()

    def save(self) -> None:
        """Keep the sums so far, those of a stage that isn't over too. Raises OSError."""
        self._file.parent.mkdir(exist_ok=True)
        write_atomic(self._file, sealed(self._sums()))

    def seconds(self) -> dict[str, float]:
        """Of each stage in the order of work, and in all: the `seconds` of summary.json."""
        return {name: round(value, 2) for name, value in self._sums().items()}

    def _sums(self) -> dict[str, float]:
        name, began = self._now
        now, stages = time.perf_counter(), self._stages
        current = {name: stages.get(name, 0.0) + now - began} if name else {}
        return {**stages, **current, TOTAL: self._earlier + now - self._began}

    def _over(self) -> None:
        self._stages = self._sums()
        del self._stages[TOTAL]
        self._now = "", 0.0


Result = TypeVar("Result")


class Session:
    """One sitting at a run: everything that long work is handed.

    `config` holds the settings of the whole run, `stage` is the name that metrics are written under, `checkpoint`
    keeps the state of the training at work; `part` gives the same with others of these.

    Args:
        report: whom progress is told; it notices a request to stop.
        folders: plugin folders outside the working folder, for processes of their own.
        methods: the registered methods of discovery.
    """

    def __init__(
        self, directory: RunDirectory, report: RunReporter, config: Any, folders: Sequence[Path] = (),
        methods: Mapping[str, Method] | None = None,
    ) -> None:  # fmt: skip
        self.directory, self.report, self.config = directory, report, config
        self.folders, self.methods = folders, methods or {}
        self.seed: int = getattr(config, "seed", 0)
        self.budget: float | None = getattr(config, "budget", None)
        self.stage, self.before = "", 0
        self.here = False
        """Whether what is worked on was declared in this process, so that no other one can load it by its name."""
        self.team: Team[Any] | None = None
        """Other processes that have the chunks of the run at hand; None if this one does everything."""
        self._at_work: list[Session] = []
        """The part whose fields pages draw."""
        self.is_aside = False
        """Whether no metrics are written and nothing is drawn."""
        self._training: Any = None
        self._draw: Callable[[Slotted, str, int], None] = lambda fields, stage, step: None

    @cached_property
    def device(self) -> str:
        """The device that the settings ask for. Raises DeviceError if it doesn't exist."""
        from lieapp.numerics.processor import find_device

        return find_device(getattr(self.config, "device", "cpu"))

    @cached_property
    def stopwatch(self) -> Stopwatch:
        """Seconds of each stage, over all sittings."""
        return Stopwatch(self.directory.path / "checkpoint" / "seconds.json", lieapp.STARTED)

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """Where what the run goes on from is kept."""
        from lieapp.runs.store.checkpoint import Checkpoint

        return Checkpoint(self.directory.path / "checkpoint", self._kept)

    def begin(self) -> None:
        """Take the processor and the device that the settings ask for, and note them in provenance.json."""
        from lieapp.numerics.processor import use_processor

        threads = getattr(self.config, "threads", None)
        if threads is not None:
            use_processor(threads)
        self.directory.add_provenance(device_used=self.device, threads=threads)

    def timed(self, stage: str, work: Callable[[], Result]) -> Result:
        """Do a stage: it is told, its seconds are counted, and a request to stop is obeyed before it."""
        self.report.stage(stage)
        with self.stopwatch.stage(stage):
            return work()

    def part(
        self, stage: str, checkpoint: Checkpoint | None = None, *, before: int = 0, aside: bool = False
    ) -> Session:
        """The same sitting for one training of several.

        Args:
            stage: what metrics are written under.
            before: steps of earlier trainings, which metrics count too.
            aside: see `is_aside`; for a check of what was found.
        """
        # a part shares what is drawn with the whole
        whole = self.checkpoint
        part = copy.copy(self)
        part.stage, part.before, part._training = stage, before, None
        part.is_aside = self.is_aside or aside
        part.checkpoint = whole if checkpoint is None else checkpoint
        return part

    def metrics(self, row: Mapping[str, Any]) -> None:
        """Write a row to metrics.jsonl; `step` and `total` count from the beginning of this training."""
        if not self.is_aside:
            counted = {key: row[key] + self.before for key in ("step", "total") if key in row}
            self.directory.metric(**{**row, **counted}, stage=self.stage)

    def restored(self, training: Training, steps: int) -> list[Level]:
        """Load what the checkpoint holds of a training, which is then at work; the levels it had reached.

        Raises ResumeError if it can't be read, or is of another training.
        """
        kept = self.checkpoint.training()
        if kept is not None:
            try:
                training.load(kept[0])
            except (LookupError, TypeError, ValueError, RuntimeError) as error:
                raise self.checkpoint.strange(" ".join(str(error).split())) from None
            self.report.line(f"resumed at step {training.done} of {steps}")
        self._training = training
        self._at_work[:] = [self]
        return [] if kept is None else kept[1]

    @property
    def done(self) -> int:
        """Steps of the training that was restored last."""
        return 0 if self._training is None else int(self._training.done)

    def drawing(self, draw: Callable[[Slotted, str, int], None]) -> None:
        """Let `draw(fields, stage, step)` write fields of the moment for pages, now and whenever state is kept."""
        self._draw = draw

    def show(self, fields: Slotted, step: int) -> None:
        """Let pages draw these fields."""
        if not self.is_aside:
            self._draw(fields, self.stage, step)

    @property
    def again(self) -> bool:
        """Whether the run is at the second go of its training: a state of the run, kept in checkpoint/again."""
        return self._again.exists()

    @property
    def again_slots(self) -> int:
        """How many slots the second go begins with."""
        kept = _kept(self._again, SecondGo)
        return 0 if kept is None else kept.slots

    def begin_again(self, slots: int = 0) -> None:
        """From now on, also after a resume, only the second go of the training counts; it begins with `slots`."""
        self._again.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self._again, sealed(SecondGo(slots)))

    @property
    def _again(self) -> Path:
        return self.directory.path / "checkpoint" / "again"

    def _kept(self) -> None:
        """Called after each checkpoint."""
        self.stopwatch.save()
        for part in self._at_work:
            fields = getattr(part._training, "fields", None)
            if fields is not None:
                part.show(fields, part.done)
