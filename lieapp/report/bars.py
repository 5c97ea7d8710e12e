"""Horizontal bars made of parts: seconds of each stage, one bar for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lieapp.report.axes import Frame, axis_over
from lieapp.report.colour import hexadecimal, sequential
from lieapp.report.svg import Sheet
from lieapp.report.wording import number

WIDTH, LEFT, TOP, BOTTOM, LEGEND = 620, 72, 34, 52, 130
BAR, GAP = 20, 12


def bar_chart(rows: Sequence[tuple[str, Mapping[str, float]]], label: str, title: str) -> str:
    """One bar for each row, its parts in the order of the first row that has them; lengths add up.

    Args:
        rows: name and size of each part.
        label: of the axis, with the unit.
    """
    parts = list(dict.fromkeys(part for _, sizes in rows for part in sizes))
    # from dark to light in the order of the parts: as many colours as there are, also for the colour-blind
    ramp = sequential(np.arange(len(parts), dtype=float), 0, max(len(parts) - 1, 1))
    colours = {part: hexadecimal(rgb) for part, rgb in zip(parts, ramp, strict=True)}
    height = max(len(rows) * (BAR + GAP) + GAP, 19 * len(parts) + 8)
    sheet = Sheet(WIDTH, TOP + height + BOTTOM, title)
    x = axis_over([0.0, *(sum(sizes.values()) for _, sizes in rows)], label)
    frame = Frame(sheet, LEFT, TOP, WIDTH - LEFT - LEGEND - 12, height, x, axis_over([0, 1], ""))
    for place, (name, sizes) in enumerate(rows):
        top, start = TOP + GAP + place * (BAR + GAP), 0.0
        for part, size in sizes.items():
            left, width = (
                LEFT + x.share(start) * frame.width,
                (x.share(start + size) - x.share(start)) * frame.width,
            )
            tip = f"{name}, {part}: {number(size)}"
            sheet.rect(left, top, width, BAR, colours[part], stroke="#fff", tip=tip)
            start += size
        sheet.write(LEFT - 8, top + BAR - 5, name, size=11, anchor="end")
    frame.draw_x(title)
    for place, (part, colour) in enumerate(colours.items()):
        top = TOP + 19 * place
        sheet.rect(WIDTH - LEGEND, top, 14, 12, colour)
        sheet.write(WIDTH - LEGEND + 20, top + 11, part, size=11.5)
    return sheet.text()
