"""A solution, where a field's flow took it, and how far the moved one is from being a solution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lieapp.report.axes import Axis, Frame
from lieapp.report.colour import png, sequential
from lieapp.report.orbit import LEFT, PANEL, PIXELS, STRIDE_X, STRIDE_Y, TALL, TOP, spread, value_bar, window
from lieapp.report.quiver import Plane
from lieapp.report.svg import QUIET, Sheet
from lieapp.report.wording import number

Array = NDArray[np.floating]

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


def moved_chart(
    plane: Plane, solution: Array, rows: Sequence[Moved], title: str, beside: Sequence[Array] = ()
) -> str:
    """Unmoved, moved, and the residual's change there; `solution` is (component, *grid).

    `beside` are further residuals that share the scale of colours.
    """
    known = [row.residual for row in rows if row.residual is not None]
    width = STRIDE_X * 3 + BAR + 62 if known else STRIDE_X * 2 + BAR
    sheet = Sheet(width, STRIDE_Y * len(rows) + 4, title)
    colours = residual_axis([plane.slice(part) for part in (*known, *beside)]) if known else None
    for place, row in enumerate(rows):
        _row(sheet, TOP + STRIDE_Y * place, plane, solution[row.unknown], row, colours)
    return sheet.text()


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


def _row(sheet: Sheet, top: float, plane: Plane, solution: Array, row: Moved, colours: Axis | None) -> None:
    name, chosen = plane.unknowns[row.unknown], (1, 0, len(plane.grids) + row.unknown)
    right, up = plane.grids[plane.right], plane.grids[plane.up]
    still = [*(part.T for part in np.meshgrid(right, up, indexing="ij")), plane.slice(solution)]
    moved = [plane.slice(row.points[c]) for c in chosen]
    reach = [[plane.slice(points[c]) for c in chosen] for points in row.reach or ()]
    x_axis, y_axis, low, high = window(plane, [still, moved, *reach])
    axes = (x_axis, y_axis)
    second, third = LEFT + STRIDE_X, LEFT + 2 * STRIDE_X + BAR
    for left, parts, caption in (
        (LEFT, still, f"{row.caption}: original, s = 0"),
        (second, moved, f"moved to s = {number(row.s)}"),
    ):
        shown = sequential(spread(parts, axes, PIXELS)[::-1], low, high)
        _panel(Frame(sheet, left, top, PANEL, TALL, *axes), shown, caption)
    value_bar(sheet, second + PANEL + 12, top, low, high, name)
    if row.residual is not None:
        residual = np.abs(plane.slice(row.residual))
        frame = Frame(sheet, third, top, PANEL, TALL, *axes)
        picture = spread([*moved[:2], residual], axes, PIXELS)[::-1]
        _panel(frame, _residual_colours(picture, colours), f"|Rₛ − R₀|, defect {row.defect}")
        _beside_residual(frame, residual, colours, name)


def _panel(frame: Frame, shown: NDArray[np.uint8], caption: str) -> None:
    frame.sheet.image(frame.left, frame.top, frame.width, frame.height, png(shown))
    frame.draw()
    frame.sheet.write(frame.left, frame.top - 9, caption, bold=True)


def _beside_residual(frame: Frame, residual: Array, colours: Axis | None, name: str) -> None:
    """The bar of colours, or that there is nothing to colour."""
    if not np.isfinite(residual).any():
        middle = frame.left + PANEL / 2
        frame.sheet.write(middle, frame.top + TALL / 2 + 4, "no data left", anchor="middle", colour=QUIET)
    elif colours is not None:
        _residual_bar(frame.sheet, frame.left + PANEL + 12, frame.top, colours, name)


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
