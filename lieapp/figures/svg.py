"""A sheet of SVG: the few shapes that the figures of a run are made of.

Figures are hand-made SVG, not plotly or matplotlib: plotly.js alone adds 4-5 MB to a page that otherwise
weighs a few hundred kB, needs scripts to be allowed, and prints as a bitmap. SVG opens anywhere, also offline
and in an e-mail, stays sharp on paper, and the app shows the very same files.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

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


INK = "#1f2328"
"""Text and frames."""
FAINT = "#d0d7de"
"""Grid lines."""
QUIET = "#57606a"
"""Notes and ticks; contrast 6:1 on white."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def number(value: float) -> str:
    """A coordinate on the sheet, a hundredth of a pixel being enough."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


class Sheet:
    """Shapes collected in drawing order; `text()` gives the finished SVG.

    Args:
        width, height: in pixels; the picture scales with the page through its view box.
        title: what a screen reader says.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._shapes: list[str] = []

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        colour: str = INK,
        width: float = 1.0,
        dash: str = "",
    ) -> None:
        """A straight stroke."""
        ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self._shapes.append(f'<line {ends} stroke="{colour}" stroke-width="{number(width)}"{_dashed(dash)}/>')

    def path(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        width: float = 1.8,
        dash: str = "",
        opacity: float = 1.0,
    ) -> None:
        """A polyline through the points."""
        d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._shapes.append(
            f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
            f'stroke-linejoin="round"{_faint(opacity)}{_dashed(dash)}/>'
        )

    def strokes(self, d: str, colour: str, width: float, opacity: float = 1.0) -> None:
        """Path data as it stands: many arrows in one element keep the file small."""
        self._shapes.append(
            f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
            f'stroke-opacity="{number(opacity)}" stroke-linecap="round"/>'
        )

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        stroke: str = "none",
        tip: str = "",
    ) -> None:
        """A box; `tip` is shown under the pointer."""
        box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        note = f"<title>{escape(tip)}</title>" if tip else ""
        self._shapes.append(f'<rect {box} fill="{fill}" stroke="{stroke}">{note}</rect>')

    def dot(
        self, x: float, y: float, colour: str, *, radius: float = 3.2, hollow: bool = False, tip: str = ""
    ) -> None:
        """A marker, hollow for values that lie off the axis."""
        note = f"<title>{escape(tip)}</title>" if tip else ""
        fill = "#fff" if hollow else colour
        self._shapes.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
            f'stroke="{colour}" stroke-width="1.5">{note}</circle>'
        )

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """A filled disc without an edge."""
        self._shapes.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{colour}"/>')

    def polygon(self, points: Sequence[tuple[float, float]], colour: str, *, hollow: bool, tip: str = "") -> None:
        """A closed shape, filled as dots are."""
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        note = f"<title>{escape(tip)}</title>" if tip else ""
        self._shapes.append(
            f'<polygon points="{corners}" fill="{"#fff" if hollow else colour}" stroke="{colour}" '
            f'stroke-width="1.5" stroke-linejoin="round">{note}</polygon>'
        )

    def image(self, x: float, y: float, width: float, height: float, uri: str) -> None:
        """A raster stretched over a box."""
        box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self._shapes.append(f'<image {box} preserveAspectRatio="none" href="{uri}"/>')

    def write(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        anchor: str = "start",
        colour: str = INK,
        turn: float = 0,
        bold: bool = False,
    ) -> None:
        """Text with its baseline at (x, y)."""
        rotation = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
        weight = ' font-weight="600"' if bold else ""
        self._shapes.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}" '
            f'fill="{colour}"{weight}{rotation}>{escape(words)}</text>'
        )

    def text(self) -> str:
        """The SVG document, on white so that it reads on a dark page too."""
        size = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{number(self.width)}" '
            f'height="{number(self.height)}" role="img" font-family="{FONT}">'
        )
        title = f"<title>{escape(self.title)}</title>"
        paper = f'<rect width="{number(self.width)}" height="{number(self.height)}" fill="#fff"/>'
        return "\n".join([head, title, paper, *self._shapes, "</svg>"])


def _faint(opacity: float) -> str:
    return f' stroke-opacity="{number(opacity)}"' if opacity < 1 else ""


def _dashed(dash: str) -> str:
    return f' stroke-dasharray="{dash}"' if dash else ""
