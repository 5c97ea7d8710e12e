"""A file as it is understood: roles, axes, noise and a picture, measured on a few slices."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lieapp.arrays import Contents
from lieapp.data.axes import along, noise_level
from lieapp.data.grids import Part, parts
from lieapp.data.opening import all_readers
from lieapp.data.own import FEW
from lieapp.data.roles import Roles, Unknown
from lieapp.data.sizes import CHUNK
from lieapp.document import Block, Column, Document, Figure, Heading, Notice, Table, Text, number, table
from lieapp.drawing import Axis, Drawing, Panel, Raster, Scale
from lieapp.extension import Reader
from lieapp.results.inspection import ArrayRow, Asked, AxisRow, Inspection

LOOKED = (128, 256)
"""Neighbouring times and points of one trajectory in which noise and gaps are looked for."""

DRAWN = (120, 180)
"""Times and points of the picture."""


@dataclass(frozen=True)
class Inspected:
    """The result and its picture; without a picture while a question is open."""

    result: Inspection
    drawing: Drawing | None


def inspect(
    path: str | Path, mapping: str = "", unknowns: Sequence[str] | None = None,
    variables: Sequence[str] | None = None, readers: Sequence[Reader] | None = None,
) -> Inspected:  # fmt: skip
    """Look at a file without reading all of it. Arguments and errors are those of `lieapp.data.files.read`."""
    path = Path(path)
    with parts(path, mapping, unknowns, variables, all_readers() if readers is None else readers) as grids:
        part = grids[0]
        values = {} if part.roles.questions else {u.name: _looked(part, u) for u in part.roles.unknowns}
        result = _result(path, mapping, grids, values)
        return Inspected(result, _drawing(part) if values else None)


def _looked(part: Part, unknown: Unknown) -> np.ndarray:
    """A block in the middle of the first trajectory, (sample, t, space…)."""
    index = []
    for i, axis in enumerate(part.axes):
        n = len(axis.points) - axis.measured.end_stored
        most = LOOKED[min(i, 1)] if len(part.axes) == 2 else LOOKED[0] // 2
        start = max(0, (n - most) // 2)
        index.append(slice(start, min(n, start + most)))
    return part.values(unknown, slice(part.samples[0], part.samples[0] + 1), index)


def _result(path: Path, mapping: str, grids: list[Part], values: dict[str, np.ndarray]) -> Inspection:
    part = grids[0]
    contents, roles = part.contents, part.roles
    bad = [float((~np.isfinite(v)).mean()) for v in values.values()]
    levels = [noise_level(v) for v in values.values() if np.isfinite(v).all()]
    worst = max(levels, default=None)
    questions = list(dict.fromkeys((q.text, q.mapping) for p in grids for q in p.roles.questions))
    return Inspection(
        file=str(path), format=contents.format, layout=contents.layout or "generic", bytes=_size(path),
        arrays=[
            ArrayRow(a.name, list(a.shape), a.unit, *roles.reasons.get(a.name, ("parameter", "no role was found")))
            for a in contents.arrays
        ],
        attributes=dict(contents.attributes),
        axes=[
            AxisRow(
                a.name, len(a.points), a.measured.spacing, a.measured.kind, a.measured.end_stored,
                float(a.points[0]), float(a.points[-1]), a.unit, a.measured.period, a.since, a.measured.reason,
            )
            for a in part.axes
        ],
        samples=sum(len(p.samples) for p in grids), loaded=sum(map(_loaded, grids)), grids=len(grids),
        unknowns=[u.name for u in roles.unknowns],
        missing=max(bad, default=None), noise=worst[0] if worst else None,
        noise_by=along(worst[1], [a.name for a in part.axes]) if worst else "",
        notes=list(dict.fromkeys(n for p in grids for n in p.notes)),
        mapping=mapping if mapping and not questions else _mapping(contents, roles),
        questions=[Asked(text, shown) for text, shown in questions],
        next=_next(path, mapping, contents, part, [shown for _, shown in questions], bool(max(bad, default=0.0))),
    )  # fmt: skip


def _size(path: Path) -> int:
    files = [f for f in path.rglob("*") if f.is_file()] if path.is_dir() else [path]
    return sum(f.stat().st_size for f in files)


def _loaded(part: Part) -> int:
    points = [len(a.points) - a.measured.end_stored for a in part.axes]
    return 8 * len(part.roles.unknowns) * len(part.samples) * math.prod(points)


def _mapping(contents: Contents, roles: Roles) -> str:
    """What --map would say; empty where it can't, as of components that a layout took apart."""
    parts = [f"{u.name}={u.array.name}({','.join(u.array.dims)})" for u in roles.unknowns]
    parts += [f"{a.name}={a.array.name if a.array else f'{a.start:.15g}:{a.step:.15g}'}" for a in roles.axes]
    arrays = [*(u.array for u in roles.unknowns), *(a.array for a in roles.axes if a.array)]
    known = not roles.questions and all(contents.get(a.name) for a in arrays)
    return ", ".join(parts) if known else ""


def _next(
    path: Path, mapping: str, contents: Contents, part: Part, asked: Sequence[str], missing: bool
) -> str:  # fmt: skip
    """The command to type: an equation that isn't given is found first."""
    data = shlex.quote(str(path))
    if asked:
        return f'lieapp inspect {data} --map "{asked[0]}"'
    more = (f' --map "{mapping}"' if mapping else "") + " --drop-nan" * missing
    if contents.layout == "lieapp" and contents.attributes.get("plugin"):
        return f"lieapp discover --data {data}{more} --plugin {contents.attributes['plugin']}"
    return f"lieapp discover --data {data}{more}"


