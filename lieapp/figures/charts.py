"""Curves over one axis, noisy ones with a running mean, and the spectrum with its gap."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from lieapp.document import number
from lieapp.figures.axes import Axis, Frame, axis_over
from lieapp.figures.colour import SERIES, series
from lieapp.figures.svg import QUIET, Sheet, mark

WIDTH, HEIGHT = 620, 330
LEFT, TOP, BOTTOM = 72, 34, 52
LEGEND = 110

WIDE = (6.0, 0.35)
"""Width and opacity of a curve that others may lie on."""

MARKED = 24
"""Points up to which each has a mark."""

SHORT, LETTER = 11, 7.0
"""Letters of a name that the legend has room for, and what each further one takes: the sheet grows by that."""


@dataclass(frozen=True)
class Line:
    """One curve; values that are not finite (or not positive on a logarithmic axis) leave a gap.

    Args:
        hollow: places of points with a hollow mark: they come from another computation than the rest.
        raw: values that y is the running mean of, drawn lighter below it.
        below: drawn wide and light below the others, which may lie on it.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    hollow: Collection[int] = ()
    raw: Sequence[float] = ()
    below: bool = False


def line_chart(
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    title: str,
    *,
    log: bool = False,
    whole: bool = True,
    symbols: bool = False,
) -> str:
    """Curves with a legend; few points are marked, since each is then a separate computation.

    Args:
        symbols: each curve has a mark of its own, for curves that lie on each other or are read without colour.
    """
    beyond = max((len(line.name) for line in lines), default=0) - SHORT
    sheet = Sheet(WIDTH + max(0, round(LETTER * beyond)), HEIGHT, title)
    x = axis_over((v for line in lines for v in line.x), x_label, whole=whole)
    if symbols:
        # marks as wide as these would lie across the frame
        room = 0.03 * (x.high - x.low)
        x = replace(x, low=x.low - room, high=x.high + room)
    y = axis_over((v for line in lines for v in (*line.y, *_common(line.raw))), y_label, log=log)
    frame = Frame(sheet, LEFT, TOP, WIDTH - LEFT - LEGEND - 12, HEIGHT - TOP - BOTTOM, x, y)
    frame.draw(title, grid=True)
    for index, line in enumerate(lines):
        if line.raw:
            _draw_raw(frame, line, series(index)[0])
    # each with its own colour, in whatever order they are drawn
    for index, line in sorted(enumerate(lines), key=lambda entry: not entry[1].below):
        colour, dash = series(index)
        kind = index if symbols else 0
        _draw_line(frame, line, colour, dash, kind)
        key = TOP + 12 + 19 * index
        if key < HEIGHT - 8:
            ends = [(WIDTH - LEGEND, key), (WIDTH - LEGEND + 24, key)]
            width, opacity = WIDE if line.below else (2.2, 1.0)
            sheet.path(ends, colour, width, dash, opacity)
            if symbols:
                mark(sheet, kind, WIDTH - LEGEND + 12, key, colour)
            sheet.write(WIDTH - LEGEND + 30, key + 4, line.name, size=11.5)
    return sheet.text()


def spectrum_chart(etas: Sequence[float], gap_after: int | None, title: str) -> str:
    """The defects of all fields in order, with the step marked between found and not found."""
    sheet = Sheet(WIDTH, HEIGHT, title)
    count = len(etas)
    x = Axis("index k of the field, best first", 0.5, count + 0.5, whole=True)
    y = axis_over(etas, "defect η (no unit)", log=True)
    frame = Frame(sheet, LEFT, TOP, WIDTH - LEFT - 16, HEIGHT - TOP - BOTTOM, x, y)
    if gap_after and 0 < gap_after < count:
        left, _ = frame.at(0.5, y.low)
        edge, _ = frame.at(gap_after + 0.5, y.low)
        sheet.rect(left, TOP, edge - left, frame.height, "#e3f1ea")
    frame.draw(title, grid=True)
    if gap_after and 0 < gap_after < count:
        _mark_gap(frame, etas, gap_after)
    for index, eta in enumerate(etas, start=1):
        # zero and what isn't a number sit hollow on the lower edge: a logarithmic axis can't show them
        shown = math.isfinite(eta) and eta > 0
        px, py = frame.at(index, eta if shown else y.low)
        found = gap_after is not None and index <= gap_after
        colour = SERIES[2] if found else SERIES[1]
        sheet.dot(px, py, colour, hollow=not shown, tip=f"k = {index}: η = {eta:.3g}")
    return sheet.text()


