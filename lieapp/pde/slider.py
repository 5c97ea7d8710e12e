"""One learned field on one solution: drawn, and the solution moved along it to a flow parameter s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lieapp.document import number
from lieapp.drawing import Array, Drawing
from lieapp.figures.fitting import fitting, fitting_moved
from lieapp.figures.material import parts_of, rounded
from lieapp.figures.moved import Moved, moved_panels
from lieapp.figures.quiver import Plane, plane_of, quiver
from lieapp.pde.figures import cell
from lieapp.results.discovery import AtSize


@dataclass(frozen=True)
class Orbit:
    """A held-out solution moved along one slot, from the files of a run.

    Args:
        solution: (component, *grid).
        learned: (coordinate, *grid), the field.
        s: ascending; 0 is among them.
        points: for each s (coordinate, *nodes), physical.
        residual: for each s (component, *nodes), 0 at s = 0; None where fields weren't judged at finite size.
    """

    plane: Plane
    solution: Array
    learned: Array
    s: list[float]
    points: list[Array]
    residual: list[Array] | None


def read_orbit(folder: Path, place: int, coordinates: Sequence[str]) -> Orbit | None:
    """The orbit of the `place`-th slot; None where the run wrote none that fits. Reads no other slot."""
    sliced = ("learned", "orbit/points")
    fields = fitting(parts_of(folder / "fields.safetensors", place, sliced), coordinates, sliced)
    plane = plane_of(fields, coordinates)
    if plane is None or not {"solution", "learned", "orbit/s", "orbit/points"} <= set(fields):
        return None
    solution, learned = fields["solution"], fields["learned"]
    sliced = ("points", "residual")
    judged = parts_of(folder / "finite.safetensors", place, sliced)
    if judged := fitting_moved(judged, coordinates, len(plane.grids), sliced):
        return Orbit(plane, solution, learned, *_with_rest(judged, solution, plane))
    return Orbit(
        plane, solution, learned, [rounded(s) for s in fields["orbit/s"]], list(fields["orbit/points"]), None
    )


def field_chart(orbit: Orbit, caption: str) -> Drawing:
    """The field as arrows over what it does to each unknown."""
    return quiver(orbit.plane, orbit.learned[None], [caption], caption)


def orbit_at(orbit: Orbit, k: int, slot: int, judged: AtSize | None) -> Drawing:
    """A row for each unknown: the solution, what it is at the k-th s, and that one's residual, on the same axes."""
    plane, unknowns = orbit.plane, orbit.plane.unknowns
    defect = defect_words(orbit, k, judged)
    beside = [part for own in orbit.residual or [] for part in own]
    rows = []
    for a, name in enumerate(unknowns):
        caption = f"slot {slot}" + (f", {name}" if len(unknowns) > 1 else "")
        residual = None if orbit.residual is None else orbit.residual[k][a]
        row = Moved(caption, orbit.s[k], defect, orbit.points[k], residual, a, orbit.points)
        rows.append(moved_panels(plane, orbit.solution, row, beside))
    return Drawing(f"Slot {slot} at s = {orbit.s[k]:g}", rows)


def defect_words(orbit: Orbit, k: int, judged: AtSize | None) -> str:
    """The defect at the k-th s as the run judged it; a dash where it did not."""
    if orbit.s[k] == 0:
        return "0, unmoved"
    near = [] if judged is None else [j for j, s in enumerate(judged.s) if abs(s - orbit.s[k]) < 1e-5]
    return cell(judged, near[0]) if judged is not None and near else number(None)


def _with_rest(
    judged: Mapping[str, Array], solution: Array, plane: Plane
) -> tuple[list[float], list[Array], list[Array]]:
    """The judged orbit with the unmoved solution at s = 0, which has no residual of its own."""
    s, points, residual = [rounded(v) for v in judged["s"]], list(judged["points"]), list(judged["residual"])
    at = int(np.searchsorted(s, 0.0))
    mesh = np.meshgrid(*plane.grids.values(), indexing="ij")
    s.insert(at, 0.0)
    points.insert(at, np.stack([*mesh, *solution]))
    residual.insert(at, np.zeros_like(solution))
    return s, points, residual
