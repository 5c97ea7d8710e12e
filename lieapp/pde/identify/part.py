"""Unknowns whose right sides are found together: elimination of candidates, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from lieapp.pde.identify.candidates import written
from lieapp.pde.identify.elimination import ABSENT, Fit, Step, chosen
from lieapp.pde.identify.exact import exact, rounded
from lieapp.pde.identify.restricted import Tied
from lieapp.pde.identify.windows import Windows, folds

EXPLAINED = 3.0
"""Errors up to this multiple of what the noise makes are the noise's."""

MISSES = 0.02
"""Errors above this that the noise doesn't explain: a term is missing among the candidates."""

HIDDEN = 0.5
"""Errors above this tell nothing, whatever explains them."""

LOUD = 0.3
"""Noise above this share of the values is named as what hides an equation."""

BETTER = 0.5
"""Errors that fall below this share of another are better."""

ALIKE = 1.2
"""Errors up to this multiple of another, or the share of what is absent, are as good."""

DRIFTS = 0.1
"""Errors above this aren't explained by coefficients that change in time."""

LONGEST = 10
"""Terms of an equation; more of them only imitate one that isn't among the candidates."""

MORE = 1
"""Terms that a set may have more than another and still be as simple."""


@dataclass(frozen=True)
class Drift:
    """A coefficient that changes in time, from the first to the last, and the error if all may."""

    term: str
    first: float
    last: float
    error: float


@dataclass(frozen=True)
class Found:
    """A term of the chosen equation of one unknown.

    Args:
        candidate: its position.
        meant: the number that is meant, if each that it is made of is one.
        written: the coefficient with the digits that its spread leaves; relations to others are kept exactly.
    """

    candidate: int
    coefficient: float
    spread: float
    meant: sp.Expr | None
    written: sp.Expr


class Measured:
    """Candidates and left sides in weak form, of all unknowns.

    Args:
        order: of the left sides in time.
    """

    def __init__(self, windows: Windows, candidates: Sequence[sp.Expr], order: int) -> None:
        self.windows, self.order = windows, order
        jets = windows.jets
        count = len(jets.dependent)
        self.lefts = [jets.symbol(a, jets.raised(jets.zero, 0, order)) for a in range(count)]
        damping = [jets.symbol(a, jets.raised(jets.zero, 0)) for a in range(count)]
        self.candidates = [*candidates, *(damping if order == 2 else [])]
        self.names = [written(term, jets) for term in self.candidates]
        columns = windows.columns([*self.candidates, *self.lefts])
        self.columns, self.targets = columns[:, : len(self.candidates)], columns[:, len(self.candidates) :]
        self.sizes = np.linalg.norm(self.targets, axis=0)


