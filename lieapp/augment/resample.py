"""Moved solutions back on the regular grid.

Whittaker-Shannon interpolation (paper, appendix) reads the trigonometric interpolant of the samples at the places
that the inverse map tells: by phases where a whole line moves by one shift, which is exact, else from a grid that
is REFINED times finer in x and polynomials between its nodes. A polynomial interpolates in time. Bilinear
interpolation and bilinear splatting are there for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.augment.inverse import is_rigid, places, rigid_places
from lieapp.augment.stencil import at_places, rows
from lieapp.numerics.bilinear import Bilinear
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.moved import folded_share
from lieapp.numerics.spectral import resample, wavenumbers

REFINED, WIDTH = 8, 10
"""Finer grid and nodes of the stencil in x; of the highest mode of all an error of 2e-8 is left, (kh/2)^WIDTH."""

METHODS = ("whittaker", "bilinear", "splat")


@dataclass(frozen=True)
class Resampled:
    """Values at the regular nodes.

    Args:
        values: 0 where not valid.
        valid: times at which every node has a value.
        folded: samples whose map is folded, so that a node would have several values or none.
    """

    values: Float[Tensor, "sample component time x"]
    valid: Bool[Tensor, "sample time"]
    folded: Bool[Tensor, " sample"]


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
        self, positions: Float[Tensor, "sample axis time x"], values: Float[Tensor, "sample component time x"]
    ) -> Resampled:
        """Moved values at the regular nodes.

        Args:
            positions: where each node was moved to, time first; x isn't wrapped.
            values: what it carries there.
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
                made[chosen], valid[chosen], lost = way(a[chosen], b[chosen], values[chosen])
                folded = folded.masked_scatter(chosen, folded[chosen] | lost)
        return _masked(made, valid, folded)

    def _shifted(self, a: Tensor, b: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lines that move as a whole: polynomials in time, phases in x. The Nyquist mode stays a cosine."""
        place, shift, inside = rigid_places(a.mean(-1), b.mean(-1), self.order)
        lines = rows(place, values.shape[2], self.order)[:, None] @ values
        k = wavenumbers(Grid((self.x,)), values.dtype, values.device)[0]
        phases = torch.exp(-1j * k * (shift * self.x.spacing)[:, None, :, None])
        made = torch.fft.irfft(torch.fft.rfft(lines) * phases, n=self.x.points)
        return made, inside, torch.zeros_like(inside[:, 0])

    def _gathered(self, a: Tensor, b: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Each node from a place of its own."""
        widths = (self.order, WIDTH)
        fine = self._finer(torch.cat([a[:, None], b[:, None], values], 1))
        where = places(a, b, fine[:, :2], widths)
        time, x = where.time.flatten(1), where.x.flatten(1)
        if self.method == "bilinear":
            made = at_places(values, time, x, (2, 2))
        else:
            made = at_places(fine[:, 2:], time, REFINED * x, widths)
        return made.reshape(values.shape), where.found.all(-1), where.lost.flatten(1).any(1)

    def _finer(self, values: Tensor) -> Tensor:
        """The trigonometric interpolant on a finer grid in x."""
        return resample(values, Grid((self.x,)), Grid((self.x.refined(REFINED * self.x.points),)))


def _masked(values: Tensor, valid: Tensor, folded: Tensor) -> Resampled:
    valid = valid & ~folded[:, None]
    return Resampled(torch.where(valid[:, None, :, None], values, 0), valid, folded)
