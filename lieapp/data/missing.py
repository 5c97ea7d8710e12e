"""Values that are NaN or infinite: refused with what would leave them out, or left out where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lieapp.api import MIN_POINTS
from lieapp.errors import DataError


def check_finite(
    path: Path, name: str, values: np.ndarray, time: str, points: np.ndarray, first: int = 0
) -> None:  # fmt: skip
    """Raises DataError for values of an unknown, (sample, time, space…), that aren't finite; the hint goes on.

    Args:
        time, points: the evolution variable and its values.
        first: how many samples of the file come before.
    """
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    rows = _holes([values])
    clean = [i for i, row in enumerate(rows) if not row.any()]
    start, stop = longest([not column.any() for column in rows.T])
    ways = []
    if stop - start >= MIN_POINTS:
        ends = f"{points[start]:.9g}:{points[stop - 1]:.9g}"
        ways.append(f"--window {time}={ends} keeps the longest stretch without")
    elif first + len(clean) and clean == list(range(len(clean))):
        count = first + len(clean)
        ways.append(f"--samples {count} keeps those without (of augment: --set data.samples={count})")
    samples, times = kept(rows)
    if times.sum() >= MIN_POINTS:
        ways.append(f"--drop-nan leaves out {_left_out(samples, times)}")
    hint = "; ".join(ways) or "Clean the data: interpolate, or leave the trajectory out"
    raise DataError(
        f"{path}: {bad.mean():.2g} of the values of {name} are NaN or infinite, in "
        f"{rows.any(0).sum()} of {rows.shape[1]} times of {rows.any(1).sum()} of {len(rows)} samples"
        f"{f' from sample {first + 1} on' if first else ''}.",
        hint=f"{hint}.",
    )


def whole(path: Path, values: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, str]:
    """Which trajectories and times to keep of unknowns (sample, time, space…), and what is said of the others.

    Raises DataError if fewer times are left than derivatives need.
    """
    rows = _holes(values)
    samples, times = kept(rows)
    if times.sum() >= MIN_POINTS:
        said = f"left out, for they hold NaN or infinite values: {_left_out(samples, times)}" if rows.any() else ""
        return samples, times, said
    raise DataError(
        f"{path}: every time of every trajectory, but {times.sum()}, holds a NaN; at least {MIN_POINTS} times are "
        "needed.",
        hint="Leave out the places that are never known, such as walls, by --window x=…:… or by an index in --map.",
    )


def _holes(values: Sequence[np.ndarray]) -> np.ndarray:
    """Whether anything is missing, for each trajectory and time."""
    found = [~np.isfinite(v).reshape(*v.shape[:2], -1).all(2) for v in values]
    return np.logical_or.reduce(found)


def kept(holes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Trajectories and times without holes (sample, time): again and again the worst of either is left out.

    The worst is the one with the largest share of holes among what is left; of equals, the time.
    """
    samples, times = (np.ones(n, dtype=bool) for n in holes.shape)
    while (left := holes[np.ix_(samples, times)]).any():
        rows, columns = left.mean(1), left.mean(0)
        if columns.max() >= rows.max():
            times[np.flatnonzero(times)[columns == columns.max()]] = False
        else:
            samples[np.flatnonzero(samples)[rows.argmax()]] = False
    return samples, times


def _left_out(samples: np.ndarray, times: np.ndarray) -> str:
    """`2 of 20 times and 1 of 3 trajectories`; if times are uneven without them, this is said."""
    parts = [
        f"{(~some).sum()} of {len(some)} {what}"
        for some, what in ((times, "times"), (samples, "trajectories")) if not some.all()
    ]  # fmt: skip
    inside = np.flatnonzero(times)
    gaps = len(inside) and inside[-1] - inside[0] + 1 > len(inside)
    return " and ".join(parts) + (" (the others are then uneven)" if gaps else "")


def longest(good: Sequence[bool]) -> tuple[int, int]:
    """The longest stretch of true ones, as start and stop."""
    best, start = (0, 0), 0
    for i, value in enumerate([*good, False]):
        if not value:
            best, start = max(best, (start, i), key=lambda pair: pair[1] - pair[0]), i + 1
    return best
