"""The readers that lieapp ships: formats first, then layouts. Their modules are loaded when a file is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from lieapp.api import hookimpl
from lieapp.extension import Reader, lazily

HDF5 = b"\x89HDF\r\n\x1a\n"


Recognizes: TypeAlias = Callable[[Path, bytes], bool]


def _ends(*suffixes: str) -> Recognizes:
    return lambda path, start: path.suffix.lower() in suffixes


def _netcdf(path: Path, start: bytes) -> bool:
    return start[:3] == b"CDF" or (start.startswith(HDF5) and path.suffix.lower() in (".nc", ".nc4", ".cdf"))


def _zarr(path: Path, start: bytes) -> bool:
    if path.is_dir():
        return any((path / name).is_file() for name in ("zarr.json", ".zgroup", ".zmetadata"))
    return start[:4] == b"PK\x03\x04" and ".zarr" in path.name.lower()


def json_of(path: Path) -> Path:
    """The JSON with the grid of an array of APEBench: `name.json` of `name_train.npy`."""
    return path.with_name(f"{path.stem.rpartition('_')[0]}.json")


def _format(name: str, title: str, target: str, recognizes: Recognizes, *suffixes: str) -> Reader:
    target = f"lieapp.data.readers.{target}"
    return Reader(name=name, title=title, suffixes=suffixes, recognizes=recognizes, open=lazily(target))


def _layout(name: str, title: str, target: str, *formats: str) -> Reader:
    return Reader(name=name, title=title, formats=formats, layout=lazily(f"lieapp.data.readers.{target}"))


@hookimpl
def lieapp_readers() -> list[Reader]:
    """Formats, by the first bytes of a file where these tell, then layouts."""
    zipped = lambda path, start: start[:4] == b"PK\x03\x04"  # noqa: E731
    level5 = lambda path, start: start[:6] == b"MATLAB" and HDF5 not in start  # noqa: E731
    hdf5 = lambda path, start: start.startswith(HDF5)  # noqa: E731
    level7 = lambda path, start: start.startswith(b"MATLAB 7.3") or (  # noqa: E731
        start.startswith(HDF5) and path.suffix.lower() == ".mat"
    )
    return [
        _format("zarr", "A zarr store, a folder or zip file.", "named:open_zarr", _zarr, ".zarr"),
        _format("npz", "Arrays of NumPy, savez.", "numpy_files:open_npz", zipped, ".npz"),
        _format("npy", "One array of NumPy.", "numpy_files:open_npy", lambda path, start: start[:6] == b"\x93NUMPY",
                ".npy"),
        _format("matlab73", "MATLAB 7.3, which is HDF5.", "matlab:open_level7", level7, ".mat"),
        _format("matlab", "MATLAB up to version 7.", "matlab:open_level5", level5, ".mat"),
        _format("netcdf", "netCDF 3 and 4.", "named:open_netcdf", _netcdf, ".nc", ".nc4", ".cdf"),
        _format("hdf5", "HDF5.", "hdf5:open_hdf5", hdf5, ".h5", ".hdf5"),
        _format("comsol", "A text table exported by COMSOL.", "text:open_comsol",
                lambda path, start: start.startswith(b"% ") and b"Model" in start, ".txt", ".dat"),
        _format("csv", "A text table with a line of column names.", "text:open_table",
                _ends(".csv", ".tsv", ".txt", ".dat"), ".csv", ".tsv", ".txt"),
        _layout("solvers", "MP-PDE, LPSDA, PDEArena: a group with pde_140-256.", "solvers:layout", "hdf5"),
        _layout("pdebench", "PDEBench: tensor or fields of a flow, x-coordinate.", "pdebench:layout", "hdf5"),
        _layout("groups", "A group for each seed, as PDEBench has too.", "pdebench:groups", "hdf5"),
        _layout("well", "The Well.", "simulators:well", "hdf5"),
        _layout("dedalus", "Dedalus: tasks and scales.", "simulators:dedalus", "hdf5"),
        Reader(
            name="apebench", title="APEBench: an array beside its JSON.", formats=("npy",),
            layout=lazily("lieapp.data.readers.numpy_files:apebench"), beside=lambda path: [json_of(path)],
        ),
    ]  # fmt: skip
