"""Trajectories from files of the user's own, on one grid, for trainings and for data that are moved anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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
from lieapp.errors import DataError
from lieapp.pde.misfit import misfit
from lieapp.progress import Reporter
from lieapp.runs.store.session import Session

MISSED = 0.05
"""Misfit of data that is warned of."""


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
    _check_misfit(own, report, most)
    return own, joined(own.pieces)


def joined(pieces: Sequence[Trajectories]) -> Trajectories:
    """Trajectories on one grid, together."""
    return replace(pieces[0], values=torch.cat([piece.values for piece in pieces]))


def learned_from(config: AugmentConfig, declaration: PDE, session: Session) -> tuple[PDE, Trajectories]:
    """The declaration on the grid of files, and their trajectories in an order that the seed decides.

    Raises what `trajectories_of_files` raises, DataError for a run that is gone on with if files have changed.
    """
    own, data = trajectories_of_files(declaration, config.data, session.report, config.misfit)
    _check_unchanged(own.pieces, session)
    words = parts_of(config, data.samples).words()
    session.report.line(f"data: {words}")
    session.directory.add_provenance(data=data.facts, data_notes=[*own.words[:-1], words])
    order = torch.randperm(data.samples, generator=torch.Generator().manual_seed(config.seed))
    return own.declaration, data.select(order.tolist())


def _check_misfit(own: OwnData, report: Reporter, most: float) -> None:
    """Raises DataError if data ask for other coefficients: moved along this equation's symmetries they would be no
    solutions."""
    found = misfit(evolution_form(read_pde(own.declaration)), own.pieces)
    if found is None:
        report.line("data: too few times, or too far apart, to tell whether they solve the equation")
        return
    report.line(f"data: they miss the equation by {100 * found.relative:.2g} % of their change in time")
    if found.refutes and found.relative > most:
        raise DataError(
            f"{own.declaration.name}: the data don't solve the equation: {found.words()}.",
            hint=f"Correct the equation or the data. With misfit = {math.ceil(found.relative + 1)} they are moved "
            "all the same, along the equation's symmetries, not the data's.",
        )
    if found.relative > MISSED:
        report.warn(f"data: {found.words()}")


def _check_unchanged(pieces: Sequence[Trajectories], session: Session) -> None:
    """Raises DataError if a run that is gone on with finds other data than it began with."""
    stamps: dict[str, Any] = {
        str(piece.facts["file"]): [piece.facts.get(key) for key in ("sha256", "size", "modified")]
        for piece in pieces
    }
    known = session.directory.provenance().get("data_files", stamps)
    for file, stamp in stamps.items():
        if known.get(file) != stamp:
            raise DataError(
                f"{file} has changed since this run began.",
                hint="Put the old file back and resume, or start a new run.",
            )
    session.directory.add_provenance(data_files=stamps)
