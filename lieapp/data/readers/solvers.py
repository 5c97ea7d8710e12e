"""Files of neural solvers: MP-PDE, LPSDA, PDEArena and the symmetry generators' own repository.

A group train, valid or test has `pde_140-256` (sample, t, x), and its grid in one of four ways: lists for each
sample, steps for each sample, attributes, or nowhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from lieapp.arrays import COMPONENT, SAMPLE, Array, Contents, held

MODES = ("train", "valid", "test")


def layout(contents: Contents, path: Path) -> list[Contents] | None:
    """The group's solutions with their dimensions; of several resolutions the finest."""
    present = [mode for mode in MODES if any(a.name.startswith(f"{mode}/") for a in contents.arrays)]
    inside = contents.under(present[0]) if present else contents
    notes = [*contents.notes, *([f"{', '.join(present[1:])} is left out"] if present[1:] else [])]
    grids = [a for a in inside.arrays if re.fullmatch(r"pde_\d+-\d+", a.name) and len(a.shape) in (3, 4)]
    if grids:
        chosen = max(grids, key=lambda a: a.shape[-1])
        notes += [f"{a.name} is the same on another grid; it is left out" for a in grids if a is not chosen]
        space: tuple[str, ...] = ("x",)
        fields = [chosen]
    else:
        fields = [a for a in inside.arrays if a.name in ("u", "vx", "vy") and len(a.shape) >= 4]
        space = ("x", "y", "z")[: len(fields[0].shape) - 2] if fields else ()
        if not present or len(fields) < 2:
            return None
    vector = len(fields[0].shape) - 2 - len(space)
    dims = (SAMPLE, "t", *[COMPONENT] * vector, *space)
    told = "its name and its group" if grids else "its name"
    found = [replace(a, dims=dims, role="unknown", reason=told) for a in fields]
    axes = [_axis(d, fields[0].shape[dims.index(d)], inside, fields[0]) for d in ("t", *space)]
    found += [a for a in axes if a is not None]
    names = {a.name for a in (*found, *grids)}
    rest = [
        replace(a, role="parameter", reason="it belongs to the samples or to the grid")
        for a in inside.arrays if a.name not in names
    ]  # fmt: skip
    return [replace(inside, arrays=(*found, *rest), notes=tuple(notes))]


def _axis(name: str, count: int, inside: Contents, u: Array) -> Array | None:
    own, step = inside.get(name), inside.get(f"d{name}")
    if own is not None and own.shape[-1] == count and len(own.shape) <= 2:
        dims = (SAMPLE, name)[-len(own.shape) :]
        return replace(own, dims=dims, role="axis", reason="its name")
    if step is not None and len(step.shape) == 1:
        rows = step.values().astype(np.float64)[:, None] * np.arange(count)
        return held(name, rows, dims=(SAMPLE, name), role="axis", reason=f"multiples of d{name}")
    points = u.attributes.get(name)
    if isinstance(points, list) and len(points) == count:
        return held(name, np.array(points, dtype=float), dims=(name,), role="axis", reason="an attribute")
    low, high = (u.attributes.get(f"{name}{end}") for end in ("min", "max"))
    if isinstance(low, float | int) and isinstance(high, float | int):
        even = np.linspace(low, high, count)
        return held(name, even, dims=(name,), role="axis", reason=f"attributes {name}min, {name}max")
    return None
