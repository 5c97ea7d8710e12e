"""A solution, where a field's flow took it, and how far the moved one is from being a solution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lieapp.report.axes import Axis, Frame
from lieapp.report.colour import png, sequential
from lieapp.report.orbit import (
    LEFT,
    PANEL,
    PIXELS,
    STRIDE_X,
    STRIDE_Y,
    TALL,
    TOP,
    spread,
    spread_all,
    value_bar,
    window,
)
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
