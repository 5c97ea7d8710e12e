"""Curves (noisy ones with a running mean), the spectrum with its gap, inner products, and trainings' metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median

import numpy as np

from lieapp.document import number
from lieapp.drawing import (
    SERIES,
    Axis,
    Band,
    Bars,
    Curve,
    Dots,
    Drawing,
    MissingError,
    Panel,
    Raster,
    Scale,
    axis_over,
)
from lieapp.figures.material import Json, finite, or_nan
from lieapp.results.augment import label

BROAD = 1.9
"""Width over height of a chart of curves."""


def curves(
    lines: Sequence[Curve], x_label: str, y_label: str, title: str, *, log: bool = False, whole: bool = True,
    shown: Sequence[float] = (),
) -> Drawing:  # fmt: skip
    """Curves with a legend; the vertical axis has the values `shown` in it, too."""
    x = axis_over((v for line in lines for v in line.x), x_label, whole=whole)
    y = axis_over((v for line in lines for v in (*line.y, *_common(line.raw), *shown)), y_label, log=log)
    return Drawing(title, [[Panel(title, lines, x, y, aspect=BROAD)]])


def spectrum(
    etas: Sequence[float], gap_after: int | None, title: str, of: str = "field", label: str = "defect η"
) -> Drawing:
    """The defects of all fields in order, or of something else, with the gap between found and not found."""
    count = len(etas)
    x = Axis(f"index k of the {of}, best first", 0.5, count + 0.5, whole=True)
    y = axis_over(etas, f"{label} (no unit)", log=True)
    # zero and what isn't a number sit hollow on the lower edge: a logarithmic axis can't show them
    shown = [eta if y.low <= eta <= y.high else y.low for eta in etas]
    dots = Dots(
        np.arange(1.0, count + 1),
        np.array(shown),
        [SERIES[2] if gap_after and k <= gap_after else SERIES[1] for k in range(1, count + 1)],
        tips=[f"k = {k}: η = {eta:.3g}" for k, eta in enumerate(etas, 1)],
        hollow=[k for k, (eta, at) in enumerate(zip(etas, shown, strict=True)) if eta != at],
    )
    return Drawing(title, [[Panel(title, [*_gap(etas, gap_after), dots], x, y, aspect=BROAD)]])


def _gap(etas: Sequence[float], after: int | None) -> list[Band]:
    if not after or after >= len(etas):
        return []
    low, high = etas[after - 1], etas[after]
    factor = f", a factor {number(high / low)}" if low > 0 and math.isfinite(high / low) else ""
    return [Band(after + 0.5, f"gap after {after}{factor}")]


def inner_products(
    values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str
) -> Drawing:
    """Inner products in [-1, 1] as coloured cells with numbers; signs have no meaning for a span."""
    scale = Scale("inner product", -1.0, 1.0, diverging=True)
    wide, high = len(columns) - 0.5, len(rows) - 0.5
    cells = Raster(np.array(values, dtype=float), scale, numbers=True)
    x = Axis("derived generator (normalised)", -0.5, wide, names=columns)
    y = Axis("learned slot", high, -0.5, names=rows)
    aspect = max(1.3, 2.5 * len(columns) / len(rows))
    return Drawing(title, [[Panel(title, [cells], x, y, bar=True, aspect=aspect)]])


def bars(rows: Sequence[tuple[str, Mapping[str, float]]], label: str, title: str) -> Drawing:
    """One stacked bar for each row, with parts in the order of their first occurrence.

    Args:
        rows: name and size of each part.
        label: of the axis, with the unit.
    """
    parts = dict.fromkeys(part for _, sizes in rows for part in sizes)
    stacked = Bars([(part, [sizes.get(part, 0.0) for _, sizes in rows]) for part in parts])
    longest = max(sum(sizes.values()) for _, sizes in rows)
    y = Axis("", len(rows) - 0.5, -0.5, names=[name for name, _ in rows])
    panel = Panel(title, [stacked], Axis(label, 0.0, 1.03 * longest or 1.0), y, aspect=max(1.0, 5 / len(rows)))
    return Drawing(title, [[panel]])


def _common(raw: Sequence[float]) -> Sequence[float]:
    """The values without the largest and smallest 2 %: outliers would flatten the curve."""
    values = sorted(v for v in raw if math.isfinite(v))
    cut = len(values) // 50
    return values[cut : len(values) - cut]


FEWEST = 40
"""Curves with fewer points aren't smoothed."""

