"""Data of others: any file to xarray Datasets with the unknowns and axes of an equation.

The arrays of a file are found and named first (`opening`, `roles`, `naming`), its axes are measured on a few slices
(`grids`, `axes`); then `every`, `window` and `samples` select what is loaded, in blocks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from lieapp.api import MIN_POINTS
from lieapp.arrays import SAMPLE
from lieapp.data.axes import spacing_kind
from lieapp.data.grids import Part, parts
from lieapp.data.mapping import parse_every, parse_window
from lieapp.data.missing import check_finite, whole
from lieapp.data.opening import all_readers, place_of
from lieapp.data.roles import Question
from lieapp.errors import DataError, UsageError
from lieapp.extension import Reader
from lieapp.progress import Reporter, SilentReporter

MOST = 2**29
"""Bytes that are loaded at most: work on them needs a multiple."""

BLOCK = 2**26
"""Bytes read at a time."""

HASHED = 2**26
"""Files up to this size are known by their sha256, larger ones by size and time."""


def read(
    paths: str | Path | Sequence[str | Path], mapping: str = "", unknowns: Sequence[str] | None = None,
    variables: Sequence[str] | None = None, every: str = "", window: str = "", samples: int | None = None,
    report: Reporter | None = None, readers: Sequence[Reader] | None = None, drop_nan: bool = False,
) -> list[xr.Dataset]:  # fmt: skip
    """Read trajectories: one Dataset for each file and grid, (sample, evolution variable, axes of space).

    Args:
        mapping: which array is what, `u=usol(x,t), x=x, t=tt`; empty if the file says it.
        unknowns, variables: the names of the equation; variables have the evolution variable first.
        every, window: `t=4,x=2` and `t=0:10`: what of each axis is loaded.
        samples: the largest number of trajectories.
        report: is told how many bytes of how many are read.
        readers: those of the registry by default.
        drop_nan: whether times and trajectories that hold NaN are left out; else they are refused.

    Raises UsageError for options that don't fit, DataError for a file that can't be read or doesn't say what its
    arrays are; the hint then has a mapping.
    """
    files = [Path(p) for p in ([paths] if isinstance(paths, str | Path) else paths)]
    readers = all_readers() if readers is None else readers
    found: list[xr.Dataset] = []
    for path in files:
        left = None if samples is None else samples - sum(d.sizes[SAMPLE] for d in found)
        with parts(path, mapping, unknowns, variables, readers) as grids:
            for part in grids:
                for question in part.roles.questions:
                    raise asked(path, question)
            cuts = [Cut.of(part, every, window) for part in _first(grids, left)]
            _check_size(path, cuts, sum(d.nbytes for d in found))
            total, done = sum(cut.bytes for cut in cuts), 0
            for cut in cuts:
                found.append(cut.load(report or SilentReporter(), done, total, drop_nan))
                done += cut.bytes
    check_alike([*map(_named, found)])
    return found


def known_by(path: Path) -> dict[str, str | int | float]:
    """What tells a file from one that was written anew."""
    place = place_of(path)
    state = place.stat()
    if place.is_file() and state.st_size <= HASHED:
        return {"sha256": hashlib.sha256(place.read_bytes()).hexdigest()}
    return {"size": state.st_size, "modified": state.st_mtime}


def changed(file: str) -> DataError:
    """What is raised where a resumed run finds other data than it began with."""
    return DataError(
        f"{file} has changed since this run began.",
        hint="Put the old file back and resume, or start a new run.",
    )


def asked(path: Path, question: Question) -> DataError:
    """A question that a file leaves open, as an error with the option that answers it."""
    return DataError(f"{path}: {question.text}", hint=f'Say it by --map "{question.mapping}".')


def _first(grids: Sequence[Part], most: int | None) -> Iterator[Part]:
    """The first trajectories of all."""
    left = sum(len(p.samples) for p in grids) if most is None else most
    for part in grids:
        if left > 0:
            yield replace(part, samples=part.samples[:left])
            left -= len(part.samples)


class Named(NamedTuple):
    """What a file has: its unknowns, and its axes with their units."""

    file: str
    unknowns: Sequence[str]
    units: Mapping[str, str]


def check_alike(found: Sequence[Named]) -> None:
    """Raises DataError unless files have the unknowns, the axes and the units of the first one."""
    for other in found[1:]:
        for name, unit in found[0].units.items():
            if name not in other.units:
                raise DataError(
                    f"{found[0].file} has the axis {name}, {other.file} doesn't.",
                    hint="Read files of the same kind together.",
                )
            if other.units[name] != unit:
                raise DataError(
                    f"{name} is in {unit or 'no unit'} in {found[0].file} and in {other.units[name] or 'no unit'} "
                    f"in {other.file}.",
                    hint="Convert one of the files.",
                )
        if set(other.unknowns) != set(found[0].unknowns):
            raise DataError(
                f"{found[0].file} has the unknowns {', '.join(found[0].unknowns)}, {other.file} has "
                f"{', '.join(other.unknowns)}.",
                hint="Name them by --map, or read the files apart.",
            )


def _named(data: xr.Dataset) -> Named:
    units = {str(name): str(data[name].attrs.get("units", "")) for name in data.dims if name != SAMPLE}
    return Named(str(data.attrs["file"]), [*map(str, data.data_vars)], units)


@dataclass(frozen=True)
class Cut:
    """What is loaded of a part: a slice of each axis."""

    part: Part
    index: tuple[slice, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, part: Part, every: str, window: str) -> Cut:
        """By the typed options. Raises UsageError for other names, DataError if too few points are left."""
        steps, ends = parse_every(every), parse_window(window)
        names = [a.name for a in part.axes]
        for option, given in (("--every", steps), ("--window", ends)):
            for name in given:
                if name not in names:
                    raise UsageError(
                        f"{option}: there is no axis {name!r}; there are {', '.join(names)}.",
                        hint=f"{option} {names[0]}=…",
                    )
        index, kinds = [], []
        for axis in part.axes:
            n = len(axis.points) - axis.measured.end_stored
            low, high = ends.get(axis.name, (-np.inf, np.inf))
            # both ends belong to a window, also if they are typed with nine digits
            near = 1e-6 * float(np.diff(axis.points).min())
            start, stop = np.searchsorted(axis.points[:n], (low - near, high + near))
            kind = axis.measured.kind
            if kind == "periodic" and stop - start < n:
                kind = "open"
            step = steps.get(axis.name, 1)
            if kind == "periodic" and n % step:
                raise DataError(
                    f"--every {axis.name}={step}: {axis.name} is periodic with {n} points, which {step} doesn't "
                    "divide.",
                    hint=f"Take one of {', '.join(str(k) for k in range(2, 33) if n % k == 0) or '1'}.",
                )
            left = len(range(start, stop, step))
            if left < MIN_POINTS and not part.contents.names:
                raise DataError(
                    f"{part.path}: {axis.name} has {left} points{'' if left == n else ' left'}; at least "
                    f"{MIN_POINTS} are needed.",
                    hint="Give data on a finer grid." if left == n else "Widen --window or lower --every.",
                )
            index.append(slice(int(start), int(stop), step))
            kinds.append("open" if kind == "chebyshev" and (stop - start < n or step > 1) else kind)
        return cls(part, tuple(index), tuple("uneven" if k == "open" and a.measured.kind == "chebyshev" else k
                                             for k, a in zip(kinds, part.axes, strict=True)))  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        """Of each unknown."""
        return (len(self.part.samples), *(len(range(s.start, s.stop, s.step)) for s in self.index))

    @property
    def bytes(self) -> int:
        """Of all unknowns, once loaded."""
        arrays = [u.array for u in self.part.roles.unknowns]
        return int(np.prod(self.shape)) * sum(4 if a.kind == "f" and a.bytes == 4 else 8 for a in arrays)

    def load(self, report: Reporter, done: int, total: int, drop_nan: bool = False) -> xr.Dataset:
        """The Dataset, read in blocks. Raises DataError for values that aren't finite, unless they are dropped."""
        part = self.part
        dims = (SAMPLE, *(a.name for a in part.axes))
        found: dict[str, np.ndarray] = {}
        for unknown in part.roles.unknowns:
            values = None
            for rows, times in self._blocks():
                block = part.values(unknown, rows[0], (times[0], *self.index[1:]))
                if values is None:
                    values = np.empty(self.shape, block.dtype)
                values[rows[1], times[1]] = block
                done += block.nbytes
                report.progress(done, total, f"{done / 2**20:.1f} of {total / 2**20:.1f} MiB read")
            assert values is not None
            if not drop_nan:
                time = part.axes[0]
                points = time.points[self.index[0]]
                check_finite(part.path, unknown.name, values, time.name, points, part.samples[0])
            found[unknown.name] = values
        data = xr.Dataset({name: (dims, values) for name, values in found.items()}, attrs=self._provenance())
        for axis, s, kind in zip(part.axes, self.index, self.kinds, strict=True):
            attributes: dict[str, str | float] = {"kind": kind}
            if axis.unit:
                attributes["units"] = axis.unit
            if axis.since:
                attributes["since"] = axis.since
            if kind == "periodic" and axis.measured.period is not None:
                attributes["period"] = axis.measured.period
            data = data.assign_coords({axis.name: (axis.name, axis.points[s], attributes)})
        return self._without_holes(data, list(found.values())) if drop_nan else data

    def _without_holes(self, data: xr.Dataset, values: Sequence[np.ndarray]) -> xr.Dataset:
        """Without the trajectories and times that hold NaN; what that leaves out is noted."""
        samples, times, said = whole(self.part.path, values)
        if not said:
            return data
        time = data[self.part.axes[0].name]
        data = data.isel({SAMPLE: samples, time.name: times})
        data[time.name].attrs["kind"] = "open" if spacing_kind(data[time.name].values) == "uniform" else "uneven"
        data.attrs["notes"] = "; ".join([*self.part.notes, said])
        return data

    def _blocks(self) -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice]]]:
        """Samples and times to read at once: where they are in the file and where they go."""
        samples, (_, times, *space) = self.part.samples, self.shape
        # a stretch of the last axis is read whole before it is thinned
        row = 8 * int(np.prod(space)) * self.index[-1].step
        many = max(1, min(times, BLOCK // max(row, 1)))
        alike = samples == tuple(range(samples[0], samples[0] + len(samples)))
        together = max(1, BLOCK // max(row * times, 1)) if alike and many == times else 1
        first, step = self.index[0].start, self.index[0].step
        for i in range(0, len(samples), together):
            rows = slice(samples[i], samples[i] + min(together, len(samples) - i))
            for k in range(0, times, many):
                last = min(k + many, times)
                stop = min(first + step * last, self.index[0].stop)
                yield (rows, slice(i, i + rows.stop - rows.start)), (
                    slice(first + step * k, stop, step), slice(k, last)
                )  # fmt: skip

    def _provenance(self) -> dict[str, str | int | float]:
        part = self.part
        # netCDF has no "/" in names, and texts rather than lists of them
        found = {
            key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in part.contents.attributes.items() if "/" not in key
        }  # fmt: skip
        layout = part.contents.layout or "generic"
        found |= {"file": str(part.path), "format": part.contents.format, "layout": layout, **known_by(part.path)}
        if part.notes:
            found["notes"] = "; ".join(part.notes)
        return found


def _check_size(path: Path, cuts: Sequence[Cut], loaded: int) -> None:
    """Raises DataError for more than fits into memory, with options that make it fit."""
    total = loaded + sum(cut.bytes for cut in cuts)
    if total <= MOST:
        return
    part, shape, kinds = cuts[0].part, cuts[0].shape, cuts[0].kinds
    steps, left = {}, total / MOST
    for axis, n, kind in sorted(zip(part.axes, shape[1:], kinds, strict=True), key=lambda triple: -triple[1]):
        k = 1
        while left > 1 and n // (2 * k) >= 128 and (kind != "periodic" or n % (2 * k) == 0):
            k, left = 2 * k, left / 2
        if k > 1:
            steps[axis.name] = k
    options = [f"--every {','.join(f'{n}={k}' for n, k in steps.items())}"] if steps else []
    if left > 1:
        options.append(f"--samples {max(1, int(shape[0] / left))}")
    raise DataError(
        f"{path}: {total / 2**30:.3g} GiB would be loaded; the most is {MOST / 2**30:.2g} GiB.",
        hint=f"Take a part: {' '.join(options)}, or --window {part.axes[0].name}=…:….",
    )
