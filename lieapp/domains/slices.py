"""What the linearised residual needs of single times of trajectories, in scaled coordinates.

Scaled coordinates: t and x run over [0, 1], each unknown has standard deviation .29 (the paper's section on σ).
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor

from lieapp.domains.base import Line, Points
from lieapp.numerics.grid import Grid


@dataclass(frozen=True)
class Scales:
    """physical = origin + size x scaled, in the order of the domain's arguments."""

    origin: tuple[float, ...]
    size: tuple[float, ...]


@dataclass(frozen=True)
class Slices:
    """Single times of trajectories.

    Args:
        points: scaled (t, x, u) at the grid points, in the order of the domain's arguments.
        tangents: derivative of the points along the data in scaled t.
        weight: ω, one for PDEs.
        slopes: Q^a = Σ_c slopes[a, c] V_c over the components c.
        slope_rates: their derivatives along the data in scaled t.
        grid: the padded grid the slices live on.
        coefficients: the values of ∂Fᵃ/∂uᵇ_J, in the order of the linearisation's entries, scaled.
        sample: the trajectory of each slice.
    """

    points: Points
    tangents: Points
    weight: Float[Tensor, "batch *space"]
    slopes: Float[Tensor, "batch unknown component *space"]
    slope_rates: Float[Tensor, "batch unknown component *space"]
    coefficients: tuple[Float[Tensor, "batch *space"], ...]
    grid: Grid
    sample: Int[Tensor, " batch"] | None = None

    pairs = None
    """Neighbours are those along the axes."""

    @property
    def lines(self) -> list[Line]:
        """The axes of space, on which a period is 1 in scaled units."""
        axes = self.grid.axes
        return [Line(i - len(axes), 1 / axis.points, axis.periodic) for i, axis in enumerate(axes)]
