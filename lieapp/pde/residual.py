"""The residual u_t - F of moved data (the paper's validity score), with derivatives taken on the moved nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lieapp.domains.solutions import Patches, Scales, time_first, time_to
from lieapp.equations.evolution import Evolution
from lieapp.numerics.codegen import Tape
from lieapp.numerics.differentiator import differentiator
from lieapp.numerics.grid import Grid
from lieapp.numerics.moved import MovedDifferentiator, column, folded_share

EDGE = 1e-6
"""How far outside [0, 1] a scaled time may lie by round-off."""


@dataclass(frozen=True)
class Backend:
    """A differentiator of moved data by name, with its options."""

    name: str = "curvilinear"
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Residual:
    """The equation's residual on moved nodes, in scaled units: relative change of u per time window.

    Args:
        value: u_t - F in units of the unknown's scale over the length of the window; 0 where not valid.
        valid: nodes that count: the derivatives exist and the time window wasn't left.
        folded: share of the nodes inside the time window where the moved grid is folded, for each batch entry.
    """

    value: Float[Tensor, "batch component *index"]
    valid: Bool[Tensor, "batch *index"]
    folded: Float[Tensor, " batch"]

    def beyond(self, unmoved: Residual) -> Residual:
        """Less the residual of the unmoved data node by node: most of what differentiation leaves cancels.

        `unmoved` may hold fewer entries, which then repeat.
        """
        times = len(self.valid) // len(unmoved.valid)
        value, valid = (z.repeat(times, *[1] * (z.ndim - 1)) for z in (unmoved.value, unmoved.valid))
        valid = valid & self.valid
        return Residual(torch.where(valid[:, None], self.value - value, 0), valid, self.folded)

    def mean(self, power: int = 1) -> Float[Tensor, " batch"]:
        """(mean |u_t - F|^power)^(1/power) over valid nodes and components; inf where no node is valid.

        Power 1 is the paper's validity score, power 2 the root mean square.
        """
        count = self.valid.flatten(1).sum(1)
        tiny = torch.finfo(self.value.dtype).tiny
        average = (self.value.abs() ** power).mean(1).flatten(1).sum(1) / count.clamp_min(1)
        # away from 0, where a root has no derivative
        score = average if power == 1 else (average + tiny) ** (1 / power)
        return torch.where(count > 0, score, torch.inf)

    def share(self) -> Float[Tensor, " batch"]:
        """Share of valid nodes."""
        return self.valid.flatten(1).to(self.value.dtype).mean(1)


def _accuracy(grid: Grid, depth: int) -> int:
    """The highest order of differences that leaves half of every open axis untrimmed; 2 if none does."""
    fewest = min((axis.points for axis in grid.axes if not axis.periodic), default=0)
    return next((accuracy for accuracy in (8, 6, 4) if 2 * accuracy * depth + 2 <= fewest), 2)


class FiniteResidual:
    """u_t - F[u] of moved patches.

    Args:
        backend: weno, curvilinear or bilinear.
        options: of that differentiator.

    Raises ConfigError or GridError where the differentiator can't serve the equation on the grid.
    """

    def __init__(
        self,
        evolution: Evolution,
        scales: Scales,
        grid: Grid,
        backend: str,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.evolution, self.scales = evolution, scales
        jets = evolution.jets
        self._needed = {s: index for f in evolution.rhs for s, index in jets.jets(f).items()}
        self._orders = [self._time_first(J) for _, J in self._needed.values()]
        self._rate = (1, *(0 for _ in evolution.space))
        self._plain = (0,) * (1 + len(evolution.space))
        self._tape = Tape(evolution.rhs, [*jets.independent, *self._needed])
        orders = [self._plain, self._rate, *self._orders]
        chosen = dict(options or {})
        if backend == "curvilinear":
            chosen.setdefault("accuracy", _accuracy(grid, max(map(sum, orders))))
        self.differentiator: MovedDifferentiator = differentiator(backend, grid, orders, **chosen)

    def _time_first(self, J: tuple[int, ...]) -> tuple[int, ...]:
        return (J[self.evolution.time], *(J[i] for i in self.evolution.space))

    def __call__(self, patches: Patches) -> Residual:
        """The residual of patches, moved or not; their scales and grid must be the ones given."""
        time, axes = self.evolution.time, len(self.evolution.jets.independent)
        points, dims = patches.points, patches.points.ndim - 2
        size, origin = (
            torch.tensor(v, dtype=points.dtype, device=points.device).reshape(1, -1, *[1] * dims)
            for v in (self.scales.size, self.scales.origin)
        )
        corner = column(patches.corner, dims)
        # away from the corner in double precision: late times have few digits left in float32
        shift = (time_first(origin.double(), time, axes) - corner).to(points.dtype)
        positions = time_first(points[:, :axes] * size[:, :axes], time, axes) + shift
        jets = self.differentiator.jets(positions, points[:, axes:])
        where = time_to(jets.positions + corner.to(points.dtype), time)
        unknowns = size[0, axes:].flatten()
        derivatives = [
            jets.derivatives[J][:, b] * unknowns[b]
            for (b, _), J in zip(self._needed.values(), self._orders, strict=True)
        ]
        found = torch.stack(self._tape(*where.unbind(1), *derivatives), 1)
        rate = jets.derivatives[self._rate]
        value = size[:, time : time + 1] * (rate - found / unknowns.reshape(1, -1, *[1] * dims))
        valid = jets.valid & self._inside(where[:, time]) & value.detach().isfinite().all(1)
        folded = jets.folded
        if bool(folded.any()):
            # a flow may do what it likes where its nodes have left the window: nothing is judged there
            moved = self._inside((positions + corner.to(points.dtype))[:, 0])
            folded = folded_share(self.differentiator.grid, positions, moved)
        return Residual(torch.where(valid[:, None], value, 0), valid, folded)

    def _inside(self, times: Float[Tensor, "batch *index"]) -> Bool[Tensor, "batch *index"]:
        """Which of these times lie in the window of the data."""
        time = self.evolution.time
        scaled = (times.detach() - self.scales.origin[time]) / self.scales.size[time]
        return (scaled >= -EDGE) & (scaled <= 1 + EDGE)
