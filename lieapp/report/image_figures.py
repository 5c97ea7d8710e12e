"""Figures of fields in the plane of pictures: arrows over the weight of pixels."""

from __future__ import annotations

import math

import numpy as np

from lieapp.report.colour import png, sequential
from lieapp.report.picture_figures import Array, Tensors, arrow
from lieapp.report.picture_tables import Summary
from lieapp.report.svg import INK, QUIET, Sheet

PANEL, GAP, TOP = 200, 24, 28
"""Pixels of a panel, between panels, and above them for a title."""

ARROWS = 12
"""Along a side of a panel."""

ACROSS = 4
"""Panels beside each other."""


def image_figures(summary: Summary, tensors: Tensors) -> dict[str, str]:
    """The fields over the weight, and the weight, by key."""
    slots = summary["generators"]
    names = [f"{row['slot']}: {row['nearest']['name']} {row['nearest']['cosine']:.3f}" for row in slots]
    return {"fields": field_figure(tensors, names), "weight": weight_figure(tensors)}


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
