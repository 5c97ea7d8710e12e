"""The fields of a training that goes on, as the run last wrote them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from lieapp.report.picture_figures import Tensors
from lieapp.report.picture_slider import fields_figure
from lieapp.report.quiver import quiver_chart
from lieapp.report.slider import parts_of, plane_of

FILE = "current.safetensors"


@dataclass(frozen=True)
class Current:
    """A picture of every slot, and the stage and step that it belongs to."""

    svg: str
    stage: str
    step: int


def current_fields(folder: Path) -> Current | None:
    """What the run wrote last; None before the first training steps, and of kinds that write none."""
    facts, tensors = _facts(folder / FILE), parts_of(folder / FILE, 0, ())
    if "learned" not in tensors:
        return None
    names = [f"slot {k}" for k in range(1, len(tensors["learned"]) + 1)]
    svg = _drawn(facts, tensors, names)
    return Current(svg, str(facts.get("stage") or ""), int(facts.get("step") or 0)) if svg else None


def _drawn(facts: Mapping[str, Any], tensors: Tensors, names: list[str]) -> str:
    """By what the fields are given on; empty where the file lacks what that needs."""
    plane = plane_of(tensors, [str(name) for name in facts.get("coordinates") or []])
    if plane is not None:
        return quiver_chart(plane, tensors["learned"], names, "Fields now")
    return fields_figure(tensors, names)


def _facts(file: Path) -> dict[str, Any]:
    """What the header says; empty where it can't be read."""
    try:
        with safe_open(file, framework="numpy") as content:
            facts = json.loads((content.metadata() or {}).get("facts", "{}"))
    except (OSError, ValueError, SafetensorError):
        return {}
    return facts if isinstance(facts, dict) else {}
