"""The figures of a run: what is drawn from which file, for the report and for the app alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lieapp.report import wording
from lieapp.report.at_size import ROWS, AtSize, at_size, cell, pictured, size_chart
from lieapp.report.augment_words import label
from lieapp.report.calm import calmed
from lieapp.report.charts import Line, line_chart, spectrum_chart
from lieapp.report.material import Json, Material, finite
from lieapp.report.matrix import heat_map
from lieapp.report.moved import Moved, moved_chart
from lieapp.report.orbit import orbit_chart
from lieapp.report.quiver import Plane, quiver_chart

MOST_POINTS = 400
"""Points of a training curve beyond which only every n-th line is drawn."""

FINITE = ("finite-defect", "finite-moved")
"""Keys of the figures that runs without a judgement at finite size don't have."""


@dataclass(frozen=True)
class Figure:
    """A picture or, where its data are absent, the sentence that says so.

    Args:
        key: file name in figures/, without its ending.
        svg: the picture; empty when `note` stands instead.
    """

    key: str
    title: str
    caption: str
    svg: str = ""
    note: str = ""


class MissingError(Exception):
    """A figure's data are not in the run folder; the message says what is missing."""


def figures(material: Material) -> list[Figure]:
    """All figures, in the order of the report."""
    return [_drawn(key, material) for key in _BUILDERS]


def figure(key: str, material: Material) -> Figure:
    """One figure by its key."""
    return _drawn(key, material)


def keys() -> list[str]:
    """The names of all figures, in the order of the report."""
    return list(_BUILDERS)


def words_of(key: str) -> tuple[str, str]:
    """Title and caption of a figure, for one that is drawn already."""
    return _BUILDERS[key][:2]


def _drawn(key: str, material: Material) -> Figure:
    title, caption, build = _BUILDERS[key]
    try:
        return Figure(key, title, caption, svg=build(material))
    except MissingError as missing:
        return Figure(key, title, caption, note=str(missing))
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        # arrays of unexpected shape in a run of another version: the rest of the report still stands
        return Figure(key, title, caption, note=f"This picture could not be drawn from the run's files ({error}).")


def _inner(material: Material) -> str:
    table = material.summary.get("inner")
    names = [row.name for row in wording.derived(material.summary)]
    if not names:
        raise MissingError("No generators were derived, so there is nothing to compare the learned fields with.")
    if not table:
        raise MissingError("The summary holds no inner products.")
    values = [[_number(v) for v in row] for row in table]
    if any(len(row) != len(names) for row in values):
        raise MissingError("The inner products do not belong to the derived generators of this summary.")
    rows = [f"slot {k}" for k in _slot_numbers(material, len(values))]
    return heat_map(values, rows, names, "Inner product of normalised fields")


def _spectrum(material: Material) -> str:
    spectrum = material.summary.get("spectrum") or {}
    etas = [_number(v) for v in spectrum.get("eta") or []]
    if not etas:
        raise MissingError("This method writes no spectrum.")
    return spectrum_chart(etas, spectrum.get("gap_after"), "Defect of every field, best first")


def _convergence(material: Material) -> str:
    rows = wording.convergence(material.summary)
    if not rows:
        raise MissingError("The summary holds no convergence sequences.")
    lines = [Line(f"slot {row.slot}", row.levels, row.etas) for row in rows]
    label = "level: size of the basis or number of features"
    return line_chart(lines, label, "defect η (no unit)", "Defect as the ansatz grows", log=True)


def _learned(material: Material) -> str:
    plane, fields = _plane(material), _array(material, "learned")
    etas = {row.number: row.eta for row in wording.slots(material.summary)}
    numbers = _slot_numbers(material, len(fields))
    captions = [f"slot {k}, η = {wording.number(etas.get(k))}" for k in numbers]
    return quiver_chart(plane, fields, captions, "Learned fields on a held-out solution")


