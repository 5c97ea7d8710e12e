"""The figures of a run on an equation: what is drawn from which file, for the report and for the app alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from lieapp.document import Cell, Column, Draw, Figure, Table, number
from lieapp.drawing import Curve, Drawing, MissingError
from lieapp.figures.charts import curves, defect_chart, inner_products, loss_chart, spectrum
from lieapp.figures.fitting import fitting, fitting_moved
from lieapp.figures.material import Material, or_nan, read_material
from lieapp.figures.moved import Moved, moved_panels, orbits
from lieapp.figures.quiver import Plane, plane_of, quiver
from lieapp.methods.verdict import SMALL
from lieapp.results.discovery import AtSize, DerivedField, EquationResult, Slot

Rows: TypeAlias = Sequence[tuple[Slot, AtSize]]

ROWS = 4
"""Most rows of pictures of moved solutions."""

NOTHING = "no data left"

SHORT = 24
"""Letters of a field that has room above a panel."""

NOTE = (
    "Held-out solutions were moved along each learned field to the flow parameters s, and the finite defect "
    "rms(Rₛ − R₀) / (|s| rms Q), R being the equation's residual, is the relative error of the change that was "
    f"made; it tends to η as s → 0. A field holds if that is below {number(SMALL)} at every s that leaves enough "
    "nodes; undecided is a larger one where the moved grid is partly folded, or that unmoved solutions have too "
    "by the same differences. Where less than half of the nodes could be judged, their share stands beside."
)


def judged(result: EquationResult) -> Rows:
    """The slots that were judged at finite size; none in runs without that judgement."""
    return [(slot, slot.finite) for slot in result.generators if slot.finite is not None]


def cell(row: AtSize, place: int, of: str = "of nodes") -> str:
    """A defect, with the share of nodes where it is less than half."""
    defect, share = row.defect[place], row.share[place]
    if defect is None:
        return NOTHING
    return number(defect) + (f" ({_percent(share)} {of})" if share < 0.5 else "")


def said(row: AtSize) -> str:
    """Whether it holds, as one word."""
    return "–" if row.largest is None else {True: "yes", False: "no", None: "undecided"}[row.holds]


def words(row: AtSize) -> str:
    """Whether the field holds and its largest defect, in few words: a terminal is 80 columns wide."""
    if row.largest is None:
        return NOTHING
    holds = {True: "holds", False: "fails", None: "undecided"}[row.holds]
    return f"{holds}: {cell(row, row.largest, 'left')}"


def size_table(rows: Rows) -> Table:
    """The table slot x s."""
    line = sorted({s for _, row in rows for s in row.s})
    columns = [Column(head, number=True) for head in ("slot", *(f"s = {number(s)}" for s in line))]
    cells: list[list[Cell]] = []
    for slot, row in rows:
        values = [cell(row, row.s.index(s)) if s in row.s else None for s in line]
        cells.append([str(slot.slot), *values, said(row)])
    return Table([*columns, Column("holds")], cells)


def folds(rows: Rows) -> str:
    """Where the moved grid was folded, in a sentence."""
    parts = [f"slot {s.slot}, up to {_percent(max(row.folded))} of the nodes" for s, row in rows if max(row.folded)]
    return f"The moved grid is folded in part: {'; '.join(parts)}." if parts else ""


def size_chart(rows: Rows) -> Drawing:
    """The defects over s, with η where s is 0."""
    lines = []
    for slot, row in rows:
        points = [(s, math.nan if d is None else d, False) for s, d in zip(row.s, row.defect, strict=True)]
        points.append((0.0, math.nan if slot.eta is None else slot.eta, True))
        x, y, linear = zip(*sorted(points), strict=True)
        lines.append(Curve(f"slot {slot.slot}", x, y, [k for k, hollow in enumerate(linear) if hollow]))
    label = "flow parameter s (scaled coordinates, no unit)"
    title = "Defect of solutions moved to s"
    return curves(lines, label, "defect (no unit)", title, log=True, whole=False)


def pictured(rows: Rows) -> list[int]:
    """Places of the slots that are drawn: the exact ones and the best of the others."""
    exact = [k for k, (slot, _) in enumerate(rows) if slot.verdict == "exact"]
    others = [k for k, (slot, _) in enumerate(rows) if slot.verdict != "exact"][:1]
    return [*exact[: ROWS - len(others)], *others]


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


FINITE = ("finite-defect", "finite-moved")
"""Keys of the figures that runs without a judgement at finite size don't have."""


def keys() -> list[str]:
    """The names of all figures, in the order of the report."""
    return list(_BUILDERS)


def words_of(key: str) -> tuple[str, str]:
    """Title and caption of a figure, for one that is drawn already."""
    return _BUILDERS[key][:2]


