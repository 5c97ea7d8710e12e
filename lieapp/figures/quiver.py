"""Vector fields on a solution: arrows in the plane of two independent variables over their u-components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lieapp.drawing import ASPECT, Array, Axis, Drawing, Panel, Raster, Scale, Strokes, arrows

LONGEST = 1 / 13
"""The longest arrow, in panel heights: shorter than the distance between arrows, so that none touch."""

SMALL = 2e-3
"""A component below this share of the field, in scaled coordinates, is drawn as zero: it is noise."""


@dataclass(frozen=True)
class Plane:
    """The two independent variables of a figure, upwards and to the right, and slices along the others.

    Args:
        names: all coordinates, independent ones first.
        grids: values of each independent variable.
        scale: physical = scaled x scale, one number for each coordinate.
    """

    names: Sequence[str]
    grids: Mapping[str, Array]
    scale: Array

    @property
    def up(self) -> str:
        """The vertical variable: the first, usually time."""
        return self.names[0]

    @property
    def right(self) -> str:
        """The horizontal variable: the second."""
        return self.names[1]

    @property
    def unknowns(self) -> list[str]:
        """The coordinates that have no grid."""
        return list(self.names[len(self.grids) :])

    def slice(self, values: Array) -> Array:
        """The values over (up, right): further space axes are cut in their middle."""
        extra = values.ndim - 2
        return values[(slice(None), slice(None), *(values.shape[2 + k] // 2 for k in range(extra)))]

    def axes(self) -> tuple[Axis, Axis]:
        """Horizontal and vertical axis."""
        right, up = self.grids[self.right], self.grids[self.up]
        return (
            Axis(self.right, float(right[0]), float(right[-1])),
            Axis(self.up, float(up[0]), float(up[-1])),
        )


def plane_of(arrays: Mapping[str, Array], coordinates: Sequence[str]) -> Plane | None:
    """The plane for the figures of a file; None if it has fewer than two grids."""
    grids = {name: arrays[f"grid/{name}"] for name in coordinates if f"grid/{name}" in arrays}
    if len(grids) < 2:
        return None
    names = [*grids, *(name for name in coordinates if name not in grids)]
    return Plane(names, grids, arrays.get("scale", np.ones(len(names))))


def quiver(plane: Plane, fields: Array, captions: Sequence[str], title: str) -> Drawing:
    """A panel for each field and unknown, two per row, all with the same scale of colours and arrows.

    Both are relative to the norm of the field, its rms in scaled coordinates.

    Args:
        fields: (field, coordinate, *grid), physical.
    """
    shown = [_normalised(plane, field) for field in fields]
    known, unknowns = len(plane.grids), plane.unknowns
    strengths = [np.abs(part) for parts in shown for part in parts[known:]]
    limit = max([SMALL, *(float(np.nanquantile(part, 0.99)) for part in strengths if np.isfinite(part).any())])
    longest = max([SMALL, *(_length(parts) for parts in shown)])
    panels = []
    for caption, parts in zip(captions, shown, strict=True):
        for a, name in enumerate(unknowns):
            scale = Scale(f"{name}-component / norm", -limit, limit, diverging=True)
            panels.append(_panel(plane, parts, parts[known + a], caption, scale, longest))
    return Drawing(title, [panels[k : k + 2] for k in range(0, len(panels), 2)])


def _normalised(plane: Plane, field: Array) -> list[Array]:
    """The components over (up, right) in scaled coordinates over the field's rms; NaN where one isn't finite."""
    parts = np.stack([plane.slice(part) / plane.scale[k] for k, part in enumerate(field)])
    good = np.isfinite(parts).all(axis=0)
    size = float(np.sqrt(np.sum(parts[:, good] ** 2) / max(np.count_nonzero(good), 1)))
    return [*np.where(good, parts, np.nan) / (size if np.isfinite(size) and size > 0 else 1.0)]


def _length(parts: Sequence[Array]) -> float:
    """Length of the longest arrow in panel heights; 0 if none is finite."""
    lengths = np.hypot(ASPECT * parts[1], parts[0])
    return float(np.max(lengths, initial=0.0, where=np.isfinite(lengths)))


def _panel(
    plane: Plane, parts: Sequence[Array], strength: Array, caption: str, scale: Scale, longest: float
) -> Panel:
    axes = plane.axes()
    name = scale.label.split("-component")[0]
    drawn = _length(parts) > SMALL
    still = [] if drawn else [plane.right, plane.up]
    still += [] if float(np.nanmax(np.abs(strength), initial=0.0)) > SMALL else [name]
    note = f"{' and '.join(still)} not moved" if still else ""
    note = note if np.isfinite(strength).any() else "not finite anywhere"
    over = [_arrows(parts, axes, LONGEST / longest)] if drawn else []
    return Panel(caption, [Raster(strength, scale), *over], *axes, bar=True, note=note)


def _arrows(parts: Sequence[Array], axes: tuple[Axis, Axis], factor: float) -> Strokes:
    """Arrows at about 13 x 9 points, evenly spaced, each with the value of the grid point nearest to it."""
    down, across = (_points(count, most) for count, most in zip(parts[0].shape, (9, 13), strict=True))
    wide, high = (axis.high - axis.low for axis in axes)
    dx, dy = (parts[k][np.ix_(down, across)] * factor * span for k, span in ((1, wide), (0, high)))
    share = [(np.arange(len(places)) + 0.5) / len(places) for places in (across, down)]
    x, y = np.meshgrid(axes[0].low + share[0] * wide, axes[1].low + share[1] * high)
    return arrows(x - dx / 2, y - dy / 2, dx, dy, axes)


def _points(count: int, wanted: int) -> NDArray[np.intp]:
    """At most `wanted` indices spread over an axis, none on its edge where arrows would leave the frame."""
    taken = min(wanted, count)
    return np.floor((np.arange(taken) + 0.5) * count / taken).astype(np.intp)
