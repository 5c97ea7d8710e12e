"""Files of simulators, HDF5 with their own groups: The Well and Dedalus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lieapp.arrays import COMPONENT, SAMPLE, Array, Attribute, Contents

OPEN = ("wall", "open")


def well(contents: Contents, path: Path) -> list[Contents] | None:
    """The Well: scalars, vectors and tensors that vary in time and in every direction; walls are open ends."""
    start = "dimensions/"
    axes = {a.name.removeprefix(start): a for a in contents.arrays if a.name.startswith(start)}
    if not any(a.name.startswith("t0_fields/") for a in contents.arrays) or "time" not in axes:
        return None
    listed = contents.attributes.get("dimensions/spatial_dims")
    space = [str(d) for d in listed] if isinstance(listed, list) else [d for d in axes if d != "time"]
    arrays = [part for a in contents.arrays for part in _field(a, space)]
    arrays += [
        replace(a, dims=(SAMPLE, a.name)[-len(a.shape) :], role="axis", reason="in the group dimensions")
        for a in axes.values()
    ]
    return [replace(contents, arrays=tuple(arrays), kinds=dict(_kinds(contents.attributes)))]


def _field(a: Array, space: list[str]) -> Iterator[Array]:
    group = a.name.partition("/")[0]
    if group == "dimensions":
        return
    if group not in ("t0_fields", "t1_fields", "t2_fields"):
        yield replace(a, role="parameter", reason=f"in the group {group}")
        return
    varying = [a.attributes.get(key, 1) for key in ("sample_varying", "time_varying")]
    directions = a.attributes.get("dim_varying")
    if not varying[1] or (isinstance(directions, list) and not all(directions)):
        yield replace(a, role="parameter", reason="it doesn't vary in time or in a direction")
        return
    parts = [a]
    for left in range(int(group[1]), 0, -1):
        # components are the last dimensions, one for a vector, two for a tensor
        parts = [c for b in parts for c in b.components([f"{b.name}_{d}" for d in space], -left)]
    dims = (*[SAMPLE] * bool(varying[0]), "dimensions/time", *(f"dimensions/{d}" for d in space))
    yield from (replace(b, dims=dims, role="unknown", reason=f"in the group {group}") for b in parts)


def _kinds(attributes: Mapping[str, Attribute]) -> Iterator[tuple[str, str]]:
    """The axes with walls or open ends."""
    for key, value in attributes.items():
        if key.startswith("boundary_conditions/") and key.endswith("/bc_type"):
            dims = attributes.get(key.replace("bc_type", "associated_dims"))
            if str(value).lower() in OPEN:
                own = dims if isinstance(dims, list) else [dims or key.split("/")[1].partition("_")[0]]
                yield from ((f"dimensions/{d}", "open") for d in own)


def dedalus(contents: Contents, path: Path) -> list[Contents] | None:
    """Dedalus: tasks over sim_time and the grids of their bases; dimensions without a grid are components."""
    tasks = [a for a in contents.arrays if a.name.startswith("tasks/")]
    time = contents.get("scales/sim_time")
    if not tasks or time is None:
        return None
    found: list[Array] = []
    grids: dict[str, Array] = {}
    for a in tasks:
        listed = a.attributes.get("labels")
        labels = [str(d) for d in listed] if isinstance(listed, list) else list(a.dims)
        dims = ["scales/sim_time"]
        for d, n in list(zip(labels, a.shape, strict=False))[1:]:
            grid = next((b for b in contents.arrays if b.name.startswith(f"scales/{d}_hash_") and b.shape == (n,)),
                        contents.get(f"scales/{d}/1.0")) if d else None  # fmt: skip
            dims.append(d if grid is not None else COMPONENT)
            if grid is not None:
                grids[d] = replace(grid, dims=(d,), name=d, role="axis", reason="the grid of a basis")
        if len(dims) == len(a.shape):
            found.append(replace(a, dims=tuple(dims), role="unknown", reason="in the group tasks"))
    times = replace(time, dims=(time.name,), role="axis", reason="the time of the simulation")
    rest = [replace(a, role="parameter", reason="of the simulator") for a in contents.arrays
            if a.name not in (time.name, *(b.name for b in found))]  # fmt: skip
    return [replace(contents, arrays=(*found, times, *grids.values(), *rest))] if found else None
