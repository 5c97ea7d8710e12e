"""The totals C_k = ∫ T_k dx of densities along trajectories, on periodic axes by Fourier derivatives.

The trapezoidal rule is exact for a product of d factors with modes up to K on more than d K points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.equations.evolution import Evolution
from lieapp.numerics.spectral import bandwidth, low_pass, padded_points, resample
from lieapp.pde.beyond.quotient import NOTHING, Quotient, triangular
from lieapp.pde.laws.densities import Density, Terms
from lieapp.pde.laws.measured import Course, largest_change
from lieapp.pde.laws.slices import OnSlices

MOST = 2**16
"""Numbers of one array at a time: there is one for each step of the computation."""


@dataclass(frozen=True)
class Totals:
    """Totals of densities along trajectories on one grid, in the processor's memory.

    Args:
        time: the times, physical units.
        values: ∫ T_k dx.
        sizes: the mean of ∫ |T_k| dx over times: what a total is small beside.
    """

    time: Float[Tensor, " time"]
    values: Float[Tensor, "sample time density"]
    sizes: Float[Tensor, "sample density"]


def totals(
    evolution: Evolution, piece: Trajectories, densities: Sequence[Density], noise: float, times: int
) -> Totals:
    """The totals of densities on every trajectory at `times` times at most, spread evenly.

    Args:
        noise: modes below this share of the largest are cut: high derivatives would only amplify them.
    """
    piece = _thinned(piece, times)
    values = piece.values.flatten(0, 1)
    cut = bandwidth(values, piece.grid, noise)
    factors = max(density.monomial.degree for density in densities)
    # one more than half the factors: padded_points counts on products whose every mode is wanted
    half = (factors + 2) // 2
    least = [padded_points(axis, k, half) for axis, k in zip(piece.grid.axes, cut, strict=True)]
    fine = piece.grid.refined(tuple(max(n, axis.points) for n, axis in zip(least, piece.grid.axes, strict=True)))
    jets, samples = evolution.jets, piece.samples
    inside = OnSlices([density.expression(jets) for density in densities], jets, evolution.time, fine)
    chunk = max(1, MOST // math.prod(fine.shape))
    rows = [
        inside.totals(resample(low_pass(part, piece.grid, cut), piece.grid, fine), time)
        for part, time in zip(values.split(chunk), piece.time.repeat(samples).split(chunk), strict=True)
    ]
    found, size = (torch.cat(parts).unflatten(0, (samples, -1)) for parts in zip(*rows, strict=True))
    return Totals(piece.time.cpu(), found.cpu(), size.mean(1).cpu())


def _thinned(piece: Trajectories, times: int) -> Trajectories:
    places = torch.linspace(0, len(piece.time) - 1, min(times, len(piece.time))).round().long()
    return replace(piece, time=piece.time[places], values=piece.values[:, places])


class OnPeriods:
    """The totals of densities on periodic axes, of trajectories to find laws on and of those to judge them on."""

    def __init__(self, densities: Sequence[Density], learn: Sequence[Totals], judge: Sequence[Totals]) -> None:
        self._densities, self._learn, self._judge = densities, learn, judge
        self.quotient = quotient(learn)
        self.time: list[float] = judge[0].time.tolist()

    def course(self, terms: Terms, flux: Mapping[str, sp.Expr]) -> Course:
        """Nothing flows through ends. See `Measured`."""
        places = [self._densities.index(density) for density, _ in terms]
        c = torch.tensor([float(value) for _, value in terms], dtype=torch.float64)
        values = [
            (piece.values[..., places] @ c) / (piece.sizes[:, places] @ c.abs())[:, None]
            for piece in self._judge
        ]  # fmt: skip
        return Course(values[0][0].tolist(), largest_change(values))

    def total(self, k: int) -> float:
        """0 if it is rounding. See `Measured`."""
        value = float(torch.cat([piece.values[..., k].flatten() for piece in self._learn]).mean())
        return value if abs(value) > NOTHING * float(self.quotient.sizes[k]) else 0.0


def quotient(pieces: Sequence[Totals]) -> Quotient:
    """Root of the mean over trajectories of the variance in time over that of the variance over all data.

    It is 0 for a conserved total that differs between trajectories, 1 for one whose mean is the same on each.
    Pieces may lie on different grids and at different times; all times count alike.
    """
    count = sum(piece.values.shape[0] * piece.values.shape[1] for piece in pieces)
    sizes = torch.cat([piece.sizes for piece in pieces]).mean(0)
    sizes = torch.where(sizes > 0, sizes, torch.ones_like(sizes))
    scaled = [piece.values / sizes for piece in pieces]
    within = torch.cat([(v - v.mean(1, keepdim=True)).flatten(0, 1) for v in scaled])
    rows = torch.cat([v.flatten(0, 1) for v in scaled])
    return Quotient(triangular(within) / count**0.5, triangular(rows - rows.mean(0)) / count**0.5, sizes)
