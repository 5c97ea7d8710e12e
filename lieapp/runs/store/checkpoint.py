"""The folder checkpoint/ of a discovery: trajectories, training state, levels, as safetensors and JSON only."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from safetensors import SafetensorError, safe_open
from safetensors.torch import load
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.errors import ResumeError
from lieapp.methods.result import Level
from lieapp.numerics.grid import Axis, Grid
from lieapp.reading import text_in
from lieapp.runs.store.files import write_atomic
from lieapp.runs.store.sealed import CHUNKS, remedy, sealed_tensors, tensors_checked

DATA, TRAINING = CHUNKS, "training"

MOST_STEPS = 2**53
"""Steps that floating-point numbers count."""


class Checkpoint:
    """State on disk, each file replaced as a whole.

    Args:
        folder: where it lies; made when something is kept.
        besides: called after each checkpoint of a training, for what else a resumed run needs.
        name: of the training whose state `save` keeps.
    """

    def __init__(self, folder: Path, besides: Callable[[], None] = lambda: None, name: str = TRAINING) -> None:
        self.folder, self._besides, self._name = folder, besides, name

    def of(self, name: str) -> Checkpoint:
        """The same folder for another training of the run."""
        return Checkpoint(self.folder, self._besides, name)

    def inside(self, name: str) -> Checkpoint:
        """A folder within, for a second go at the same trainings."""
        return Checkpoint(self.folder / name, self._besides)

    def save(self, state: dict[str, Tensor], levels: list[Level]) -> None:
        """Keep the state of a training and its levels."""
        self._write(self._name, state, {"levels": [asdict(level) for level in levels]})
        self._besides()

    def training(self) -> tuple[dict[str, Tensor], list[Level]] | None:
        """What `save` kept, or None. Raises ResumeError if it can't be read."""
        found = self._read(self._name, Reached)
        if found is None:
            return None
        tensors, facts = found
        done = tensors.get("done")
        if done is None or done.numel() != 1 or done.is_complex() or not 0 <= float(done) <= MOST_STEPS:
            raise self.strange("it has no number of steps")
        return tensors, facts.levels

    def strange(self, why: str, name: str = "") -> ResumeError:
        """What is raised where what was kept, of this training or under a name, isn't this run's."""
        return _refused(self.folder / f"{name or self._name}.safetensors", why)

    def save_data(self, data: Trajectories, name: str = DATA) -> None:
        """Keep trajectories, all or a chunk of them, so that a resumed run needn't simulate again."""
        facts = {
            "axes": [asdict(axis) for axis in data.grid.axes],
            "unknowns": data.unknowns,
            "time_name": data.time_name,
            "error": data.error,
            "facts": data.facts,
        }
        self._write(name, {"time": data.time.cpu(), "values": data.values.cpu().contiguous()}, facts)

    def data(self, name: str = DATA) -> Trajectories | None:
        """What `save_data` kept, or None. Raises ResumeError if it can't be read or isn't finite."""
        found = self._read(name, Described)
        if found is None:
            return None
        tensors, facts = found
        time, values, grid = tensors.get("time"), tensors.get("values"), Grid(tuple(facts.axes))
        file = self.folder / f"{name}.safetensors"
        if time is None or values is None or not (values.is_floating_point() and time.is_floating_point()):
            raise _refused(file, "it has no times and values")
        if time.ndim != 1 or values.ndim < 3 or values.shape[1:] != (len(time), len(facts.unknowns), *grid.shape):
            raise _refused(file, f"its values have the shape {tuple(values.shape)}, which doesn't fit its axes")
        if not (values.isfinite().all() and time.isfinite().all()):
            raise _refused(file, "its values aren't all finite")
        return _described(facts, time, values)

    def has(self, name: str) -> bool:
        """Whether something is kept under a name."""
        return (self.folder / f"{name}.safetensors").exists()

    def mapped(self, name: str) -> Trajectories:
        """What `data` gives, checked before: values are read from the file as they are used."""
        file = self.folder / f"{name}.safetensors"
        try:
            with safe_open(file, "pt") as opened:
                facts = msgspec.convert(json.loads(opened.metadata()["facts"]), Described)
                return _described(facts, opened.get_tensor("time"), opened.get_tensor("values"))
        except (OSError, ValueError, LookupError, SafetensorError) as error:
            raise _refused(file, str(error)) from None

    def drop_data(self) -> None:
        """Give the space of the trajectories back once the run is done."""
        with contextlib.suppress(FileNotFoundError):
            (self.folder / f"{DATA}.safetensors").unlink()
        shutil.rmtree(self.folder / DATA, ignore_errors=True)

    def _write(self, name: str, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        # facts travel in the same file, so that the two can't come from different moments
        file = self.folder / f"{name}.safetensors"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, sealed_tensors(tensors, facts=json.dumps(facts)))

    def _read(self, name: str, kind: type[Facts]) -> tuple[dict[str, Tensor], Facts] | None:
        file = self.folder / f"{name}.safetensors"
        if not file.exists():
            return None
        try:
            content = file.read_bytes()
            if file.parent.name == CHUNKS:
                tensors_checked(io.BytesIO(content))
            # unlike JSON, facts may hold NaN
            facts = json.loads(text_in(content, "facts"))
            return load(content), msgspec.convert(facts, kind)
        except (OSError, ValueError, LookupError, RecursionError, SafetensorError) as error:
            raise _refused(file, str(error)) from None


class Reached(msgspec.Struct):
    """What is kept of a training beside its tensors."""

    levels: list[Level]


class Described(msgspec.Struct):
    """What is kept of trajectories beside their numbers; see `Trajectories`."""

    axes: list[Axis]
    unknowns: list[str]
    time_name: str
    error: float
    facts: dict[str, Any]


def _described(facts: Described, time: Tensor, values: Tensor) -> Trajectories:
    grid = Grid(tuple(facts.axes))
    return Trajectories(time, grid, values, tuple(facts.unknowns), facts.time_name, facts.error, facts.facts)


Facts = TypeVar("Facts", Reached, Described)


def _refused(file: Path, why: str) -> ResumeError:
    return ResumeError(f"{file} can't be read: {why}.", hint=remedy(file))
