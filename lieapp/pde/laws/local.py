"""Densities on an open axis: which change by what flows, D_t T + D_x X = 0, on windows in time and space.

For bumps φ(t, x) on windows, c·∫∫ φ D_t T + d·∫∫ φ D_x X with the densities T_k and the terms X_j of fluxes has the
smallest norm over all windows for the best d. The quotient is that norm over the norm of c·∫∫ φ D_t T: 0 where a
flux explains the change of a density, 1 where none explains any of it. Bumps carry the derivatives in time and, in
X, most of those in space.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from lieapp.data.trajectories import Trajectories
from lieapp.equations.jets import MultiIndex, raised
from lieapp.pde.beyond.quotient import Quotient, triangular
from lieapp.pde.laws.densities import Terms
from lieapp.pde.laws.flux_terms import OpenClass
from lieapp.pde.laws.measured import Course, finite
from lieapp.pde.laws.open_axis import balance, outflow_of
from lieapp.pde.weak import Weak

CELLS = 2**21
"""Values of the trajectories that are looked at together, but one at least."""


class OnOpenAxis:
    """The densities and fluxes of a class, on trajectories to find laws on and on those to judge them on."""

    def __init__(self, tried: OpenClass, learn: Sequence[Trajectories], judge: Sequence[Trajectories]) -> None:
        self._tried, self._judge = tried, judge
        self._evolution = tried.ring.evolution
        self._outflows = [term.divergence(self._evolution) for term in tried.fluxes]
        rows = [self._rows(part) for piece in learn for part in _parts(piece)]
        changes, sizes, flows = (torch.cat(parts) for parts in zip(*rows, strict=True))
        sizes = sizes.mean(0)
        sizes = torch.where(sizes > 0, sizes, torch.ones_like(sizes))
        self._norms = torch.linalg.vector_norm(flows, dim=0).clamp_min(1e-300)
        # what is left of the changes beside all flows is the last block
        self._factor = triangular(torch.cat([flows / self._norms, changes / sizes], 1)) / len(changes) ** 0.5
        count = len(tried.fluxes)
        below = triangular(changes / sizes) / len(changes) ** 0.5
        self.quotient = Quotient(self._factor[count:, count:], below, sizes)
        self.time: list[float] = judge[0].time.tolist()

    def _rows(
        self, piece: Trajectories
    ) -> tuple[Float[Tensor, "window density"], Float[Tensor, "1 density"], Float[Tensor, "window flux"]]:
        """∫∫ φ D_t T, the mean of ∫∫ |φ_t| |T|, and ∫∫ φ D_x X."""
        evolution = self._evolution
        jets, (x,) = evolution.jets, evolution.space
        once = raised(jets.zero, evolution.time)
        order = max((J[x] for outflow in self._outflows for J in outflow), default=0)
        weak = Weak(jets, piece, (1, order), evolution.time)
        densities = [density.expression(jets) for density in self._tried.densities]
        changes = np.stack([weak.column({once: T}).ravel() for T in densities], 1)
        sizes = np.array([[weak.size(T, once).mean() for T in densities]])
        flows = np.stack([weak.column(outflow).ravel() for outflow in self._outflows], 1)
        return torch.as_tensor(changes), torch.as_tensor(sizes), torch.as_tensor(flows)

    def course(self, terms: Terms, flux: Mapping[str, sp.Expr]) -> Course:
        """What windows hold and what has flown out of them, by the best flux if none is known. See `Measured`."""
        evolution = self._evolution
        density = sp.Add(*(c * one.expression(evolution.jets) for one, c in terms))
        if flux:
            (known,) = flux.values()
            outflow = outflow_of(known, evolution)
        else:
            outflow = self._best_outflow(terms)
        found = [balance(density, outflow, evolution, piece) for piece in self._judge]
        return Course(found[0].values[0].tolist(), finite(max(one.drift for one in found)))

    def _best_outflow(self, terms: Terms) -> dict[MultiIndex, sp.Expr]:
        """D_x X for the flux that explains most of the change of a combination."""
        count, factor = len(self._outflows), self._factor
        c = torch.zeros(len(self._tried.densities), dtype=torch.float64)
        for density, value in terms:
            c[self._tried.densities.index(density)] = float(value)
        wanted = -factor[:count, count:] @ (c * self.quotient.sizes)
        best, *_ = np.linalg.lstsq(factor[:count, :count].numpy(), wanted.numpy(), rcond=None)
        found: dict[MultiIndex, sp.Expr] = {}
        for d, outflow in zip((best / self._norms.numpy()).tolist(), self._outflows, strict=True):
            for J, E in outflow.items():
                found[J] = found.get(J, sp.S.Zero) + d * E
        return found

    def total(self, k: int) -> None:
        """Ends are open. See `Measured`."""


def _parts(piece: Trajectories) -> Iterator[Trajectories]:
    """So few trajectories together that their derivatives fit into memory."""
    most = max(1, CELLS // max(1, piece.values[0].numel()))
    for first in range(0, piece.samples, most):
        yield piece.select(slice(first, first + most))
