"""Whether data solve the equation, and if not which of its terms is off.

In weak form, multiplied by bumps φ that vanish at the ends of windows in time and space and integrated by parts,
u_t = Σ c_k(t) ∂^J E_k reads -∫ φ_t u = Σ (-1)^|J| ∫ c_k ∂^J φ E_k: no derivative of noisy data in time, and none
in space where E_k is a function of u (Messenger & Bortz 2021). Least squares gives each term a factor, all 1 for
data that solve the equation. Between nodes, which may be unevenly spaced, data are splines; without every second
time the integrals come out otherwise if the times are too far apart to tell.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
import torch
from numpy.polynomial import Polynomial

from lieapp.data.trajectories import Trajectories
from lieapp.equations.evolution import Evolution, weak_terms
from lieapp.equations.jets import MultiIndex
from lieapp.numerics.codegen import Tape
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import SpectralDifferentiator, bandwidth, low_pass, noise_floor

SAMPLES = 8
"""Trajectories that are looked at."""

WINDOWS = 8
"""Windows that an axis holds side by side; they overlap by half."""

LEAST = 16
"""Nodes of a window, if there are so many."""

TIMES = 8
"""Fewest times from which something can be told."""

SMOOTH = 3
"""By how much the order to which bumps vanish at the ends exceeds that of the derivatives."""

FINE = 8
"""Nodes of quadrature for each node of the data."""

COARSE = 0.1
"""Relative change of the integrals without every second time above which nothing can be told."""

FITS = 0.1
"""Misfit with the best factors below which the equation's terms are right, and its coefficients aren't."""

ROUNDING = 1e-10
"""Share of its largest possible size below which an integral is rounding."""

FEW_DIGITS = 1e-4
"""Share of its values below which what is left of them without their mean may be rounding."""

OFF = 0.05
"""Departure of a factor from 1 that is told."""

MISSED = 0.05
"""Misfit of data that is warned of."""

NAMED = 3
"""Files that are named one by one; of more the rest is counted."""


@dataclass(frozen=True)
class Misfit:
    """How far data are from solving an equation.

    Args:
        relative: norm of ∫ φ (u_t - Σ T_k) over that of ∫ φ u_t; nan if the times are too far apart.
        fitted: the same with the best factors.
        factors: each term of u_t = Σ T_k with its best factor, those of one unknown after the other.
    """

    relative: float
    fitted: float
    factors: tuple[tuple[str, str, float], ...]

    @property
    def better(self) -> bool:
        """Whether other factors of the terms fit so much better that these are wrong."""
        return self.fitted <= self.relative / 2 and any(abs(a - 1) > OFF for _, _, a in self.factors)

    @property
    def refutes(self) -> bool:
        """Whether the terms are right and their coefficients aren't."""
        return self.better and self.fitted < FITS

    def words(self, whose: str = "they") -> str:
        """What is said of it: the terms that are off, with the factor that the data ask for."""
        said = f"{whose} miss the equation by {_percent(self.relative)} of their change in time"
        if not self.better:
            return f"{said}, and no other factors of its terms fit much better"
        terms = "; ".join(
            f"in the equation of {u} the term {text} should be taken {a:.3g} times"
            for u, text, a in self.factors if abs(a - 1) > OFF
        )  # fmt: skip
        return f"{said}; least squares: {terms} ({_percent(self.fitted)} are left then)"


def _percent(share: float) -> str:
    """Per cent, without a power of ten."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1g} %"


def misfit(evolution: Evolution, pieces: Sequence[Trajectories]) -> Misfit | None:
    """The misfit of trajectories; None if their times are too few or too far apart to tell."""
    chosen, left = [], SAMPLES
    for piece in pieces[:SAMPLES]:
        chosen.append(piece.select(slice(0, max(1, left))))
        left -= chosen[-1].samples
    terms = [weak_terms(evolution, a) for a in range(len(evolution.rhs))]
    highest = max((sum(J) for row in terms for _, (_, J, _) in row), default=0)
    found = [_Piece(evolution, piece, highest) for piece in chosen if len(piece.time) >= TIMES]
    squares, total, factors = np.zeros(2), 0.0, []
    for a, (name, row) in enumerate(zip(evolution.jets.dependent, terms, strict=True)):
        parts = [piece.integrals(a, [t for _, t in row]) for piece in found]
        if not parts or any(part is None for part in parts):
            return None
        change = np.concatenate([part[0] for part in parts if part])
        columns = np.concatenate([part[1] for part in parts if part])
        best, *_ = np.linalg.lstsq(columns, change, rcond=None)
        best[~columns.any(0)] = 1.0
        factors += [(name, str(term), float(b)) for (term, _), b in zip(row, best, strict=True)]
        squares += [np.sum((change - columns @ b) ** 2) for b in (np.ones(len(best)), best)]
        total += float(np.sum(change**2))
    if total == 0:
        return None
    relative, fitted = np.sqrt(squares / total)
    return Misfit(float(relative), float(fitted), tuple(factors))


def misfits(evolution: Evolution, pieces: Sequence[Trajectories]) -> dict[str, Misfit]:
    """The misfit of each file by itself; empty for a single one. Files that don't tell are left out."""
    of: dict[str, list[Trajectories]] = {}
    for piece in pieces:
        of.setdefault(str(piece.facts.get("file", "")), []).append(piece)
    if len(of) < 2:
        return {}
    found = {file: misfit(evolution, part) for file, part in of.items()}
    return {file: one for file, one in found.items() if one is not None}


