"""A solution moved along a generator's flow: pictures of the same window for several flow parameters s."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lieapp.report.axes import Axis, Frame
from lieapp.report.colour import png, sequential
from lieapp.report.quiver import Plane
from lieapp.report.svg import QUIET, Sheet
from lieapp.report.wording import number

Array = NDArray[np.floating]

PANEL, TALL, STRIDE_X, STRIDE_Y, LEFT, TOP = 210, 150, 286, 246, 74, 40
PIXELS = (90, 126)
"""Rows and columns of one picture."""
FINER, DENSE = 6, 4
"""The moved grid is refined at most so much before it is spread, and to so many points for each pixel:
stretched, they then leave few holes."""


def chosen(s: Array) -> list[int]:
    """Which three parameters are drawn: the ends and the one nearest to 0, or 0, half way and the far end."""
    rest = int(np.argmin(np.abs(s)))
    last = len(s) - 1
    wanted = {0, rest, last} if 0 < rest < last else {0, last // 2, last}
    return sorted(wanted)


def orbit_chart(
    plane: Plane, s: Array, points: Array, captions: Sequence[str], title: str, unknown: int = 0
) -> str:
    """A row for each slot; `points` is (slot, s, coordinate, *grid) in physical coordinates."""
    picks = chosen(s)
    rows = len(points)
    sheet = Sheet(STRIDE_X * len(picks) + 70, STRIDE_Y * rows + 4, title)
    row = len(plane.grids) + unknown
    for slot in range(rows):
        moved = [[plane.slice(points[slot, k, c]) for c in (1, 0, row)] for k in picks]
        x_axis, y_axis, low, high = window(plane, moved)
        for place, k in enumerate(picks):
            left, top = LEFT + STRIDE_X * place, TOP + STRIDE_Y * slot
            frame = Frame(sheet, left, top, PANEL, TALL, x_axis, y_axis)
            picture = spread(moved[place], (x_axis, y_axis), PIXELS)
            uri = png(sequential(picture[::-1], low, high))
            sheet.image(left, top, PANEL, TALL, uri)
            frame.draw()
            sheet.write(left, top - 9, _caption(captions[slot] if place == 0 else "", float(s[k])), bold=True)
        right = LEFT + STRIDE_X * (len(picks) - 1) + PANEL + 12
        value_bar(sheet, right, TOP + STRIDE_Y * slot, low, high, plane.unknowns[unknown])
    return sheet.text()


def spread(moved: Sequence[Array], axes: tuple[Axis, Axis], pixels: tuple[int, int]) -> Array:
    """The third of (right, up, value) on a moved grid, averaged over pixels; NaN where none falls.

    Points, not cells, are spread: a folded grid then still shows where its points went.
    """
    return spread_all(moved[:2], moved[2:], axes, pixels)[0]


def spread_all(
    where: Sequence[Array], values: Sequence[Array], axes: tuple[Axis, Axis], pixels: tuple[int, int]
) -> list[Array]:
    """The same of several values on one moved grid (right, up)."""
    rows, columns = pixels
    # the grid's first axis is up, or close to it: time
    finer = [min(FINER, max(1, -(-DENSE * n // count))) for n, count in zip(pixels, where[0].shape, strict=True)]
    x, y = (_refined(part, finer) for part in where)
    column = (x - axes[0].low) / (axes[0].high - axes[0].low) * columns
    row = (y - axes[1].low) / (axes[1].high - axes[1].low) * rows
    # the last grid line lies on the edge: it belongs to the last pixel; what isn't finite lies nowhere
    inside = (column >= 0) & (column <= columns) & (row >= 0) & (row <= rows)
    place = np.zeros(x.shape, dtype=np.intp)
    place[inside] = np.minimum(row[inside].astype(np.intp), rows - 1) * columns
    place[inside] += np.minimum(column[inside].astype(np.intp), columns - 1)
    return [_averaged(_refined(part, finer), inside, place, pixels) for part in values]


def _averaged(z: Array, inside: NDArray[np.bool_], place: NDArray[np.intp], pixels: tuple[int, int]) -> Array:
    """The mean of the points in each pixel."""
    good = inside & np.isfinite(z)
    size = pixels[0] * pixels[1]
    total = np.bincount(place[good], weights=z[good], minlength=size)
    count = np.bincount(place[good], minlength=size)
    with np.errstate(invalid="ignore"):
        return (total / np.where(count, count, np.nan)).reshape(pixels)


def _refined(values: Array, finer: Sequence[int]) -> Array:
    """Bilinear interpolation between the points of an index grid."""
    values = np.asarray(values, dtype=float)
    for axis, count in enumerate(values.shape):
        fine = np.linspace(0, count - 1, finer[axis] * (count - 1) + 1)
        below = np.minimum(fine.astype(int), max(count - 2, 0))
        part = np.expand_dims(fine - below, tuple(k for k in range(values.ndim) if k != axis))
        above = np.minimum(below + 1, count - 1)
        # a flow that left for infinity has points that aren't finite; they are left out where they are drawn
        with np.errstate(invalid="ignore"):
            values = np.take(values, below, axis) * (1 - part) + np.take(values, above, axis) * part
    return values


def window(plane: Plane, moved: Sequence[Sequence[Array]]) -> tuple[Axis, Axis, float, float]:
    """Axes that hold every picture of a row, and the common range of values."""
    ends = []
    for c in range(3):
        values = np.concatenate([part[c].ravel() for part in moved])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        ends.append((low, high if high > low else low + 1.0))
    (x0, x1), (y0, y1), (low, high) = ends
    return Axis(plane.right, x0, x1), Axis(plane.up, y0, y1), low, high


def _caption(slot: str, s: float) -> str:
    words = "original, s = 0" if s == 0 else f"s = {number(s)}"
    return f"{slot}: {words}" if slot else words


def value_bar(sheet: Sheet, x: float, y: float, low: float, high: float, name: str) -> None:
    """The bar of the values' colours, named after the unknown."""
    sheet.image(x, y, 11, TALL, png(sequential(np.linspace(1, 0, 64)[:, None], 0, 1)))
    sheet.rect(x, y, 11, TALL, "none", stroke=QUIET)
    sheet.write(x, y - 9, name, size=11, colour=QUIET)
    for share, value in ((0.0, high), (0.5, (low + high) / 2), (1.0, low)):
        # next to nothing beside the range is nothing: rounding noise in the middle of a symmetric range
        shown = 0.0 if math.fabs(value) < 1e-9 * (high - low) else value
        sheet.write(x + 16, y + share * TALL + 4, number(shown), size=10.5, colour=QUIET)
