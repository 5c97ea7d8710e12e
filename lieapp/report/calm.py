"""Noisy curves: a running mean to read, over what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median

from lieapp.report.charts import Line

FEWEST = 40
"""Points below which a curve is left as it is."""

WINDOW = 1 / 20
"""Share of the points that a mean is over."""

NOISE = 0.01
"""Typical distance of values from their mean above which there is noise, as share of the height of the curve."""


def calmed(line: Line, *, log: bool = False) -> Line:
    """The line as its running mean with the values below, if they are noisy; of logarithms on such an axis."""
    values = [math.log(v) if log and v > 0 else math.nan if log else v for v in line.y]
    known = [v for v in values if math.isfinite(v)]
    if len(known) < FEWEST:
        return line
    means = running_mean(values, max(1, round(WINDOW * len(values) / 2)))
    off = median(abs(v - m) for v, m in zip(values, means, strict=True) if math.isfinite(v))
    if off <= NOISE * (max(known) - min(known)):
        return line
    return replace(line, y=[math.exp(m) for m in means] if log else means, raw=line.y)


def running_mean(values: Sequence[float], half: int) -> list[float]:
    """The mean of each value and of `half` on either side, fewer at the ends; NaN stays and counts for nothing."""
    found = []
    for place, value in enumerate(values):
        # as many on both sides, so that the ends of a falling curve aren't pulled
        side = min(half, place, len(values) - 1 - place)
        near = [v for v in values[place - side : place + side + 1] if math.isfinite(v)]
        found.append(fmean(near) if math.isfinite(value) else math.nan)
    return found
