"""One try to find an equation: a left side u_t or u_tt for each unknown, candidates, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from lieapp.pde.identify.candidates import written
from lieapp.pde.identify.elimination import ABSENT, Fit, Step, chosen
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


class Attempt:
    """All unknowns with one set of candidates.

    Args:
        order: of the left sides in time.
    """

    def __init__(self, windows: Windows, candidates: Sequence[sp.Expr], order: int = 1) -> None:
        self.windows, self.order = windows, order
        jets = windows.jets
        self.lefts = [jets.symbol(a, jets.raised(jets.zero, 0, order)) for a in range(len(jets.dependent))]
        damping = [jets.symbol(a, jets.raised(jets.zero, 0)) for a in range(len(jets.dependent))]
        self.candidates = [*candidates, *(damping if order == 2 else [])]
        self.names = [written(term, jets) for term in self.candidates]
        columns = windows.columns([*self.candidates, *self.lefts])
        self.columns, self.targets = columns[:, : len(self.candidates)], columns[:, len(self.candidates) :]
        self.fits = [Fit(self.columns, target, windows.folds) for target in self.targets.T]
        self.paths = [fit.path() for fit in self.fits]
        self.steps: list[Step] = [chosen(path) for path in self.paths]

    def coefficients(self, a: int) -> np.ndarray:
        """Of the chosen terms of one unknown."""
        return self.fits[a].coefficients(self.steps[a].kept)

    @cached_property
    def noise(self) -> list[float]:
        """The error of each unknown that the noise of the data explains."""
        used = sorted({k for step in self.steps for k in step.kept})
        found = self.windows.of_noise([*(self.candidates[k] for k in used), *self.lefts])
        errors = []
        for a, (fit, step) in enumerate(zip(self.fits, self.steps, strict=True)):
            terms = found[:, [used.index(k) for k in step.kept]] @ self.coefficients(a)
            errors.append(float(np.linalg.norm(found[:, len(used) + a] - terms)) / fit.size)
        return errors

    @property
    def error(self) -> float:
        """The largest of all unknowns."""
        return max(step.error for step in self.steps)

    def fails(self, a: int) -> bool:
        """Whether the candidates don't explain the change of one unknown, or only too many of them do."""
        kept, error = self.steps[a].kept, self.steps[a].error
        return error > HIDDEN or not 0 < len(kept) <= LONGEST or error > max(MISSES, EXPLAINED * self.noise[a])

    @cached_property
    def failing(self) -> list[int]:
        """The unknowns whose change isn't explained."""
        return [a for a in range(len(self.fits)) if self.fails(a)]

    def hidden(self, a: int) -> bool:
        """Whether noise may be why the change of one unknown isn't explained."""
        error, level, noise = self.steps[a].error, self.windows.noise, self.noise[a]
        return error > HIDDEN and (level > LOUD or noise > HIDDEN)

    @cached_property
    def inexpressible(self) -> bool:
        """Whether no short equation is made of the candidates, for no other reason that is seen."""
        every = range(len(self.fits))
        others = any(self.drifts) or any(self.hidden(a) or self.apart(a) for a in every)
        return bool(self.failing) and not others

    @cached_property
    def drifts(self) -> list[Drift | None]:
        """For each unknown the coefficient that changes most in time, if such a change explains the error."""
        return [self._drift(a) for a in range(len(self.fits))]

    def _drift(self, a: int) -> Drift | None:
        kept, error = list(self.steps[a].kept), self.steps[a].error
        if not 0 < len(kept) <= LONGEST or error <= ABSENT:
            return None
        t = self.windows.jets.independent[0]
        times = [float(v) for piece in self.windows.pieces for v in (piece.time[0], piece.time[-1])]
        s = (t - (max(times) + min(times)) / 2) / ((max(times) - min(times)) / 2)
        moved = self.windows.columns([s**n * self.candidates[k] for n in (1, 2) for k in kept])
        both = Fit(np.column_stack([self.columns[:, kept], moved]), self.targets[:, a], self.windows.folds)
        every = range(3 * len(kept))
        found = both.error(every)
        if found > BETTER * error or found > DRIFTS:
            return None
        c = both.coefficients(every).reshape(3, -1)
        shares = both.shares(every, c.ravel()).reshape(3, -1)[1:].sum(0)
        k = int(np.argmax(shares))
        first, last = (float(c[0, k] + sign * c[1, k] + c[2, k]) for sign in (-1, 1))
        return Drift(self.names[kept[k]], first, last, found)

    def alternatives(self, a: int) -> list[tuple[str, list[str]]]:
        """Terms of one unknown with those that replace them in a set that is as simple and as good."""
        fit, step, found = self.fits[a], self.steps[a], []
        for k in step.kept:
            fitting = [
                other for other in fit.path(without=k)
                if len(other.kept) <= len(step.kept) + MORE and other.error <= max(ALIKE * step.error, ABSENT)
            ]  # fmt: skip
            if fitting:
                best = min(fitting, key=lambda s: len(s.kept))
                instead = [n for n in best.kept if n not in step.kept]
                found.append((self.names[k], [self.names[n] for n in instead]))
        return found

    def travels(self, a: int) -> bool:
        """Whether one trajectory of one unknown moves without changing its shape, u_t = Σ c u_x."""
        jets, single = self.windows.jets, sum(piece.samples for piece in self.windows.pieces) == 1
        shifts = [jets.symbol(a, jets.raised(jets.zero, i)) for i in range(1, len(jets.independent))]
        return single and self.order == 1 and all(self.candidates[k] in shifts for k in self.steps[a].kept)

    def apart(self, a: int) -> list[str]:
        """The right side of one unknown for each piece, if own equations explain what a common one leaves."""
        windows, error = self.windows, self.steps[a].error
        if len(windows.pieces) < 2 or error <= ABSENT:
            return []
        found, squares = [], 0.0
        for p in range(len(windows.pieces)):
            rows = windows.piece == p
            fit = Fit(self.columns[rows], self.targets[rows, a], folds(windows.blocks[rows]))
            step = chosen(fit.path())
            squares += (step.error * fit.size) ** 2
            parts = zip(fit.coefficients(step.kept), step.kept, strict=True)
            found.append(" + ".join(f"{c:.3g}*{self.names[k]}" for c, k in parts).replace("+ -", "- ") or "0")
        return found if np.sqrt(squares) <= BETTER * error * self.fits[a].size else []
