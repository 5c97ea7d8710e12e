"""Trajectories in chunks, more than a memory holds: files of so many each, made and measured one by one.

A chunk depends on settings and its number alone, so that whoever is free may make it: this process, or one of a
team (`numerics.tree`). Files are mapped into memory: what is used of them is read, and memory stays as it is.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor

from lieapp.config import DiscoverConfig
from lieapp.data.simulate import random_states
from lieapp.data.sizes import check_simulation, chunk_size, kept_bytes
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories, noisy, thin
from lieapp.domains.base import Domain
from lieapp.domains.solutions import Slices
from lieapp.errors import SimulationError
from lieapp.numerics.tree import Team, merged
from lieapp.pde.data import Known, Measured
from lieapp.pde.domain import PDEDataset, PDEDomain
from lieapp.progress import Reporter
from lieapp.runs.store.checkpoint import DATA, Checkpoint

APART = 1_000_003
"""Between the seeds of the noise of two chunks: the chunks of other runs, of the next seeds, have none of these."""

Found = TypeVar("Found")
ChunksT = TypeVar("ChunksT", bound="Chunks")


@dataclass(frozen=True)
class Made:
    """A chunk that is there.

    Args:
        error: estimated relative error of its values.
        facts: how it was made, see `Trajectories`.
        train, held_out: what is measured of its trajectories of either kind; None if it has none.
    """

    error: float
    facts: dict[str, float | int | str]
    train: Measured | None
    held_out: Measured | None

    def joined(self, other: Made) -> Made:
        """Both chunks as one."""
        facts = {key: _together(key, self.facts[key], other.facts[key]) for key in self.facts}
        return Made(
            max(self.error, other.error), facts, _joined(self.train, other.train),
            _joined(self.held_out, other.held_out),
        )  # fmt: skip


def _together(key: str, one: Any, other: Any) -> float | int | str:
    found: float | int | str = round(one + other, 2) if key == "seconds" else max(one, other)
    return found


def _joined(one: Measured | None, other: Measured | None) -> Measured | None:
    return other if one is None else one if other is None else one.joined(other)


class Chunks(ABC):
    """The chunks of a run, for whoever makes them or computes on them.

    Args:
        checkpoint: where their files lie.
        device: that computes.
    """

    def __init__(self, config: DiscoverConfig, domain: PDEDomain, checkpoint: Checkpoint, device: str) -> None:
        self.config, self.domain, self.device, self._checkpoint = config, domain, device, checkpoint
        self._data: PDEDataset | None = None

    @abstractmethod
    def pieces(self) -> tuple[list[Trajectories], list[Trajectories]]:
        """Those to learn from and those to judge on, once all chunks are there; one piece of each chunk."""

    def dataset(self, known: Known, level: float = 0.0) -> PDEDataset:
        """The data of the run, once all chunks are there.

        Args:
            known: what is measured of all of them.
            level: see `PDEDomain.prepared`.
        """
        if self._data is None:
            train, held_out = self.pieces()
            self._data = self.domain.prepared(
                train, held_out, self.config.smoothing, level=level, known=known, device=self.device
            )
        return self._data

    def _spoiled(self, data: Trajectories, number: int) -> Trajectories:
        config = self.config
        thinned = thin(data, config.every_point, config.every_time)
        return noisy(thinned, config.noise, config.seed + number * APART) if config.noise else thinned


class Simulated(Chunks):
    """Chunks of simulated trajectories, which are made one by one."""

    def __init__(self, config: DiscoverConfig, domain: PDEDomain, checkpoint: Checkpoint, device: str) -> None:
        super().__init__(config, domain, checkpoint, device)
        total, size = config.samples + config.held_out, chunk_size(config, domain.declaration)
        self.rows = [range(first, min(first + size, total)) for first in range(0, total, size)]

    def make(self, number: int, state: Tensor, progress: Callable[[int, int], None] = lambda k, n: None) -> Made:
        """Make a chunk, unless it is there already, and measure it.

        Args:
            state: of the generator of initial states before the first trajectory of the chunk.
        """
        rows, name = self.rows[number], self._name(number)
        data = self._checkpoint.data(name)
        if data is None:
            generator = torch.Generator()
            generator.set_state(state)
            tolerance = Tolerance(self.config.tolerance)
            found = self.domain.simulated(len(rows), generator, self.device, tolerance, progress)
            self._checkpoint.save_data(self._spoiled(found, number).to("cpu"), name)
            # as everybody else will see it
            data = self._checkpoint.mapped(name)
        elif data.samples != len(rows):
            raise self._checkpoint.strange(f"it has {data.samples} trajectories", name)
        cut = self._cut(rows)
        parts = (data.select(slice(0, cut)), data.select(slice(cut, None)))
        return Made(data.error, data.facts, *(Measured.of(part) if part.samples else None for part in parts))

    def missing(self) -> int:
        """How many trajectories aren't there yet."""
        there = self._checkpoint.has
        return sum(len(rows) for number, rows in enumerate(self.rows) if not there(self._name(number)))

    def pieces(self) -> tuple[list[Trajectories], list[Trajectories]]:
        """Those to learn from and those to judge on, once all chunks are there; one piece of each chunk."""
        train, held_out = list[Trajectories](), list[Trajectories]()
        for number, rows in enumerate(self.rows):
            data, cut = self._checkpoint.mapped(self._name(number)), self._cut(rows)
            train += [data.select(slice(0, cut))] if cut else []
            held_out += [data.select(slice(cut, None))] if cut < len(rows) else []
        return train, held_out

    def _name(self, number: int) -> str:
        return f"{DATA}/{number:05d}"

    def _cut(self, rows: range) -> int:
        """How many of some trajectories are there to learn from."""
        return min(max(self.config.samples - rows.start, 0), len(rows))


