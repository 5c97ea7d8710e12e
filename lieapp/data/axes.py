"""What an axis is, measured: its spacing, whether solutions repeat over it, and whether the end point is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Literal

import numpy as np

from lieapp.errors import DataError
from lieapp.results.inspection import AxisKind

UNIFORM = 1e-3
"""Largest distance of uniform points from a straight line, in steps; single precision needs this much."""

SEAM = 2.0
"""Jumps at the seam of periodic data are at most this many times those inside."""

WIDTHS = (4, 8, 16, 32)
"""Points on either side of the seam that tell what is beyond it."""

SMOOTH = 1e-9
"""High Fourier modes below this share of the largest can't come from a jump, whatever stands at the seam."""

EQUAL = 1e-6
"""Values differ by less than this share of the largest where an end point is stored again."""


@dataclass(frozen=True)
class Measured:
    """An axis as the values show it.

    Args:
        kind: periodic, open, chebyshev or uneven.
        end_stored: whether the last point repeats the first; `period` is then without it.
        seam: the jumps at the seam over those inside.
        reason: what was measured, in words.
    """

    kind: AxisKind
    spacing: float | None
    end_stored: bool = False
    period: float | None = None
    seam: float | None = None
    reason: str = ""


def spacing_kind(points: np.ndarray) -> Literal["uniform", "chebyshev", "uneven"]:
    """uniform, chebyshev or uneven, for ascending points."""
    n = len(points)
    step = (points[-1] - points[0]) / (n - 1)
    if np.abs(points - np.linspace(points[0], points[-1], n)).max() <= UNIFORM * step:
        return "uniform"
    middle, half = (points[0] + points[-1]) / 2, (points[-1] - points[0]) / 2
    lobatto = -np.cos(np.pi * np.arange(n) / (n - 1))
    roots = -np.cos(np.pi * (np.arange(n) + 0.5) / n)
    for nodes in (lobatto, roots / abs(roots[0])):
        if np.abs((points - middle) / half - nodes).max() <= UNIFORM / n:
            return "chebyshev"
    return "uneven"


def checked_points(points: Any, name: str, where: str) -> np.ndarray:
    """Points as ascending float64 numbers, or as given if they descend. Raises DataError for others."""
    found = np.asarray(points, dtype=np.float64).ravel()
    bad = np.count_nonzero(~np.isfinite(found))
    if bad:
        raise DataError(f"{where}: {name} has {bad} points that aren't finite.", hint="Give finite points.")
    steps = np.diff(found)
    if (steps > 0).all() or (steps < 0).all():
        return found
    i = int(np.argmax(steps * np.sign(found[-1] - found[0] or 1) <= 0))
    equal = "twice" if steps[i] == 0 else f"before {found[i + 1]:g}"
    raise DataError(
        f"{where}: {name} isn't ascending: point {i + 1} is {found[i]:g}, {equal}.",
        hint="Sort the points with their values, leave out what is there twice, or give START:STEP by --map.",
    )


def measure(points: np.ndarray, values: np.ndarray, declared: str = "") -> Measured:
    """An axis of ascending points, by values on it (along their last dimension).

    `declared` is what the file says of it, open or periodic, and is believed.
    """
    spacing = spacing_kind(points)
    step = float(points[-1] - points[0]) / (len(points) - 1)
    if spacing != "uniform":
        return Measured(spacing, None, reason=f"the points are {spacing}")
    if declared == "open":
        return Measured("open", step, reason="the file says that its ends aren't joined")
    if declared == "periodic":
        return Measured("periodic", step, period=step * len(points), reason="the file says so")
    u = values.reshape(-1, values.shape[-1])
    u = u[np.isfinite(u).all(1)]
    size = np.abs(u).max() if u.size else 0.0
    varying = u[np.ptp(u, axis=1) > EQUAL * size] if u.size else u
    if not len(varying):
        return Measured("open", step, reason="the values are constant along it")
    gap = np.abs(varying[:, 0] - varying[:, -1]).max() / size
    left_out, stored = (_seam(v) for v in (varying, varying[:, :-1]))
    tails = [_tail(v) for v in (varying, varying[:, :-1])]
    told = (
        f"jumps at the seam over those inside: {left_out:.2g}, without the last point {stored:.2g}; high "
        f"Fourier modes: {tails[0]:.1g} and {tails[1]:.1g} of the largest"
    )
    repeats = gap <= EQUAL and (stored <= SEAM or tails[1] <= SMOOTH)
    joined = left_out <= SEAM or tails[0] <= SMOOTH
    if repeats and joined:
        # constant near both ends: symmetric points store both, a step that divides the ends stores one
        repeats = abs(points[0] + points[-1]) <= UNIFORM * step
    if repeats:
        length = step * (len(points) - 1)
        return Measured("periodic", step, True, length, stored, f"the end point repeats the first; {told}")
    if joined:
        told = f"values go on over the seam; {told}"
        return Measured("periodic", step, False, step * len(points), left_out, told)
    return Measured("open", step, seam=left_out, reason=f"values don't go on over the seam; {told}")


