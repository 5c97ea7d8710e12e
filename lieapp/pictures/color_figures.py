"""Figures of fields in the cube of colours: the cube from two sides with arrows, moved palettes, the weight."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lieapp.document import Figure
from lieapp.figures.colour import hexadecimal
from lieapp.figures.svg import FAINT, INK, QUIET, Sheet
from lieapp.pictures.figures import Array, Tensors, arrow
from lieapp.results.pictures import Slot

PANEL, GAP, TOP = 230, 26, 30
"""Pixels of a view of the cube, between views, and above them for a title."""

ARROWS = 160
"""Colours that have an arrow; the longest is as long as `LONGEST` of a view."""

LONGEST = 0.13

PATCHES, PATCH = 40, 17
"""Colours of a palette that are shown, and pixels of the side of each."""

SIDEWAYS = np.array([[-1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
"""Right and up of the view with black below, white above and the grey axis upright."""

ALONG = np.array([[1.0, -0.5, -0.5], [0.0, math.sqrt(0.75), -math.sqrt(0.75)]])
"""Right and up of the view along the grey axis: hues lie around its point, red to the right."""

VIEWS = {"grey axis upright": SIDEWAYS, "along the grey axis": ALONG}


def color_figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    """Cube, palettes and weight."""
    names = [f"slot {row.slot}" for row in slots]
    return [
        Figure(
            "fields", "Fields in the cube of colours", "Arrows start at sampled colours and share a scale in each "
            "slot; the dotted line is the grey axis.", cube_figure(tensors, names),
        ),
        Figure(
            "palette", "Moved palettes", "Sampled colours, from dark to light, moved along each slot.",
            palette_figure(tensors, names),
        ),
        Figure(
            "weight", "Weight of colours", "How much the features depend on pixels of a colour: inner products "
            "count colours by it.", weight_figure(tensors),
        ),
    ]  # fmt: skip


def cube_figure(tensors: Tensors, names: list[str]) -> str:
    """Each learned field as arrows at sampled colours, from two sides; arrows of one field share a scale."""
    colors, learned = tensors["colors"], tensors["learned"]
    some = _spread(colors.shape[1], ARROWS)
    sheet = Sheet(2 * (PANEL + GAP), len(learned) * (PANEL + TOP + GAP), "Learned fields in the cube of colours")
    for row, field in enumerate(learned):
        longest = float(np.linalg.norm(field[:, some], axis=0).max()) or 1.0
        for column, (name, view) in enumerate(VIEWS.items()):
            frame = _Frame(view, column * (PANEL + GAP) + GAP / 2, row * (PANEL + TOP + GAP) + TOP)
            sheet.write(frame.left, frame.top - 10, f"{names[row]}, {name}", size=12, colour=INK)
            frame.draw_edges(sheet)
            for n in some:
                x, y = frame.place(colors[:, n])
                dx, dy = frame.direction(field[:, n] / longest) * LONGEST * PANEL
                sheet.strokes(arrow(x, y, dx, dy), _hex(colors[:, n]), 2.0)
                sheet.strokes(arrow(x, y, dx, dy), INK, 0.5, 0.55)
    return sheet.text()


def weight_figure(tensors: Tensors) -> str:
    """The sampled colours as dots in their own colour, their areas as their weights."""
    colors, weight = tensors["colors"], tensors["weight"]
    sheet = Sheet(2 * (PANEL + GAP), PANEL + TOP + GAP, "Weight of colours")
    sheet.write(GAP / 2, 16, f"{weight.min():.2f} to {weight.max():.2f}, mean 1", size=12, colour=QUIET)
    for column, view in enumerate(VIEWS.values()):
        frame = _Frame(view, column * (PANEL + GAP) + GAP / 2, TOP)
        frame.draw_edges(sheet)
        for n in np.argsort(-weight):
            x, y = frame.place(colors[:, n])
            sheet.disc(x, y, 3.5 * math.sqrt(max(float(weight[n]), 0.0) / float(weight.max())), _hex(colors[:, n]))
    return sheet.text()


def palette_figure(tensors: Tensors, names: list[str]) -> str:
    """Sampled colours, sorted by lightness, moved along each slot to each flow parameter, one row for each."""
    moved, s, colors = tensors["palette/colors"], tensors["palette/s"], tensors["colors"]
    some = _spread(colors.shape[1], PATCHES)
    some = some[np.argsort(colors[:, some].mean(0), kind="stable")]
    high = len(s) * PATCH + TOP
    sheet = Sheet(80 + len(some) * PATCH, len(moved) * high, "Palettes moved along each slot")
    for slot, rows in enumerate(moved):
        top = slot * high + TOP
        sheet.write(0, top - 8, names[slot], size=12, colour=INK)
        for row, value in enumerate(s):
            sheet.write(70, top + (row + 0.75) * PATCH, f"s = {value:.2g}", size=10, anchor="end", colour=QUIET)
            for column, n in enumerate(some):
                sheet.rect(80 + column * PATCH, top + row * PATCH, PATCH, PATCH, _hex(rows[row][:, n]))
    return sheet.text()


class _Frame:
    """A view of the cube in a square of the sheet."""

    def __init__(self, view: Array, left: float, top: float) -> None:
        self.view = view / np.linalg.norm(view, axis=1, keepdims=True)
        self.left, self.top = left, top
        corners = self.view @ np.array(list(itertools.product((0.0, 1.0), repeat=3))).T
        self.middle = (corners.min(1) + corners.max(1)) / 2
        self.scale = PANEL / float((corners.max(1) - corners.min(1)).max())

    def place(self, color: Array) -> tuple[float, float]:
        """Of a colour on the sheet."""
        x, y = (self.view @ color - self.middle) * self.scale
        return self.left + PANEL / 2 + float(x), self.top + PANEL / 2 - float(y)

    def direction(self, vector: Array) -> Array:
        """Of a change of colour on the sheet, a change of 1 across the view having length 1."""
        return (self.view @ vector) * (1, -1)

    def draw_edges(self, sheet: Sheet) -> None:
        """The twelve edges and the grey axis."""
        for start in itertools.product((0.0, 1.0), repeat=3):
            for axis in range(3):
                if start[axis] == 0:
                    end = np.array(start)
                    end[axis] = 1.0
                    sheet.line(*self.place(np.array(start)), *self.place(end), FAINT)
        sheet.line(*self.place(np.zeros(3)), *self.place(np.ones(3)), QUIET, 1.0, "2 3")


def _spread(count: int, most: int) -> np.ndarray:
    """Numbers of at most so many of the colours; they stand in random order already."""
    return np.arange(min(count, most))


def _hex(color: Array) -> str:
    return hexadecimal(np.round(255 * np.clip(color, 0, 1)).astype(np.uint8))
