"""Arrays of a file that aren't loaded yet: what a reader gives, and what roles are found in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Index: TypeAlias = "tuple[slice, ...]"
"""One slice for each dimension, with a positive step."""

Attribute: TypeAlias = "str | float | int | list[str | float | int]"
"""The value of an attribute of a file or an array."""

SAMPLE, COMPONENT = "sample", "component"
"""Dimensions that aren't axes: of trajectories, and of the components of a vector."""


@dataclass(frozen=True)
class Array:
    """A named array whose values are read by slices.

    Args:
        name: its path in the file.
        kind: the kind of its values as in NumPy: f, i, u, b, c (complex), M (times), or another letter.
        load: the values of a slice; the result has as many dimensions as the array.
        bytes: size of one value.
        unit: empty if unknown.
        dims: the names of its dimensions; empty if the file doesn't name them.
        role: unknown, axis, sample or parameter, if the layout says so; `reason` says why.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    load: Callable[[Index], Any]
    bytes: int = 8
    unit: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    dims: tuple[str, ...] = ()
    role: str = ""
    reason: str = ""

    def values(self) -> np.ndarray:
        """All of it."""
        import numpy as np

        return np.asarray(self.load(tuple(slice(None) for _ in self.shape)))

    def part(self, key: Sequence[int | slice], name: str = "") -> Array:
        """A part, still not loaded: a whole number drops its dimension, a slice keeps it."""
        ranges = [
            range(n)[k] if isinstance(k, slice) else range(n)[k : (k + 1) or None]
            for n, k in zip(self.shape, key, strict=True)
        ]
        kept = [i for i, k in enumerate(key) if isinstance(k, slice)]

        def load(index: Index) -> Any:
            inner = dict(zip(kept, index, strict=True))
            chosen = [r[inner.get(i, slice(None))] for i, r in enumerate(ranges)]
            found = self.load(tuple(slice(r.start, r.stop, r.step) for r in chosen))
            return found.reshape([len(chosen[i]) for i in kept])

        shape = tuple(len(ranges[i]) for i in kept)
        dims = tuple(self.dims[i] for i in kept) if self.dims else ()
        return replace(self, name=name or self.name, shape=shape, dims=dims, load=load)

    def squeezed(self) -> Array:
        """Without the dimensions of length 1."""
        if 1 not in self.shape:
            return self
        return self.part([0 if n == 1 else slice(None) for n in self.shape])

    def components(self, names: Sequence[str], dimension: int = -1) -> list[Array]:
        """The components of a vector, each as an array of its own."""
        dimension %= len(self.shape)
        keys: list[list[int | slice]] = [[slice(None)] * len(self.shape) for _ in names]
        for i, key in enumerate(keys):
            key[dimension] = i
        return [self.part(key, name) for key, name in zip(keys, names, strict=True)]


def held(name: str, values: Any, **more: Any) -> Array:
    """An array whose values are at hand."""
    return Array(
        name, tuple(values.shape), values.dtype.kind, values.__getitem__, bytes=values.dtype.itemsize, **more
    )


def stacked(arrays: Sequence[Array], name: str) -> Array:
    """Arrays of one shape along a new first dimension, the samples."""
    import numpy as np

    def load(index: Index) -> Any:
        return np.stack([arrays[i].load(index[1:]) for i in range(len(arrays))[index[0]]])

    first = arrays[0]
    dims = (SAMPLE, *first.dims) if first.dims else ()
    return replace(first, name=name, shape=(len(arrays), *first.shape), dims=dims, load=load)


@dataclass(frozen=True)
class Contents:
    """What stands in a file.

    Args:
        format: the kind of file: npz, matlab, hdf5, netcdf, …
        arrays: all of them.
        attributes: of the file.
        layout: the name of the layout that was recognized; empty for a generic file.
        notes: what a layout changed or chose.
        kinds: periodic or open, of the axes for which the file says so.
        names: the unknowns and axes have the names of the equation.
        close: closes the file.
    """

    format: str
    arrays: tuple[Array, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    layout: str = ""
    notes: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    names: bool = False
    close: Callable[[], None] = lambda: None

    def get(self, name: str) -> Array | None:
        """The array of that name."""
        return next((array for array in self.arrays if array.name == name), None)

    def under(self, group: str) -> Contents:
        """The arrays of one group, by their names in it."""
        start = f"{group}/"
        inside = [replace(a, name=a.name.removeprefix(start)) for a in self.arrays if a.name.startswith(start)]
        return replace(self, arrays=tuple(inside))