def draw(result: EquationResult, folder: Path) -> Draw:
    """The figures of a run, each drawn when it is asked for."""
    material = material_of(result, folder)
    return lambda key: figure(key, result, material)


def material_of(result: EquationResult, folder: Path) -> Material:
    """What a run has that figures draw; arrays that don't fit the others are absent."""
    found = read_material(folder)
    fields = fitting(found.fields, result.coordinates)
    known = sum(f"grid/{name}" in fields for name in result.coordinates)
    return replace(found, fields=fields, moved=fitting_moved(found.moved, result.coordinates, known))


def figure(key: str, result: EquationResult, material: Material) -> Figure:
    """One figure by its key."""
    title, caption, build = _BUILDERS[key]
    try:
        return Figure(key, title, caption, build(result, material))
    except MissingError as missing:
        return Figure(key, title, caption, note=str(missing))
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        # arrays of unexpected shape in a run of another version: the rest of the report still stands
        return Figure(key, title, caption, note=f"This figure could not be drawn from the run's files ({error}).")


def _inner(result: EquationResult, material: Material) -> Drawing:
    names = [row.name for row in result.truth]
    if not names:
        raise MissingError("No generators were derived, so there is nothing to compare the learned fields with.")
    if not result.inner:
        raise MissingError("The summary holds no inner products.")
    if any(len(row) != len(names) for row in result.inner):
        raise MissingError("The inner products do not belong to the derived generators of this summary.")
    rows = [f"slot {k}" for k in _slot_numbers(result, len(result.inner))]
    values = [_drawable(row) for row in result.inner]
    return inner_products(values, rows, names, "Inner product of normalised fields")


def _spectrum(result: EquationResult, material: Material) -> Drawing:
    if not result.spectrum.eta:
        raise MissingError("This method has no spectrum.")
    etas = _drawable(result.spectrum.eta)
    return spectrum(etas, result.spectrum.gap_after, "Defect of every field, best first")


def _convergence(result: EquationResult, material: Material) -> Drawing:
    if not result.convergence:
        raise MissingError("The summary holds no convergence sequences.")
    lines = [Curve(f"slot {row.slot}", row.levels, _drawable(row.eta)) for row in result.convergence]
    label = "level: size of the basis or number of features"
    return curves(lines, label, "defect η (no unit)", "Defect as the ansatz grows", log=True)


def _learned(result: EquationResult, material: Material) -> Drawing:
    plane, fields = _plane(result, material), _array(material, "learned")
    etas = {row.slot: row.eta for row in result.generators}
    captions = [f"slot {k}, η = {number(etas.get(k))}" for k in _slot_numbers(result, len(fields))]
    return quiver(plane, fields, captions, "Learned fields on a held-out solution")


def _derived(result: EquationResult, material: Material) -> Drawing:
    plane, fields = _plane(result, material), _array(material, "truth")
    names = [row.name for row in result.truth]
    captions = names if len(names) == len(fields) else [f"generator {k + 1}" for k in range(len(fields))]
    return quiver(plane, fields, captions, "Derived fields on the same solution")


def _generators(result: EquationResult, material: Material) -> Drawing:
    """Pairs of panels: each derived generator projected on the learned span, and the generator itself."""
    plane, learned, known = _plane(result, material), _array(material, "learned"), _array(material, "truth")
    exact = [k for k, row in enumerate(result.generators) if row.verdict == "exact"]
    if len(known) != len(result.truth) or not exact or len(learned) != len(result.generators):
        raise MissingError("The fields do not belong to the generators of this summary.")
    size = plane.scale.reshape(-1, *[1] * len(plane.grids))
    span, wanted = ((part / size).reshape(len(part), -1) for part in (learned[exact], known))
    # a field may have a pole on the grid
    good = np.isfinite(span).all(axis=0) & np.isfinite(wanted).all(axis=0)
    if not good.any():
        raise MissingError("The fields are finite nowhere.")
    found = np.linalg.lstsq(span[:, good].T, wanted[:, good].T)[0].T @ span
    off = np.linalg.norm((found - wanted)[:, good], axis=1) / np.linalg.norm(wanted[:, good], axis=1)
    fields, captions = [], []
    for row, own, field, difference in zip(result.truth, found, known, off, strict=True):
        fields += [own.reshape(field.shape) * size, field]
        captions += [f"{_named(row)}: learned", f"derived, difference {number(float(difference))}"]
    if (unknowns := len(plane.unknowns)) > 1:
        drawn = quiver(plane, np.stack(fields), captions, "").rows
        flat = [panel for line in drawn for panel in line]
        pairs = [
            [flat[2 * k * unknowns + a], flat[(2 * k + 1) * unknowns + a]]
            for k in range(len(known)) for a in range(unknowns)
        ]  # fmt: skip
        return Drawing("Learned fields beside the derived ones", pairs)
    return quiver(plane, np.stack(fields), captions, "Learned fields beside the derived ones")


