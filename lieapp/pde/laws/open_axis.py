"""Laws on an axis that isn't periodic: what a total gains must flow in through the ends.

For a bump φ(x) that vanishes at the ends of a window, ∫ φ T dx + ∫∫ φ D_x X dx dt is constant. Parts are taken so
that bumps carry most derivatives: those of data near the ends of an axis are the least accurate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from scipy.interpolate import CubicSpline
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.equations.by_parts import by_parts
from lieapp.equations.evolution import Evolution
from lieapp.equations.jets import MultiIndex, raised
from lieapp.pde.weak import Weak

LEAST = 4
"""Times that a flow is integrated over."""


@dataclass(frozen=True)
class Balance:
    """Totals with what has flown out since the first time, on all windows together, relative to ∫ φ |T| dx.

    Args:
        values: of each trajectory.
        drift: the largest change on any window and trajectory.
    """

    values: Float[Tensor, "sample time"]
    drift: float


def balance(
    density: sp.Expr, outflow: Mapping[MultiIndex, sp.Expr], evolution: Evolution, piece: Trajectories
) -> Balance:
    """The balance of a law with this density and D_x X on one open axis.

    Args:
        outflow: D_x X as J and E of the sum of ∂^J E.
    """
    jets, (x,) = evolution.jets, evolution.space
    weak = Weak(jets, piece, (0, max((J[x] for J in outflow), default=0)), evolution.time, windowed=False)
    held, times = weak.column({jets.zero: density}), weak.times
    size = weak.size(density, jets.zero).mean(1)
    size = np.where(size > 0, size, 1.0)
    kept = held + CubicSpline(times, weak.column(outflow), axis=1).antiderivative()(times)
    change = np.abs(kept - kept[:, :1]) / size.mean(0)
    return Balance(torch.as_tensor(kept.sum(2) / size.sum(1)[:, None]), float(change.max()))


def outflow_of(flux: sp.Expr, evolution: Evolution) -> dict[MultiIndex, sp.Expr]:
    """D_x of a flux as J and E of the sum of ∂^J E."""
    (x,) = evolution.space
    return {raised(J, x): E for J, E in by_parts(flux, evolution.jets, evolution.space).items()}
