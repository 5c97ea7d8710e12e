"""Axes that a file stores as meshes, as meshgrid and ndgrid make them: X(i, k) = x_k, of the shape of u."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lieapp.arrays import Array

EQUAL = 1e-6
"""Largest difference of two lines of a mesh, in steps."""


def line_of(mesh: Array) -> tuple[int, Array] | None:
    """The dimension along which an array of more dimensions varies, and its points there; None if along several.

    It is looked at on lines through the first, middle and last places of the other dimensions.
    """
    if mesh.kind not in "fiu" or len(mesh.shape) < 2 or min(mesh.shape) < 2:
        return None
    for dimension, n in enumerate(mesh.shape):
        others = [(0, m // 2, m - 1) for i, m in enumerate(mesh.shape) if i != dimension]
        places = (list(place) for place in itertools.product(*others))
        lines = (mesh.part([*p[:dimension], slice(None), *p[dimension:]]) for p in places)
        first = next(lines)
        points = first.values().astype(np.float64)
        step = float(np.ptp(points)) / (n - 1)
        # NaN equals nothing: a mesh with holes isn't one
        if step and all((np.abs(line.values() - points) <= EQUAL * step).all() for line in lines):
            return dimension, first
    return None


def unmeshed(arrays: Sequence[Array], axes: Mapping[str, str]) -> tuple[list[Array], dict[str, str]]:
    """Arrays with lists in place of meshes; and, left out, meshes of axes that have a list too, with why.

    Where meshes name all dimensions of an array's shape, it and they get these names, by which all are known.

    Args:
        axes: of the arrays that are called like axes, which axis.
    """
    flat = [a.squeezed() if a.name in axes else a for a in arrays]
    shapes = [a.squeezed().shape for a in arrays if a.name not in axes]
    known = {axes[a.name] for a in flat if a.name in axes and len(a.shape) == 1}
    lists: dict[str, Array] = {}
    spare: dict[str, str] = {}
    along: dict[tuple[int, ...], dict[int, str]] = {}
    for a in flat:
        line = line_of(a) if a.name in axes and any(_within(a.shape, shape) for shape in shapes) else None
        if line is None:
            continue
        told = f"a mesh of {' x '.join(map(str, a.shape))} that varies along its dimension {line[0] + 1} only"
        if axes[a.name] in known:
            spare[a.name] = told
            continue
        lists[a.name] = replace(line[1], reason=told)
        along.setdefault(a.shape, {})[line[0]] = a.name
    named = {
        shape: tuple(names[i] for i in range(len(shape)))
        for shape, names in along.items() if len(names) == len(shape) and shape in shapes
    }  # fmt: skip

    def made(a: Array) -> Array:
        if a.name in lists:
            return replace(lists[a.name], dims=(a.name,), role="axis") if named else lists[a.name]
        shape = a.squeezed().shape
        return replace(a.squeezed(), dims=named[shape]) if shape in named else a

    return [made(a) for a in arrays if a.name not in spare], spare


def _within(mesh: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether all lengths of a mesh are those of dimensions of an array."""
    return all(mesh.count(n) <= shape.count(n) for n in mesh)
