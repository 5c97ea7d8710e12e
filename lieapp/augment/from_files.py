"""Trajectories from files of the user's own, on one grid, for trainings and for data that are moved anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from lieapp.api import PDE
from lieapp.augment.own import check_one_grid, check_space, parts_of
from lieapp.config_augment import AugmentConfig
from lieapp.config_types import FileData
from lieapp.data.own import OwnAxis
from lieapp.data.own_trajectories import OwnData, own_data
from lieapp.data.trajectories import Trajectories, check_varying
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import evolution_form
from lieapp.pde.own_checks import check_misfit, check_unchanged
from lieapp.progress import Reporter
from lieapp.runs.store.session import Session


def axes_of_piece(piece: Trajectories) -> list[OwnAxis]:
    """Its axes, time first."""
    space = [OwnAxis(a.name, a.coordinates().numpy(), a.length if a.periodic else None) for a in piece.grid.axes]
    return [OwnAxis(piece.time_name, piece.time.numpy(), None), *space]


def trajectories_of_files(
    pde: PDE, data: FileData, report: Reporter, most: float
) -> tuple[OwnData, Trajectories]:  # fmt: skip
    """What files have, and their trajectories together.

    Args:
        most: the largest misfit of data whose equation has other coefficients.

    Raises what `own_data` raises, GridError for axes that data can't be moved on yet, DataError for data that don't
    vary or don't solve the equation.
    """
    own = own_data(pde, data, report)
    for words in own.words[:-1]:
        report.line(f"data: {words}")
    first = own.pieces[0]
    check_one_grid([axes_of_piece(piece) for piece in own.pieces], data.files)
    check_space({axis.name: axis.periodic for axis in first.grid.axes}, ", ".join(data.files))
    check_varying(own.pieces, pde.name, "Read other files, or another part of these.")
    evolution = evolution_form(read_pde(own.declaration))
    check_misfit(evolution, own.pieces, own.declaration.name, most, report, own.units)
    return own, joined(own.pieces)


def joined(pieces: Sequence[Trajectories]) -> Trajectories:
    """Trajectories on one grid, together."""
    return replace(pieces[0], values=torch.cat([piece.values for piece in pieces]))


def learned_from(config: AugmentConfig, declaration: PDE, session: Session) -> tuple[PDE, Trajectories]:
    """The declaration on the grid of files, and their trajectories in an order that the seed decides.

    Raises what `trajectories_of_files` raises, DataError for a run that is gone on with if files have changed.
    """
    own, data = trajectories_of_files(declaration, config.data, session.report, config.misfit)
    check_unchanged(own.pieces, session.directory)
    words = parts_of(config, data.samples).words()
    session.report.line(f"data: {words}")
    session.directory.add_provenance(data=data.facts, data_notes=[*own.words[:-1], words])
    order = torch.randperm(data.samples, generator=torch.Generator().manual_seed(config.seed))
    return own.declaration, data.select(order.tolist())
