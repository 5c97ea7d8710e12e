"""The fields of a training that goes on, as the run last wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
from safetensors import SafetensorError, safe_open

from lieapp.drawing import Drawing
from lieapp.figures.fitting import fitting, fitting_pictures
from lieapp.figures.material import parts_of
from lieapp.figures.quiver import plane_of, quiver
from lieapp.pictures.document import fields_figure
from lieapp.reading import decode
from lieapp.runs.store.files import CURRENT


@dataclass(frozen=True)
class Current:
    """A picture of every slot, and the stage and step that it belongs to."""

    drawing: Drawing
    stage: str
    step: int


class Facts(msgspec.Struct):
    """What the header of the file says; of equations the names of the coordinates."""

    stage: str = ""
    step: int = 0
    coordinates: list[str] = []


def current_fields(folder: Path) -> Current | None:
    """What the run wrote last; None before the first training steps, and of kinds that write none."""
    facts, found = _facts(folder / CURRENT), parts_of(folder / CURRENT, 0, ())
    tensors = fitting(found, facts.coordinates) if facts.coordinates else fitting_pictures(found)
    learned = tensors.get("learned")
    if learned is None:
        return None
    names = [f"slot {k}" for k in range(1, len(learned) + 1)]
    # by what the fields are given on; the file may lack what that needs
    plane = plane_of(tensors, facts.coordinates)
    drawing = quiver(plane, learned, names, "Current fields") if plane else fields_figure(tensors, names)
    return Current(drawing, facts.stage, facts.step) if drawing else None


def _facts(file: Path) -> Facts:
    """What the header says; nothing where it can't be read."""
    try:
        with safe_open(file, framework="numpy") as content:
            return decode((content.metadata() or {}).get("facts", "{}"), Facts)
    except (OSError, ValueError, SafetensorError):
        return Facts()
