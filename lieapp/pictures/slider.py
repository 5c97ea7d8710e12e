"""Held-out pictures beside what one slot made of them at a flow parameter s, for a slider."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lieapp.figures.colour import png, sequential
from lieapp.figures.material import parts_of, rounded
from lieapp.figures.svg import QUIET, Sheet
from lieapp.pictures.color_figures import cube_figure
from lieapp.pictures.figures import Array, Tensors, rgb
from lieapp.pictures.plane_figures import field_figure

THUMB, BETWEEN, LEFT, TOP = 92, 8, 74, 8

PLANE = 4
"""Axes of the learned fields' array where these move a plane: slot, coordinate, row, column."""


def read_moved(folder: Path, place: int) -> tuple[list[float], Array] | None:
    """Flow parameters and (s, picture, channel, row, column) of the `place`-th slot; None without them."""
    found = parts_of(folder / "fields.safetensors", place, ("orbit/pictures",))
    if "orbit/pictures" not in found or "orbit/s" not in found:
        return None
    return [rounded(s) for s in found["orbit/s"]], found["orbit/pictures"]


def pictures_at(s: list[float], moved: Array, k: int, title: str) -> str:
    """Three rows: the pictures as they were, moved to the k-th s, and how far each pixel changed."""
    rest = int(np.argmin(np.abs(s)))
    step, count = THUMB + BETWEEN, moved.shape[1]
    sheet = Sheet(LEFT + count * step, TOP + 3 * step, title)
    difference = np.abs(moved[k] - moved[rest]).mean(1)
    rows = (
        ("s = 0", [rgb(picture) for picture in moved[rest]]),
        (f"s = {s[k]:g}".replace("-", "−"), [rgb(picture) for picture in moved[k]]),
        # one scale at every s: 0 dark, a change from black to white light
        ("|change|", [sequential(picture, 0.0, 1.0) for picture in difference]),
    )
    for place, (name, pictures) in enumerate(rows):
        top = TOP + place * step
        sheet.write(LEFT - 10, top + THUMB / 2 + 4, name, anchor="end", colour=QUIET)
        for column, picture in enumerate(pictures):
            sheet.image(LEFT + column * step, top, THUMB, THUMB * len(picture) / picture.shape[1], png(picture))
    return sheet.text()


def field_at(folder: Path, place: int) -> str:
    """The field of the `place`-th slot alone, as SVG; empty where the run wrote none."""
    found = parts_of(folder / "fields.safetensors", place, ("learned", "orbit/pictures", "palette/colors"))
    if "learned" not in found:
        return ""
    return fields_figure({**found, "learned": found["learned"][None]}, [f"slot {place + 1}"])


def fields_figure(tensors: Tensors, names: list[str]) -> str:
    """Fields on a grid as arrows in the plane, fields at sampled colours as arrows in the cube; empty of others."""
    if "weight" not in tensors:
        return ""
    if tensors["learned"].ndim == PLANE:
        return field_figure(tensors, names)
    return cube_figure(tensors, names) if "colors" in tensors else ""