def unlike(apart: Mapping[str, Misfit], most: float) -> tuple[str, str]:
    """What is said of files that aren't like the others: as an error and as a warning; empty if there are none.

    An error: by itself such a file asks for other coefficients, and misses the equation by more than `most`. A
    warning: it misses it by more than MISSED. If all do alike, nothing is said: that is told of them together.
    """
    wrong = {file: one for file, one in apart.items() if one.refutes and one.relative > most}
    missing = {file: one for file, one in apart.items() if one.relative > MISSED}
    return _named(wrong, apart), _named(missing, apart)


def _differ(some: Mapping[str, Misfit], apart: Mapping[str, Misfit]) -> bool:
    """Whether these are not all files, or ask for different factors."""
    return len(some) < len(apart) or any(
        abs(a - b) > OFF * max(1, abs(a))
        for one, other in itertools.pairwise(some.values()) if one.refutes
        for (_, _, a), (_, _, b) in zip(one.factors, other.factors, strict=True)
    )  # fmt: skip


def _named(some: Mapping[str, Misfit], apart: Mapping[str, Misfit]) -> str:
    if not some or not _differ(some, apart):
        return ""
    told = [f"{file}: {one.words('its data')}" for file, one in [*some.items()][:NAMED]]
    told += [f"{len(some) - NAMED} files more"] if len(some) > NAMED else []
    others = [one.relative for file, one in apart.items() if file not in some]
    if others:
        who = "the other file misses" if len(others) == 1 else f"the other {len(others)} files miss"
        told.append(f"{who} it by {_percent(max(others))}" + " at most" * (len(others) > 1))
    return "; ".join(told)


def _differentiated(J: Sequence[int]) -> int | None:
    """The dimension of (sample, time, *space) along which J differentiates first."""
    return next((place for place, order in enumerate(J, start=2) if order), None)