def _drawing(part: Part) -> Drawing:
    """The first unknown of the first trajectory over time and the first axis of space, others in the middle."""
    time, space = part.axes[:2]
    index = [slice(0, len(a.points), -(-len(a.points) // n)) for a, n in zip((time, space), DRAWN, strict=True)]
    index += [slice(len(a.points) // 2, len(a.points) // 2 + 1) for a in part.axes[2:]]
    unknown = part.roles.unknowns[0]
    values = part.values(unknown, slice(part.samples[0], part.samples[0] + 1), index)
    picture = values.reshape(values.shape[1], values.shape[2]).astype(np.float64)
    finite = picture[np.isfinite(picture)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    both = low < 0 < high
    size = max(-low, high)
    scale = Scale(unknown.name, -size if both else low, size if both else high or 1.0, diverging=both)
    x, y = (Axis(f"{a.name} / {a.unit}" if a.unit else a.name, float(a.points[0]), float(a.points[-1]))
            for a in (space, time))  # fmt: skip
    title = f"{unknown.name}({time.name}, {space.name})"
    return Drawing(title, [[Panel(title, [Raster(picture, scale)], x, y, bar=True)]])


def inspection_document(found: Inspected) -> Document:
    """The presentation of an inspection on terminals and in reports."""
    return [*opening(found), *arrays(found), *measured(found), Heading("Next", "next"), Text(found.result.next)]


def opening(found: Inspected) -> list[Block]:
    """What the file is taken for, and what must be said of it."""
    result = found.result
    blocks: list[Block] = [Notice(_sentence(result), "info" if result.questions else "success")]
    for question in result.questions:
        blocks += [Notice(question.text, "warning"), Text(f'`--map "{question.mapping}"`')]
    if result.missing:
        share = f"{result.missing:.2g} of the values looked at are NaN or infinite"
        blocks.append(Notice(f"{share}; --drop-nan leaves out the times and trajectories with them.", "warning"))
    if result.loaded > CHUNK and result.samples >= FEW and not result.questions:
        size = f"The trajectories take {result.loaded / 2**20:.1f} MiB."
        told = f"{size} A discovery reads them in stretches, which its run keeps until it is done."
        blocks.append(Text(told, small=True))
    return blocks


def arrays(found: Inspected) -> list[Block]:
    """Every array and what it is taken for, and the attributes of the file."""
    blocks: list[Block] = [Heading("Arrays", "arrays"), table(
        ["array", "shape", "unit", "taken for", "because"],
        [[a.name, " x ".join(map(str, a.shape)), a.unit, _taken_for(a), a.reason] for a in found.result.arrays],
    )]  # fmt: skip
    if found.result.attributes:
        told = [[key, str(value)[:200]] for key, value in found.result.attributes.items()]
        blocks += [Heading("Attributes", "attributes"), Table([Column("attribute"), Column("value")], told)]
    return blocks


def measured(found: Inspected) -> list[Block]:
    """The picture, the axes and the noise; nothing while a question is open."""
    result = found.result
    blocks: list[Block] = []
    if found.drawing is not None:
        blocks += [Heading("Picture", "picture", pages_only=True),
                   Figure("data", found.drawing.title, "The first trajectory.", found.drawing)]  # fmt: skip
    if result.axes:
        columns = [Column("axis"), Column("points", True), Column("from", True), Column("to", True), Column("unit"),
                   Column("spacing", True), Column("kind"), Column("period", True)]  # fmt: skip
        blocks += [Heading("Axes", "axes"), table(columns, map(_axis_row, result.axes))]
        blocks += [Text(f"{a.name} is {a.kind}: {a.reason}.", small=True) for a in result.axes]
    if result.noise is not None:
        blocks += [Heading("Noise", "noise"), Text(
            f"About {number(100 * result.noise)} % of the values' standard deviation or less, by {result.noise_by}."
        )]  # fmt: skip
    return blocks


def _taken_for(a: ArrayRow) -> str | None:
    """The role; of numbers and lists that no equation uses only where they may be parameters."""
    return a.role if a.role != "parameter" or a.reason.startswith("the number ") else None


def _axis_row(a: AxisRow) -> list[str | None]:
    unit = f"{a.unit} since {a.since}" if a.since else a.unit
    kind = f"{a.kind}, end stored" if a.end_stored else a.kind
    spacing, period = (None if value is None else f"{value:.6g}" for value in (a.spacing, a.period))
    return [a.name, str(a.points), f"{a.low:.6g}", f"{a.high:.6g}", unit, spacing, kind, period]


def _sentence(result: Inspection) -> str:
    head = f"{result.file}: {result.format}" + (f", {result.layout}" if result.layout != "generic" else "")
    if result.questions:
        return f"{head}. It can't be used before a question is answered."
    grids = f" on {result.grids} grids" if result.grids > 1 else ""
    sizes = " x ".join(f"{a.points - a.end_stored} {a.name}" for a in result.axes)
    many = f"{result.samples} {'trajectory' if result.samples == 1 else 'trajectories'}"
    return "; ".join([f"{head}. {', '.join(result.unknowns)}: {many}{grids} of {sizes}", *result.notes]) + "."
