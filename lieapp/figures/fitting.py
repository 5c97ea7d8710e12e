"""Which arrays of a run's files fit each other; the others are as absent as missing ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

Shape = tuple[int | None, ...]
"""None fits any length but 0."""


def fitting(arrays: Arrays, coordinates: Sequence[str], sliced: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Those of fields.safetensors of an equation; none where the grids aren't finite and ascending.

    Args:
        coordinates: of the run, independent ones first; those with a grid are independent.
        sliced: arrays that are there for one slot only, without their first axis.
    """
    grids = [arrays[key] for name in coordinates if (key := f"grid/{name}") in arrays]
    if not grids or not all(_ascends(grid) for grid in grids):
        return {}
    nodes, count = tuple(len(grid) for grid in grids), len(coordinates)
    s = arrays.get("orbit/s")
    shapes: dict[str, Shape] = {
        "solution": (count - len(grids), *nodes),
        "learned": (None, count, *nodes),
        "truth": (None, count, *nodes),
        "scale": (count,),
        "orbit/s": (None,),
        "orbit/points": (None, None if s is None or s.ndim != 1 else len(s), count, *nodes),
    }
    wanted = {key: shape[1:] if key in sliced else shape for key, shape in shapes.items()}
    return {key: array for key, array in arrays.items() if _fits(array, wanted.get(key))}


def fitting_moved(
    arrays: Arrays, coordinates: Sequence[str], known: int, sliced: Sequence[str] = ()
) -> dict[str, NDArray[Any]]:
    """Those of finite.safetensors, all or none; `known` coordinates are independent."""
    if not {"s", "points", "residual"} <= set(arrays):
        return {}
    s, points = arrays["s"], arrays["points"]
    if not _ascends(s) or points.ndim < known:
        return {}
    nodes, count = points.shape[points.ndim - known :], len(coordinates)
    shapes: dict[str, Shape] = {
        "points": (None, len(s), count, *nodes), "residual": (None, len(s), count - known, *nodes),
    }  # fmt: skip
    wanted = {key: shape[1:] if key in sliced else shape for key, shape in shapes.items()}
    return dict(arrays) if all(_fits(arrays[key], shape) for key, shape in wanted.items()) else {}


def fitting_pictures(arrays: Arrays, sliced: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Those of fields.safetensors of pictures: fields in the plane or at colours, and moved pictures."""
    weight, s = arrays.get("weight"), arrays.get("orbit/s")
    nodes = () if weight is None else weight.shape
    components = 2 if len(nodes) == 2 else 3
    shapes: dict[str, Shape] = {
        "learned": (None, components, *nodes) if len(nodes) in (1, 2) else (),
        "colors": (components, *nodes),
        "orbit/s": (None,),
        "orbit/pictures": (None, len(s) if s is not None and s.ndim == 1 else None, None, None, None, None),
    }
    wanted = {key: shape[1:] if key in sliced else shape for key, shape in shapes.items()}
    return {key: array for key, array in arrays.items() if _fits(array, wanted.get(key))}


def _ascends(line: NDArray[Any]) -> bool:
    """Whether an array has finite numbers, each larger than the one before."""
    return _fits(line, (None,)) and bool(np.isfinite(line).all() and (np.diff(line) > 0).all())


def _fits(array: NDArray[Any], shape: Shape | None) -> bool:
    """Whether an array has floating numbers, some, and this shape; None is any."""
    if array.dtype.kind != "f" or array.size == 0:
        return False
    if shape is None:
        return True
    same = zip(array.shape, shape, strict=False)
    return array.ndim == len(shape) and all(wanted in (None, length) for length, wanted in same)
