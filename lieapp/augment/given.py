"""What `moved` is given: arrays, an xarray Dataset or files, as trajectories with the equation that they solve."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lieapp.api import PDE
from lieapp.augment.from_files import axes_of_piece, joined, trajectories_of_files
from lieapp.augment.own import check_one_grid
from lieapp.config_types import FileData
from lieapp.data.store import dataset_of, keep_dataset, read_trajectories
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import System
from lieapp.equations.parsing import parse_system
from lieapp.errors import LieappError, UsageError
from lieapp.pde.typed import plugin_of
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog
from lieapp.settings import from_values

OF_FILES = tuple(key for key in FileData.__struct_fields__ if key != "files")
"""Settings that say how data are read: map, every, window, samples, parameter."""

OPERATORS = frozenset("+-*/=() ")
"""One of them stands in every equation, and none in the name of a plugin."""

Equation = PDE | System | str | Sequence[str]


def given(
    data: object, equation: Equation | None, axes: Mapping[str, object] | None, reading: Mapping[str, Any],
    most: float,
) -> tuple[PDE | System, Trajectories]:  # fmt: skip
    """The equation and the trajectories, see `moved`.

    Args:
        reading: settings of `OF_FILES`.
        most: the largest misfit of data whose equation has other coefficients.

    Raises LieappError for data that can't be read, and for what doesn't go together.
    """
    if isinstance(data, Trajectories):
        if reading or axes is not None:
            key = [*reading, "axes"][0]
            raise UsageError(f"{key} is for files and arrays; these are trajectories.", hint="Leave it out.")
        return _of_trajectories(equation, data), data
    with tempfile.TemporaryDirectory(prefix="lieapp-") as folder:
        files = _files(data, axes, Path(folder), mapped="map" in reading)
        own = from_values(FileData, {"files": files, **reading})
        try:
            if equation is None:
                return _told_by(own)
            if isinstance(equation, System):
                return equation, _told_by(own, equation)[1]
            return _of_files(equation, own, Path(folder), most)
        except LieappError as error:
            if folder in files[0]:
                # the file was written here, and is gone then
                error.message = error.message.replace(files[0], "the data")
                error.args = (error.message,)
            raise


def _files(data: object, axes: Mapping[str, object] | None, root: Path, mapped: bool) -> list[str]:
    """The paths of files; of arrays and Datasets that of one that is written."""
    if isinstance(data, str | Path):
        return [str(data)]
    if hasattr(data, "to_netcdf"):
        return [str(keep_dataset(data, root, mapped=mapped))]
    if isinstance(data, Mapping) or hasattr(data, "__array__"):
        if axes is None:
            raise UsageError(
                "an array doesn't say at which points its values are.",
                hint='Give axes={"t": t, "x": x}, in the order of its dimensions; that of samples has none.',
            )
        arrays = data if isinstance(data, Mapping) else {"u": data}
        return [str(keep_dataset(dataset_of(arrays, axes), root))]
    if isinstance(data, Sequence) and data and all(isinstance(place, str | Path) for place in data):
        return [*map(str, data)]
    raise UsageError(
        f"data is {type(data).__name__}; it must be an array, a Dataset, trajectories, a path or a list of paths.",
        hint='For example moved(u, axes={"t": t, "x": x}, equation="u_t + u*u_x + u_xxx", along="truth").',
    )


def _told_by(data: FileData, system: System | None = None) -> tuple[System, Trajectories]:
    """Trajectories of files as they stand, and the equation that their attributes name unless it is given."""
    if data.parameter:
        raise UsageError(f"parameter is {data.parameter}; no equation is given.", hint="Give equation= too.")
    pieces = [read_trajectories(Path(file), data.map, data.every, data.window) for file in data.files]
    check_one_grid([axes_of_piece(piece) for piece in pieces], data.files)
    return system or equation_of(pieces[0]), joined(pieces).select(slice(0, data.samples))


def _of_files(
    equation: PDE | str | Sequence[str], data: FileData, root: Path, most: float
) -> tuple[PDE, Trajectories]:
    pde = equation if isinstance(equation, PDE) else _declared(equation, data, root)
    report = SilentReporter()
    own, found = trajectories_of_files(pde, data, report, most)
    for words in report.warnings:
        warnings.warn(words, stacklevel=4)
    return own.declaration, found


def _declared(equation: str | Sequence[str], data: FileData, root: Path) -> PDE:
    """The declaration of a plugin's name or a typed equation. Raises UsageError for a plugin of something else."""
    texts = [equation] if isinstance(equation, str) else list(equation)
    name, folders = texts[0], list[Path]()
    if len(texts) > 1 or OPERATORS & set(name):
        name, folder = plugin_of(texts, data, root)
        folders.append(folder)
    entry = load_catalog(folders).get(name)
    if not isinstance(entry.declaration, PDE):
        told = f"{name}: it is {entry.kind.words[0]}, not an equation."
        raise UsageError(told, hint="Name a plugin of an equation.")
    return entry.declaration


def _of_trajectories(equation: Equation | None, data: Trajectories) -> PDE | System:
    if equation is None:
        return equation_of(data)
    if isinstance(equation, PDE | System):
        return equation
    texts = [equation] if isinstance(equation, str) else list(equation)
    if len(texts) == 1 and not OPERATORS & set(texts[0]):
        return _declared(texts, FileData(), Path())
    return _parsed(texts, data, typed=True)


def equation_of(data: Trajectories) -> System:
    """The system that a file of `lieapp data` names. Raises UsageError if the data name none."""
    text, name = str(data.facts.get("equation", "")), str(data.facts.get("plugin", ""))
    if not text or not name:
        raise UsageError(
            "the data don't say which equation they solve.",
            hint='Give equation=, a plugin\'s name, a declaration or text: "u_t + u*u_x + u_xxx".',
        )
    return replace(_parsed(text.splitlines(), data, typed=False), name=name)


def _parsed(texts: Sequence[str], data: Trajectories, typed: bool) -> System:
    variables = [data.time_name, *(axis.name for axis in data.grid.axes)]
    return parse_system(texts, variables, list(data.unknowns), typed=typed)
