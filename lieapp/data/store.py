"""Trajectories in HDF5 files: one dataset for each unknown, of shape (sample, t, x), one for each axis.

Attributes of the file say what the equation is and how accurate the values are; those of an axis say whether it
is periodic. A periodic axis leaves out its right end.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch

import lieapp
from lieapp.api import PDE
from lieapp.config import DataConfig
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.equations.equation import read_pde
from lieapp.errors import DataError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.processor import find_device, use_processor
from lieapp.progress import Reporter

SAMPLE = "sample"
"""Name of the first axis in the file's `axes`."""


Change = Callable[[Trajectories], tuple[Trajectories, dict[str, Any]]]
"""What is done to trajectories before they are written, with what there is to tell of it."""


def simulate_to_file(
    declaration: PDE, config: DataConfig, out: Path, report: Reporter, change: Change | None = None
) -> dict[str, Any]:
    """Simulate trajectories of a declaration and write them to `out`, changed if so asked.

    Returns the document of `lieapp data --json`. Raises what `simulate` raises, DataError if `out` can't be
    written.
    """
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


def equation_text(declaration: PDE) -> str:
    """The equation in the command line's jet notation, parameters replaced by their values; a line for each."""
    return "\n".join(f"{residual} = 0" for residual in read_pde(declaration).residuals)


def write_trajectories(trajectories: Trajectories, out: Path, facts: dict[str, Any]) -> None:
    """Write trajectories with their accuracy and the given facts as attributes, whole or not at all.

    Raises DataError if the file can't be written.
    """
    # in memory first: on a full disk HDF5 prints tracebacks of its own and may end the process
    content = io.BytesIO()
    _fill(content, trajectories, facts)
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


def _fill(content: io.BytesIO, trajectories: Trajectories, facts: dict[str, Any]) -> None:
    names = _axis_names(trajectories)
    with h5py.File(content, "w") as file:
        file.attrs.update(facts)
        file.attrs["error"] = trajectories.error
        file.attrs["lieapp"] = lieapp.__version__
        file.attrs["axes"] = names
        file.attrs["unknowns"] = list(trajectories.unknowns)
        file.attrs["units"] = "physical"
        file[names[1]] = trajectories.time.cpu().numpy()
        file[names[1]].attrs["periodic"] = False
        for axis in trajectories.grid.axes:
            file[axis.name] = axis.coordinates().numpy()
            file[axis.name].attrs.update({"periodic": axis.periodic, "left": axis.left, "right": axis.right})
        for i, name in enumerate(trajectories.unknowns):
            dataset = file.create_dataset(name, data=trajectories.values[:, :, i].cpu().numpy())
            for dimension, label in zip(dataset.dims, names, strict=True):
                dimension.label = label


def read_trajectories(path: Path) -> Trajectories:
    """Trajectories from a file of `lieapp data`.

    Raises DataError if the file isn't HDF5, lacks something, or holds values of a wrong shape or not finite.
    """
    try:
        file = h5py.File(path, "r")
    except FileNotFoundError:
        raise DataError(f"{path} doesn't exist.", hint="Write it with `lieapp data`.") from None
    except OSError as error:
        raise DataError(f"{path} isn't an HDF5 file: {error}.", hint="Write it with `lieapp data`.") from None
    with file:
        names, unknowns = (_listed(file, path, key) for key in ("axes", "unknowns"))
        if names[0] != SAMPLE or len(names) < 3 or not unknowns:
            raise DataError(
                f"{path}: axes are {', '.join(names)}; they must be {SAMPLE}, time and space.",
                hint="Write the file with `lieapp data`.",
            )
        time = _line(file, path, names[1])
        grid = Grid(tuple(_axis(file, path, name) for name in names[2:]))
        shape = (len(time), *grid.shape)
        values = [_values(file, path, name, names, shape) for name in unknowns]
        if len({len(v) for v in values}) > 1:
            raise DataError(
                f"{path}: {', '.join(unknowns)} hold {', '.join(str(len(v)) for v in values)} samples.",
                hint="Each unknown needs the same samples.",
            )
        accuracy = float(file.attrs.get("error", math.nan))
        facts = {k: _plain(v) for k, v in file.attrs.items() if k not in ("axes", "unknowns", "error")}
    stacked = torch.as_tensor(np.stack(values, axis=2))
    return Trajectories(torch.as_tensor(time), grid, stacked, tuple(unknowns), names[1], accuracy, facts)


def _axis_names(trajectories: Trajectories) -> list[str]:
    return [SAMPLE, trajectories.time_name, *(axis.name for axis in trajectories.grid.axes)]


def _listed(file: h5py.File, path: Path, key: str) -> list[str]:
    if key not in file.attrs:
        raise DataError(
            f"{path} has no attribute {key!r}; it isn't a file of `lieapp data`.",
            hint="Use source=… of a plugin for other data.",
        )
    return [str(name) for name in np.atleast_1d(file.attrs[key])]


def _dataset(file: h5py.File, path: Path, name: str) -> np.ndarray:
    if not isinstance(file.get(name), h5py.Dataset):
        raise DataError(
            f"{path} has no dataset {name!r}; there are {', '.join(file) or 'none'}.",
            hint="Write the file again with `lieapp data`.",
        )
    if file[name].dtype.kind not in "fiu":
        raise DataError(f"{path}: {name} isn't made of numbers but of {file[name].dtype}.", hint="Convert it.")
    values = np.asarray(file[name], dtype=np.float64)
    if not np.isfinite(values).all():
        raise DataError(f"{path}: {name} holds NaN or infinite values.", hint="Clean the data.")
    return values


def _line(file: h5py.File, path: Path, name: str) -> np.ndarray:
    points = _dataset(file, path, name)
    if points.ndim != 1:
        raise DataError(f"{path}: {name} has shape {points.shape}; an axis is a list.", hint="Flatten it.")
    return points


def _axis(file: h5py.File, path: Path, name: str) -> Axis:
    points, attributes = _line(file, path, name), file[name].attrs
    missing = [key for key in ("left", "right", "periodic") if key not in attributes]
    if missing:
        raise DataError(
            f"{path}: {name} has no attribute {missing[0]!r}.", hint="Write the file with `lieapp data`."
        )
    left, right = float(attributes["left"]), float(attributes["right"])
    axis = Axis(name, left, right, len(points), bool(attributes["periodic"]))
    if not np.allclose(points, axis.coordinates().numpy(), rtol=0, atol=1e-9 * axis.length):
        raise DataError(
            f"{path}: the points of {name} aren't uniform on ({left:g}, {right:g}), its ends by its attributes.",
            hint="Resample the data.",
        )
    return axis


def _values(file: h5py.File, path: Path, name: str, axes: list[str], shape: tuple[int, ...]) -> np.ndarray:
    values = _dataset(file, path, name)
    if values.shape[1:] != shape or not len(values):
        raise DataError(
            f"{path}: {name} has shape {values.shape}; it must be ({', '.join(axes)}) = "
            f"(samples, {', '.join(map(str, shape))}).",
            hint="Transpose the array, or check the lengths of the axes.",
        )
    return values


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
