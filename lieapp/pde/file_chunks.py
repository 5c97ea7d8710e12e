"""Trajectories of files in chunks: stretches (`data.stretches`) as the settings want them, measured one by one."""

from __future__ import annotations

import math
from functools import partial

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.data.own import declared_on, names
from lieapp.data.own_trajectories import Room
from lieapp.data.stretches import Stretches, parted
from lieapp.data.trajectories import Trajectories
from lieapp.numerics.tree import Team, merged
from lieapp.pde.chunks import Chunks, Made, Simulated
from lieapp.pde.data import Measured
from lieapp.pde.domain import PDEDomain
from lieapp.progress import Reporter
from lieapp.runs.store.checkpoint import DATA, Checkpoint
from lieapp.runs.store.session import Session


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
        if not self._plain and not self._checkpoint.has(self._name(number)):
            spoiled = self._spoiled(self._checkpoint.mapped(name), number)
            self._checkpoint.save_data(spoiled, self._name(number))
        parts = parted(self._checkpoint.mapped(self._name(number)))
        return Made(math.nan, {}, *(Measured.of(part) if part.samples else None for part in parts))

    def pieces(self) -> tuple[list[Trajectories], list[Trajectories]]:
        """See `Chunks`."""
        found = [parted(self._checkpoint.mapped(self._name(number))) for number in range(len(self.stretches.all))]
        train, held_out = ([piece for piece in some if piece.samples] for some in zip(*found, strict=True))
        return train, held_out

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


def measured(chunks: OfFiles, team: Team[OfFiles] | None, report: Reporter) -> Made:
    """What is measured of all stretches."""
    count = len(chunks.stretches.all)

    def tell(done: int) -> None:
        report.progress(done, count, "stretches measured")

    if team is not None:
        return team.merged((partial(_measure, number) for number in range(count)), Made.joined, tell)

    def one(number: int) -> Made:
        made = chunks.measure(number)
        tell(number + 1)
        return made

    return merged(map(one, range(count)), Made.joined)


def _measure(number: int, chunks: OfFiles) -> Made:
    return chunks.measure(number)
