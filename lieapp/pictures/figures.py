"""Figures of pictures: strips of moved ones, and fields: in the plane over the weight, in the cube of colours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lieapp.document import Figure, cosines
from lieapp.drawing import (
    Array,
    Axis,
    Dots,
    Drawing,
    Panel,
    Raster,
    Scale,
    Strokes,
    arrows,
    hexadecimal,
)
from lieapp.results.pictures import Part, Slot

Tensors = Mapping[str, Array]


def strips(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
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


def strip_figure(tensors: Tensors, slot: int) -> Drawing:
    """Held-out pictures, one below the other, moved along a slot to each flow parameter."""
    moved, s = tensors["orbit/pictures"][slot], tensors["orbit/s"]
    names = [f"{value:g}".replace("-", "−") for value in s]
    panel = mosaic("", [[rgb(picture) for picture in row] for row in np.moveaxis(moved, 1, 0)], names, "s")
    return Drawing(f"Pictures moved along slot {slot + 1}", [[panel]])


def mosaic(
    title: str, rows: Sequence[Sequence[NDArray[np.uint8]]], columns: Sequence[str], label: str,
    names: Sequence[str] = (),
) -> Panel:  # fmt: skip
    """Pictures of one size in rows, a little apart; `columns` stand below them, `names` beside the rows."""
    gap = max(1, rows[0][0].shape[1] // 14)
    framed = [
        np.hstack([np.pad(part, ((0, gap), (0, gap), (0, 0)), constant_values=255) for part in row]) for row in rows
    ]
    sheet = np.vstack(framed)[::-1]
    x = Axis(label, -0.5, len(rows[0]) - 0.5, names=columns)
    y = Axis("", -0.5, len(rows) - 0.5, names=[*reversed(names)], bare=not names)
    return Panel(title, [Raster(sheet)], x, y, aspect=sheet.shape[1] / sheet.shape[0])


def rgb(picture: Array) -> NDArray[np.uint8]:
    """Rows x columns x 3 of a picture with 1 or 3 channels in [0, 1]."""
    shown = np.moveaxis(np.repeat(picture, 3 // len(picture), axis=0), 0, -1)
    return np.round(255 * np.clip(shown, 0, 1)).astype(np.uint8)


ARROWS = 12
"""Along a side of a panel."""

ACROSS, MANY = 3, 5
"""Panels beside each other; of more than two such rows, more of them without numbers at their axes."""


def image_figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    shares = cosines([row.share for row in slots], 2)
    names = [f"{row.slot}: affine {share}, {_angle(row.angle)}" for row, share in zip(slots, shares, strict=True)]
    return [
        Figure(
            "fields", "Fields in the plane", "Each with its share of the affine span and the angle by which it "
            "turns the features. Arrows of one panel share a scale; behind them the weight of pixels. The shorter "
            "side of a picture reaches from −1 to 1.", field_figure(tensors, names),
        ),
        Figure(
            "weight", "Weight of pixels",
            "How much the features depend on the position of a pixel's content; the weight in inner products.",
            Drawing("Weight of pixels", [[weight_panel(tensors, "ω, mean 1")]]),
        ),
    ]  # fmt: skip


def _angle(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{value:.2f} rad"


def field_figure(tensors: Tensors, names: list[str]) -> Drawing:
    """Each learned field as arrows over the weight; arrows of one panel share a scale."""
    panels = [weight_panel(tensors, name, field) for name, field in zip(names, tensors["learned"], strict=True)]
    across = ACROSS
    if len(panels) > 2 * ACROSS:
        across = MANY
        axes = [(replace(one.x, label="", bare=True), replace(one.y, label="", bare=True)) for one in panels]
        panels = [replace(one, x=x, y=y) for one, (x, y) in zip(panels, axes, strict=True)]
    rows = [panels[k : k + across] for k in range(0, len(panels), across)]
    # the weight is the same everywhere: one bar of colours, at the end of the first row
    shown = [[replace(one, bar=row is rows[0] and one is row[-1]) for one in row] for row in rows]
    return Drawing("Learned fields", shown)


def weight_panel(tensors: Tensors, title: str, field: Array | None = None) -> Panel:
    """The weight, and over it about `ARROWS` arrows along a side, the longest as long as their distance."""
    weight = tensors["weight"]
    rows, columns = weight.shape
    x, y = _axis(tensors, "x", columns), _axis(tensors, "y", rows)
    behind = Raster(weight[::-1], Scale("weight ω", 0.0, float(weight.max()) or 1.0))
    over = [] if field is None else [_arrows(field, x, y)]
    return Panel(title, [behind, *over], x, y, bar=True, aspect=columns / rows, equal=True)


def _axis(tensors: Tensors, name: str, pixels: int) -> Axis:
    """From edge to edge of the picture, whose shorter side reaches from -1 to 1; y upwards.

    In pixels where the file says no more.
    """
    grid = tensors.get(f"grid/{name}")
    if grid is None or len(grid) < 2:
        return Axis(f"{name} (pixels)", 0.0, float(pixels))
    return Axis(f"{name} (scaled)", float(grid.min()), float(grid.max()))


def _arrows(field: Array, x: Axis, y: Axis) -> Strokes:
    height, width = field.shape[1:]
    stride = max(1, math.ceil(max(height, width) / ARROWS))
    rows, columns = np.mgrid[stride // 2 : height : stride, stride // 2 : width : stride]
    pixel = (x.high - x.low) / width
    longest = float(np.hypot(*field).max()) or 1.0
    dx, dy = field[:, rows, columns] / longest * stride * pixel
    middle = (x.low + (columns + 0.5) * pixel, y.high - (rows + 0.5) * (y.high - y.low) / height)
    return arrows(middle[0] - dx / 2, middle[1] - dy / 2, dx, dy, (x, y), width / height)


SAMPLED = 160
"""Colours that have an arrow; the longest is as long as `LONGEST` of a view."""

LONGEST = 0.13

PATCHES = 40
"""Colours of a palette that are shown."""

SIDEWAYS = np.array([[-1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
"""Right and up of the view with black below, white above and the grey axis upright."""

ALONG = np.array([[1.0, -0.5, -0.5], [0.0, math.sqrt(0.75), -math.sqrt(0.75)]])
"""Right and up of the view along the grey axis: hues lie around its point, red to the right."""

VIEWS = {"grey axis upright": SIDEWAYS, "along the grey axis": ALONG}


def color_figures(slots: Sequence[Slot], tensors: Tensors) -> list[Figure]:
    names = [f"slot {row.slot}" for row in slots]
    told = [f"{row.slot}: {components(row.components)}, {_angle(row.angle)}" for row in slots]
    return [
        Figure(
            "fields", "Fields in the cube of colours", "Arrows start at sampled colours and share a scale in each "
            "slot; the thin lines are the edges and the grey axis.", cube_figure(tensors, names),
        ),
        Figure(
            "palette", "Moved palettes",
            "Sampled colours, from dark to light, moved along each slot. Above them the slot's largest components "
            "and the angle by which it turns the features.",
            palette_figure(tensors, told),
        ),
        Figure(
            "weight", "Weight of colours",
            "How much the features depend on pixels of a colour; the weight in inner products, "
            f"{tensors['weight'].min():.2f} to {tensors['weight'].max():.2f}, mean 1.",
            color_weight_figure(tensors),
        ),
    ]  # fmt: skip


def cube_figure(tensors: Tensors, names: list[str]) -> Drawing:
    """Each learned field as arrows at sampled colours, from two sides; arrows of one field share a scale."""
    # they stand in random order already
    colors = tensors["colors"][:, :SAMPLED]
    rows = []
    for slot, field in zip(names, tensors["learned"][:, :, :SAMPLED], strict=True):
        longest = float(np.linalg.norm(field, axis=0).max()) or 1.0
        rows.append([_cube(f"{slot}, {name}", name, colors, field * (LONGEST / longest)) for name in VIEWS])
    return Drawing("Learned fields in the cube of colours", rows)


def color_weight_figure(tensors: Tensors) -> Drawing:
    """The sampled colours as dots in their own colour, their areas as their weights."""
    order = np.argsort(-tensors["weight"])
    weight = np.maximum(tensors["weight"][order], 0.0)
    areas = 3 * weight / max(float(weight.max()), 1e-30)
    return Drawing(
        "Weight of colours", [[_cube(name, name, tensors["colors"][:, order], areas=areas) for name in VIEWS]]
    )


def palette_figure(tensors: Tensors, names: list[str]) -> Drawing:
    """Sampled colours, sorted by lightness, moved along each slot to each flow parameter, one row for each."""
    moved, s, colors = tensors["palette/colors"], tensors["palette/s"], tensors["colors"]
    some = np.argsort(colors[:, :PATCHES].mean(0), kind="stable")
    # rows are low: only the first, the last and the unmoved one have room for a label
    shown_at = (0, int(np.argmin(np.abs(s))), len(s) - 1)
    labels = [f"{value:.2g}".replace("-", "−") if n in shown_at else "" for n, value in enumerate(s)]
    y = Axis("s", len(s) - 0.5, -0.5, names=labels)
    x = Axis("", 0.0, float(len(some)), bare=True)
    rows = []
    for name, own in zip(names, moved, strict=True):
        shown = np.round(255 * np.clip(np.moveaxis(own[:, :, some], 1, -1), 0, 1)).astype(np.uint8)
        rows.append([Panel(name, [Raster(shown)], x, y, aspect=len(some) / len(s))])
    return Drawing("Palettes moved along each slot", rows)


def _cube(title: str, view: str, colors: Array, field: Array | None = None, areas: Array | None = None) -> Panel:
    """Colours as dots, moved by arrows, within the edges of the cube seen from one side."""
    onto = VIEWS[view] / np.linalg.norm(VIEWS[view], axis=1, keepdims=True)
    corners = onto @ np.array(list(itertools.product((0.0, 1.0), repeat=3))).T
    middle, half = (corners.min(1) + corners.max(1)) / 2, 0.55 * float((corners.max(1) - corners.min(1)).max())
    x, y = (Axis("", float(at) - half, float(at) + half, bare=True) for at in middle)
    starts = [np.array(start) for start in itertools.product((0.0, 1.0), repeat=3)]
    edges = [(start, start + unit) for start in starts for unit in np.eye(3) if start @ unit == 0]
    edges.append((np.zeros(3), np.ones(3)))
    lines = np.hstack([np.column_stack([onto @ a, onto @ b, [np.nan, np.nan]]) for a, b in edges])
    places = onto @ colors
    shown = [hexadecimal(color) for color in colors.T]
    dots = Dots(places[0], places[1], shown, [0.5] * len(shown) if areas is None else areas.tolist())
    over = []
    if field is not None:
        dx, dy = 2 * half * (onto @ field)
        over = [arrows(places[0], places[1], dx, dy, (x, y), 1.0)]
    return Panel(title, [Strokes(lines[0], lines[1], quiet=True), dots, *over], x, y, aspect=1.0, equal=True)
