"""Trajectories of an open file by grids: axes with their points, measured on a few slices; values by slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from lieapp.arrays import SAMPLE, Contents
from lieapp.data.axes import Measured, checked_points, measure, spacing_kind
from lieapp.data.mapping import parse_mapping
from lieapp.data.naming import named
from lieapp.data.opening import opened
from lieapp.data.roles import AxisPoints, Roles, Unknown
from lieapp.errors import DataError
from lieapp.extension import Reader

IMAGINARY = 1e-5
"""An imaginary part below this share of the largest value is round-off."""

PROBE = (4, 16, 16)
"""Samples, times and points along other axes in which an axis is measured."""

UNITS = {"days": "D", "hours": "h", "minutes": "m", "seconds": "s"}


@dataclass(frozen=True)
class DataAxis:
    """An axis of the data: ascending points in physical units, and what was measured on it."""

    name: str
    points: np.ndarray
    unit: str = ""
    since: str = ""
    descending: bool = False
    measured: Measured = field(default_factory=lambda: Measured("open", None))


@dataclass(frozen=True)
class Part:
    """Trajectories on one grid in an open file; the evolution variable is the first axis.

    Args:
        samples: the indices of the trajectories; of one that the file has no dimension for, 0.
    """

    contents: Contents
    path: Path
    roles: Roles
    axes: tuple[DataAxis, ...]
    samples: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def values(self, unknown: Unknown, samples: slice, index: Sequence[slice]) -> np.ndarray:
        """Values of an unknown as (sample, evolution variable, space…); slices are those of ascending points."""
        a = unknown.array
        turned = {x.name: x.descending for x in self.axes}
        sizes = dict(zip(a.dims, a.shape, strict=True))
        wanted = {SAMPLE: samples, **{x.name: s for x, s in zip(self.axes, index, strict=True)}}
        chosen = [_turned(wanted[d], sizes[d]) if turned.get(d) else wanted[d] for d in a.dims]
        # HDF5 reads single numbers of its last dimension slowly: a whole stretch is read there and thinned after
        last = chosen[-1]
        found = np.asarray(a.load((*chosen[:-1], slice(last.start, last.stop))))[..., :: last.step or 1]
        found = np.flip(found, tuple(i for i, d in enumerate(a.dims) if turned.get(d)))
        order = [a.dims.index(d) for d in wanted if d in a.dims]
        found = found.transpose(order).reshape(([] if SAMPLE in a.dims else [1]) + [found.shape[i] for i in order])
        return self._real(unknown, found)

    def _real(self, unknown: Unknown, found: np.ndarray) -> np.ndarray:
        if found.dtype.kind == "c":
            if unknown.part:
                found = found.real if unknown.part == "real" else found.imag
            else:
                size = np.abs(found.imag).max(initial=0.0)
                if size > IMAGINARY * np.abs(found.real).max(initial=0.0):
                    name, dims = unknown.array.name, ",".join(unknown.array.dims)
                    raise DataError(
                        f"{self.path}: {name} is complex, with an imaginary part up to {size:.2g}.",
                        hint=f'Take the parts as two unknowns: --map "u={name}.real({dims}), '
                        f'v={name}.imag({dims})" with the axes.',
                    )
                found = found.real
        kept = found.dtype.kind == "f" and found.dtype.itemsize in (4, 8)
        dtype = found.dtype.newbyteorder("=") if kept else np.float64
        return np.ascontiguousarray(found, dtype=dtype)

    def probe(self, unknown: Unknown, along: int) -> np.ndarray:
        """A few slices that are whole along one axis, which comes last."""
        sizes = [len(x.points) for x in self.axes]
        index = [slice(None, None, max(1, -(-n // PROBE[min(i + 1, 2)]))) for i, n in enumerate(sizes)]
        index[along] = slice(None)
        samples = slice(self.samples[0], self.samples[0] + min(len(self.samples), PROBE[0]))
        return np.moveaxis(self.values(unknown, samples, index), 1 + along, -1)


def _turned(s: slice, n: int) -> slice:
    """The slice of descending points that has the same points as `s` of ascending ones, in their own order."""
    r = range(n)[s]
    return slice(n - 1 - r[-1], n - r[0], r.step) if len(r) else slice(0, 0)


@contextmanager
def parts(
    path: Path, mapping: str, unknowns: Sequence[str] | None, variables: Sequence[str] | None,
    readers: Sequence[Reader],
) -> Iterator[list[Part]]:  # fmt: skip
    """The trajectories of a file by grids, not loaded; those with open questions have no axes."""
    entries = parse_mapping(mapping)
    with opened(path, readers) as layouts:
        grids = [p for c in layouts for p in _grids(c, path, named(c, unknowns, variables, entries))]
        yield [_measured(p) for p in grids]


def _grids(contents: Contents, path: Path, roles: Roles) -> Iterator[Part]:
    """One part for each grid: where axes have a row for each sample, equal rows belong together."""
    if roles.questions:
        yield Part(contents, path, roles, (), ())
        return
    first = roles.unknowns[0].array
    sizes = dict(zip(first.dims, first.shape, strict=True))
    points = [_raw_points(a, sizes[a.name]) for a in roles.axes]
    count = sizes.get(SAMPLE, 1)
    for a, p in zip(roles.axes, points, strict=True):
        if p.ndim == 2 and len(p) != count:
            raise DataError(
                f"{path}: {a.name} has rows for {len(p)} samples, {first.name} has {count}.",
                hint="Give the points of the axis by --map: a list, a list for each sample, or START:STEP.",
            )
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for i in range(count):
        groups.setdefault(tuple(_key(p[i]) for p in points if p.ndim == 2), []).append(i)
    for indices in groups.values():
        rows = [p[indices[0]] if p.ndim == 2 else p for p in points]
        axes = tuple(_axis(a, p, path, i == 0) for i, (a, p) in enumerate(zip(roles.axes, rows, strict=True)))
        notes = [f"{a.name} descends in the file; it is turned round" for a in axes if a.descending]
        yield Part(contents, path, roles, axes, tuple(indices), (*roles.notes, *notes))


def _raw_points(a: AxisPoints, n: int) -> np.ndarray:
    return a.start + a.step * np.arange(n) if a.array is None else a.array.values()


def _key(row: np.ndarray) -> bytes:
    """Equal for rows that differ by rounding only."""
    if row.dtype.kind == "M":
        return row.tobytes()
    size = float(np.abs(row).max(initial=0.0)) or 1.0
    return f"{size:.6g}".encode() + np.round(row.astype(np.float64) / size, 6).tobytes()


def _axis(a: AxisPoints, points: np.ndarray, path: Path, first: bool) -> DataAxis:
    """An axis with checked points; dates are counted from the first one."""
    unit, since = (a.array.unit.partition(" since ")[0] if a.array else ""), ""
    if points.dtype.kind == "M":
        ascending = np.diff(points.astype("datetime64[ns]").astype(np.int64))
        if unit not in UNITS:
            step = float(np.median(np.abs(ascending))) / 1e9 if len(ascending) else 0.0
            unit = "days" if step >= 86400 else "hours" if step >= 3600 else "seconds"
        since = str(points[0]) if len(points) else ""
        points = (points - points[0]) / np.timedelta64(1, UNITS[unit])  # type: ignore[call-overload]
    if len(points) < 2:
        what = "one time only: nothing changes in it" if first else "a single point"
        raise DataError(
            f"{path}: {a.name} has {what}.",
            hint="Give data with several times." if first else "Leave the axis out: --map with an index.",
        )
    checked = checked_points(points, a.name, str(path))
    descending = bool(checked[0] > checked[-1])
    if descending and first:
        raise DataError(f"{path}: {a.name} descends from {checked[0]:g} to {checked[-1]:g}; times must ascend.",
                        hint=f"Turn the array round, or give {a.name}=START:STEP by --map.")  # fmt: skip
    return DataAxis(a.name, checked[::-1] if descending else checked, unit, since, descending)


def _measured(part: Part) -> Part:
    """With the kind of each axis, measured on the unknown that is least periodic; a stored end is dropped."""
    if part.roles.questions:
        return part
    axes, notes = list(part.axes), list(part.notes)
    spacing = spacing_kind(axes[0].points)
    step = float(np.ptp(axes[0].points)) / (len(axes[0].points) - 1)
    reason = f"the points are {spacing}"
    even = Measured("open", step, reason=reason)
    axes[0] = replace(axes[0], measured=even if spacing == "uniform" else Measured(spacing, None, reason=reason))
    for i, axis in enumerate(axes[1:], 1):
        source = part.roles.axes[i].array
        declared = part.contents.kinds.get(source.name, "") if source else ""
        found = [measure(axis.points, part.probe(u, i), declared) for u in part.roles.unknowns]
        # one that isn't periodic decides; of periodic ones, one that doesn't repeat its first point
        worst = min(found, key=lambda m: (m.kind == "periodic", m.end_stored))
        period = source.attributes.get("period") if source and declared == "periodic" else None
        if isinstance(period, float):
            worst = replace(worst, period=period)
        axes[i] = replace(axis, measured=worst)
        if worst.end_stored:
            notes.append(f"the last point of {axis.name} repeats the first; it is left out")
    return replace(part, axes=tuple(axes), notes=tuple(notes))
