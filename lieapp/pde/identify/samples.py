"""Derivatives of trajectories at random nodes: what a right side is learned from and judged on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lieapp.data.trajectories import Trajectories
from lieapp.equations.jets import Jet
from lieapp.pde.weak import derivative, smoothed

EDGE = 4
"""Nodes at the ends of time and of open axes that aren't taken: splines are worse there."""

DEGREE = 7
"""Of splines in time."""

EACH = 4
"""Nodes of a time slice."""


@dataclass(frozen=True)
class Samples:
    """Nodes of trajectories.

    Args:
        jets: (a, J) of each column of `values`, J without the place of time.
        values: (node, jet).
        rates: u_t, (node, unknown).
        places: (node, variable), time first.
        owner: the number of each node's trajectory.
    """

    jets: tuple[Jet, ...]
    values: np.ndarray
    rates: np.ndarray
    places: np.ndarray
    owner: np.ndarray

    def at(self, rows: np.ndarray) -> Samples:
        """Some of the nodes."""
        return Samples(self.jets, self.values[rows], self.rates[rows], self.places[rows], self.owner[rows])

    def columns(self, order: int) -> list[int]:
        """The jets up to an order, those of the highest one last."""
        found = [k for k, (_, J) in enumerate(self.jets) if sum(J) <= order]
        return sorted(found, key=lambda k: sum(self.jets[k][1]) == order)

    def highest(self, order: int) -> int:
        """How many jets are of that order."""
        return sum(sum(J) == order for _, J in self.jets)


def jets_up_to(unknowns: int, axes: int, order: int) -> tuple[Jet, ...]:
    """All (a, J) with |J| up to an order."""
    every = sorted(itertools.product(range(order + 1), repeat=axes), key=lambda J: (sum(J), [-n for n in J]))
    return tuple((a, J) for J in every if sum(J) <= order for a in range(unknowns))


def samples(pieces: Sequence[Trajectories], order: int, nodes: int, seed: int) -> Samples:
    """About so many random nodes of all trajectories, the same share of each."""
    rng, first = np.random.default_rng(seed), pieces[0]
    jets = jets_up_to(len(first.unknowns), len(first.grid.axes), order)
    total, count, parts = sum(piece.values[:, :, 0].numel() for piece in pieces), 0, []
    for piece in pieces:
        parts.append(_of(piece, jets, count, nodes / total, rng))
        count += piece.samples
    columns = zip(*((p.values, p.rates, p.places, p.owner) for p in parts), strict=True)
    return Samples(jets, *(np.concatenate(column) for column in columns))


def _of(piece: Trajectories, jets: Sequence[Jet], count: int, share: float, rng: np.random.Generator) -> Samples:
    values, axes = smoothed(piece), piece.grid.axes
    lines = [piece.time.cpu().numpy(), *(axis.coordinates().numpy() for axis in axes)]
    wanted = max(1, round(share * values[:, :, 0].numel()))
    times = np.asarray(_inside(len(lines[0])))
    total = piece.samples * len(times)
    slices = rng.choice(total, min(total, max(1, wanted // EACH)), replace=False)
    sample, time = slices // len(times), times[slices % len(times)]
    inside = [range(len(z)) if a.periodic else _inside(len(z)) for z, a in zip(lines[1:], axes, strict=True)]
    shape = (len(slices), *map(len, inside))
    flat = np.unique(rng.integers(np.prod(shape), size=wanted))
    own, *where = np.unravel_index(flat, shape)
    where = [np.asarray(part)[k] for part, k in zip(inside, where, strict=True)]
    # derivatives in space of these slices alone: all of many large ones would be much
    some = values[sample, time][:, None]
    found = [derivative(some[:, :, a], axes, J).numpy()[(own, 0, *where)] for a, J in jets]
    owner, nodes = sample[own], (sample[own], time[own], *where)
    rates = [_rate(values[:, :, a], lines[0])[nodes] for a in range(values.shape[2])]
    places = [line[k] for line, k in zip(lines, (time[own], *where), strict=True)]
    return Samples(tuple(jets), np.stack(found, 1), np.stack(rates, 1), np.stack(places, 1), count + owner)


def _inside(count: int) -> range:
    edge = min(EDGE, count // 8)
    return range(edge, count - edge)


def _rate(values: torch.Tensor, times: np.ndarray) -> np.ndarray:
    """u_t of splines through all times, (sample, time, *space)."""
    from scipy.interpolate import make_interp_spline

    degree = DEGREE if len(times) > DEGREE else (len(times) - 2) | 1
    found: np.ndarray = make_interp_spline(times, values.numpy(), degree, axis=1).derivative()(times)
    return found
