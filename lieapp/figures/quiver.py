"""A vector field on a solution: arrows in the plane of two independent variables over its u-component."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lieapp.document import number
from lieapp.figures.axes import Axis, Frame
from lieapp.figures.colour import diverging, png
from lieapp.figures.matrix import colour_bar
from lieapp.figures.svg import INK, QUIET, Sheet

Array = NDArray[np.floating]

PANEL, TALL = 250, 165
LONGEST = 15.0
"""Pixels of the longest arrow: shorter than the step between arrows, so that none touch."""
STRIDE_X, STRIDE_Y, LEFT, TOP = 420, 262, 74, 40
SMALL = 2e-3
"""A component below this share of the field, in scaled coordinates, is drawn as zero: it is noise."""


@dataclass(frozen=True)
class Plane:
    """The two independent variables that span a picture, upwards and to the right, and the rest's slices.

    Args:
        names: all coordinates, independent ones first.
        grids: values of each independent variable.
        scale: physical = scaled x scale, one number for each coordinate.
    """

    names: Sequence[str]
    grids: Mapping[str, Array]
    scale: Array

    @property
    def up(self) -> str:
        """The vertical variable: the first, time by custom."""
        return self.names[0]

    @property
    def right(self) -> str:
        """The horizontal variable: the second."""
        return self.names[1]

    @property
    def unknowns(self) -> list[str]:
        """The coordinates that have no grid."""
        return list(self.names[len(self.grids) :])

    def slice(self, values: Array) -> Array:
        """The values over (up, right): further space axes are cut in their middle."""
        extra = values.ndim - 2
        return values[(slice(None), slice(None), *(values.shape[2 + k] // 2 for k in range(extra)))]

    def axes(self) -> tuple[Axis, Axis]:
        """Horizontal and vertical axis."""
        right, up = self.grids[self.right], self.grids[self.up]
        return (
            Axis(self.right, float(right[0]), float(right[-1])),
            Axis(self.up, float(up[0]), float(up[-1])),
        )


def plane_of(arrays: Mapping[str, Array], coordinates: Sequence[str]) -> Plane | None:
    """What the pictures of a file are drawn over; None where it has fewer than two grid lines."""
    grids = {name: arrays[f"grid/{name}"] for name in coordinates if f"grid/{name}" in arrays}
    if len(grids) < 2:
        return None
    names = [*grids, *(name for name in coordinates if name not in grids)]
    return Plane(names, grids, arrays.get("scale", np.ones(len(names))))


def quiver_chart(plane: Plane, fields: Array, captions: Sequence[str], title: str) -> str:
    """One panel for each field and unknown; `fields` is (field, coordinate, *grid), physical."""
    unknowns = plane.unknowns
    panels = [(f, a) for f in range(len(fields)) for a in range(len(unknowns))]
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    sheet = Sheet(STRIDE_X * columns + 8, STRIDE_Y * rows + 6, title)
    for place, (f, a) in enumerate(panels):
        left = LEFT + STRIDE_X * (place % columns)
        top = TOP + STRIDE_Y * (place // columns)
        frame = Frame(sheet, left, top, PANEL, TALL, *plane.axes())
        _panel(frame, plane, fields[f], a, captions[f])
    return sheet.text()


def _panel(frame: Frame, plane: Plane, field: Array, unknown: int, caption: str) -> None:
    name, row = plane.unknowns[unknown], len(plane.grids) + unknown
    parts = [plane.slice(part) / plane.scale[k] for k, part in enumerate(field)]
    size = math.sqrt(float(np.mean(sum(part**2 for part in parts)))) or 1.0
    strength = parts[row]
    limit = max(float(np.nanquantile(np.abs(strength), 0.99)), SMALL * size)
    if not math.isfinite(limit):
        limit = 1.0
    # row 0 of a picture is on top, the vertical axis grows upwards
    frame.sheet.image(frame.left, frame.top, frame.width, frame.height, png(diverging(strength[::-1], limit)))
    moves = _arrows(frame, parts[1], parts[0], size)
    frame.draw(caption)
    words = _amount(limit * float(plane.scale[row]))
    beside = frame.left + frame.width + 12
    colour_bar(frame.sheet, beside, frame.top, frame.height, (words, "0", f"−{words}"))
    frame.sheet.write(beside, frame.top - 9, f"{name}-component", size=11, colour=QUIET)
    still = [] if moves else [plane.right, plane.up]
    still += [] if float(np.nanmax(np.abs(strength))) > SMALL * size else [name]
    if still:
        below = frame.top + frame.height + 33
        note = f"{' and '.join(still)} not moved"
        frame.sheet.write(frame.left + frame.width, below, note, size=11, anchor="end", colour=QUIET)


def _arrows(frame: Frame, right: Array, up: Array, size: float) -> bool:
    """Draw arrows at about 13 x 9 points, lengths relative to the longest; False if the plane isn't moved."""
    rows, columns = right.shape
    down, across = _points(rows, 9), _points(columns, 13)
    u = right[np.ix_(down, across)] * frame.width
    v = -up[np.ix_(down, across)] * frame.height
    lengths = np.hypot(u, v)
    if not np.isfinite(lengths).all() or lengths.max() < SMALL * size * frame.width:
        return False
    u, v = u * (LONGEST / lengths.max()), v * (LONGEST / lengths.max())
    d = ""
    # evenly spaced, each with the value of the grid point nearest to it
    for i in range(len(down)):
        for j in range(len(across)):
            x = frame.left + (j + 0.5) / len(across) * frame.width
            y = frame.top + (1 - (i + 0.5) / len(down)) * frame.height
            d += _arrow(x, y, float(u[i, j]), float(v[i, j]))
    # a light line under the dark one: visible on both ends of the colour map
    frame.sheet.strokes(d, "#ffffff", 3.0, 0.75)
    frame.sheet.strokes(d, INK, 1.2)
    return True


def _arrow(x: float, y: float, u: float, v: float) -> str:
    """Shaft from tail to tip around (x, y) and the head's two strokes."""
    length = math.hypot(u, v)
    if length < 0.6:
        return f"M{x:.1f} {y:.1f}h.1"
    x0, y0, x1, y1 = x - u / 2, y - v / 2, x + u / 2, y + v / 2
    head = min(5.0, 0.45 * length)
    angle = math.atan2(v, u)
    wings = [(x1 - head * math.cos(angle + a), y1 - head * math.sin(angle + a)) for a in (0.45, -0.45)]
    (ax, ay), (bx, by) = wings
    return f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}M{ax:.1f} {ay:.1f}L{x1:.1f} {y1:.1f}L{bx:.1f} {by:.1f}"


def _points(count: int, wanted: int) -> NDArray[np.intp]:
    """At most `wanted` indices spread over an axis, none on its edge where arrows would leave the frame."""
    taken = min(wanted, count)
    return np.floor((np.arange(taken) + 0.5) * count / taken).astype(np.intp)


def _amount(value: float) -> str:
    return number(value)