def _seam(u: np.ndarray) -> float:
    """How much larger jumps at the seam are than those inside: of the value and of three derivatives.

    A jump is the difference of two lines or cubics, fitted to m points on either side. It is compared with a jump
    that nine places in ten inside don't reach: fronts don't count. Of the times, the lower quartile counts: a front
    may stand at the seam for a while. The largest ratio over m and derivatives counts; wide fits see through noise.
    """
    n, worst = u.shape[-1], 0.0
    if n < 2 * WIDTHS[0]:
        return np.inf
    floor = 64 * (np.finfo(np.float32).eps if u.dtype == np.float32 else np.finfo(np.float64).eps)
    size = np.abs(u).max(1)
    for m in WIDTHS:
        if 6 * m > n and m > WIDTHS[0]:
            break
        points = (np.arange(m) + 0.5) / m
        right = np.concatenate([np.linalg.pinv(np.vander(points, k, increasing=True)) for k in (2, 4)])
        left = right[:, ::-1] * np.array([[1], [-1], [1], [-1], [1], [-1]])
        windows = np.lib.stride_tricks.sliding_window_view(u, 2 * m, axis=1)
        across = np.concatenate([u[:, n - m :], u[:, :m]], axis=1)
        for kernel in np.concatenate([-left, right], axis=1):
            inside = np.quantile(np.abs(windows @ kernel), 0.9, axis=1)
            least = np.maximum(inside, floor * np.abs(kernel).sum() * size)
            worst = max(worst, float(np.quantile(np.abs(across @ kernel) / least, 0.25)))
    return worst


def _tail(u: np.ndarray) -> float:
    """The highest third of Fourier modes over the largest mode, at the smoothest quarter of times."""
    modes = np.abs(np.fft.rfft(u - u.mean(1, keepdims=True), axis=1))
    high = modes[:, -max(modes.shape[1] // 3, 1) :]
    return float(np.quantile(high.max(1) / np.maximum(modes.max(1), 1e-300), 0.25))


def noise_level(values: np.ndarray) -> tuple[float, str]:
    """The standard deviation of white noise over that of the values, about or at most, and how it was measured.

    `values` are (sample, t, axes of space). Differences of order k of white noise have the variance C(2k, k) σ²;
    those of a resolved solution vanish with k. The least over orders and axes is taken: where there is no noise, it
    is a bound. Medians leave fronts out.
    """
    spread = float(values.std())
    best = (np.inf, "")
    for axis in range(1, values.ndim):
        d = values.astype(np.float64)
        for order in range(1, 9):
            if d.shape[axis] < 8:
                break
            d = np.diff(d, axis=axis)
            if order >= 2:
                sigma = float(np.median(np.abs(d))) / 0.6745 / np.sqrt(comb(2 * order, order))
                best = min(best, (sigma, f"differences of order {order} along axis {axis}"))
    if not np.isfinite(best[0]) or spread == 0:
        return 0.0, "too few points to measure it"
    return float(best[0] / spread), best[1]


def along(words: str, names: Sequence[str]) -> str:
    """`along axis 2`, as noise_level says it, with the name of that axis."""
    head, _, axis = words.rpartition("axis ")
    return head + names[int(axis) - 1] if axis.isdecimal() else words