WINDOW = 1 / 20
"""Window of the running mean, as share of the points."""

NOISE = 0.01
"""A curve is noisy if values typically differ from their mean by more than this share of its height."""


def calmed(line: Curve, *, log: bool = False) -> Curve:
    """The running mean of a noisy curve, with its raw values; averages logarithms on a logarithmic axis."""
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
    """The mean of each value and `half` on either side, fewer at the ends; NaN stays and is ignored in means."""
    found = []
    for place, value in enumerate(values):
        # as many on both sides, so that the ends of a falling curve aren't pulled
        side = min(half, place, len(values) - 1 - place)
        near = [v for v in values[place - side : place + side + 1] if math.isfinite(v)]
        found.append(fmean(near) if math.isfinite(value) else math.nan)
    return found


MOST_POINTS = 400
"""Largest number of points of a training curve; beyond, only every n-th line is drawn."""


def loss_chart(metrics: Sequence[Json]) -> Drawing:
    """The loss over the steps, a curve for each stage; linear, because a sum of logarithms can be negative."""
    if any("variant" in m for m in metrics):
        return _losses_of_variants(metrics)
    lines = [m for m in thinned(metrics) if finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    stages = dict.fromkeys(str(m.get("stage") or "loss") for m in lines)
    found = []
    for stage in stages:
        own = [m for m in lines if str(m.get("stage") or "loss") == stage]
        line = Curve(stage, [or_nan(m.get("step")) for m in own], [or_nan(m.get("loss")) for m in own])
        found.append(calmed(line))
    return curves(found, "training step", "loss (no unit)", "Training loss")


def _losses_of_variants(metrics: Sequence[Json]) -> Drawing:
    """For several trainings, those of the first seed with the most data, each from its first step."""
    lines = [m for m in metrics if "variant" in m and finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    seed, most = lines[0].get("seed"), max(finite(m.get("samples")) or 0 for m in lines)
    own = [m for m in lines if m.get("seed") == seed and (finite(m.get("samples")) or 0) == most]
    found = []
    for variant in dict.fromkeys(str(m["variant"]) for m in own):
        part = thinned([m for m in own if str(m["variant"]) == variant])
        first = or_nan(part[0].get("step")) - 1
        steps = [or_nan(m.get("step")) - first for m in part]
        line = Curve(label(variant), steps, [or_nan(m["loss"]) for m in part], below=variant == "truth")
        found.append(calmed(line, log=True))
    title = f"Training loss, seed {seed}, {most:g} data"
    return curves(found, "training step", "loss (no unit)", title, log=True)


def defect_chart(metrics: Sequence[Json]) -> Drawing:
    """η of each slot over the steps; if a stage has no η, the validity of moved data."""
    shown = thinned(metrics)
    key = "eta" if any(_lists(m, "eta") for m in shown) else "validity"
    lines = [m for m in shown if _lists(m, key)]
    if not lines:
        raise MissingError("No training steps with a defect were recorded.")
    steps = [or_nan(m.get("step")) for m in lines]
    count = max(len(m[key]) for m in lines)
    table = [[*map(or_nan, m[key]), *[math.nan] * (count - len(m[key]))] for m in lines]
    found = [calmed(Curve(f"slot {k + 1}", steps, [row[k] for row in table]), log=True) for k in range(count)]
    y_label = "defect η (no unit)" if key == "eta" else "validity: residual, or angle for pictures (rad)"
    return curves(found, "training step", y_label, "Defect of each slot during training", log=True)


def _lists(line: Json, key: str) -> bool:
    """Whether a line has some values under a key."""
    return isinstance(line.get(key), list) and bool(line[key])


def thinned(metrics: Sequence[Json]) -> list[Json]:
    """Every n-th line and the last one."""
    stride = max(1, math.ceil(len(metrics) / MOST_POINTS))
    kept = list(metrics[::stride])
    if metrics and kept[-1] is not metrics[-1]:
        kept.append(metrics[-1])
    return kept
