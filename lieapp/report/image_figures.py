"""Figures of a discovery on pictures: learned fields over the weight of pixels, and strips of moved pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lieapp.report.colour import png, sequential
from lieapp.report.svg import INK, QUIET, Sheet, number

Array = NDArray[np.floating]
Tensors = Mapping[str, Array]

PANEL, GAP, TOP = 200, 24, 28
"""Pixels of a panel, between panels, and above them for a title."""

ARROWS = 12
"""Along a side of a panel."""

ACROSS = 4
"""Panels beside each other."""

THUMB, BETWEEN = 56, 4
"""Pixels of a picture in a strip, and between two."""


def weight_figure(tensors: Tensors) -> str:
    """The weight ω of pixels, dark where nothing depends on them."""
    weight = tensors["weight"]
    sheet = Sheet(PANEL + GAP, PANEL + TOP + GAP, "Weight of pixels")
    sheet.write(GAP / 2, 18, f"0 to {weight.max():.2f}, mean 1", size=12, colour=QUIET)
    sheet.image(GAP / 2, TOP, PANEL, PANEL * len(weight) / weight.shape[1], _map(weight))
    return sheet.text()


def field_figure(tensors: Tensors, names: list[str]) -> str:
    """Each learned field as arrows over the weight; arrows of one panel share a scale."""
    learned, weight = tensors["learned"], tensors["weight"]
    rows = math.ceil(len(learned) / ACROSS)
    high = PANEL * weight.shape[0] / weight.shape[1]
    across = min(ACROSS, len(learned))
    sheet = Sheet(across * (PANEL + GAP), rows * (high + TOP + GAP), "Learned fields")
    for place, field in enumerate(learned):
        left = (place % ACROSS) * (PANEL + GAP) + GAP / 2
        top = (place // ACROSS) * (high + TOP + GAP) + TOP
        sheet.write(left, top - 8, names[place], size=12, colour=INK)
        sheet.image(left, top, PANEL, high, _map(weight))
        sheet.strokes(_arrows(field, left, top, PANEL / weight.shape[1]), "#ffffff", 3.0, 0.8)
        sheet.strokes(_arrows(field, left, top, PANEL / weight.shape[1]), INK, 1.2)
    return sheet.text()


def strip_figure(tensors: Tensors, slot: int) -> str:
    """Held-out pictures, one below the other, moved along a slot to each flow parameter."""
    moved, s = tensors["orbit/pictures"][slot], tensors["orbit/s"]
    step = THUMB + BETWEEN
    sheet = Sheet(len(s) * step, moved.shape[1] * step + 20, f"Pictures moved along slot {slot + 1}")
    for column, value in enumerate(s):
        sheet.write(column * step + THUMB / 2, 14, f"s = {value:g}", size=10, anchor="middle", colour=QUIET)
        for row, picture in enumerate(moved[column]):
            sheet.image(column * step, row * step + 20, THUMB, THUMB, png(_rgb(picture)))
    return sheet.text()


def _map(weight: Array) -> str:
    return png(sequential(weight, 0.0, float(weight.max())))


def _rgb(picture: Array) -> NDArray[np.uint8]:
    """Rows x columns x 3 of a picture with 1 or 3 channels in [0, 1]."""
    shown = np.moveaxis(np.repeat(picture, 3 // len(picture), axis=0), 0, -1)
    return np.round(255 * np.clip(shown, 0, 1)).astype(np.uint8)


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
            parts.append(_arrow(x - dx / 2, y - dy / 2, dx, dy))
    return "".join(parts)


def _arrow(x: float, y: float, dx: float, dy: float) -> str:
    """A stroke with a head of a third of its length."""
    tip = (x + dx, y + dy)
    ends = [(tip[0] - 0.3 * dx + w * dy, tip[1] - 0.3 * dy - w * dx) for w in (0.18, -0.18)]
    a, b, c, d = (f"{number(u)} {number(v)}" for u, v in ((x, y), tip, *ends))
    return f"M{a}L{b}M{c}L{b}L{d}"
