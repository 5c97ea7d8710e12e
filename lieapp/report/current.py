"""The fields of a training that goes on, as the run last wrote them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

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
    plane = plane_of(tensors, [str(name) for name in facts.get("coordinates") or []])
    if plane is None or "learned" not in tensors:
        return None
    captions = [f"slot {k}" for k in range(1, len(tensors["learned"]) + 1)]
    step = int(facts.get("step") or 0)
    svg = quiver_chart(plane, tensors["learned"], captions, f"Fields at step {step}")
    return Current(svg, str(facts.get("stage") or ""), step)


def _facts(file: Path) -> dict[str, Any]:
    """What the header says; empty where it can't be read."""
    try:
        with safe_open(file, framework="numpy") as content:
            facts = json.loads((content.metadata() or {}).get("facts", "{}"))
    except (OSError, ValueError, SafetensorError):
        return {}
    return facts if isinstance(facts, dict) else {}
