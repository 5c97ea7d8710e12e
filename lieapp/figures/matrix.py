"""The heat map of inner products: learned slots down, derived generators across."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lieapp.figures.colour import diverging, hexadecimal, png, reads_dark, sequential
from lieapp.figures.svg import INK, QUIET, Sheet

CELL_HEIGHT = 36
LEFT, TOP, BAR = 90, 34, 74


def heat_map(values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str) -> str:
    """Inner products in [-1, 1] as coloured cells with their number; signs have no meaning for a span."""
    cell = min(max(420 / max(len(columns), 1), 64), 120)
    width = LEFT + max(cell * len(columns), 200) + BAR
    names = [_wrapped(column, int(cell / 6.4)) for column in columns]
    height = TOP + CELL_HEIGHT * len(rows) + 40 + 13 * max(map(len, names))
    sheet = Sheet(width, height, title)
    sheet.write(LEFT, TOP - 12, title, size=13, bold=True)
    for i, row in enumerate(rows):
        y = TOP + i * CELL_HEIGHT
        sheet.write(LEFT - 8, y + CELL_HEIGHT / 2 + 4, row, anchor="end")
        for j, column in enumerate(columns):
            _cell(sheet, LEFT + j * cell, y, cell, values[i][j], f"{row}, {column}")
    for j, name in enumerate(names):
        for k, part in enumerate(name):
            y = TOP + len(rows) * CELL_HEIGHT + 16 + 13 * k
            sheet.write(LEFT + (j + 0.5) * cell, y, part, size=11, anchor="middle")
    middle = LEFT + cell * len(columns) / 2
    sheet.write(middle, height - 8, "derived generator (normalised)", anchor="middle", colour=QUIET)
    down = TOP + len(rows) * CELL_HEIGHT / 2
    sheet.write(16, down, "learned slot", anchor="middle", colour=QUIET, turn=-90)
    _bar(sheet, LEFT + cell * len(columns) + 18, TOP, CELL_HEIGHT * len(rows))
    return sheet.text()


def colour_bar(sheet: Sheet, x: float, y: float, height: float, ends: tuple[str, str, str]) -> None:
    """A vertical bar of the diverging map with words at top, middle and bottom."""
    _drawn_bar(sheet, x, y, height, diverging(np.linspace(1, -1, 64)[:, None], 1.0), ends)


def ramp_bar(sheet: Sheet, x: float, y: float, height: float, ends: tuple[str, str, str]) -> None:
    """The same of the map from dark to light."""
    _drawn_bar(sheet, x, y, height, sequential(np.linspace(1, 0, 64)[:, None], 0.0, 1.0), ends)


def _drawn_bar(
    sheet: Sheet, x: float, y: float, height: float, ramp: NDArray[np.uint8], ends: tuple[str, str, str]
) -> None:
    sheet.image(x, y, 11, height, png(ramp))
    sheet.rect(x, y, 11, height, "none", stroke=QUIET)
    for share, words in zip((0.0, 0.5, 1.0), ends, strict=True):
        sheet.write(x + 16, y + share * height + 4, words, size=10.5, colour=QUIET)


def _bar(sheet: Sheet, x: float, y: float, height: float) -> None:
    colour_bar(sheet, x, y, height, ("1", "0", "−1"))


def _cell(sheet: Sheet, x: float, y: float, width: float, value: float, tip: str) -> None:
    rgb = diverging(np.array([value], dtype=float), 1.0)[0]
    words = f"{value:.3f}" if math.isfinite(value) else "–"
    words = words.replace("-", "−")
    sheet.rect(x, y, width, CELL_HEIGHT, hexadecimal(rgb), stroke="#fff", tip=f"{tip}: {value:.6f}")
    ink = INK if reads_dark(rgb) else "#fff"
    sheet.write(x + width / 2, y + CELL_HEIGHT / 2 + 4, words, anchor="middle", colour=ink)


def _wrapped(words: str, width: int) -> list[str]:
    """At most three lines of about `width` letters; the rest is cut, the tip has it in full."""
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return [line if len(line) <= width + 2 else line[:width] + "…" for line in lines[:3]]
