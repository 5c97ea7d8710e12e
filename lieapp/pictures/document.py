"""What a discovery on pictures says: tables of learned and named fields, angles, figures; and generators.csv."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from lieapp.document import (
    Block,
    Column,
    Document,
    Draw,
    Figure,
    Heading,
    Table,
    Text,
    cosine,
    figures,
    seconds,
    table,
    undrawn,
)
from lieapp.extension import outcome
from lieapp.figures.charts import Line, line_chart
from lieapp.figures.material import read_fields
from lieapp.pictures.color_figures import color_figures
from lieapp.pictures.figures import components, strips
from lieapp.pictures.plane_figures import image_figures
from lieapp.results.pictures import PictureDiscovery, SmallFlow

ANGLE = "Angle: between the features of held-out pictures before and after, mean over flow parameters."
PARTS = (
    "Components: coefficients of named fields of norm 1; these aren't orthogonal to each other, so that one may be "
    "above 1."
)
CLIPPED = "Clipped: share of pixels that leave the cube at the largest flow parameters."
ALONG = (
    "Of slots of norm 1 with the independent ones of the named fields, orthonormalised under the weight in this "
    "order: what a column adds to those before it."
)

COMPARISON = ("slots", "named", "small", "along", "angles")
"""Sections that hold slots against named fields."""


def document(result: PictureDiscovery, draw: Draw = undrawn) -> Document:
    """Everything but where the run comes from."""
    span = result.span
    share = f"{span.capitalize()}: length of the projection of the field, of norm 1, on the span of {span} ones."
    told = [ANGLE, share, PARTS, *([CLIPPED] if result.clipped else []), "Nothing is proved of pictures."]
    borne = f"Angles of {span} fields of norm 1: how well the network bears each, beside what was learned."
    return [
        *outcome(result),
        Heading("Learned fields", "slots"),
        _slots(result),
        Text(" ".join(told), small=True),
        Heading(f"{span.capitalize()} fields", "named"),
        _named(result),
        Text(borne, small=True),
        *_small(result.cross_check),
        Heading("Inner products", "along", pages_only=True),
        _along(result),
        Text(ALONG, small=True),
        *_angles(result),
        *figures(result.figures, draw),
        *seconds(result.seconds),
    ]


def angle_chart(result: PictureDiscovery) -> str:
    """The angle of features before and after over s, a curve for each slot, 0 at s = 0; empty without any."""
    curves = []
    for row in result.generators:
        known = [(s, a) for s, a in zip(result.s, row.angles, strict=False) if a is not None]
        if known:
            x, y = zip(*sorted([*known, (0.0, 0.0)]), strict=True)
            curves.append(Line(f"slot {row.slot}", x, y))
    if not curves:
        return ""
    x_label, y_label = "flow parameter s (no unit)", "angle of features (rad)"
    return line_chart(curves, x_label, y_label, "How far features turn", whole=False, symbols=True)


def write_csv(result: PictureDiscovery, file: Path) -> None:
    """A line for each slot and each named field. Raises OSError."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["kind", "name", "angle", result.span, "cosine", *result.coordinates])
        for row in result.generators:
            empty = [""] * len(result.coordinates)
            writer.writerow(["slot", row.slot, row.angle, row.share, row.nearest.cosine, *empty])
        for field in result.reference:
            parts = [field.field[name] for name in result.coordinates]
            writer.writerow([result.span, field.name, field.angle, 1.0, field.cosine, *parts])


def _slots(result: PictureDiscovery) -> Table:
    far, clipped = max(map(abs, result.s)), result.clipped or [None] * len(result.generators)
    head = ("slot", f"angle up to |s| = {far:g} (rad)", result.span, "nearest", "cosine", "components", "clipped")
    rows = [
        (str(row.slot), _number(row.angle), cosine(row.share, 3), row.nearest.name, cosine(row.nearest.cosine, 4),
         components(row.components), None if part is None else _number(part))
        for row, part in zip(result.generators, clipped, strict=True)
    ]  # fmt: skip
    return table([Column(name, number=name not in ("nearest", "components")) for name in head], rows)


def _named(result: PictureDiscovery) -> Table:
    return Table(
        [Column("name"), Column("field"), _measured("angle (rad)"), _measured("cosine with the slots' span")],
        [(row.name, row.shown, _number(row.angle), cosine(row.cosine, 4)) for row in result.reference],
    )


def _small(check: SmallFlow | None) -> Iterator[Block]:
    """The fields that are borne best for s -> 0, and how the slots stand to them."""
    if check is None:
        return
    yield Heading("Quadratic fields for s → 0", "small")
    yield Table(
        [_measured("place"), _measured("angle/|s| for s → 0 (rad)"), Column("components")],
        [
            (str(n), _number(slope), components(parts))
            for n, (slope, parts) in enumerate(zip(check.slopes, check.components, strict=False), 1)
        ],
    )
    along = ", ".join(cosine(value, 3) for value in check.cosines)
    yield Text(
        "Of all quadratic fields those that the network bears best for s → 0, by an eigenproblem without training. "
        f"Largest principal angle between as many of them and the slots: {_number(check.angle, 2)} rad; cosines of "
        f"the slots with their span: {along}.",
        small=True,
    )


def _along(result: PictureDiscovery) -> Table:
    rows = [(str(n), *map(_number, row)) for n, row in enumerate(result.basis.inner, 1)]
    return Table([_measured("slot"), *map(_measured, result.basis.names)], rows)


def _angles(result: PictureDiscovery) -> list[Block]:
    svg, title = angle_chart(result), "Angle of features over s"
    return [Heading(title, "angles"), Figure("angles", title, svg=svg)] if svg else []


def _measured(head: str) -> Column:
    """A column of numbers."""
    return Column(head, number=True)


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def run_figures(result: PictureDiscovery, folder: Path) -> list[Figure]:
    """Fields, weight and moved pictures, drawn from the files of a run's folder."""
    tensors = read_fields(folder / "fields.safetensors")
    fields = image_figures if result.domain == "images" else color_figures
    return [*fields(result.generators, tensors), *strips(result.generators, tensors)]


def draw(result: PictureDiscovery, folder: Path) -> Draw:
    """The figures of a run."""
    drawn = {figure.key: figure for figure in run_figures(result, folder)}
    return lambda key: drawn.get(key, undrawn(key))