def _derived(material: Material) -> str:
    plane, fields = _plane(material), _array(material, "truth")
    names = [row.name for row in wording.derived(material.summary)]
    captions = names if len(names) == len(fields) else [f"generator {k + 1}" for k in range(len(fields))]
    return quiver_chart(plane, fields, captions, "Derived fields on the same solution")


def _orbit(material: Material) -> str:
    plane = _plane(material)
    s, points = _array(material, "orbit/s"), _array(material, "orbit/points")
    captions = [f"slot {k}" for k in _slot_numbers(material, len(points))]
    return orbit_chart(plane, s, points, captions, "A held-out solution moved by each learned generator")


def _finite_defect(material: Material) -> str:
    return size_chart(_at_size(material))


def _finite_moved(material: Material) -> str:
    rows, plane = _at_size(material), _plane(material)
    solution = _array(material, "solution")
    s, points, residuals = (material.moved.get(key) for key in ("s", "points", "residual"))
    if s is None or points is None or residuals is None:
        raise MissingError("The run has no finite.safetensors, or it lacks an array.")
    if len(points) != len(rows):
        raise MissingError("finite.safetensors does not belong to the slots of this summary.")
    unknowns = range(min(len(plane.unknowns), ROWS))
    pictures = []
    # every unknown of a slot; fewer slots where there are many unknowns
    for place in pictured(rows)[: max(1, ROWS // len(unknowns))]:
        row = rows[place]
        k = int(np.argmin(np.abs(s - row.s[row.farthest])))
        for a in unknowns:
            name = f"slot {row.slot}" + (f", {plane.unknowns[a]}" if len(unknowns) > 1 else "")
            defect = cell(row, row.farthest)
            pictures.append(Moved(name, float(s[k]), defect, points[place, k], residuals[place, k, a], a))
    return moved_chart(plane, solution, pictures, "A held-out solution, moved, and its residual")


def _at_size(material: Material) -> list[AtSize]:
    rows = at_size(material.summary)
    if not rows:
        raise MissingError("The learned fields were not judged at finite size.")
    return rows


def _loss(material: Material) -> str:
    return loss_chart(material.metrics)


def _training(material: Material) -> str:
    return defect_chart(material.metrics)


def loss_chart(metrics: Sequence[Json]) -> str:
    """The loss over the steps, a curve for each stage; linear, because a sum of logarithms can be negative."""
    if any("variant" in m for m in metrics):
        return _losses_of_variants(metrics)
    lines = [m for m in thinned(metrics) if finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    stages = dict.fromkeys(str(m.get("stage") or "loss") for m in lines)
    curves = []
    for stage in stages:
        own = [m for m in lines if str(m.get("stage") or "loss") == stage]
        line = Line(stage, [_number(m.get("step")) for m in own], [_number(m.get("loss")) for m in own])
        curves.append(calmed(line))
    return line_chart(curves, "training step", "loss (no unit)", "Training loss")


def _losses_of_variants(metrics: Sequence[Json]) -> str:
    """Of trainings that follow each other, those of the first seed with the most data, each from its first step."""
    lines = [m for m in metrics if "variant" in m and finite(m.get("loss")) is not None]
    if not lines:
        raise MissingError("No training steps were recorded.")
    seed, most = lines[0].get("seed"), max(finite(m.get("samples")) or 0 for m in lines)
    own = [m for m in lines if m.get("seed") == seed and (finite(m.get("samples")) or 0) == most]
    curves = []
    for variant in dict.fromkeys(str(m["variant"]) for m in own):
        part = thinned([m for m in own if str(m["variant"]) == variant])
        first = _number(part[0].get("step")) - 1
        steps = [_number(m.get("step")) - first for m in part]
        line = Line(label(variant), steps, [_number(m["loss"]) for m in part], below=variant == "truth")
        curves.append(calmed(line, log=True))
    title = f"Training loss, seed {seed}, {most:g} data"
    return line_chart(curves, "training step", "loss (no unit)", title, log=True)


def defect_chart(metrics: Sequence[Json]) -> str:
    """η of each slot over the steps; where a stage has no η, the validity of moved data."""
    shown = thinned(metrics)
    key = "eta" if any(m.get("eta") for m in shown) else "validity"
    lines = [m for m in shown if m.get(key)]
    if not lines:
        raise MissingError("No training steps with a defect were recorded.")
    steps = [_number(m.get("step")) for m in lines]
    count = max(len(m[key]) for m in lines)
    table = [[*map(_number, m[key]), *[math.nan] * (count - len(m[key]))] for m in lines]
    curves = [calmed(Line(f"slot {k + 1}", steps, [row[k] for row in table]), log=True) for k in range(count)]
    label = "defect η (no unit)" if key == "eta" else "validity: residual, of pictures angle (rad)"
    return line_chart(curves, "training step", label, "Defect of each slot in training", log=True)


def thinned(metrics: Sequence[Json]) -> list[Json]:
    """Every n-th line and the last one."""
    stride = max(1, math.ceil(len(metrics) / MOST_POINTS))
    kept = list(metrics[::stride])
    if metrics and kept[-1] is not metrics[-1]:
        kept.append(metrics[-1])
    return kept


def _plane(material: Material) -> Plane:
    names = material.independent
    if not material.fields:
        raise MissingError("The run has no fields.safetensors.")
    if len(names) < 2:
        raise MissingError("Pictures need two independent variables at least.")
    coordinates = [*names, *material.dependent]
    grids = {name: material.fields[f"grid/{name}"] for name in names}
    scale = material.fields.get("scale")
    return Plane(coordinates, grids, np.ones(len(coordinates)) if scale is None else scale)


def _array(material: Material, key: str) -> np.ndarray:
    value = material.fields.get(key)
    if value is None or value.size == 0:
        raise MissingError(f"fields.safetensors has no {key!r}.")
    return value


def _slot_numbers(material: Material, count: int) -> list[int]:
    numbers = [row.number for row in wording.slots(material.summary)]
    return numbers if len(numbers) == count else list(range(1, count + 1))


def _number(value: object) -> float:
    number = finite(value)
    return math.nan if number is None else number


_BUILDERS: dict[str, tuple[str, str, Callable[[Material], str]]] = {
    "inner": (
        "Learned against derived",
        "Inner products on held-out data in scaled coordinates. A span has no preferred basis: several slots "
        "may share a derived generator, and signs are arbitrary.",
        _inner,
    ),
    "spectrum": (
        "Spectrum",
        "Each dot is a field, ordered by its defect η: the relative error that a moved solution gathers over "
        "the time window. Symmetries lie below the gap.",
        _spectrum,
    ),
    "convergence": (
        "Convergence of the defect",
        "η of a symmetry falls towards the floor of the arithmetic as the ansatz grows; that of an "
        "approximate one settles at its own value.",
        _convergence,
    ),
    "learned": (
        "Learned fields",
        "Colour: how the field moves the unknown. Arrows: how it moves the independent variables; the "
        "longest is drawn alike in every panel.",
        _learned,
    ),
    "derived": ("Derived fields", "The generators derived from the equation, drawn the same way.", _derived),
    "orbit": (
        "One solution moved by each learned generator",
        "s is the flow parameter in scaled coordinates. Each row keeps its axes and colours; grey is where "
        "no point of the solution was moved to.",
        _orbit,
    ),
    FINITE[0]: (
        "Defect at finite size",
        "How large the defect is once solutions are moved to s; hollow at s = 0: the defect η. A missing mark has "
        "no data left.",
        _finite_defect,
    ),
    FINITE[1]: (
        "One solution, moved, and its residual",
        "Right: what the move adds to the equation's residual, as relative change of the unknown per time window, "
        "on the moved nodes; all rows have one scale of colours, and what lies below it has its darkest. Grey: no "
        "node was moved there, or the residual can't be taken, as near the ends of the time window and outside it.",
        _finite_moved,
    ),
    "loss": ("Training loss", "As written to metrics.jsonl.", _loss),
    "training": ("Defect during training", "On training batches; the verdict uses held-out data.", _training),
}
