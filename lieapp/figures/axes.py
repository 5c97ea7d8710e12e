"""Axes: from values to the sheet, with ticks at round numbers or at decades."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lieapp.figures.svg import FAINT, INK, QUIET, Sheet

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """One direction of a plot.

    Args:
        label: what is measured, with its unit where it has one.
        low, high: the ends; `low` is above 0 on a logarithmic axis.
    """

    label: str
    low: float
    high: float
    log: bool = False
    whole: bool = False
    """Ticks at whole numbers only: slots, steps, indices."""

    def share(self, value: float) -> float:
        """Where a value lies, from 0 at `low` to 1 at `high`; values beyond the ends are put on them."""
        if self.log:
            low, high = math.log10(self.low), math.log10(self.high)
            value = math.log10(max(value, self.low))
        else:
            low, high = self.low, self.high
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Values and their words."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            stride = max(1, math.ceil((last - first + 1) / 7))
            return [(10.0**k, _power(k)) for k in range(first, last + 1, stride)]
        step = _round_step((self.high - self.low) / 5)
        if self.whole:
            step = max(1.0, round(step))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(k * step, plain(k * step)) for k in range(first, last + 1)]


def axis_over(values: Iterable[float], label: str, *, log: bool = False, whole: bool = False) -> Axis:
    """The axis that shows all finite values (on a logarithmic axis all positive ones)."""
    good = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if log:
        low, high = min(good, default=0.1), max(good, default=1.0)
        bottom, top = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return Axis(label, 10.0**bottom, 10.0 ** max(top, bottom + 1), log=True)
    low, high = min(good, default=0.0), max(good, default=1.0)
    if high <= low:
        # one value, or a constant: room around it, so that the line doesn't lie on the frame
        pad = abs(low) / 2 or 0.5
        return Axis(label, low - pad, high + pad, whole=whole)
    return Axis(label, low, high, whole=whole)


@dataclass(frozen=True)
class Frame:
    """A plotting box on a sheet with its two axes."""

    sheet: Sheet
    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point on the sheet."""
        return self.left + self.x.share(x) * self.width, self.top + (1 - self.y.share(y)) * self.height

    def draw(self, title: str = "", *, grid: bool = False) -> None:
        """Frame, ticks, labels and title; grid lines where values are read off."""
        sheet, right = self.sheet, self.left + self.width
        for value, words in self.y.ticks():
            py = self.top + (1 - self.y.share(value)) * self.height
            if grid:
                sheet.line(self.left, py, right, py, FAINT, 0.7)
            sheet.line(self.left - 4, py, self.left, py, QUIET)
            sheet.write(self.left - 7, py + 4, words, size=11, anchor="end", colour=QUIET)
        sheet.write(self.left - 44, self.top + self.height / 2, self.y.label, anchor="middle", turn=-90)
        self.draw_x(title)

    def draw_x(self, title: str = "") -> None:
        """Frame, title and the horizontal axis alone, where the vertical one has names instead of numbers."""
        sheet, bottom = self.sheet, self.top + self.height
        for value, words in self.x.ticks():
            px = self.left + self.x.share(value) * self.width
            sheet.line(px, bottom, px, bottom + 4, QUIET)
            sheet.write(px, bottom + 16, words, size=11, anchor="middle", colour=QUIET)
        sheet.rect(self.left, self.top, self.width, self.height, "none", stroke=QUIET)
        sheet.write(self.left + self.width / 2, bottom + 33, self.x.label, anchor="middle")
        if title:
            sheet.write(self.left, self.top - 9, title, size=13, bold=True, colour=INK)


def plain(value: float) -> str:
    """A tick's number without trailing noise."""
    words = f"{value:.10g}" if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.3g}"
    return words.replace("-", "−")


def _power(exponent: int) -> str:
    return {0: "1", 1: "10", -1: "0.1"}.get(exponent, "10" + str(exponent).translate(_SUPERSCRIPT))


def _round_step(rough: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten at or above `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
