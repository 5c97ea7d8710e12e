"""Totals C = ∫ T dx of proved conservation laws D_t T + D_x X = 0: a penalty on their drift, or a projection.

On a periodic axis, dC/dt = 0 if T and X have its period. Only such laws are used, and only densities polynomial in
the unknowns and their derivatives: those of any state are finite.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lieapp.api import PDE
from lieapp.augment.operator_training import SMALLEST, Channels, Frames, OperatorTask
from lieapp.augment.resample import Samples
from lieapp.equations.equation import System, exact, read_pde
from lieapp.equations.evolution import time_variable
from lieapp.errors import EquationError
from lieapp.lie.beyond.laws import Law, conservation_laws
from lieapp.lie.deadline import Clock
from lieapp.numerics.grid import Grid
from lieapp.pde.laws.slices import OnSlices

BUDGET = 60.0
"""Seconds that the derivation of the laws may take."""

NEWTON, SETTLED = 10, 1e-8
"""Most steps of a projection, and the drift at which it ends: the round-off of predictions is larger."""

PARALLEL = 1e-10
"""Least eigenvalue of the products of gradients of norm 1 up to which they are parallel."""

States = Float[Tensor, "sample frame component x"]


def constant_laws(pde: PDE, order: int) -> tuple[Law, ...]:
    """The proved laws with multipliers up to an order whose totals are constant on the declaration's periodic axis.

    Raises EquationError if there are none.
    """
    system = read_pde(pde)
    found = conservation_laws(system, order, Clock(BUDGET))
    periods = {x: exact(pde.region[x][1]) - exact(pde.region[x][0]) for x in pde.periodic}
    laws = tuple(law for law in found.laws if law.proved and _constant(law, system, periods))
    if not laws:
        raise EquationError(
            f"{pde.name}: none of the {len(found.laws)} conservation laws found, with multipliers up to order "
            f"{order}, can be used: a density must be polynomial in the unknowns, and density and flux must "
            f"have the period of {', '.join(map(str, pde.periodic))}. Families of laws ({len(found.families)} "
            "found) aren't used.",
            hint="Set order higher, or leave penalty and projection out of --with. `lieapp laws` shows all laws.",
        )
    return laws


def _constant(law: Law, system: System, periods: dict[sp.Symbol, sp.Expr]) -> bool:
    """Whether ∫ T dx is a number for every state, and constant along solutions."""
    if law.density is None or law.flux is None:
        return False
    jets, t = system.jets.jets(law.density), time_variable(system)
    if not law.density.is_polynomial(*jets) or any(J[t] for _, J in jets.values()):
        return False
    return all(
        not part.has(x) or sp.expand(part.subs(x, x + period) - part) == 0
        for part in (law.density, *law.flux.values())
        for x, period in periods.items()
    )


class Conserved:
    """The totals of laws of one system along predictions of a task, differentiable in the states.

    Args:
        laws: with densities that depend on t, x, the unknowns and their derivatives in space.
        grid: one uniform periodic axis.
        time: the times of trajectories that predictions are made on.

    Raises EquationError for a function in a density that tensors can't have.
    """

    def __init__(
        self, system: System, laws: Sequence[Law], task: OperatorTask, grid: Grid, time: Float[Tensor, " time"]
    ) -> None:
        densities = [law.density for law in laws if law.density is not None]
        self.names = tuple(map(str, densities))
        self._inside = OnSlices(densities, system.jets, time_variable(system), grid)
        self._task, self._time = task, time

    def totals(
        self, states: States, time: Float[Tensor, "sample frame"]
    ) -> tuple[Float[Tensor, "sample frame law"], Float[Tensor, "sample frame law"]]:
        """∫ T dx and ∫ |T| dx of states in physical units, by the trapezoidal rule and Fourier derivatives.

        A finer grid is no better: on their own one, solutions that it resolves keep their totals to round-off.
        """
        totals, sizes = self._inside.totals(states.flatten(0, 1), time.flatten())
        return totals.unflatten(0, time.shape), sizes.unflatten(0, time.shape)

    def drift(
        self, given: States, predicted: Float[Tensor, "sample later component x"], starts: Int[Tensor, " sample"]
    ) -> Float[Tensor, "sample later law"]:
        """(C predicted - C given) / ∫ |T| dx given, of each predicted state; given are the frames from `starts` on.

        What is given is the mean over its frames.
        """
        before, after = (
            self._time[starts[:, None] + first + torch.arange(states.shape[1], device=starts.device)]
            for first, states in ((0, given), (self._task.gap, predicted))
        )
        totals, sizes = self.totals(given, before)
        found, _ = self.totals(predicted, after)
        return (found - totals.mean(1, keepdim=True)) / sizes.mean(1, keepdim=True).clamp_min(SMALLEST)

    def penalty(
        self, weight: float, given: Channels, predicted: Channels, starts: Int[Tensor, " pair"]
    ) -> Float[Tensor, ""]:
        """`weight` times the mean square drift over pairs, frames and laws."""
        states = [channels.unflatten(1, (self._task.frames, -1)) for channels in (given, predicted)]
        return weight * self.drift(states[0], states[1], starts).square().mean()

    def projected(self, given: Channels, predicted: Channels, starts: Int[Tensor, " pair"]) -> Channels:
        """Predicted states moved along the gradients of the totals until those are the totals given.

        Newton's method for the nearest such state (Hairer, Lubich, Wanner 2006, IV.4). A state stays as it is if
        that brings it no closer: for example one that isn't finite, or where gradients are parallel.
        """
        before, states = (z.unflatten(1, (self._task.frames, -1)).double() for z in (given, predicted))
        moved = states
        for _ in range(NEWTON):
            with torch.enable_grad():
                moved = moved.detach().requires_grad_()
                drift = self.drift(before, moved, starts)
                if not (drift.abs() > SETTLED).any():
                    break
                slopes = [torch.autograd.grad(d.sum(), moved, retain_graph=True)[0] for d in drift.unbind(2)]
            rows = torch.stack(slopes, 2).flatten(3)
            normed = rows / torch.linalg.vector_norm(rows, dim=3, keepdim=True).clamp_min(SMALLEST)
            products = normed @ normed.mT - PARALLEL * torch.eye(rows.shape[2]).to(rows)
            apart = torch.linalg.cholesky_ex(products)[1] == 0
            factors = torch.linalg.solve_ex(rows @ rows.mT, -drift.detach()[..., None])[0]
            factors = factors.where(apart[..., None, None], torch.nan)
            moved = moved.detach() + (rows.mT @ factors)[..., 0].unflatten(2, moved.shape[2:])
        was, left = (self.drift(before, z, starts).abs().amax(2) for z in (states, moved))
        return torch.where((left < was)[:, :, None, None], moved, states).flatten(1, 2).to(predicted)

    def worst(self, samples: Samples, predicted: Frames) -> dict[str, float]:
        """Largest |drift| of each law in predictions from the first training start on: median over samples."""
        start = self._task.starts[0]
        given = samples[:, :, start : start + self._task.frames]
        starts = torch.full((len(samples),), start, device=samples.device)
        drift = self.drift(given.transpose(1, 2), predicted.transpose(1, 2), starts).abs()
        found = torch.nan_to_num(drift, nan=torch.inf).amax(1).median(0).values
        return dict(zip(self.names, found.tolist(), strict=True))