def _named(row: DerivedField) -> str:
    """A generator by its field where that is short, else by its name."""
    return row.shown.text if len(row.shown.text) <= SHORT else row.name


def _orbit(result: EquationResult, material: Material) -> Drawing:
    plane = _plane(result, material)
    s, points = _array(material, "orbit/s"), _array(material, "orbit/points")
    captions = [f"slot {k}" for k in _slot_numbers(result, len(points))]
    return orbits(plane, s, points, captions, "A held-out solution moved by each learned generator")


def _finite_moved(result: EquationResult, material: Material) -> Drawing:
    rows, plane = _judged(result), _plane(result, material)
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
        slot, row = rows[place]
        k = int(np.argmin(np.abs(s - row.s[row.farthest])))
        for a in unknowns:
            name = f"slot {slot.slot}" + (f", {plane.unknowns[a]}" if len(unknowns) > 1 else "")
            defect = cell(row, row.farthest)
            pictures.append(Moved(name, float(s[k]), defect, points[place, k], residuals[place, k, a], a))
    beside = [picture.residual for picture in pictures if picture.residual is not None]
    drawn = [moved_panels(plane, solution, picture, beside) for picture in pictures]
    return Drawing("A held-out solution, moved, and its residual", drawn)


def _judged(result: EquationResult) -> Rows:
    rows = judged(result)
    if not rows:
        raise MissingError("The learned fields were not evaluated at finite size.")
    return rows


def _plane(result: EquationResult, material: Material) -> Plane:
    if not material.fields:
        raise MissingError("The run has no fields.safetensors, or none with grids that ascend.")
    plane = plane_of(material.fields, result.coordinates)
    if plane is None:
        raise MissingError("Figures need at least two independent variables.")
    return plane


def _array(material: Material, key: str) -> np.ndarray:
    value = material.fields.get(key)
    if value is None or value.size == 0:
        raise MissingError(f"fields.safetensors has no {key!r}, or one that doesn't fit its other arrays.")
    return value


def _slot_numbers(result: EquationResult, count: int) -> list[int]:
    numbers = [row.slot for row in result.generators]
    return numbers if len(numbers) == count else list(range(1, count + 1))


def _drawable(values: Iterable[float | None]) -> list[float]:
    return [or_nan(value) for value in values]


_BUILDERS: dict[str, tuple[str, str, Callable[[EquationResult, Material], Drawing]]] = {
    "inner": (
        "Learned against derived",
        "Inner products on held-out data in scaled coordinates. A span has no preferred basis: several slots "
        "may share a derived generator, and signs are arbitrary.",
        _inner,
    ),
    "spectrum": (
        "Spectrum",
        "Each dot is a field, ordered by its defect η: the relative error that a moved solution accumulates over "
        "the time window. Symmetries lie below the gap.",
        _spectrum,
    ),
    "convergence": (
        "Convergence of the defect",
        "η of a symmetry falls towards the floor of the arithmetic as the ansatz grows; for an approximate "
        "symmetry it settles at a fixed value.",
        _convergence,
    ),
    "generators": (
        "Learned fields beside the derived ones",
        "Left: the projection of the derived generator on the span of the learned fields. Right: the generator. "
        "The difference is the rms difference of the two, relative to the generator, on this solution in scaled "
        "coordinates. Colours and arrows share a scale, relative to the norm of each field.",
        _generators,
    ),
    "learned": (
        "Learned fields",
        "Colour: how the field moves the unknown. Arrows: how it moves the independent variables. Both share a "
        "scale for all fields, relative to the norm of each. The choice of fields within the span is arbitrary.",
        _learned,
    ),
    "derived": ("Derived fields", "The generators derived from the equation, drawn the same way.", _derived),
    "orbit": (
        "One solution moved by each learned generator",
        "s is the flow parameter in scaled coordinates. Each row keeps its axes and colours. Grey: no point of "
        "the solution was moved there.",
        _orbit,
    ),
    FINITE[0]: (
        "Defect at finite size",
        "The defect of solutions moved to s. Hollow at s = 0: the defect η. A missing marker means that no data "
        "are left.",
        lambda result, material: size_chart(_judged(result)),
    ),
    FINITE[1]: (
        "One solution, moved, and its residual",
        "Right: the change of the equation's residual on the moved nodes, as relative change of the unknown per "
        "time window. All rows share a colour scale; smaller values have its darkest colour. Grey: no node was "
        "moved there, or the residual is undefined, as near the ends of the time window and outside it.",
        _finite_moved,
    ),
    "loss": (
        "Training loss",
        "The values in metrics.jsonl.",
        lambda result, material: loss_chart(material.metrics),
    ),
    "training": (
        "Defect during training",
        "On training batches; the verdict uses held-out data.",
        lambda result, material: defect_chart(material.metrics),
    ),
}
