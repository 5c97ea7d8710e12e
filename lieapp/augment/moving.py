"""Solutions moved along symmetries: every sample by its own random combination, back on the regular grid."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories
from lieapp.errors import UsageError
from lieapp.symbolic.equation import System

Samples = Float[Tensor, "sample component time x"]


@dataclass(frozen=True)
class Moving:
    """How samples are moved.

    Args:
        sigma: the coefficient of each generator is uniform in [-sigma, sigma]; generators have norm 1 on the data
            in scaled coordinates, in which t and x run over [0, 1] and unknowns have standard deviation .29.
        scales: one sigma for each generator, in their order, in place of the common one.
        resampling: "whittaker" (Fourier in x, a polynomial in t), or for comparison "bilinear" or "splat".
        order: of the interpolation in time.
        step: of RK4 in s, for flows without a closed form.
        least: consecutive time samples a moved sample must have inside its own window.
        tries: how often the combination of a sample that has fewer is drawn again.
    """

    sigma: float = 0.2
    scales: tuple[float, ...] = ()
    resampling: str = "whittaker"
    order: int = 8
    step: float = 0.1
    least: int = 2
    tries: int = 10


@dataclass(frozen=True)
class Moved:
    """Moved samples on the grid and at the times of the unmoved ones.

    Args:
        samples: the moved solutions; 0 where not valid.
        valid: times at which the whole of a moved solution is known: it has a time window of its own.
        kept: samples with as many consecutive valid times as asked for.
        rejected: how many combinations were drawn again or given up.
    """

    samples: Samples
    valid: Bool[Tensor, "sample time"]
    kept: Bool[Tensor, " sample"]
    rejected: int = 0


class Mover:
    """Moves samples of one equation on one grid; see `Mover.of`."""

    def __init__(self, data: Trajectories, settings: Moving) -> None:
        self.data, self.settings = data, settings

    @classmethod
    def of(
        cls,
        spec: str,
        equation: PDE | System,
        data: Trajectories,
        settings: Moving = Moving(),
    ) -> Mover:
        """A mover along what `spec` says.

        Args:
            spec: `none`; `truth`, the derived generators; `formulas:RUN`, a run's proved formulas; `fields:RUN` or
                `RUN`, its exact learned fields; `approximate:RUN`, its approximate ones; `d_t`, a translation;
                several joined by `+`. RUN is the path of a run directory.
            equation: the declaration.
            data: unmoved solutions: their grid and times, and the data on which generators have norm 1.
        """
        if spec == "none":
            return cls(data, settings)
        raise UsageError(f"can't move along {spec!r}.", hint="Move along none.")

    def __call__(self, samples: Samples, generator: torch.Generator) -> Moved:
        """Each sample moved by a random combination of its own, with dtype and device of the samples."""
        everywhere = torch.ones(len(samples), samples.shape[2], dtype=torch.bool, device=samples.device)
        return Moved(samples, everywhere, everywhere.any(1))