class Part:
    """Unknowns whose right sides are found together: elimination, and what came of it."""

    def __init__(self, measured: Measured, tied: Tied) -> None:
        self.measured, self.tied, self.names = measured, tied, tied.names(measured.names)
        self.unknowns = list(tied.unknowns)
        self.left = " and ".join(str(measured.lefts[a]) for a in tied.unknowns)
        self.sizes = measured.sizes[self.unknowns]
        self.fit = self._fit(measured.columns, measured.targets, measured.windows.folds)
        self.path = self.fit.path()
        self.step: Step = chosen(self.path)

    def _fit(self, columns: np.ndarray, targets: np.ndarray, folds: np.ndarray) -> Fit:
        own = targets[:, self.unknowns]
        sizes = np.linalg.norm(own, axis=0)
        rest = [left - columns @ base for left, base in zip(own.T, self.tied.base, strict=True)]
        return Fit(
            _stacked((columns @ one for one in self.tied.matrix), sizes), _stacked(rest, sizes),
            np.tile(folds, len(sizes)), float(np.sqrt(len(sizes))),
        )  # fmt: skip

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Of the chosen equations, (unknown, candidate)."""
        kept = list(self.step.kept)
        found: np.ndarray = self.tied.base + self.tied.matrix[:, :, kept] @ self.fit.coefficients(kept)
        return found

    @cached_property
    def noise(self) -> float:
        """The relative error that the noise of the data explains."""
        measured, used = self.measured, np.flatnonzero(self.coefficients.any(0))
        terms, lefts = [measured.candidates[k] for k in used], [measured.lefts[a] for a in self.unknowns]
        noise = measured.windows.of_noise([*terms, *lefts])
        rows = zip(noise[:, len(used) :].T, self.coefficients[:, used], strict=True)
        left = [row - noise[:, : len(used)] @ c for row, c in rows]
        return float(np.linalg.norm(_stacked(left, self.sizes))) / self.fit.size

    @cached_property
    def fails(self) -> bool:
        """Whether the candidates don't explain the change, or only too many of them do."""
        error, short = self.step.error, len(self.step.kept) <= LONGEST and bool(self.coefficients.any())
        return error > HIDDEN or not short or error > max(MISSES, EXPLAINED * self.noise)

    @property
    def hidden(self) -> bool:
        """Whether noise may be why the change isn't explained."""
        return self.step.error > HIDDEN and (self.measured.windows.noise > LOUD or self.noise > HIDDEN)

    def terms(self, a: int) -> list[Found]:
        """The right side of one unknown."""
        place, kept = self.unknowns.index(a), list(self.step.kept)
        z, drawn = self.fit.coefficients(kept), self.fit.resampled(kept, self.measured.windows.independent)
        known = list(zip(z.tolist(), drawn.std(0).tolist(), strict=True))
        meant = [exact(c, spread) for c, spread in known]
        near = [
            sp.Rational(rounded(c, spread)) if number is None else number
            for (c, spread), number in zip(known, meant, strict=True)
        ]
        found = []
        for k in map(int, np.flatnonzero(self.coefficients[place])):
            shares = [self.tied.combinations[j][place][k] for j in kept]
            sure = all(number is not None for number, share in zip(meant, shares, strict=True) if share != 0)
            parts = (share * number for share, number in zip(shares, near, strict=True))
            value = sp.Add(self.tied.fixed[place][k], *parts)
            spread = float((drawn @ self.tied.matrix[place, k, kept]).std())
            coefficient = float(self.coefficients[place, k])
            found.append(Found(k, coefficient, spread, value if sure else None, value))
        return found

    def share(self, a: int, term: Found) -> float:
        """The size of a term over that of the left side."""
        column = self.measured.columns[:, term.candidate]
        return float(abs(term.coefficient) * np.linalg.norm(column) / (self.measured.sizes[a] or 1.0))

    def drift(self) -> Drift | None:
        """The coefficient that changes most in time, if such a change explains the error."""
        measured, kept, error = self.measured, list(self.step.kept), self.step.error
        if not 0 < len(kept) <= LONGEST or error <= ABSENT:
            return None
        windows = measured.windows
        t = windows.jets.independent[0]
        times = [float(v) for piece in windows.pieces for v in (piece.time[0], piece.time[-1])]
        s = (t - (max(times) + min(times)) / 2) / ((max(times) - min(times)) / 2)
        own = self.tied.matrix[:, :, kept]
        used = np.flatnonzero(own.any((0, 2)))
        columns = [windows.columns([s**n * measured.candidates[k] for k in used]) for n in range(3)]
        stacked = [_stacked((c @ one[used] for one in own), self.sizes) for c in columns]
        both = Fit(np.column_stack(stacked), self.fit.target * self.fit.size, self.fit.folds, self.fit.size)
        every = range(3 * len(kept))
        found = both.error(every)
        if found > BETTER * error or found > DRIFTS:
            return None
        c = both.coefficients(every).reshape(3, -1)
        shares = both.shares(every, c.ravel()).reshape(3, -1)[1:].sum(0)
        k = int(np.argmax(shares))
        first, last = (float(c[0, k] + sign * c[1, k] + c[2, k]) for sign in (-1, 1))
        return Drift(self.names[kept[k]], first, last, found)

    def alternatives(self) -> list[tuple[str, list[str]]]:
        """Terms with those that replace them in a set that is as simple and as good."""
        step, found = self.step, []
        for k in step.kept:
            fitting = [
                other for other in self.fit.path(without=k)
                if len(other.kept) <= len(step.kept) + MORE and other.error <= max(ALIKE * step.error, ABSENT)
            ]  # fmt: skip
            if fitting:
                best = min(fitting, key=lambda s: len(s.kept))
                instead = [n for n in best.kept if n not in step.kept]
                found.append((self.names[k], [self.names[n] for n in instead]))
        return found

    def travels(self) -> bool:
        """Whether one trajectory moves without changing its shape, u_t = Σ c u_x."""
        measured, jets = self.measured, self.measured.windows.jets
        single = sum(piece.samples for piece in measured.windows.pieces) == 1
        axes = range(1, len(jets.independent))
        shifts = {jets.symbol(a, jets.raised(jets.zero, i)) for i in axes for a in self.unknowns}
        used = {measured.candidates[k] for k in np.flatnonzero(self.coefficients.any(0))}
        return single and measured.order == 1 and used <= shifts

    def apart(self) -> list[str]:
        """The right side for each piece, if own equations explain what a common one leaves."""
        measured, error = self.measured, self.step.error
        windows = measured.windows
        if len(windows.pieces) < 2 or error <= ABSENT:
            return []
        found, squares = [], 0.0
        for p in range(len(windows.pieces)):
            rows = windows.piece == p
            fit = self._fit(measured.columns[rows], measured.targets[rows], folds(windows.blocks[rows]))
            step = chosen(fit.path())
            squares += step.error**2 * float(np.sum(measured.targets[rows][:, self.unknowns] ** 2))
            parts = zip(fit.coefficients(step.kept), step.kept, strict=True)
            found.append(" + ".join(f"{c:.3g}*{self.names[k]}" for c, k in parts).replace("+ -", "- ") or "0")
        return found if np.sqrt(squares) <= BETTER * error * np.linalg.norm(self.sizes) else []


def _stacked(rows: Iterable[np.ndarray], sizes: np.ndarray) -> np.ndarray:
    """Arrays of each unknown, over the size of its left side, one below the other."""
    return np.concatenate([row / (size or 1.0) for row, size in zip(rows, sizes, strict=True)])
