"""A solution moved along a generator's flow to several flow parameters s, with the residual after the move."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom

from lieapp.document import number
from lieapp.drawing import Array, Axis, Drawing, Panel, Raster, Scale
from lieapp.figures.quiver import Plane

PIXELS = (90, 126)
"""Rows and columns of one picture."""
FINER, DENSE = 6, 4
"""The moved grid is refined at most so much before it is spread, and to so many points for each pixel:
stretched, they then leave few holes."""
ROOM = 1.0
"""How far beside the unmoved solution places are shown, in units of its own extent: a field that runs away would
shrink the solution to a dot."""


def chosen(s: Array) -> list[int]:
    """Indices of the parameters to draw: the ends and the one nearest to 0, or 0, the middle and the far end."""
    rest = int(np.argmin(np.abs(s)))
    last = len(s) - 1
    wanted = {0, rest, last} if 0 < rest < last else {0, last // 2, last}
    return sorted(wanted)


def orbits(plane: Plane, s: Array, points: Array, captions: Sequence[str], title: str) -> Drawing:
    """A row for each slot; `points` is (slot, s, coordinate, *grid) in physical coordinates."""
    picks, row, rest = chosen(s), len(plane.grids), int(np.argmin(np.abs(s)))
    rows = []
    for slot, caption in zip(points, captions, strict=True):
        moved = [[plane.slice(slot[k, c]) for c in (1, 0, row)] for k in picks]
        axes, scale = window(plane, moved[picks.index(rest)], moved, plane.unknowns[0])
        named = [_caption(caption if place == 0 else "", float(s[k])) for place, k in enumerate(picks)]
        pictures = [spread(parts, axes, PIXELS) for parts in moved]
        rows.append(_beside(axes, scale, list(zip(named, pictures, strict=True))))
    return Drawing(title, rows)


def _beside(axes: tuple[Axis, Axis], scale: Scale, pictures: Sequence[tuple[str, Array]]) -> list[Panel]:
    """Panels with the same axes; the last one has the colour bar."""
    return [
        _picture(caption, picture, axes, scale, bar=place == len(pictures))
        for place, (caption, picture) in enumerate(pictures, 1)
    ]


def _picture(
    caption: str, picture: Array, axes: tuple[Axis, Axis], scale: Scale | None, *, bar: bool, note: str = ""
) -> Panel:
    return Panel(caption, [] if scale is None else [Raster(picture, scale)], *axes, bar=bar, note=note)


def spread(moved: Sequence[Array], axes: tuple[Axis, Axis], pixels: tuple[int, int]) -> Array:
    """The third of (right, up, value) on a moved grid, averaged over pixels; NaN where none falls.

    Points, not cells, are averaged, so a folded grid still shows where its points went.
    """
    return spread_all(moved[:2], moved[2:], axes, pixels)[0]


def spread_all(
    where: Sequence[Array], values: Sequence[Array], axes: tuple[Axis, Axis], pixels: tuple[int, int]
) -> list[Array]:
    """The same for several values on one moved grid (right, up)."""
    rows, columns = pixels
    # the grid's first axis is up, or close to it: time
    finer = [min(FINER, max(1, -(-DENSE * n // count))) for n, count in zip(pixels, where[0].shape, strict=True)]
    x, y = (_refined(part, finer) for part in where)
    column = (x - axes[0].low) / (axes[0].high - axes[0].low) * columns
    row = (y - axes[1].low) / (axes[1].high - axes[1].low) * rows
    # the last grid line lies on the edge: it belongs to the last pixel; what isn't finite lies nowhere
    inside = (column >= 0) & (column <= columns) & (row >= 0) & (row <= rows)
    place = np.zeros(x.shape, dtype=np.intp)
    place[inside] = np.minimum(row[inside].astype(np.intp), rows - 1) * columns
    place[inside] += np.minimum(column[inside].astype(np.intp), columns - 1)
    return [_averaged(_refined(part, finer), inside, place, pixels) for part in values]


def _averaged(z: Array, inside: NDArray[np.bool_], place: NDArray[np.intp], pixels: tuple[int, int]) -> Array:
    """The mean of the points in each pixel."""
    good = inside & np.isfinite(z)
    size = pixels[0] * pixels[1]
    total = np.bincount(place[good], weights=z[good], minlength=size)
    count = np.bincount(place[good], minlength=size)
    with np.errstate(invalid="ignore"):
        return (total / np.where(count, count, np.nan)).reshape(pixels)


def _refined(values: Array, finer: Sequence[int]) -> Array:
    """Bilinear interpolation between the points of an index grid."""
    shape = [(count - 1) * n + 1 for count, n in zip(values.shape, finer, strict=True)]
    return zoom(np.asarray(values, dtype=float), np.array(shape) / values.shape, order=1)


def window(
    plane: Plane, still: Sequence[Array], moved: Sequence[Sequence[Array]], name: str
) -> tuple[tuple[Axis, Axis], Scale]:
    """Axes common to all panels of a row, and the common colour scale of the values of `name`.

    Args:
        still: (right, up, value) of the unmoved solution; what is further away than `ROOM` is left out.
    """
    ends = []
    for c in range(3):
        least, most = _ends([still[c]]) or (-math.inf, math.inf)
        room = ROOM * ((most - least) or 1.0)
        low, high = _ends([still[c], *(part[c] for part in moved)]) or (0.0, 1.0)
        low, high = max(low, least - room), min(high, most + room)
        ends.append((low, high if high > low else low + 1.0))
    right, up, values_of = ends
    return (Axis(plane.right, *right), Axis(plane.up, *up)), Scale(name, *values_of)


def _ends(parts: Sequence[Array]) -> tuple[float, float] | None:
    """The least and the largest value; None where none is finite."""
    values = np.concatenate([part.ravel() for part in parts])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else None


def _caption(slot: str, s: float) -> str:
    words = "original, s = 0" if s == 0 else f"s = {number(s)}"
    return f"{slot}: {words}" if slot else words


DECADES = 8
"""Largest number of decades in the colour scale of residuals."""


@dataclass(frozen=True)
class Moved:
    """One row of panels.

    Args:
        points: coordinate x nodes, physical.
        residual: on the same nodes, of the equation for that unknown; nan where it can't be taken; None where it
            wasn't taken at all.
        defect: in words.
        reach: each coordinate x nodes, the places that the axes hold as far as `ROOM`; `points` only where None.
    """

    caption: str
    s: float
    defect: str
    points: Array
    residual: Array | None
    unknown: int
    reach: Sequence[Array] | None = None


def residual_scale(residuals: Sequence[Array]) -> Scale | None:
    """The decades of the common colour scale of all rows; None if there are no values."""
    sizes = np.concatenate([np.abs(values).ravel() for values in residuals])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not sizes.size:
        return None
    high = math.ceil(math.log10(float(sizes.max())))
    # not the least: a change of sign passes through 0 and would use up the colours
    low = math.floor(math.log10(float(np.quantile(sizes, 0.01))))
    return Scale("", 10.0 ** max(min(low, high - 1), high - DECADES), 10.0**high, log=True)


def moved_panels(plane: Plane, solution: Array, row: Moved, beside: Sequence[Array]) -> list[Panel]:
    """Unmoved, moved, and the residual's change where it was taken; `solution` is (component, *grid).

    Args:
        beside: residuals that share the colour scale with this one.
    """
    name, picked = plane.unknowns[row.unknown], (1, 0, len(plane.grids) + row.unknown)
    right, up = plane.grids[plane.right], plane.grids[plane.up]
    still = [*(part.T for part in np.meshgrid(right, up, indexing="ij")), plane.slice(solution[row.unknown])]
    moved = [plane.slice(row.points[c]) for c in picked]
    reach = [row.points] if row.reach is None else row.reach
    axes, scale = window(plane, still, [[plane.slice(points[c]) for c in picked] for points in reach], name)
    residual = None if row.residual is None else np.abs(plane.slice(row.residual))
    there = spread_all(moved[:2], [part for part in (moved[2], residual) if part is not None], axes, PIXELS)
    captions = (f"{row.caption}: original, s = 0", f"moved to s = {number(row.s)}")
    found = _beside(axes, scale, list(zip(captions, (spread(still, axes, PIXELS), there[0]), strict=True)))
    if residual is None:
        return found
    caption = f"|Rₛ − R₀|, defect {row.defect}"
    if not np.isfinite(residual).any():
        return [*found, _picture(caption, there[1], axes, None, bar=False, note="no data left")]
    colours = residual_scale([plane.slice(part) for part in beside]) or Scale("", 0.0, 1.0)
    # a residual of 0 is the smallest one, not a missing one
    shown = np.maximum(there[1], colours.low)
    return [*found, _picture(caption, shown, axes, dataclasses.replace(colours, label=f"of {name}"), bar=True)]
