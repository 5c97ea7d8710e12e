"""Trajectories in netCDF files, which `xarray.open_dataset` opens: a variable for each unknown, (sample, t, x).

Attributes of the file say what the equation is and how accurate the values are; those of an axis say whether it
is periodic and its period. A periodic axis leaves out its right end.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

import lieapp
from lieapp.api import PDE
from lieapp.arrays import SAMPLE
from lieapp.config import DataConfig
from lieapp.data.files import read
from lieapp.data.simulate import simulate
from lieapp.data.sizes import check_simulation, simulation_cost
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.document import duration
from lieapp.equations.equation import read_pde
from lieapp.errors import DataError, refused
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.processor import find_device, use_processor
from lieapp.progress import Reporter

Change = Callable[[Trajectories], tuple[Trajectories, dict[str, Any]]]
"""What is done to trajectories before they are written, with what there is to tell of it."""


def simulate_to_file(
    declaration: PDE, config: DataConfig, out: Path, report: Reporter, change: Change | None = None
) -> dict[str, Any]:
    """Simulate trajectories of a declaration and write them to `out`, changed if so asked.

    Returns the document of `lieapp data --json`. Raises what `simulate` raises, DataError if `out` can't be
    written.
    """
    if declaration.source is None:
        _tell_cost(declaration, config.samples * (1 if change is None else config.copies), report)
    report.stage("data")
    use_processor(config.threads)
    trajectories = simulate(
        declaration,
        config.samples,
        torch.Generator().manual_seed(config.seed),
        find_device(config.device),
        Tolerance(config.tolerance),
        report.progress,
    )
    told: dict[str, Any] = {}
    if change is not None:
        report.stage("moving")
        trajectories, told = change(trajectories)
    facts: dict[str, Any] = {
        "plugin": declaration.name,
        "title": declaration.title,
        "equation": equation_text(declaration),
        "seed": config.seed,
        "tolerance": config.tolerance,
        **trajectories.facts,
        **told,
    }
    write_trajectories(trajectories, out, facts)
    return {
        **facts,
        "samples": trajectories.samples,
        "unknowns": list(trajectories.unknowns),
        "axes": _axis_names(trajectories),
        "shape": [trajectories.samples, len(trajectories.time), *trajectories.grid.shape],
        "error": None if math.isnan(trajectories.error) else trajectories.error,
    }


TOLD, MUCH = 60.0, 1e9
"""Seconds and bytes from which on it is said before what a simulation takes."""


def _tell_cost(declaration: PDE, samples: int, report: Reporter) -> None:
    """What trajectories take, where that is much. Raises SimulationError for more than this machine can do."""
    check_simulation(declaration, samples)
    memory, seconds = simulation_cost(declaration, samples)
    if seconds > TOLD or memory > MUCH:
        report.line(f"an estimated {memory / 1e9:.2g} GB of memory, and at least {duration(seconds)}")


def keep_dataset(dataset: object, root: Path, *, mapped: bool = False) -> Path:
    """An xarray Dataset as a netCDF file beside the runs, so that a run can be resumed; named by its content.

    Raises DataError if it can't be written, or has no points of its axes and isn't `mapped`.
    """
    assert isinstance(dataset, xr.Dataset | xr.DataArray)
    lists = [v for v in dataset.variables.values() if v.ndim == 1] if isinstance(dataset, xr.Dataset) else []
    bare = [str(d) for d in dataset.dims if d != SAMPLE]
    if bare and not mapped and not lists and not len(dataset.coords):
        raise DataError(
            f"the Dataset has no coordinates, so the points of {', '.join(bare)} aren't known.",
            hint=f"Add them: data.assign_coords({', '.join(f'{d}={d}' for d in bare)}).",
        )
    folder = root.resolve() / ".data"
    with refused(DataError, f"{folder} can't be written", "Give `out` another folder."):
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{os.getpid()}.part"
        try:
            try:
                dataset.to_netcdf(draft, engine="h5netcdf")
            except (TypeError, ValueError, NotImplementedError) as error:
                raise DataError(
                    f"the Dataset can't be written as netCDF: {str(error).rstrip('.')}.",
                    hint="Keep its unknowns and axes only: dataset[['u']].drop_attrs().",
                ) from None
            file = folder / f"{hashlib.sha256(draft.read_bytes()).hexdigest()[:12]}.nc"
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    return file


def dataset_of(values: Mapping[str, object], axes: Mapping[str, object]) -> xr.Dataset:
    """Arrays of unknowns, (sample, *axes) or (*axes), with the points of their axes, as a Dataset.

    Raises DataError for arrays of another shape or of something else than real numbers.
    """
    points = {name: _real(name, line) for name, line in axes.items()}
    for name, line in points.items():
        if line.ndim != 1:
            raise DataError(f"the axis {name} has the shape {line.shape}; points are a list.", hint="Flatten it.")
    shape, found = tuple(map(len, points.values())), {}
    for name, value in values.items():
        array = _real(name, value)
        if array.shape[-len(shape) :] != shape or array.ndim > len(shape) + 1:
            told = ", ".join(f"{axis} ({len(line)})" for axis, line in points.items())
            raise DataError(
                f"{name} has the shape {array.shape}; with the axes {told} it is {shape}, or (sample, "
                f"{', '.join(map(str, shape))}).",
                hint="Give the axes in the order of the array's dimensions.",
            )
        found[name] = ((SAMPLE, *points)[-array.ndim :], array)
    return xr.Dataset(found, {name: (name, line) for name, line in points.items()})


def _real(name: str, value: object) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise DataError(f"{name} has values of type {array.dtype}; real numbers are needed.", hint="Convert them.")
    return array


def equation_text(declaration: PDE) -> str:
    """The equation in the command line's jet notation, parameters replaced by their values; a line for each."""
    return "\n".join(f"{residual} = 0" for residual in read_pde(declaration).residuals)


