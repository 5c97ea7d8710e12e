"""How fast solutions change in time, from their equation: u_t = F(t, x, u, u_x, …).

With the rates an interpolation in time knows twice as much of a solution at each sample. Interpolated over two
steps of the plugins' data by 8 samples, values alone are off by 7e-6 (KS) and 5e-2 (nkdv, which runs up to seven
times as fast as its samples follow), values and rates by 2e-8 and 5e-3.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.augment.resample import Samples, hermite, matrix, rows
from lieapp.equations.evolution import Evolution
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import SpectralDifferentiator

ROUNDING = 1e-11
"""Errors below this share of the whole are equally small."""


class Rates:
    """u_t of solutions on a grid.

    Args:
        time: from 0 on; `start` is its physical beginning.
    """

    def __init__(self, evolution: Evolution, time: Axis, x: Axis, start: float) -> None:
        jets = evolution.jets
        self.step, self._time, self._grid, self._start = time.spacing, time, Grid((x,)), start
        self._needed = {s: index for f in evolution.rhs for s, index in jets.jets(f).items()}
        self._orders = [tuple(J[i] for i in evolution.space) for _, J in self._needed.values()]
        self._tape = Tape(evolution.rhs, [*jets.independent, *self._needed])
        self._time_first = evolution.time == 0

    def __call__(self, samples: Samples) -> Samples:
        """u_t, derivatives in x by Fourier series."""
        like = {"dtype": samples.dtype, "device": samples.device}
        d = SpectralDifferentiator(self._grid, samples.dtype, samples.device)
        jets = [
            d.derivatives(samples[:, a], [J])[J]
            for (a, _), J in zip(self._needed.values(), self._orders, strict=True)
        ]
        t, x = (axis.coordinates(**like) for axis in (self._time, self._grid.axes[0]))
        lines = (self._start + t)[:, None], x[None]
        place = lines if self._time_first else lines[::-1]
        shape = (len(samples), *samples.shape[2:])
        return torch.stack([f.expand(shape) for f in self._tape(*place, *jets)], 1)

    def modes(self, samples: Samples, width: int) -> int:
        """How many of the lowest modes are interpolated better with rates than without, by `width` samples in time.

        Told from every second and every fourth sample, between which the others are known: an error e(4h), then
        e(2h), becomes e(2h)²/e(4h) at the step h itself. Modes near the noise or the end of the spectrum lose with
        their rates, which are off by more than they help. 0 for few samples.
        """
        count = len(range(0, samples.shape[2], 4))
        if count < width + 2:
            return 0
        (better2, worse2), (better4, worse4) = (self._missed(samples, width, every) for every in (2, 4))
        better, worse = better2**2 / better4.maximum(better2), worse2**2 / worse4.maximum(worse2)
        # the mean of a conserved unknown is off by round-off both ways
        lost = ~(better <= worse) & (better2 > ROUNDING**2 * torch.fft.rfft(samples).abs().square().sum())
        return int(lost.double().argmax()) if bool(lost.any()) else len(lost)

    def _missed(
        self, samples: Samples, width: int, every: int
    ) -> tuple[Float[Tensor, " mode"], Float[Tensor, " mode"]]:
        """Squared errors of each mode half-way between some of the samples, with rates and without."""
        values, rates = samples[:, :, ::every], every * self.step * self(samples)[:, :, ::every]
        count = values.shape[2]
        between = torch.arange(count - 1, dtype=samples.dtype, device=samples.device)[None] + 0.5
        nodes, a, b = hermite(between, count, width)
        with_rates = matrix(nodes, a, count)[:, None] @ values + matrix(nodes, b, count)[:, None] @ rates
        exact = samples[:, :, every // 2 :: every][:, :, : count - 1]
        # away from the ends, where a longer step is far worse than the step itself
        inner = slice(width // 2 - 1, count - width // 2)
        better, worse = (
            torch.fft.rfft((found - exact)[:, :, inner]).abs().square().mean((0, 1, 2))
            for found in (with_rates, rows(between, count, width)[:, None] @ values)
        )
        return better, worse
