"""Figures of pictures: strips of moved ones, arrows, and fields in the plane over the weight of pixels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lieapp.document import Figure, cosine
from lieapp.figures.axes import Axis, Frame
from lieapp.figures.colour import png, sequential
from lieapp.figures.matrix import ramp_bar
from lieapp.figures.svg import INK, QUIET, Sheet, number
from lieapp.results.pictures import Part, Slot

Array = NDArray[np.floating]
Tensors = Mapping[str, Array]

THUMB, BETWEEN = 56, 4
"""Pixels of a picture in a strip, and between two."""


def strips(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    """Held-out pictures moved along each slot."""
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

SCALED = "(scaled)"
"""Unit of axes on which the shorter side of a picture reaches from -1 to 1."""


def image_figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    """The fields over the weight, and the weight."""
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
    sheet.image(left, top, PANEL, high, _map(tensors["weight"]))
    rows, columns = tensors["weight"].shape
    return Frame(sheet, left, top, PANEL, high, _axis(tensors, "x", columns), _axis(tensors, "y", rows))


def _axis(tensors: Tensors, name: str, pixels: int) -> Axis:
    """From edge to edge of the picture, y upwards; in pixels where the file says no more."""
    grid = tensors.get(f"grid/{name}")
    if grid is None or len(grid) < 2:
        return Axis(f"{name} (pixels)", 0.0, float(pixels))
    return Axis(f"{name} {SCALED}", float(grid.min()), float(grid.max()))


def _bar(sheet: Sheet, x: float, y: float, tensors: Tensors) -> None:
    top = float(tensors["weight"].max())
    ramp_bar(sheet, x, y, _high(tensors), (f"ω = {top:.2f}", f"{top / 2:.2f}", "0"))


def _map(weight: Array) -> str:
    return png(sequential(weight, 0.0, float(weight.max())))


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
