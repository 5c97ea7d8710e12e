"""PDEBench: one tensor or the fields of a flow with `x-coordinate`, or a group `data`, `grid` for each seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lieapp.arrays import COMPONENT, SAMPLE, Array, Contents, stacked
from lieapp.data.roles import meaning

FLOW = ("density", "pressure", "Vx", "Vy", "Vz")


def layout(contents: Contents, path: Path) -> list[Contents] | None:
    """The fields, (sample, t, x…); the time after the last is left out."""
    axes = {d: a for d in ("t", "x", "y", "z") if (a := contents.get(f"{d}-coordinate")) is not None}
    fields = [a for a in contents.arrays if a.name == "tensor" or a.name in FLOW]
    if "t" not in axes or "x" not in axes or not fields:
        return None
    if len(fields[0].shape) == len(axes) + 2:
        # files of the first release have an axis of length 1 in front
        fields = [a.part([0, *[slice(None)] * (len(a.shape) - 1)]) for a in fields]
    shape, notes = fields[0].shape, []
    if len(shape) != len(axes) + 1:
        return None
    if axes["t"].shape[0] == shape[1] + 1:
        axes["t"] = axes["t"].part([slice(0, shape[1])])
        notes.append("t-coordinate has one time more than the data: the end of the last step; it is left out")
    dims = (SAMPLE, *(a.name for a in axes.values()))
    found = [replace(a, dims=dims, role="unknown", reason="its name") for a in fields]
    found += [replace(a, dims=(a.name,), role="axis", reason="its name") for a in axes.values()]
    return [replace(contents, arrays=tuple(found), notes=(*contents.notes, *notes))]


def groups(contents: Contents, path: Path) -> list[Contents] | None:
    """A group for each seed: samples, where shapes agree; else one file becomes several."""
    seeds = list(dict.fromkeys(a.name.partition("/")[0] for a in contents.arrays if "/" in a.name))
    if not seeds or not all(seed.isdecimal() for seed in seeds):
        return None
    alike: dict[tuple[object, ...], list[tuple[Array, ...]]] = {}
    for seed in seeds:
        arrays = contents.under(seed).arrays
        alike.setdefault(tuple((a.name, a.shape) for a in arrays), []).append(arrays)
    first = f"{seeds[0]}/"
    attributes = contents.attributes.items()
    shared = {k.removeprefix(first): v for k, v in attributes if k.startswith(first) or "/" not in k}
    notes = (*contents.notes, f"{len(seeds)} groups are {len(seeds)} samples")
    return [
        replace(contents, arrays=tuple(_joined(same)), attributes=shared, notes=notes) for same in alike.values()
    ]


def _joined(same: list[tuple[Array, ...]]) -> Iterator[Array]:
    """Each array of all groups as one."""
    axes = [a.name for a in same[0] if len(a.shape) == 1 and meaning(a.name)]
    order = sorted(axes, key=lambda name: "txyz".find(meaning(name)))
    lengths = [a.shape[0] for name in order for a in same[0] if a.name == name]
    for arrays in zip(*same, strict=True):
        a = stacked(arrays, arrays[0].name)
        if a.name in axes:
            yield replace(a, dims=(SAMPLE, a.name), role="axis", reason="a list in every group")
        elif lengths and list(a.shape[1:-1]) == lengths:
            yield replace(a, dims=(SAMPLE, *order, COMPONENT), role="unknown", reason="data of every group")
        elif lengths and list(a.shape[1:]) == lengths:
            yield replace(a, dims=(SAMPLE, *order), role="unknown", reason="data of every group")
        else:
            yield replace(a, role="parameter", reason="its shape isn't that of the axes")