def make(number: int, state: Tensor, chunks: Simulated) -> Made:
    """A task of a team: one chunk."""
    return chunks.make(number, state)


def share_of(
    which: str, known: Known, number: int, count: int, size: int,
    share: Callable[[Domain[Slices], Iterable[Slices]], Found], chunks: Chunks,
) -> Found:  # fmt: skip
    """A task of a team: what a part of the slices gives of a sum.

    Args:
        which: train or held_out.
        number: of the part, see `pde.data.SliceData.of_part`.
    """
    data = chunks.dataset(known)
    with torch.no_grad():
        part = (data.train if which == "train" else data.held_out).of_part(number, count, size)
        return share(chunks.domain, part)


def dataset_of(chunks: ChunksT, made: Made, team: Team[ChunksT] | None, level: float = 0.0) -> PDEDataset:
    """The data of the run, sums over which the team computes.

    Args:
        level: see `PDEDomain.prepared`.
    """
    assert made.train is not None and made.held_out is not None  # at least one trajectory each
    known = Known(made.train, made.held_out)
    data = chunks.dataset(known, level)
    if team is not None:
        data.train.elsewhere = partial(_elsewhere, team, "train", known)
        data.held_out.elsewhere = partial(_elsewhere, team, "held_out", known)
    return data


def _elsewhere(
    team: Team[Any], which: str, known: Known, parts: int, count: int, size: int,
    share: Callable[[Domain[Slices], Iterable[Slices]], Found], merge: Callable[[Found, Found], Found],
) -> Found:  # fmt: skip
    tasks = (partial(share_of, which, known, number, count, size, share) for number in range(parts))
    return team.merged(tasks, merge, lambda done: None)


class InChunks:
    """Who gathers the simulated chunks of a run.

    Args:
        team: who makes them and computes on them; None if this process does.
    """

    def __init__(self, chunks: Simulated, team: Team[Simulated] | None, report: Reporter) -> None:
        self.chunks, self.team, self._report = chunks, team, report

    def gathered(self) -> Made:
        """All chunks, made.

        Raises SimulationError if that would take one process more than a day, or more than the disk holds.
        """
        chunks = self.chunks
        total = sum(map(len, chunks.rows))
        if self.team is None:
            check_simulation(chunks.domain.declaration, total, memory=float("inf"))
        self._check_disk()
        seeded = torch.Generator().manual_seed(chunks.config.seed)
        counts = [len(rows) for rows in chunks.rows]
        states = random_states(chunks.domain.declaration, chunks.domain.evolution, counts, seeded)
        if self.team is not None:
            tasks = (partial(make, number, state) for number, state in enumerate(states))
            return self.team.merged(tasks, Made.joined, self._progress)
        return merged((self._made(number, state) for number, state in enumerate(states)), Made.joined)

    def _made(self, number: int, state: Tensor) -> Made:
        total, within = len(self.chunks.rows), 1000

        def progress(step: int, steps: int) -> None:
            done = number * within + within * step // max(steps, 1)
            self._report.progress(done, total * within, f"{done / within:.1f} of {total} chunks of trajectories")

        return self.chunks.make(number, state, progress)

    def _progress(self, done: int) -> None:
        self._report.progress(done, len(self.chunks.rows), "chunks of trajectories")

    def _check_disk(self) -> None:
        domain, folder = self.chunks.domain, self.chunks._checkpoint.folder
        config, missing = self.chunks.config, self.chunks.missing()
        thinned = config.every_time * config.every_point ** len(domain.evolution.space)
        needed, free = missing * kept_bytes(domain.declaration) / thinned, shutil.disk_usage(folder.parent).free
        if needed > free:
            raise SimulationError(
                f"{domain.name}: {missing} trajectories take {needed / 1e9:.3g} GB; the disk of {folder.parent} "
                f"has {free / 1e9:.3g} GB.",
                hint="Give --out a folder on a larger disk, or lower the number of trajectories.",
            )
