"""Drawings as SVG and PDF with matplotlib, which is imported on first use."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lieapp.drawing import (
    DIVERGING,
    MARKED,
    SEQUENTIAL,
    SERIES,
    WIDE,
    Axis,
    Band,
    Bars,
    Curve,
    Dots,
    Drawing,
    Layer,
    Panel,
    Raster,
    Strokes,
    drawable,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as Ticks
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

INK, QUIET, FAINT, NO_DATA = "#1f2328", "#57606a", "#d0d7de", "#eceff2"
"""Colours of text, notes, grid lines and empty areas."""

MARKS, DASHES = "os^DvP", ("-", "--", ":")
"""Markers and dashes, so that lines also differ in grey print."""

STYLE: dict[Any, Any] = {
    # text stays text, and the same drawing is the same file
    "svg.fonttype": "none", "svg.hashsalt": "lieapp", "pdf.fonttype": 3, "font.family": "sans-serif",
    "font.size": 9, "text.parse_math": False, "text.color": INK, "axes.titlesize": 9, "axes.edgecolor": QUIET,
    "axes.labelcolor": INK, "xtick.color": QUIET, "ytick.color": QUIET, "axes.titlelocation": "left",
    "legend.frameon": False,
}  # fmt: skip

ALONE, TOGETHER = 4.6, 2.3
"""Width in inches of a single panel, and of one among several."""

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

LETTER = 0.075
"""Width of a letter in inches."""


def svg(drawing: Drawing) -> str:
    """An `<svg>` element for a page, with a title for screen readers."""
    text = _saved(drawing, "svg").decode()
    # of the file only the element: no document type, and no style that would hold for the page around
    text = re.sub(r"<style.*?</style>", "", text[text.index("<svg") :], flags=re.DOTALL)
    head, rest = text.replace("<svg ", '<svg role="img" ', 1).split(">", 1)
    # XML has no control characters
    return re.sub(r"[\x00-\x08\x0b-\x1f]", "", f"{head}><title>{escape(drawing.title)}</title>{rest}")


def pdf(drawing: Drawing) -> bytes:
    """A PDF page of the drawing's size."""
    return _saved(drawing, "pdf")


def _saved(drawing: Drawing, form: Literal["svg", "pdf"]) -> bytes:
    from matplotlib import rc_context

    # nothing that differs from one time to the next
    none = dict.fromkeys({"svg": ("Date", "Creator", "Format", "Type"), "pdf": ("CreationDate", "Creator")}[form])
    with rc_context(STYLE):
        stream = io.BytesIO()
        _figure(drawing).savefig(stream, format=form, metadata=none)
        return stream.getvalue()


def _figure(drawing: Drawing) -> Figure:
    """Rows of panels of equal width, with margins for their labels, in inches."""
    from matplotlib.figure import Figure

    rows, across = drawing.rows, max(map(len, drawing.rows))
    wide = ALONE if across == 1 else TOGETHER
    columns = [[row[k] for row in rows if k < len(row)] for k in range(across)]
    lefts, total = [], 0.0
    for column in columns:
        before, behind = _beside(column)
        lefts.append(total + before)
        total += before + wide + behind
    above, below = 0.32, max(_below(panel) for row in rows for panel in row)
    tall = [max(wide / panel.aspect for panel in row) for row in rows]
    height = sum(tall) + len(tall) * (above + below)
    figure, top = Figure(figsize=(total, height)), height
    for high, row in zip(tall, rows, strict=True):
        top -= above + high
        for left, panel in zip(lefts, row, strict=False):
            box = (left / total, top / height, wide / total, wide / panel.aspect / height)
            _panel(figure.add_axes(box), panel)
        top -= below
    return figure


def _beside(column: Sequence[Panel]) -> tuple[float, float]:
    """Left and right margins of a column of panels."""
    names = max((len(name) for panel in column for name in panel.y.names), default=0)
    before = 0.15 if all(panel.y.bare for panel in column) else 0.7 + LETTER * max(names - 5, 0)
    bars, letters = any(panel.bar for panel in column), max(map(_legend, column))
    return before, max(0.15, bars * 1.0, bool(letters) * (0.5 + LETTER * letters))


def _below(panel: Panel) -> float:
    """Bottom margin of a panel: a line for the numbers and one for the label; names can take several."""
    lines = max((wrapped(name).count("\n") for name in panel.x.names), default=0)
    return 0.15 if panel.x.bare else 0.5 + 0.15 * lines


def wrapped(name: str) -> str:
    """A name below an axis, wrapped."""
    return textwrap.fill(name, 16)


def _legend(panel: Panel) -> int:
    """Length of the longest name beside a panel."""
    named = [layer.name for layer in panel.layers if isinstance(layer, Curve)]
    named += [name for layer in panel.layers if isinstance(layer, Bars) for name, _ in layer.parts]
    return max(map(len, named), default=0)


def _panel(axes: Axes, panel: Panel) -> None:
    for axis, ticks in ((panel.x, axes.xaxis), (panel.y, axes.yaxis)):
        _ticks(axis, ticks)
    for index, layer in enumerate(panel.layers):
        _layer(axes, layer, index, panel)
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(panel.y.low, panel.y.high)
    # at a given height: its own choice draws every tick once more
    axes.set_title(panel.title, y=1.02)
    if not any(isinstance(layer, Raster | Strokes) for layer in panel.layers):
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
    if panel.note and panel.layers:
        below: dict[str, Any] = {"xytext": (0, -24), "textcoords": "offset points", "ha": "right", "va": "top"}
        axes.annotate(panel.note, (1.0, 0.0), xycoords="axes fraction", color=QUIET, **below)
        # a long note reaches the middle
        axes.set_xlabel(panel.x.label, loc="left")
    elif panel.note:
        axes.text(0.5, 0.5, panel.note, transform=axes.transAxes, ha="center", color=QUIET)
    if _legend(panel):
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0.0)