def _mark_gap(frame: Frame, etas: Sequence[float], after: int) -> None:
    sheet = frame.sheet
    edge, _ = frame.at(after + 0.5, frame.y.low)
    sheet.line(edge, frame.top, edge, frame.top + frame.height, SERIES[2], 1.4, "5 3")
    low, high = etas[after - 1], etas[after]
    factor = f", a factor {number(high / low)}" if low > 0 and math.isfinite(high / low) else ""
    words = f"gap after {after}{factor}"
    # on the side with room; the left one is narrow when few fields are found
    anchor, shift = ("start", 6) if edge < frame.left + 0.6 * frame.width else ("end", -6)
    sheet.write(edge + shift, frame.top + frame.height - 8, words, size=11.5, anchor=anchor, colour=QUIET)


def _common(raw: Sequence[float]) -> Sequence[float]:
    """All but the largest and the smallest fiftieth: single values would flatten what is read."""
    values = sorted(v for v in raw if math.isfinite(v))
    cut = len(values) // 50
    return values[cut : len(values) - cut]


def _draw_raw(frame: Frame, line: Line, colour: str) -> None:
    for piece in _pieces(frame, line.x, line.raw):
        frame.sheet.path(piece, colour, 0.8, opacity=0.2)


def _draw_line(frame: Frame, line: Line, colour: str, dash: str, kind: int) -> None:
    width, opacity = WIDE if line.below else (1.8, 1.0)
    for piece in _pieces(frame, line.x, line.y):
        frame.sheet.path(piece, colour, width, dash, opacity)
    # above the line: a hollow mark would be crossed out
    for place, (x, y) in enumerate(zip(line.x, line.y, strict=True)) if len(line.x) <= MARKED else ():
        if _drawable(frame, x, y):
            tip = f"{line.name}: {y:.3g} at {x:g}"
            mark(frame.sheet, kind, *frame.at(x, y), colour, hollow=place in line.hollow, tip=tip)


def _pieces(frame: Frame, xs: Sequence[float], ys: Sequence[float]) -> list[list[tuple[float, float]]]:
    """The points on the sheet between gaps; single ones make no line."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if _drawable(frame, x, y):
            pieces[-1].append(frame.at(x, y))
        else:
            pieces.append([])
    return [piece for piece in pieces if len(piece) > 1]


def _drawable(frame: Frame, x: float, y: float) -> bool:
    return math.isfinite(x) and math.isfinite(y) and (y > 0 or not frame.y.log)


FEWEST = 40
"""Points below which a curve is left as it is."""

WINDOW = 1 / 20
"""Share of the points that a mean is over."""

NOISE = 0.01
"""Typical distance of values from their mean above which there is noise, as share of the height of the curve."""


def calmed(line: Line, *, log: bool = False) -> Line:
    """The line as its running mean with the values below, if they are noisy; of logarithms on such an axis."""
    values = [math.log(v) if log and v > 0 else math.nan if log else v for v in line.y]
    known = [v for v in values if math.isfinite(v)]
    if len(known) < FEWEST:
        return line
    means = running_mean(values, max(1, round(WINDOW * len(values) / 2)))
    off = median(abs(v - m) for v, m in zip(values, means, strict=True) if math.isfinite(v))
    if off <= NOISE * (max(known) - min(known)):
        return line
    return replace(line, y=[math.exp(m) for m in means] if log else means, raw=line.y)


def running_mean(values: Sequence[float], half: int) -> list[float]:
    """The mean of each value and of `half` on either side, fewer at the ends; NaN stays and counts for nothing."""
    found = []
    for place, value in enumerate(values):
        # as many on both sides, so that the ends of a falling curve aren't pulled
        side = min(half, place, len(values) - 1 - place)
        near = [v for v in values[place - side : place + side + 1] if math.isfinite(v)]
        found.append(fmean(near) if math.isfinite(value) else math.nan)
    return found
