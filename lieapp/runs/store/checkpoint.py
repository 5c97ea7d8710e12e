"""The folder checkpoint/ of a discovery: trajectories, training state, levels, as safetensors and JSON only."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.errors import ResumeError
from lieapp.methods.result import Level
from lieapp.numerics.grid import Axis, Grid
from lieapp.runs.store.files import write_atomic

DATA, TRAINING = "data", "training"


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
        found = self._read(self._name)
        return None if found is None else (found[0], [Level(**level) for level in found[1]["levels"]])

    def save_data(self, data: Trajectories) -> None:
        """Keep the trajectories, so that a resumed run needn't simulate again."""
        facts = {
            "axes": [asdict(axis) for axis in data.grid.axes],
            "unknowns": data.unknowns,
            "time_name": data.time_name,
            "error": data.error,
            "facts": data.facts,
        }
        self._write(DATA, {"time": data.time.cpu(), "values": data.values.cpu().contiguous()}, facts)

    def data(self) -> Trajectories | None:
        """What `save_data` kept, or None. Raises ResumeError if it can't be read."""
        found = self._read(DATA)
        if found is None:
            return None
        tensors, facts = found
        return Trajectories(
            tensors["time"],
            Grid(tuple(Axis(**axis) for axis in facts["axes"])),
            tensors["values"],
            tuple(facts["unknowns"]),
            facts["time_name"],
            facts["error"],
            facts["facts"],
        )

    def drop_data(self) -> None:
        """Give the space of the trajectories back once the run is done."""
        with contextlib.suppress(FileNotFoundError):
            (self.folder / f"{DATA}.safetensors").unlink()

    def _write(self, name: str, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        # facts travel in the same file, so that the two can't come from different moments
        self.folder.mkdir(parents=True, exist_ok=True)
        content = save({k: v.contiguous() for k, v in tensors.items()}, metadata={"facts": json.dumps(facts)})
        write_atomic(self.folder / f"{name}.safetensors", content)

    def _read(self, name: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        file = self.folder / f"{name}.safetensors"
        if not file.exists():
            return None
        try:
            content = file.read_bytes()
            length = int.from_bytes(content[:8], "little")
            header = json.loads(content[8 : 8 + length])
            return load(content), json.loads(header["__metadata__"]["facts"])
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise ResumeError(
                f"{file} can't be read: {error}.", hint="Delete the folder checkpoint/ to start that run over."
            ) from None
