"""Marks on curves: shapes that differ without colour."""

from __future__ import annotations

from lieapp.report.svg import Sheet

RADIUS = 2.8

_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.4), (1.3, 1), (-1.3, 1)),
    ((0, -1.5), (1.5, 0), (0, 1.5), (-1.5, 0)),
    ((0, 1.4), (1.3, -1), (-1.3, -1)),
    (
        *((-1.5, -0.6), (-0.6, -0.6), (-0.6, -1.5), (0.6, -1.5), (0.6, -0.6), (1.5, -0.6)),
        *((1.5, 0.6), (0.6, 0.6), (0.6, 1.5), (-0.6, 1.5), (-0.6, 0.6), (-1.5, 0.6)),
    ),
)
"""Corners of square, triangle, diamond, triangle upside down and cross, in radii of a dot."""


def mark(sheet: Sheet, kind: int, x: float, y: float, colour: str, *, hollow: bool = False, tip: str = "") -> None:
    """The kind-th mark, a dot first; they repeat."""
    shape = kind % (len(_SHAPES) + 1)
    if shape == 0:
        sheet.dot(x, y, colour, radius=RADIUS, hollow=hollow, tip=tip)
        return
    corners = [(x + RADIUS * dx, y + RADIUS * dy) for dx, dy in _SHAPES[shape - 1]]
    sheet.polygon(corners, colour, hollow=hollow, tip=tip)
