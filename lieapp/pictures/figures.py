"""Figures of pictures: strips of moved ones, and fields: in the plane over the weight, in the cube of colours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lieapp.document import Figure, cosine
from lieapp.figures.axes import Axis, Frame
from lieapp.figures.colour import hexadecimal, png, sequential
from lieapp.figures.matrix import ramp_bar
from lieapp.figures.svg import FAINT, INK, QUIET, Sheet, number
from lieapp.results.pictures import Part, Slot

Array = NDArray[np.floating]
Tensors = Mapping[str, Array]

THUMB, BETWEEN = 56, 4
"""Pixels of a picture in a strip, and between two."""


def strips(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    titles = [f"Held-out pictures moved along slot {row.slot}" for row in slots]
    return [
        Figure(f"strip{row.slot}", title, components(row.components), strip_figure(tensors, place))
        for place, (row, title) in enumerate(zip(slots, titles, strict=True))
    ]


def components(parts: Sequence[Part]) -> str:
    """A field by its largest components: 0.95 brightness − 0.28 shift of blue."""
    text = ""
    for part in parts:
        minus = (part.value or 0) < 0
        text += (" − " if minus else " + ") if text else ("−" if minus else "")
        size = "–" if part.value is None or not math.isfinite(part.value) else f"{abs(part.value):.2f}"
        text += f"{size} {part.name}"
    return text


def strip_figure(tensors: Tensors, slot: int) -> str:
    """Held-out pictures, one below the other, moved along a slot to each flow parameter."""
    moved, s = tensors["orbit/pictures"][slot], tensors["orbit/s"]
    step = THUMB + BETWEEN
    sheet = Sheet(len(s) * step, moved.shape[1] * step + 20, f"Pictures moved along slot {slot + 1}")
    for column, value in enumerate(s):
        sheet.write(column * step + THUMB / 2, 14, f"s = {value:g}", size=10, anchor="middle", colour=QUIET)
        for row, picture in enumerate(moved[column]):
            sheet.image(column * step, row * step + 20, THUMB, THUMB, png(rgb(picture)))
    return sheet.text()


def rgb(picture: Array) -> NDArray[np.uint8]:
    """Rows x columns x 3 of a picture with 1 or 3 channels in [0, 1]."""
    shown = np.moveaxis(np.repeat(picture, 3 // len(picture), axis=0), 0, -1)
    return np.round(255 * np.clip(shown, 0, 1)).astype(np.uint8)


def arrow(x: float, y: float, dx: float, dy: float) -> str:
    """Path data of a stroke with a head of a third of its length."""
    tip = (x + dx, y + dy)
    ends = [(tip[0] - 0.3 * dx + w * dy, tip[1] - 0.3 * dy - w * dx) for w in (0.18, -0.18)]
    a, b, c, d = (f"{number(u)} {number(v)}" for u, v in ((x, y), tip, *ends))
    return f"M{a}L{b}M{c}L{b}L{d}"


PANEL, LEFT, RIGHT, TOP, BOTTOM = 200, 58, 14, 28, 42
"""Pixels of a panel, and beside it for the axes and a title."""

BAR = 64
"""Pixels for the bar of colours and its numbers."""

ARROWS = 12
"""Along a side of a panel."""

ACROSS = 3
"""Panels beside each other."""


def image_figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    names = [f"{row.slot}: {row.nearest.name} {cosine(row.nearest.cosine, 3)}" for row in slots]
    return [
        Figure(
            "fields", "Fields in the plane", "Arrows of one panel share a scale; behind them the weight of pixels. "
            "The shorter side of a picture reaches from −1 to 1.", field_figure(tensors, names),
        ),
        Figure(
            "weight", "Weight of pixels", "How much the features depend on where a pixel's content stands: inner "
            "products count pixels by it.", weight_figure(tensors),
        ),
    ]  # fmt: skip


def weight_figure(tensors: Tensors) -> str:
    """The weight ω of pixels, dark where nothing depends on them."""
    high = _high(tensors)
    sheet = Sheet(LEFT + PANEL + RIGHT + BAR, TOP + high + BOTTOM, "Weight of pixels")
    _panel(sheet, LEFT, TOP, tensors).draw("ω, mean 1")
    _bar(sheet, LEFT + PANEL + RIGHT, TOP, tensors)
    return sheet.text()


def field_figure(tensors: Tensors, names: list[str]) -> str:
    """Each learned field as arrows over the weight; arrows of one panel share a scale."""
    learned = tensors["learned"]
    rows, across = math.ceil(len(learned) / ACROSS), min(ACROSS, len(learned))
    wide, tall = LEFT + PANEL + RIGHT, TOP + _high(tensors) + BOTTOM
    sheet = Sheet(across * wide + BAR, rows * tall, "Learned fields")
    for place, field in enumerate(learned):
        left, top = (place % ACROSS) * wide + LEFT, (place // ACROSS) * tall + TOP
        frame = _panel(sheet, left, top, tensors)
        pixel = PANEL / field.shape[2]
        sheet.strokes(_arrows(field, left, top, pixel), "#ffffff", 3.0, 0.8)
        sheet.strokes(_arrows(field, left, top, pixel), INK, 1.2)
        frame.draw(names[place])
    _bar(sheet, across * wide, TOP, tensors)
    return sheet.text()


def _high(tensors: Tensors) -> float:
    rows, columns = tensors["weight"].shape
    return float(PANEL * rows / columns)


def _panel(sheet: Sheet, left: float, top: float, tensors: Tensors) -> Frame:
    """The weight in a frame, whose axes are drawn last."""
    high = _high(tensors)
    weight = tensors["weight"]
    sheet.image(left, top, PANEL, high, png(sequential(weight, 0.0, float(weight.max()))))
    rows, columns = weight.shape
    return Frame(sheet, left, top, PANEL, high, _axis(tensors, "x", columns), _axis(tensors, "y", rows))


def _axis(tensors: Tensors, name: str, pixels: int) -> Axis:
    """From edge to edge of the picture, whose shorter side reaches from -1 to 1; y upwards.

    In pixels where the file says no more.
    """
    grid = tensors.get(f"grid/{name}")
    if grid is None or len(grid) < 2:
        return Axis(f"{name} (pixels)", 0.0, float(pixels))
    return Axis(f"{name} (scaled)", float(grid.min()), float(grid.max()))


def _bar(sheet: Sheet, x: float, y: float, tensors: Tensors) -> None:
    top = float(tensors["weight"].max())
    ramp_bar(sheet, x, y, _high(tensors), (f"ω = {top:.2f}", f"{top / 2:.2f}", "0"))


def _arrows(field: Array, left: float, top: float, pixel: float) -> str:
    """Path data of arrows at about `ARROWS` places along a side, the longest as long as their distance."""
    height, width = field.shape[1:]
    stride = max(1, math.ceil(max(height, width) / ARROWS))
    longest = float(np.hypot(*field).max()) or 1.0
    parts = []
    for row in range(stride // 2, height, stride):
        for column in range(stride // 2, width, stride):
            # y runs upwards in the plane and downwards on the sheet
            dx, dy = field[:, row, column] / longest * stride * pixel * (1, -1)
            x, y = left + (column + 0.5) * pixel, top + (row + 0.5) * pixel
            parts.append(arrow(x - dx / 2, y - dy / 2, dx, dy))
    return "".join(parts)


VIEW, GAP, ABOVE = 230, 26, 30
"""Pixels of a view of the cube, between views, and above them for a title."""

SAMPLED = 160
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
            "count colours by it.", color_weight_figure(tensors),
        ),
    ]  # fmt: skip


def cube_figure(tensors: Tensors, names: list[str]) -> str:
    """Each learned field as arrows at sampled colours, from two sides; arrows of one field share a scale."""
    colors, learned = tensors["colors"], tensors["learned"]
    # they stand in random order already
    some = np.arange(min(colors.shape[1], SAMPLED))
    sheet = Sheet(2 * (VIEW + GAP), len(learned) * (VIEW + ABOVE + GAP), "Learned fields in the cube of colours")
    for row, field in enumerate(learned):
        longest = float(np.linalg.norm(field[:, some], axis=0).max()) or 1.0
        for column, (name, view) in enumerate(VIEWS.items()):
            frame = _View(view, column * (VIEW + GAP) + GAP / 2, row * (VIEW + ABOVE + GAP) + ABOVE)
            sheet.write(frame.left, frame.top - 10, f"{names[row]}, {name}", size=12, colour=INK)
            frame.draw_edges(sheet)
            for n in some:
                x, y = frame.place(colors[:, n])
                dx, dy = frame.direction(field[:, n] / longest) * LONGEST * VIEW
                sheet.strokes(arrow(x, y, dx, dy), _hex(colors[:, n]), 2.0)
                sheet.strokes(arrow(x, y, dx, dy), INK, 0.5, 0.55)
    return sheet.text()


def color_weight_figure(tensors: Tensors) -> str:
    """The sampled colours as dots in their own colour, their areas as their weights."""
    colors, weight = tensors["colors"], tensors["weight"]
    sheet = Sheet(2 * (VIEW + GAP), VIEW + ABOVE + GAP, "Weight of colours")
    sheet.write(GAP / 2, 16, f"{weight.min():.2f} to {weight.max():.2f}, mean 1", size=12, colour=QUIET)
    for column, view in enumerate(VIEWS.values()):
        frame = _View(view, column * (VIEW + GAP) + GAP / 2, ABOVE)
        frame.draw_edges(sheet)
        for n in np.argsort(-weight):
            x, y = frame.place(colors[:, n])
            sheet.disc(x, y, 3.5 * math.sqrt(max(float(weight[n]), 0.0) / float(weight.max())), _hex(colors[:, n]))
    return sheet.text()


def palette_figure(tensors: Tensors, names: list[str]) -> str:
    """Sampled colours, sorted by lightness, moved along each slot to each flow parameter, one row for each."""
    moved, s, colors = tensors["palette/colors"], tensors["palette/s"], tensors["colors"]
    some = np.arange(min(colors.shape[1], PATCHES))
    some = some[np.argsort(colors[:, some].mean(0), kind="stable")]
    high = len(s) * PATCH + ABOVE
    sheet = Sheet(80 + len(some) * PATCH, len(moved) * high, "Palettes moved along each slot")
    for slot, rows in enumerate(moved):
        top = slot * high + ABOVE
        sheet.write(0, top - 8, names[slot], size=12, colour=INK)
        for row, value in enumerate(s):
            sheet.write(70, top + (row + 0.75) * PATCH, f"s = {value:.2g}", size=10, anchor="end", colour=QUIET)
            for column, n in enumerate(some):
                sheet.rect(80 + column * PATCH, top + row * PATCH, PATCH, PATCH, _hex(rows[row][:, n]))
    return sheet.text()


class _View:
    """A view of the cube in a square of the sheet."""

    def __init__(self, view: Array, left: float, top: float) -> None:
        self.view = view / np.linalg.norm(view, axis=1, keepdims=True)
        self.left, self.top = left, top
        corners = self.view @ np.array(list(itertools.product((0.0, 1.0), repeat=3))).T
        self.middle = (corners.min(1) + corners.max(1)) / 2
        self.scale = VIEW / float((corners.max(1) - corners.min(1)).max())

    def place(self, color: Array) -> tuple[float, float]:
        x, y = (self.view @ color - self.middle) * self.scale
        return self.left + VIEW / 2 + float(x), self.top + VIEW / 2 - float(y)

    def direction(self, vector: Array) -> Array:
        """Of a change of colour on the sheet, a change of 1 across the view having length 1."""
        return (self.view @ vector) * (1, -1)

    def draw_edges(self, sheet: Sheet) -> None:
        for start in itertools.product((0.0, 1.0), repeat=3):
            for axis in range(3):
                if start[axis] == 0:
                    end = np.array(start)
                    end[axis] = 1.0
                    sheet.line(*self.place(np.array(start)), *self.place(end), FAINT)
        sheet.line(*self.place(np.zeros(3)), *self.place(np.ones(3)), QUIET, 1.0, "2 3")


def _hex(color: Array) -> str:
    return hexadecimal(np.round(255 * np.clip(color, 0, 1)).astype(np.uint8))
