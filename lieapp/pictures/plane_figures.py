"""Figures of fields in the plane of pictures: arrows over the weight of pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lieapp.document import Figure, cosine
from lieapp.figures.axes import Axis, Frame
from lieapp.figures.colour import png, sequential
from lieapp.figures.matrix import ramp_bar
from lieapp.figures.svg import INK, Sheet
from lieapp.pictures.figures import Array, Tensors, arrow
from lieapp.results.pictures import Slot

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
