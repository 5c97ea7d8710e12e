"""The frame of a run that seeks conservation laws or generalised symmetries: data first, then one search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lieapp.api import PDE
from lieapp.config import DiscoverConfig
from lieapp.data.own_trajectories import own_data
from lieapp.pde.domain import PDEDomain
from lieapp.pde.file_chunks import room_of
from lieapp.pde.gathering import Gathering
from lieapp.pde.identify.files import read_identified
from lieapp.results.from_data import FromData
from lieapp.runs.store.session import Session

FoundT = TypeVar("FoundT", bound=FromData)


def run_search(
    config: DiscoverConfig, declaration: PDE, session: Session, search: Callable[[Gathering], FoundT]
) -> FoundT:
    """Do a run. Raises LieappError for what the declaration, the data or the settings don't allow.

    Args:
        search: what is found in the data that a gathering gives.
    """
    session.begin()
    room = room_of(config, session)
    own = own_data(declaration, config.data, session.report, room) if config.data.files else None
    gathering = Gathering(config, PDEDomain(own.declaration if own else declaration), session, own)
    result = search(gathering)
    result.run, result.plugin = str(session.directory.path), config.plugin
    result.misfit, result.warnings = gathering.missed, session.report.warnings
    result.identified = read_identified(session.directory.path)
    result.seconds = session.stopwatch.seconds()
    session.checkpoint.drop_data()
    return result
