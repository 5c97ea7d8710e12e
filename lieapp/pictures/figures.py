"""What figures of pictures share: strips of moved pictures, and arrows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lieapp.document import Figure
from lieapp.figures.colour import png
from lieapp.figures.svg import QUIET, Sheet, number
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
