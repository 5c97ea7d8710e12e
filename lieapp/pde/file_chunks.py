"""Trajectories of files in chunks: stretches (`data.stretches`) as the settings want them, measured one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.data.own import declared_on, names
from lieapp.data.own_trajectories import Room
from lieapp.data.stretches import Stretches, parted
from lieapp.data.trajectories import Over, Trajectories
from lieapp.numerics.tree import Team, merged
from lieapp.pde.chunks import Chunks, Made, Simulated
from lieapp.pde.data import Measured
from lieapp.pde.domain import PDEDomain
from lieapp.progress import Reporter
from lieapp.runs.store.checkpoint import DATA, Checkpoint
from lieapp.runs.store.session import Session

Found = TypeVar("Found")


class OfFiles(Chunks):
    """Chunks that are stretches of files."""

    def __init__(
        self, config: DiscoverConfig, domain: PDEDomain, stretches: Stretches, checkpoint: Checkpoint, device: str
    ) -> None:  # fmt: skip
        super().__init__(config, domain, checkpoint, device)
        self.stretches = stretches
        self._plain = config.every_point == config.every_time == 1 and not config.noise

    def measure(self, number: int) -> Made:
        """What is measured of a stretch, once all are read; its data are made worse first if settings want that."""
        name = self.stretches.name(number)
        if not self._plain and self._checkpoint.data(self._name(number)) is None:
            spoiled = self._spoiled(self._checkpoint.mapped(name), number)
            self._checkpoint.save_data(spoiled, self._name(number))
        parts = parted(self._checkpoint.mapped(self._name(number)))
        return Made(math.nan, {}, *(Measured.of(part) if part.samples else None for part in parts))

    def pieces(self) -> tuple[list[Trajectories], list[Trajectories]]:
        """See `Chunks`."""
        found = [parted(self._checkpoint.mapped(self._name(number))) for number in range(len(self.stretches.all))]
        train, held_out = ([piece for piece in some if piece.samples] for some in zip(*found, strict=True))
        return train, held_out

    def looked_at(self, number: int, look: Callable[[Trajectories], Found]) -> Found | None:
        """What a stretch gives as it was read; None if all of it was left out."""
        data = self._checkpoint.mapped(self.stretches.name(number))
        return look(data) if data.samples else None

    def over(self, team: Team[OfFiles] | None, report: Reporter) -> Over:
        """See `data.trajectories.Over`; the team shares the stretches."""

        def over(look: Callable[[Trajectories], Found], merge: Callable[[Found, Found], Found]) -> Found:
            looked, either = partial(_looked_at, look), partial(_either, merge)
            found = self._merged(looked, either, team, report, "stretches checked")
            assert found is not None  # few of them are copies of each other at most
            return found

        return over

    def measured(self, team: Team[OfFiles] | None, report: Reporter) -> Made:
        """What is measured of all stretches, see `measure`."""
        return self._merged(_measure, Made.joined, team, report, "stretches measured")

    def _merged(
        self, task: Callable[[int, OfFiles], Found], merge: Callable[[Found, Found], Found],
        team: Team[OfFiles] | None, report: Reporter, what: str,
    ) -> Found:  # fmt: skip
        count = len(self.stretches.all)

        def tell(done: int) -> None:
            report.progress(done, count, what)

        if team is not None:
            return team.merged((partial(task, number) for number in range(count)), merge, tell)

        def one(number: int) -> Found:
            found = task(number, self)
            tell(number + 1)
            return found

        tell(0)
        return merged(map(one, range(count)), merge)

    def _name(self, number: int) -> str:
        return self.stretches.name(number) if self._plain else f"{DATA}/spoiled-{number:05d}"


def room_of(config: DiscoverConfig, session: Session) -> Room:
    """Where the trajectories of files are kept that a run doesn't have in memory."""
    return Room(session.checkpoint, config.chunk, session.team)


def keeper(config: DiscoverConfig, declaration: PDE, session: Session) -> Chunks:
    """What a process of a team has of a run."""
    if not config.data.files:
        return Simulated(config, PDEDomain(declaration), session.checkpoint, session.device)
    stretches = Stretches(config.data, *names(declaration), session.checkpoint, config.chunk)
    domain = PDEDomain(declared_on(declaration, config.data, [grid.axes for grid in stretches.grids]))
    return OfFiles(config, domain, stretches, session.checkpoint, session.device)


def _measure(number: int, chunks: OfFiles) -> Made:
    return chunks.measure(number)


def _looked_at(look: Callable[[Trajectories], Found], number: int, chunks: OfFiles) -> Found | None:
    return chunks.looked_at(number, look)


def _either(merge: Callable[[Found, Found], Found], one: Found | None, other: Found | None) -> Found | None:
    return other if one is None else one if other is None else merge(one, other)
