"""Rounds of moved trajectories that are used again: in memory, and on disk for sessions to come."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from lieapp.augment.moving import Moved
from lieapp.runs.store.files import write_atomic

MOST = 64 * 2**20
"""Bytes of a round above which it isn't written: moving again then costs less than the space."""


class Pool:
    """The rounds of one way of moving at a time: 10 of 512 trajectories take .7 GB.

    Args:
        folder: where they lie; made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key, self._rounds = "", dict[int, Moved]()

    def round(self, key: str, number: int, device: str, make: Callable[[], Moved]) -> Moved:
        """A round, made now unless it was before; in float32, which is what networks are trained in."""
        if key != self._key:
            self._key, self._rounds = key, {}
            for file in self.folder.glob("*.safetensors"):
                if not file.name.startswith(self._prefix):
                    file.unlink(missing_ok=True)
        if number not in self._rounds:
            found = self._read(number, device)
            if found is None:
                found = make()
                found = replace(found, samples=found.samples.float())
                self._write(number, found)
            self._rounds[number] = found
        return self._rounds[number]

    def drop(self) -> None:
        """Give the space back once the run is done."""
        self._rounds = {}
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

    @property
    def _prefix(self) -> str:
        return hashlib.sha256(self._key.encode()).hexdigest()[:16]

    def _file(self, number: int) -> Path:
        return self.folder / f"{self._prefix}-{number}.safetensors"

    def _read(self, number: int, device: str) -> Moved | None:
        try:
            tensors = load_file(self._file(number), device=device)
            return Moved(**{name: tensors[name] for name in ("samples", "valid", "kept", "coefficients")})
        except (OSError, KeyError, SafetensorError):
            return None

    def _write(self, number: int, moved: Moved) -> None:
        if moved.samples.nbytes > MOST:
            return
        parts: dict[str, Tensor] = {
            name: torch.as_tensor(getattr(moved, name)).cpu().contiguous()
            for name in ("samples", "valid", "kept", "coefficients")
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._file(number), save(parts))