def _ticks(axis: Axis, ticks: Ticks) -> None:
    from matplotlib.ticker import MaxNLocator

    ticks.set_label_text(axis.label)
    if axis.bare:
        ticks.set_ticks([])
    elif axis.log:
        ticks.axes.set_yscale("log")
        ticks.set_major_formatter(_power)
        ticks.minorticks_off()
    elif axis.names:
        ticks.set_ticks(range(len(axis.names)), [*map(wrapped, axis.names)])
    else:
        ticks.set_major_locator(MaxNLocator(5, integer=axis.whole))


def _power(value: float, _place: float) -> str:
    """A power of ten. As text: matplotlib would load and run a parser of formulas for each."""
    return "10" + str(round(np.log10(value))).translate(_SUPERSCRIPT)


def _layer(axes: Axes, layer: Layer, index: int, panel: Panel) -> None:
    match layer:
        case Curve():
            _curve(axes, layer, index, log=panel.y.log)
        case Dots():
            areas = [16 * area for area in layer.areas] or 16
            axes.scatter(layer.x, layer.y, s=areas, c=_faces(layer), edgecolors=list(layer.colours), zorder=3)
        case Raster():
            _raster(axes, layer, panel)
        case Strokes(quiet=True):
            axes.plot(layer.x, layer.y, color=QUIET, linewidth=0.6)
        case Strokes():
            # a light line under the dark one: visible on both ends of the colours
            for colour, width in (("#ffffff", 2.2), (INK, 0.9)):
                axes.plot(layer.x, layer.y, color=colour, linewidth=width, alpha=0.9)
        case Band():
            axes.axvspan(0, layer.end, color="#e3f1ea", linewidth=0)
            axes.axvline(layer.end, color=SERIES[2], linestyle="--", linewidth=1)
            # on the side with room; the left one is narrow when few fields are found
            side = "left" if layer.end < 0.6 * panel.x.high else "right"
            above = axes.get_xaxis_transform()
            axes.text(layer.end, 0.03, f" {layer.words} ", transform=above, ha=side, color=QUIET)
        case Bars():
            start = np.zeros(len(layer.parts[0][1]))
            for k, (name, lengths) in enumerate(layer.parts):
                shade = _map(False)((k + 0.5) / len(layer.parts))
                axes.barh(range(len(start)), lengths, 0.6, start, color=shade, edgecolor="#ffffff", label=name)
                start += lengths


def _faces(dots: Dots) -> list[str]:
    colours = [*dots.colours] * (1 if len(dots.colours) > 1 else len(dots.x))
    return ["#ffffff" if k in dots.hollow else colour for k, colour in enumerate(colours)]


def _curve(axes: Axes, line: Curve, index: int, *, log: bool) -> None:
    colour, dash = SERIES[index % len(SERIES)], DASHES[index // len(SERIES) % len(DASHES)]
    x, y = drawable(line.x), drawable(line.y, log=log)
    if line.raw:
        axes.plot(x, drawable(line.raw, log=log), color=colour, linewidth=0.5, alpha=0.25)
    width, opacity = WIDE if line.below else (1.4, 1.0)
    (drawn,) = axes.plot(x, y, dash, color=colour, lw=width, alpha=opacity, label=line.name, zorder=2 - line.below)
    if len(x) <= MARKED:
        drawn.set_marker(MARKS[index % len(MARKS)])
        drawn.set_markersize(4)
    if places := list(line.hollow):
        mark = MARKS[index % len(MARKS)]
        axes.plot(x[places], y[places], mark, color=colour, markersize=4, markerfacecolor="#ffffff", zorder=3)


def _raster(axes: Axes, raster: Raster, panel: Panel) -> None:
    from matplotlib.colors import LogNorm, Normalize

    (left, right), (low, high) = (sorted((axis.low, axis.high)) for axis in (panel.x, panel.y))
    scale, values, colours = raster.scale, raster.values, dict[str, Any]()
    if scale is not None:
        norm = (LogNorm if scale.log else Normalize)(scale.low, scale.high)
        colours = {"cmap": _map(scale.diverging), "norm": norm}
    box = (left, right, low, high)
    image = axes.imshow(values, extent=box, origin="lower", aspect="auto", interpolation="nearest", **colours)
    axes.set_facecolor(NO_DATA)
    if scale is None:
        return
    if panel.bar:
        form = _power if scale.log else None
        beside = axes.figure.colorbar(image, cax=axes.inset_axes((1.03, 0, 0.04, 1)), format=form)
        beside.set_label(scale.label)
        beside.minorticks_off()
    for (row, column), value in np.ndenumerate(values) if raster.numbers else ():
        words = f"{value:.3f}".replace("-", "−") if np.isfinite(value) else "–"
        ink = "#ffffff" if abs(value) > 0.8 * scale.high else INK
        axes.text(column, row, words, ha="center", va="center", color=ink)


def _map(diverging: bool) -> Colormap:
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("diverging", DIVERGING) if diverging else colormaps[SEQUENTIAL]
