"""The totals of derived laws along trajectories of the user's own.

On a periodic box the total ∫ T dx of a density with that period is constant. Derivatives are Fourier's, with modes
below the noise cut; the trapezoidal rule gives the integral. On an open axis what flows out of windows is added
(`open_axis.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.api import PDE
from lieapp.config_types import FileData
from lieapp.data.own_trajectories import Room, own_data
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.equations.evolution import Evolution, evolution_form
from lieapp.equations.jets import multi_indices
from lieapp.equations.parsing import parse_expression
from lieapp.errors import DataError
from lieapp.numerics.spectral import bandwidth, low_pass, noise_floor
from lieapp.pde.data import NOISE
from lieapp.pde.laws.open_axis import LEAST, balance, outflow_of
from lieapp.pde.laws.slices import OnSlices
from lieapp.pde.own_checks import check_misfit
from lieapp.progress import Reporter
from lieapp.results.laws import LawResult, LawsResult
from lieapp.runs.store.checkpoint import Checkpoint

MOST_ORDER = 12
"""Order of derivatives in densities."""


@dataclass(frozen=True)
class Along:
    """Trajectories of files that solve the `evolution`, and what they leave of it, relative."""

    pieces: Sequence[Trajectories]
    evolution: Evolution
    misfit: float | None


def read_along(pde: PDE, files: FileData, misfit: float, report: Reporter, folder: Path) -> Along:
    """Trajectories that solve an equation.

    Args:
        misfit: what data may leave of the equation, relative to their change in time.
        folder: where they are kept if they are too many to be in memory.

    Raises DataError for data that don't solve the equation, and for several axes that aren't all periodic.
    """
    report.stage("data")
    own = own_data(pde, files, report, Room(Checkpoint(folder)))
    for words in own.words:
        report.line(f"data: {words}")
    evolution = evolution_form(read_pde(own.declaration))
    for piece in own.pieces:
        opened = [axis.name for axis in piece.grid.axes if not axis.periodic]
        if opened and len(piece.grid.axes) > 1:
            raise DataError(
                f"{pde.name}: the axis {opened[0]} of the data isn't periodic. What flows through the ends is "
                "added up for one axis of space only.",
                hint="Give data that are periodic in all axes, or leave --data out.",
            )
        if opened and len(piece.time) < LEAST:
            raise DataError(
                f"{pde.name}: {len(piece.time)} times are too few to add up what flows through the ends of the "
                f"axis {opened[0]}.",
                hint=f"Give {LEAST} times or more.",
            )
    left = check_misfit(evolution, own.pieces, pde.name, misfit, report, own.units)
    return Along(own.pieces, evolution, left)


def add_totals(result: LawsResult, along: Along, report: Reporter) -> None:
    """Put the totals of each law along trajectories into a result."""
    report.stage("totals")
    evolution, pieces, result.misfit = along.evolution, along.pieces, along.misfit
    periodic = [piece for piece in pieces if all(axis.periodic for axis in piece.grid.axes)]
    noise = max([NOISE, *(noise_floor(p.values.flatten(0, 1), p.grid) for p in periodic)])
    result.time = pieces[0].time.tolist()
    result.trajectories = sum(piece.samples for piece in pieces)
    names = named(evolution)
    for law in result.laws:
        if law.density is None:
            continue
        density = parse_expression(law.density, names)
        if len(periodic) < len(pieces):
            _balanced(law, density, evolution, pieces, names)
            continue
        if any(density.has(evolution.jets.independent[i]) for i in evolution.space):
            # its total isn't that of a function on the box
            continue
        values = [relative_totals(density, evolution, piece, noise) for piece in pieces]
        changes = [float((v - v[:, :1]).abs().max()) for v in values]
        law.drift = max(changes) if all(map(math.isfinite, changes)) else None
        law.values = [v if math.isfinite(v) else None for v in values[0][0].tolist()]


def _balanced(
    law: LawResult,
    density: sp.Expr,
    evolution: Evolution,
    pieces: Sequence[Trajectories],
    names: dict[str, sp.Expr],
) -> None:
    """Totals with what flows through the ends of intervals of the one axis."""
    if not law.flux:
        return
    (flux,) = (parse_expression(text, names) for text in law.flux.values())
    outflow = outflow_of(flux, evolution)
    found = [balance(density, outflow, evolution, piece) for piece in pieces]
    drift = max(one.drift for one in found)
    law.drift = drift if math.isfinite(drift) else None
    law.values = [v if math.isfinite(v) else None for v in found[0].values[0].tolist()]


def named(evolution: Evolution) -> dict[str, sp.Expr]:
    """What names in densities stand for: variables, and u_xx for derivatives in space."""
    jets, size = evolution.jets, len(evolution.space)
    found: dict[str, sp.Expr] = {str(x): x for x in jets.independent}
    for K in (K for order in range(MOST_ORDER + 1) for K in multi_indices(size, order)):
        J = list(jets.zero)
        for i, n in zip(evolution.space, K, strict=True):
            J[i] = n
        symbols = (jets.symbol(a, tuple(J)) for a in range(len(jets.dependent)))
        found |= {str(s): s for s in symbols}
    return found


def relative_totals(
    density: sp.Expr, evolution: Evolution, piece: Trajectories, noise: float
) -> Float[Tensor, "sample time"]:
    """∫ T dx, relative to the mean of ∫ |T| dx over each trajectory."""
    cut = bandwidth(piece.values.flatten(0, 1), piece.grid, noise)
    inside = OnSlices([density], evolution.jets, evolution.time, piece.grid)
    parts = [inside.totals(low_pass(sample, piece.grid, cut), piece.time) for sample in piece.values]
    totals, sizes = (torch.stack(found)[..., 0] for found in zip(*parts, strict=True))
    size = sizes.mean(1, keepdim=True)
    return totals / torch.where(size > 0, size, torch.ones_like(size))
