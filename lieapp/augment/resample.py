"""Moved solutions back on the regular grid.

Whittaker-Shannon interpolation (paper, appendix) reads the trigonometric interpolant of the samples at the places
that the inverse map tells: by phases where a whole line moves by one shift, which is exact, else from a grid that
is REFINED times finer in x and polynomials between its nodes. A polynomial interpolates in time. Bilinear
interpolation and bilinear splatting are there for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Complex, Float
from torch import Tensor

from lieapp.augment.inverse import Shift, is_rigid, places, rigid_places
from lieapp.augment.stencil import Samples, at_places, hermite, matrix, rows
from lieapp.numerics.bilinear import Bilinear
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import folded_share
from lieapp.numerics.spectral import resample, wavenumbers

REFINED, WIDTH = 8, 10
"""Finer grid and nodes of the stencil in x; of the highest mode of all an error of 2e-8 is left, (kh/2)^WIDTH."""

METHODS = ("whittaker", "bilinear", "splat")

Modes = Complex[Tensor, "sample component time mode"]


@dataclass(frozen=True)
class Resampled:
    """Values at the regular nodes.

    Args:
        values: 0 where not valid.
        valid: times at which every node has a value.
        folded: samples whose map is folded, so that a node would have several values or none.
    """

    values: Samples
    valid: Bool[Tensor, "sample time"]
    folded: Bool[Tensor, " sample"]


@dataclass(frozen=True)
class Solution:
    """Unmoved samples as their equation knows them.

    Args:
        values, rates: u and its change per time step.
        modes: how many of the lowest modes the rates are used for.
    """

    values: Samples
    rates: Samples
    modes: int

    def select(self, chosen: Bool[Tensor, " sample"]) -> Solution:
        """Some of the samples."""
        return Solution(self.values[chosen], self.rates[chosen], self.modes)

    def merged(self, low: Modes, high: Modes) -> Modes:
        """The low modes of one interpolation and the high ones of another."""
        return torch.cat([low[..., : self.modes], high[..., self.modes :]], -1)


class Resampler:
    """From moved nodes to the regular grid.

    Args:
        time, x: the axes; time starts at 0, x is periodic.
        method: one of METHODS.
        order: of the interpolation in time.
    """

    def __init__(self, time: Axis, x: Axis, method: str = "whittaker", order: int = 8) -> None:
        self.grid, self.x, self.method, self.order = Grid((time, x)), x, method, order

    def __call__(
        self,
        positions: Float[Tensor, "sample axis time x"],
        values: Samples,
        before: Solution | None = None,
    ) -> Resampled:
        """Moved values at the regular nodes.

        Args:
            positions: where each node was moved to, time first; x isn't wrapped.
            values: what it carries there.
            before: what it carried, with its rate of change, for a better interpolation in time.
        """
        folded = (folded_share(self.grid, positions) > 0) | ~values.isfinite().flatten(1).all(1)
        if self.method == "splat":
            found = Bilinear(self.grid, [(0, 0)]).jets(positions, values)
            return _masked(found.derivatives[0, 0], found.valid.all(-1), folded)
        nodes = torch.stack(self.grid.mesh(positions.dtype, positions.device))
        steps = [axis.spacing for axis in self.grid.axes]
        # what is folded has no inverse: it stays where it is, and is told
        kept = ~folded[:, None, None]
        a, b = (torch.where(kept, (positions[:, n] - nodes[n]) / step, 0) for n, step in enumerate(steps))
        values = torch.where(kept[:, None], values, 0)
        made, valid = torch.zeros_like(values), torch.zeros_like(values[:, 0, :, 0], dtype=torch.bool)
        rigid = is_rigid(a, b) if self.method == "whittaker" else torch.zeros_like(folded)
        for chosen, way in ((rigid, self._shifted), (~rigid, self._gathered)):
            if bool(chosen.any()):
                own = None if before is None or self.method == "bilinear" else before.select(chosen)
                made[chosen], valid[chosen], lost = way(a[chosen], b[chosen], values[chosen], own)
                folded = folded.masked_scatter(chosen, folded[chosen] | lost)
        return _masked(made, valid, folded)

    def _shifted(
        self, a: Shift, b: Shift, values: Samples, before: Solution | None
    ) -> tuple[Samples, Bool[Tensor, "sample time"], Bool[Tensor, " sample"]]:
        """Lines that move as a whole: polynomials in time, phases in x. The Nyquist mode stays a cosine."""
        times = values.shape[2]
        place, shift, inside = rigid_places(a.mean(-1), b.mean(-1), self.order)
        modes = torch.fft.rfft(rows(place, times, self.order)[:, None] @ values)
        if before is not None:
            i, p, q = hermite(place, times, self.order)
            lines = matrix(i, p, times)[:, None] @ before.values + matrix(i, q, times)[:, None] @ before.rates
            lines = lines + rows(place, times, self.order)[:, None] @ (values - before.values)
            modes = before.merged(torch.fft.rfft(lines), modes)
        k = wavenumbers(Grid((self.x,)), values.dtype, values.device)[0]
        phases = torch.exp(-1j * k * (shift * self.x.spacing)[:, None, :, None])
        return torch.fft.irfft(modes * phases, n=self.x.points), inside, torch.zeros_like(inside[:, 0])

    def _gathered(
        self, a: Shift, b: Shift, values: Samples, before: Solution | None
    ) -> tuple[Samples, Bool[Tensor, "sample time"], Bool[Tensor, " sample"]]:
        """Each node from a place of its own."""
        widths = (self.order, WIDTH)
        displacements = self._finer(torch.stack([a, b], 1))
        where = places(a, b, displacements, widths)
        time, x = where.time.flatten(1), where.x.flatten(1)
        valid, lost = where.found.all(-1), where.lost.flatten(1).any(1)
        if self.method == "bilinear":
            return at_places(values, time, x, (2, 2)).reshape(values.shape), valid, lost
        made = at_places(self._finer(values), time, REFINED * x, widths).reshape(values.shape)
        if before is not None:
            u, rates = self._finer(before.values), self._finer(before.rates)
            better = at_places(u, time, REFINED * x, widths, rates).reshape(values.shape)
            change = at_places(self._finer(values - before.values), time, REFINED * x, widths)
            modes = torch.fft.rfft(better + change.reshape(values.shape))
            merged = before.merged(modes, torch.fft.rfft(made))
            made = torch.fft.irfft(merged, n=self.x.points)
        return made, valid, lost

    def _finer(self, values: Samples) -> Float[Tensor, "sample component time fine"]:
        """The trigonometric interpolant on a finer grid in x."""
        return resample(values, Grid((self.x,)), Grid((self.x.refined(REFINED * self.x.points),)))


def _masked(
    values: Samples, valid: Bool[Tensor, "sample time"], folded: Bool[Tensor, " sample"]
) -> Resampled:
    valid = valid & ~folded[:, None]
    return Resampled(torch.where(valid[:, None, :, None], values, 0), valid, folded)
