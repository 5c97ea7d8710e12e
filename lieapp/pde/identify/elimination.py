"""Least squares on windows, and backward elimination by the error on windows that were held out.

All drop-one solutions of a step come from one decomposition: without term j the coefficients are
c - G_j c_j / G_jj with G the inverse of the normal matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FOLDS = 5
"""Parts of the windows, each of which is held out once."""

NEAR = 1.2
"""The smallest set within this multiple of the least error is taken."""

ABSENT = 1e-3
"""Terms that make up less than this share of the left side count as absent."""

SINGULAR = 1e-13
"""Singular values below this share of the largest are rounding."""


@dataclass(frozen=True)
class Step:
    """A set of candidates and its relative error on held-out windows."""

    kept: tuple[int, ...]
    error: float


class Fit:
    """A left side against candidates.

    Args:
        columns: (window, candidate); target: (window).
        folds: the fold of each window.
        size: what errors are relative to, the norm of the target unless it is given.
    """

    def __init__(
        self, columns: np.ndarray, target: np.ndarray, folds: np.ndarray, size: float | None = None
    ) -> None:
        self.size = float(np.linalg.norm(target)) if size is None else size
        self.norms = np.linalg.norm(columns, axis=0)
        self.usable = [k for k, norm in enumerate(self.norms) if np.isfinite(norm) and norm > 0]
        self.norms[self.norms == 0] = 1.0
        self.columns, self.target = columns / self.norms, target / (self.size or 1.0)
        self.folds = folds
        whole = np.column_stack([self.columns, self.target])
        parts = [np.asarray(np.linalg.qr(whole[folds == k], mode="r")) for k in np.unique(folds)]
        self._parts = [
            (np.concatenate([p for n, p in enumerate(parts) if n != k]), part) for k, part in enumerate(parts)
        ]  # fmt: skip

    def error(self, kept: Sequence[int]) -> float:
        """The relative error on held-out windows, of all folds together."""
        found = 0.0
        for train, held in self._parts:
            c = np.linalg.lstsq(train[:, kept], train[:, -1], rcond=SINGULAR)[0] if kept else np.zeros(0)
            found += float(np.sum((held[:, -1] - held[:, kept] @ c) ** 2))
        return float(np.sqrt(found))

    def path(self, without: int | None = None) -> list[Step]:
        """From all candidates, or all but one, to none; each step drops that whose loss raises the error least."""
        kept, steps = [k for k in self.usable if k != without], []
        while kept:
            error, errors = 0.0, np.zeros(len(kept))
            for train, held in self._parts:
                u, s, v = np.linalg.svd(train[:, kept], full_matrices=False)
                s = np.maximum(s, SINGULAR * s[0])
                c = v.T @ ((u.T @ train[:, -1]) / s)
                inverse = (v.T / s**2) @ v
                others = c[:, None] - inverse * (c / np.diag(inverse))
                np.fill_diagonal(others, 0.0)
                error += float(np.sum((held[:, -1] - held[:, kept] @ c) ** 2))
                errors += np.sum((held[:, -1:] - held[:, kept] @ others) ** 2, 0)
            steps.append(Step(tuple(kept), float(np.sqrt(error))))
            kept.pop(int(np.argmin(errors)))
        return [*steps, Step((), self.error(()))]

    def coefficients(self, kept: Sequence[int]) -> np.ndarray:
        """Of all windows, in the units of the data."""
        found: np.ndarray = np.linalg.lstsq(self.columns[:, kept], self.target, rcond=SINGULAR)[0]
        return found * self.size / self.norms[list(kept)]

    def residual(self, kept: Sequence[int], coefficients: np.ndarray) -> float:
        """The relative error on all windows with these coefficients."""
        scaled = coefficients * self.norms[list(kept)] / (self.size or 1.0)
        return float(np.linalg.norm(self.target - self.columns[:, kept] @ scaled))

    def shares(self, kept: Sequence[int], coefficients: np.ndarray) -> np.ndarray:
        """The size of each term over that of the left side."""
        return np.abs(coefficients) * self.norms[list(kept)] / (self.size or 1.0)

    def resampled(self, kept: Sequence[int], windows: int, samples: int = 200) -> np.ndarray:
        """Coefficients of resampled windows, of which so many are independent, (sample, candidate)."""
        rng = np.random.default_rng(0)
        drawn, n = max(windows, 2 * len(kept)), len(self.target)
        counts = rng.multinomial(drawn, np.full(n, 1 / n), samples)
        a = self.columns[:, kept]
        normal = np.einsum("br,ri,rj->bij", counts, a, a, optimize=True)
        found = np.einsum("bij,bj->bi", np.linalg.pinv(normal, rcond=SINGULAR), (counts * self.target) @ a)
        return found * self.size / self.norms[list(kept)]


def chosen(path: Sequence[Step]) -> Step:
    """The smallest set that is as good as the best one, up to what counts as absent."""
    best = min(step.error for step in path)
    return min((s for s in path if s.error**2 <= (NEAR * best) ** 2 + ABSENT**2), key=lambda s: len(s.kept))
