"""Trajectories as columns: each term integrated against the bumps of all windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import sympy as sp
import torch

from lieapp.data.axes import noise_level
from lieapp.data.trajectories import Trajectories, check_varying
from lieapp.equations.by_parts import by_parts
from lieapp.equations.jets import JetSpace
from lieapp.errors import DataError
from lieapp.pde.identify.elimination import FOLDS
from lieapp.pde.weak import LEAST, Weak, independent_windows

CELLS = 4_000_000
"""Values of all trajectories that are looked at, but one at least."""

LOOKED = 4
"""Trajectories of a piece in which noise is measured."""

GROWTH = 1e6
"""Growth in time beyond which the last times alone would be heard."""


class Windows:
    """The windows of all trajectories.

    Args:
        jets: of the pieces, `jets_of` one.
        order: the highest number of derivatives in space.

    Raises DataError for data from which no equation can be told: constant, growing without bound, too few times.
    """

    def __init__(self, pieces: Sequence[Trajectories], jets: JetSpace, order: int) -> None:
        self.pieces, self.jets = _some(pieces), jets
        self.order = max(2, order)
        self._check()
        self._weak = [self._windowed(piece) for piece in self.pieces]
        self._shapes = shapes = [w.shape for w in self._weak]
        self.count = sum(int(np.prod(shape)) for shape in shapes)
        self.independent = independent_windows(self.pieces)
        self.piece = np.repeat(np.arange(len(shapes)), [int(np.prod(s)) for s in shapes])
        # windows at the same times of one trajectory are held out together
        sizes = [int(np.prod(s[2:])) for s in shapes for _ in range(s[0] * s[1])]
        self.blocks = np.repeat(np.arange(len(sizes)), sizes)
        self.folds = folds(self.blocks)

    def columns(self, terms: Sequence[sp.Expr]) -> np.ndarray:
        """∫ φ T of each term T, (window, term). Raises DataError where a term isn't finite."""
        return self._of(self._weak, terms)

    def within_places(self, columns: np.ndarray) -> np.ndarray:
        """Columns less their mean over the windows at the same place, of all trajectories of a piece and times."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])[:-1]
        parts = []
        for part, shape in zip(np.split(columns, ends), self._shapes, strict=True):
            whole = part.reshape(*shape, -1)
            parts.append((whole - whole.mean((0, 1), keepdims=True)).reshape(part.shape))
        return np.concatenate(parts)

    def of_noise(self, terms: Sequence[sp.Expr]) -> np.ndarray:
        """What white noise of the data's own level does to the columns."""
        rng = torch.Generator().manual_seed(0)
        noisier = []
        for weak, level in zip(self._weak, self.levels, strict=True):
            values = weak.values
            noise = torch.randn(values.shape, generator=rng, dtype=values.dtype)
            sized = noise * torch.as_tensor(level).reshape(-1, *[1] * (values.ndim - 3))
            noisier.append(self._windowed(replace(weak.data, values=values + sized)))
        return self._of(noisier, terms) - self.columns(terms)

    @cached_property
    def levels(self) -> list[list[float]]:
        """The standard deviation of the noise of each piece and unknown."""
        return [
            [noise_level(z.numpy())[0] * float(z.std()) for z in piece.values[:LOOKED].double().unbind(2)]
            for piece in self.pieces
        ]

    @property
    def noise(self) -> float:
        """The noise over the standard deviation of the values, of the noisiest unknown."""
        return max(
            level / (float(values.std()) or 1.0)
            for piece, levels in zip(self.pieces, self.levels, strict=True)
            for values, level in zip(piece.values[:LOOKED].unbind(2), levels, strict=True)
        )

    def _of(self, several: Sequence[Weak], terms: Sequence[sp.Expr]) -> np.ndarray:
        parts = [by_parts(term, self.jets) for term in terms]
        with np.errstate(all="ignore"):
            rows = [np.stack([weak.column(part).ravel() for part in parts], 1) for weak in several]
            found: np.ndarray = np.concatenate(rows)
            if not np.isfinite(np.linalg.norm(found, axis=0)).all():
                raise DataError(
                    "the values are so large that their powers aren't finite.", hint="Give them in a larger unit."
                )
        return found

    def _windowed(self, piece: Trajectories) -> Weak:
        return Weak(self.jets, piece, (2, self.order))

    def _check(self) -> None:
        check_varying(self.pieces, "the data", "Give data of solutions that vary in time and space.")
        for piece in self.pieces:
            lines = {piece.time_name: len(piece.time), **{axis.name: axis.points for axis in piece.grid.axes}}
            for name, n in lines.items():
                if n < LEAST:
                    raise DataError(
                        f"{name} has {n} points; an equation can be told from {LEAST} on, better from 30.",
                        hint="Give data at more times and points.",
                    )
            size = piece.values.abs().amax(dim=(0, *range(2, piece.values.ndim))).numpy()
            typical = float(np.median(size[: max(1, len(size) // 2)]))
            if typical and size.max() > GROWTH * typical:
                last = piece.time[max(0, int(np.argmax(size > GROWTH * typical / 100)) - 1)]
                raise DataError(
                    f"the values grow from {typical:.2g} to {size.max():.2g}: only the last times would be heard.",
                    hint=f"Take the times before that: --window {piece.time_name}={piece.time[0]:.6g}:{last:.6g}.",
                )


def jets_of(piece: Trajectories) -> JetSpace:
    """The variables, time first, and the unknowns."""
    names = (piece.time_name, *(axis.name for axis in piece.grid.axes))
    return JetSpace(tuple(sp.Symbol(n, real=True) for n in names), tuple(piece.unknowns))


def folds(blocks: np.ndarray) -> np.ndarray:
    """The fold of each window, of ascending numbers of what stays together."""
    numbers = np.unique(blocks, return_inverse=True)[1]
    if not numbers.any():
        numbers = np.arange(len(blocks))  # one time alone: windows in space are held out
    count = int(numbers.max()) + 1
    return numbers * FOLDS // count if count >= FOLDS else numbers


def _some(pieces: Sequence[Trajectories]) -> list[Trajectories]:
    """The first trajectories of each piece that are looked at."""
    most = max(1, CELLS // len(pieces))
    return [p.select(slice(0, max(1, most // max(1, p.values[0].numel())))) for p in pieces]
