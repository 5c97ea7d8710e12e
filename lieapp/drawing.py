"""Figures as data: panels with axes and layers. Drawn by `figures.files` (matplotlib) and `ui.plots` (plotly)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating]

SERIES = ("#0072b2", "#d55e00", "#009e73", "#a6447f", "#8a6d00", "#3d9ad1", "#555555")
"""Okabe and Ito's colour-blind safe palette, darkened for legibility on white."""

SEQUENTIAL = "viridis"
DIVERGING = ("#1e6f9d", "#71a8c4", "#c9dde7", "#f7f5f3", "#eacebd", "#d39774", "#be6533")
"""The middle of Crameri's "vik": even steps in lightness, no red-green contrast, no dark ends that hide arrows."""

WIDE = (6.0, 0.35)
"""Width and opacity of a curve that others may cover."""

MARKED = 24
"""Curves with at most this many points have markers: each point is then a separate computation."""

ASPECT = 1.5
"""Default width over height of a panel."""

DECADES = 100
"""A logarithmic axis ends at ten to the power of this, what lies beyond is left out: its ticks are no numbers."""


class MissingError(Exception):
    """The data of a figure are missing in the run folder; the message says which."""


@dataclass(frozen=True)
class Axis:
    """One direction of a plot.

    Args:
        label: the quantity, with its unit if it has one.
        low, high: the ends; `low` is above 0 on a logarithmic axis.
        whole: ticks at whole numbers only: slots, steps, indices.
        names: labels at 0, 1, 2, … instead of numbers.
        bare: without numbers, if they have no meaning.
    """

    label: str
    low: float
    high: float
    log: bool = False
    whole: bool = False
    names: Sequence[str] = ()
    bare: bool = False


@dataclass(frozen=True)
class Scale:
    """Colours of values from `low` to `high`: from dark to light, or from blue over grey to orange around 0."""

    label: str
    low: float
    high: float
    diverging: bool = False
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """One curve; values that are not finite (or not positive on a logarithmic axis) leave a gap.

    Args:
        hollow: indices of points with a hollow marker, which come from a different computation.
        raw: the values whose running mean is y, drawn lighter below it.
        below: drawn wide and light below the other curves.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    hollow: Collection[int] = ()
    raw: Sequence[float] = ()
    below: bool = False


@dataclass(frozen=True)
class Dots:
    """Markers without a line.

    Args:
        colours: one per marker as #rrggbb, or one for all.
        areas: relative to the default area; empty if all are equal.
        tips: hover texts; empty for the coordinates only.
    """

    x: Array
    y: Array
    colours: Sequence[str]
    areas: Sequence[float] = ()
    tips: Sequence[str] = ()
    hollow: Collection[int] = ()


@dataclass(frozen=True)
class Raster:
    """Values as colours, `rows x columns`; without a scale, RGB bytes `rows x columns x 3`.

    They fill the panel, with the first row and column at the lower end of their axis.

    Args:
        numbers: whether each value is printed in its cell.
    """

    values: Array | NDArray[np.uint8]
    scale: Scale | None = None
    numbers: bool = False


@dataclass(frozen=True)
class Strokes:
    """Lines with gaps at NaN: arrows (dark with a light outline), or `quiet` edges."""

    x: Array
    y: Array
    quiet: bool = False


@dataclass(frozen=True)
class Band:
    """A coloured range of the x axis from its low end to `end`, with a label."""

    end: float
    words: str


@dataclass(frozen=True)
class Bars:
    """Horizontal stacked bars, one for each name of the y axis; each part has a length for each bar."""

    parts: Sequence[tuple[str, Sequence[float]]]


Layer: TypeAlias = Curve | Dots | Raster | Strokes | Band | Bars


@dataclass(frozen=True)
class Panel:
    """A plot with layers, the first one lowest.

    Args:
        bar: whether it has a colour bar for the raster.
        aspect: width over height.
        equal: whether both axes have the same unit.
    """

    title: str
    layers: Sequence[Layer]
    x: Axis
    y: Axis
    bar: bool = False
    note: str = ""
    aspect: float = ASPECT
    equal: bool = False


@dataclass(frozen=True)
class Drawing:
    """Rows of panels."""

    title: str
    rows: Sequence[Sequence[Panel]]


def axis_over(values: Iterable[float], label: str, *, log: bool = False, whole: bool = False) -> Axis:
    """An axis that shows all finite values (all positive ones if logarithmic), with a margin."""
    good = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    low, high = (min(good), max(good)) if good else (0.1, 1.0)
    if log:
        ends = math.floor(math.log10(low)), math.ceil(math.log10(high))
        bottom, top = (min(max(end, -DECADES), DECADES) for end in ends)
        return Axis(label, 10.0**bottom, 10.0 ** max(top, bottom + 1), log=True)
    # one value, or a constant: room around it, so that the line doesn't lie on the frame
    pad = 0.03 * (high - low) if high > low else abs(low) / 2 or 0.5
    return Axis(label, low - pad, high + pad, whole=whole)


def arrows(x: Array, y: Array, dx: Array, dy: Array, axes: tuple[Axis, Axis], aspect: float = ASPECT) -> Strokes:
    """Arrows from (x, y) by (dx, dy), in the units of the axes, with heads of a third of their length.

    Heads are symmetric in a panel of this aspect.
    """
    wide, high = (axes[0].high - axes[0].low) / aspect, axes[1].high - axes[1].low
    u, v = dx / wide, dy / high
    gap = np.full_like(u, np.nan)
    paths = []
    for along, start, step, across, unit in ((u, x, dx, -v, wide), (v, y, dy, u, high)):
        left, right = (start + step + unit * (-0.3 * along + side * across) for side in (0.18, -0.18))
        paths.append(np.stack([start, start + step, gap, left, start + step, right, gap], axis=-1).ravel())
    return Strokes(paths[0], paths[1])


def hexadecimal(colour: Array) -> str:
    """#rrggbb of red, green and blue in [0, 1]."""
    return "#" + "".join(f"{round(255 * min(max(float(part), 0.0), 1.0)):02x}" for part in colour)


def drawable(values: Iterable[float], *, log: bool = False) -> Array:
    """The values, with NaN, which leaves a gap, for those that can't be drawn."""
    found = np.array(list(values), dtype=float)
    least, most = (10.0**-DECADES, 10.0**DECADES) if log else (-np.inf, np.inf)
    found[~np.isfinite(found) | (found < least) | (found > most)] = np.nan
    return found