def write_trajectories(trajectories: Trajectories, out: Path, facts: dict[str, Any]) -> None:
    """Write trajectories with their accuracy and the given facts as attributes, whole or not at all.

    Raises DataError if the file can't be written.
    """
    # in memory first: on a full disk HDF5 prints tracebacks of its own and may end the process
    content = io.BytesIO()
    dataset(trajectories, facts).to_netcdf(content, engine="h5netcdf")
    draft = out.parent / f".{out.name}.{os.getpid()}.part"
    try:
        try:
            draft.write_bytes(content.getbuffer())
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            f"{out} can't be written: {error.strerror or error}.",
            hint="Free disk space there, or give a file in another folder.",
        ) from None


def dataset(trajectories: Trajectories, facts: dict[str, Any]) -> xr.Dataset:
    """Trajectories as a Dataset with the attributes that `lieapp.data.files.read` gives."""
    names = _axis_names(trajectories)
    # axis: the evolution variable may have any name; T is how the CF conventions call it
    times = trajectories.time.cpu().numpy()
    coordinates: dict[str, Any] = {names[1]: (names[1], times, {"kind": "open", "axis": "T"})}
    for axis in trajectories.grid.axes:
        told: dict[str, Any] = {"kind": "periodic", "period": axis.length} if axis.periodic else {"kind": "open"}
        coordinates[axis.name] = (axis.name, axis.coordinates().numpy(), told)
    values = trajectories.values.cpu().numpy()
    unknowns = {name: (names, values[:, :, i]) for i, name in enumerate(trajectories.unknowns)}
    attributes = {**facts, "error": trajectories.error, "lieapp": lieapp.__version__}
    return xr.Dataset(unknowns, coordinates, attributes)


def read_trajectories(path: Path, mapping: str = "", every: str = "", window: str = "") -> Trajectories:
    """Trajectories from a file of `lieapp data`, or any other with one uniform grid; see `lieapp.data.files.read`.

    Raises DataError if the file can't be read, or for several grids or uneven points.
    """
    found = read(path, mapping, every=every, window=window)
    if len(found) > 1:
        raise DataError(
            f"{path} has trajectories on {len(found)} grids; one is needed here.", hint="Resample them on one grid."
        )
    return trajectories_of(found[0])


def trajectories_of(data: xr.Dataset) -> Trajectories:
    """Trajectories of a Dataset with uniform axes. Raises DataError for others."""
    unknowns = tuple(map(str, data.data_vars))
    _, time, *space = map(str, data[unknowns[0]].dims)
    grid = Grid(tuple(_axis(data, name) for name in space))
    values = np.stack([data[name].values for name in unknowns], axis=2)
    accuracy = data.attrs.get("error", math.nan)
    facts = {k: v for k, v in data.attrs.items() if k != "error"}
    times = torch.tensor(data[time].values)
    return Trajectories(times, grid, torch.as_tensor(values), unknowns, time, float(accuracy), facts)


def _axis(data: xr.Dataset, name: str) -> Axis:
    points, told = data[name].values, data[name].attrs
    if told["kind"] not in ("periodic", "open"):
        raise DataError(
            f"{data.attrs['file']}: the points of {name} are {told['kind']}; a uniform grid is needed here.",
            hint="Resample the data.",
        )
    periodic = told["kind"] == "periodic"
    length = float(told["period"]) if periodic else float(points[-1] - points[0])
    return Axis(name, float(points[0]), float(points[0]) + length, len(points), periodic)


def _axis_names(trajectories: Trajectories) -> list[str]:
    return [SAMPLE, trajectories.time_name, *(axis.name for axis in trajectories.grid.axes)]