class _Piece:
    """Trajectories on one grid with the integrals of functions on it."""

    def __init__(self, evolution: Evolution, data: Trajectories, order: int) -> None:
        self.evolution, self.times = evolution, data.time.cpu().numpy()
        power = order + SMOOTH
        self.values = _smoothed(data)
        self.axes = data.grid.axes
        self.time_weights = _weights(self.times, 1, power)
        every = _weights(self.times[::2], 1, power, self.times) if len(self.times) >= 2 * TIMES else None
        self.half_weights = every
        self.space_weights = [_weights(_nodes(axis), order, power) for axis in self.axes]

    def integrals(
        self, a: int, terms: Sequence[tuple[sp.Expr, MultiIndex, sp.Expr]]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """∫ φ u_t and the column of each term, 0 where it is rounding; None if nothing can be told.

        That is so if the times are too far apart for them, if a term isn't finite, or if nothing changes in time.
        """
        evolution, values = self.evolution, self.values
        none = (0,) * len(self.axes)
        change = -self._integral(values[:, :, a].numpy(), self.time_weights[1], none, 1)
        if not change.any():
            return None
        densities = self._evaluated([rate * density for rate, _, density in terms])
        space = [tuple(J[i] for i in evolution.space) for _, J, _ in terms]

        def columns(time: np.ndarray, every: int) -> np.ndarray:
            parts = zip(densities, space, strict=True)
            found = [(-1) ** sum(J) * self._integral(z[:, ::every], time, J, _differentiated(J)) for z, J in parts]
            return np.stack(found, 1) if found else np.zeros((len(change), 0))

        if not all(np.isfinite(density).all() for density in densities):
            return None
        found = columns(self.time_weights[0], 1)
        if self.half_weights is not None:
            sums = found.sum(1)
            rougher = columns(self.half_weights[0], 2).sum(1)
            if np.linalg.norm(rougher - sums) > COARSE * np.linalg.norm(sums):
                return None
        return change, found

    def _integral(self, values: np.ndarray, time: np.ndarray, J: Sequence[int], along: int | None) -> np.ndarray:
        """∫∫ of values of shape (sample, time, *space) times the bumps' derivatives, flattened; 0 if it's rounding.

        Args:
            along: a dimension along which bumps are differentiated, so that a constant adds nothing.
        """
        weights = [time, *(w[n] for w, n in zip(self.space_weights, J, strict=True))]
        found = self._summed(values, weights)
        rest = values if along is None else values - values.mean(along, keepdims=True)
        size = np.maximum(np.abs(rest), FEW_DIGITS * np.abs(values))
        most = self._summed(size, [np.abs(w) for w in weights])
        return found if np.linalg.norm(found) > ROUNDING * np.linalg.norm(most) else np.zeros_like(found)

    def _summed(self, values: np.ndarray, weights: Sequence[np.ndarray]) -> np.ndarray:
        """Σ of values of shape (sample, time, *space) times weights of each axis, flattened."""
        time, *space = weights
        found = np.moveaxis(np.tensordot(values, time, (1, 1)), -1, 1)
        for place, (axis, weight) in enumerate(zip(self.axes, space, strict=True), start=2):
            if axis.periodic:  # the right end is the left one
                found = np.concatenate([found, np.take(found, [0], place)], place)
            found = np.moveaxis(np.tensordot(found, weight, (place, 1)), -1, place)
        return found.ravel()

    def _evaluated(self, expressions: Sequence[sp.Expr]) -> list[np.ndarray]:
        """Expressions in the jets at the nodes."""
        jets, values = self.evolution.jets, self.values
        needed = {s: index for e in expressions for s, index in jets.jets(e).items()}
        shape = values[:, :, 0].shape
        lines = [torch.as_tensor(self.times), *(axis.coordinates() for axis in self.axes)]
        mesh = [z.expand(shape) for z in torch.meshgrid(*lines, indexing="ij")]
        time = self.evolution.time
        coordinates = [*mesh[1 : time + 1], mesh[0], *mesh[time + 1 :]]
        derivatives = [
            _derivative(values[:, :, b], self.axes, tuple(J[i] for i in self.evolution.space))
            for b, J in needed.values()
        ]
        found = Tape(list(expressions), [*jets.independent, *needed])(*coordinates, *derivatives)
        return [z.expand(shape).numpy() for z in found]


def _smoothed(data: Trajectories) -> torch.Tensor:
    """Values in double precision, without noise where all axes are periodic."""
    values = data.values.cpu().double()
    if not all(axis.periodic for axis in data.grid.axes):
        return values
    flat = values.flatten(0, 1)
    floor = noise_floor(flat, data.grid)
    if not floor:
        return values
    return low_pass(flat, data.grid, bandwidth(flat, data.grid, floor)).unflatten(0, values.shape[:2])


def _nodes(axis: Axis) -> np.ndarray:
    """The nodes of an axis, of a periodic one with the right end."""
    nodes = axis.coordinates().numpy()
    return np.append(nodes, axis.left + axis.length) if axis.periodic else nodes


def _derivative(values: torch.Tensor, axes: Sequence[Axis], J: Sequence[int]) -> torch.Tensor:
    """∂^J at the nodes: of Fourier series on periodic axes, of splines on the others."""
    from scipy.interpolate import make_interp_spline

    for dim, (axis, order) in enumerate(zip(axes, J, strict=True), start=2):
        if not order:
            continue
        if axis.periodic:
            line = values.movedim(dim, -1)
            d = SpectralDifferentiator(Grid((axis,)))
            values = d.derivatives(line, [(order,)])[(order,)].movedim(-1, dim)
        else:
            degree = min(order + 4 + order % 2 + 1, axis.points - 1) | 1
            spline = make_interp_spline(axis.coordinates().numpy(), values.numpy(), degree, axis=dim)
            values = torch.as_tensor(spline.derivative(order)(axis.coordinates().numpy()))
    return values


def _weights(nodes: np.ndarray, order: int, power: int, among: np.ndarray | None = None) -> list[np.ndarray]:
    """For each derivative of the bumps up to `order`, w with ∫ φ^(k) f = Σ w f for the spline f through the nodes.

    Args:
        among: the nodes by which windows are chosen, unless `nodes`.
    """
    # only data from elsewhere need it; it takes half a second to load
    from scipy.interpolate import make_interp_spline

    everywhere = nodes if among is None else among
    width = min(len(everywhere), max(LEAST, 2 * len(everywhere) // WINDOWS))
    starts = range(0, len(everywhere) - width + 1, max(1, width // 2))
    ends = [(everywhere[k], everywhere[k + width - 1]) for k in starts]
    bump = Polynomial([1, 0, -1]) ** power
    x, w = np.polynomial.legendre.leggauss(FINE * 8)
    spline = make_interp_spline(nodes, np.eye(len(nodes)), min(5, len(nodes) - 1) | 1)
    result = []
    for k in range(order + 1):
        rows = []
        for left, right in ends:
            half = (right - left) / 2
            pieces = np.linspace(-1, 1, max(2, width // 8) + 1)
            row = np.zeros(len(nodes))
            for a, b in itertools.pairwise(pieces):
                s = (a + b) / 2 + (b - a) / 2 * x
                weight = w * (b - a) / 2 * half ** (1 - k) * (bump.deriv(k) if k else bump)(s)
                row += weight @ spline(left + half * (1 + s))
            rows.append(row)
        result.append(np.stack(rows))
    return result
