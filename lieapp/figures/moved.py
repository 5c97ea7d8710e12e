"""A solution moved along a generator's flow, for several flow parameters s, and the moved one's residual."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lieapp.document import number
from lieapp.figures.axes import Axis, Frame
from lieapp.figures.colour import png, sequential
from lieapp.figures.quiver import Plane
from lieapp.figures.svg import QUIET, Sheet

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


BAR = 66
"""Room for the bar of values in front of the third picture."""

DECADES = 8
"""Most decades of residuals that colours tell apart."""


@dataclass(frozen=True)
class Moved:
    """One row of pictures.

    Args:
        points: coordinate x nodes, physical.
        residual: on the same nodes, of the equation for that unknown; nan where it can't be taken; None where it
            wasn't taken at all.
        defect: in words.
        reach: each coordinate x nodes, every place that the axes have to hold; `points` only where None.
    """

    caption: str
    s: float
    defect: str
    points: Array
    residual: Array | None
    unknown: int
    reach: Sequence[Array] | None = None


def moved_chart(plane: Plane, solution: Array, rows: Sequence[Moved], title: str) -> str:
    """Unmoved, moved, and the residual's change there; `solution` is (component, *grid)."""
    sheet = Sheet(STRIDE_X * 3 + BAR + 62, STRIDE_Y * len(rows) + 4, title)
    colours = residual_axis([plane.slice(row.residual) for row in rows if row.residual is not None])
    lefts = (LEFT, LEFT + STRIDE_X, LEFT + 2 * STRIDE_X + BAR)
    for place, row in enumerate(rows):
        for left, panel in zip(lefts, _panels(plane, solution[row.unknown], row, colours), strict=False):
            panel.draw(sheet, left, TOP + STRIDE_Y * place)
    return sheet.text()


def moved_panels(plane: Plane, solution: Array, row: Moved, beside: Sequence[Array]) -> list[str]:
    """The same of one row as pictures of their own; residuals `beside` share the scale of colours."""
    known = [] if row.residual is None else [row.residual, *beside]
    colours = residual_axis([plane.slice(part) for part in known]) if known else None
    sheets = []
    for panel in _panels(plane, solution[row.unknown], row, colours):
        sheet = Sheet(LEFT + PANEL + BAR, STRIDE_Y, panel.caption)
        panel.draw(sheet, LEFT, TOP)
        sheets.append(sheet.text())
    return sheets


@dataclass(frozen=True)
class _Panel:
    """One picture: its colours, its axes, and what stands beside or in it."""

    caption: str
    shown: NDArray[np.uint8]
    axes: tuple[Axis, Axis]
    bar: Callable[[Sheet, float, float], None] | None = None
    note: str = ""

    def draw(self, sheet: Sheet, left: float, top: float) -> None:
        """Put it on a sheet."""
        sheet.image(left, top, PANEL, TALL, png(self.shown))
        Frame(sheet, left, top, PANEL, TALL, *self.axes).draw()
        sheet.write(left, top - 9, self.caption, bold=True)
        if self.bar is not None:
            self.bar(sheet, left + PANEL + 12, top)
        if self.note:
            sheet.write(left + PANEL / 2, top + TALL / 2 + 4, self.note, anchor="middle", colour=QUIET)


def residual_axis(residuals: Sequence[Array]) -> Axis | None:
    """The decades that the colours of all rows span; None where there is nothing to colour."""
    sizes = np.concatenate([np.abs(values).ravel() for values in residuals])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not sizes.size:
        return None
    high = math.ceil(math.log10(float(sizes.max())))
    # not the least: a change of sign passes through 0 and would use up the colours
    low = math.floor(math.log10(float(np.quantile(sizes, 0.01))))
    return Axis("", 10.0 ** max(min(low, high - 1), high - DECADES), 10.0**high, log=True)


def _panels(plane: Plane, solution: Array, row: Moved, colours: Axis | None) -> list[_Panel]:
    """Unmoved, moved, and the residual's change where it was taken."""
    name, chosen = plane.unknowns[row.unknown], (1, 0, len(plane.grids) + row.unknown)
    right, up = plane.grids[plane.right], plane.grids[plane.up]
    still = [*(part.T for part in np.meshgrid(right, up, indexing="ij")), plane.slice(solution)]
    moved = [plane.slice(row.points[c]) for c in chosen]
    reach = [row.points] if row.reach is None else row.reach
    held = [[plane.slice(points[c]) for c in chosen] for points in reach]
    x_axis, y_axis, low, high = window(plane, [still, *held])
    axes = (x_axis, y_axis)
    residual = None if row.residual is None else np.abs(plane.slice(row.residual))
    there = spread_all(moved[:2], [part for part in (moved[2], residual) if part is not None], axes, PIXELS)

    def bar(sheet: Sheet, x: float, y: float) -> None:
        value_bar(sheet, x, y, low, high, name)

    before = sequential(spread(still, axes, PIXELS)[::-1], low, high)
    found = [
        _Panel(f"{row.caption}: original, s = 0", before, axes),
        _Panel(f"moved to s = {number(row.s)}", sequential(there[0][::-1], low, high), axes, bar),
    ]
    if residual is not None:
        shown = _residual_colours(there[1][::-1], colours)
        found.append(_Panel(f"|Rₛ − R₀|, defect {row.defect}", shown, axes, *_beside(residual, colours, name)))
    return found


def _beside(
    residual: Array, colours: Axis | None, name: str
) -> tuple[Callable[[Sheet, float, float], None] | None, str]:
    """The bar of the residual's colours, or that there is nothing to colour."""
    if not np.isfinite(residual).any():
        return None, "no data left"
    if colours is None:
        return None, ""
    return lambda sheet, x, y: _residual_bar(sheet, x, y, colours, name), ""


def _residual_colours(picture: Array, colours: Axis | None) -> NDArray[np.uint8]:
    if colours is None:
        # zeros, or nothing: the darkest colour, or grey
        return sequential(picture, 0.0, 1.0)
    low, high = math.log10(colours.low), math.log10(colours.high)
    # a residual of 0 is the smallest one, not a missing one
    return sequential(np.log10(np.maximum(picture, colours.low)), low, high)


def _residual_bar(sheet: Sheet, x: float, y: float, colours: Axis, name: str) -> None:
    sheet.image(x, y, 11, TALL, png(sequential(np.linspace(1, 0, 64)[:, None], 0, 1)))
    sheet.rect(x, y, 11, TALL, "none", stroke=QUIET)
    sheet.write(x, y - 9, f"of {name}", size=11, colour=QUIET)
    for value, words in colours.ticks():
        sheet.write(x + 16, y + (1 - colours.share(value)) * TALL + 4, words, size=10.5, colour=QUIET)
