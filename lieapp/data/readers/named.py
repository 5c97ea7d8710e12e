"""Files whose dimensions have names, read by xarray: netCDF and zarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import xarray as xr
from scipy.io import netcdf_file
from xarray.backends import H5NetCDFStore

from lieapp.arrays import Array, Attribute, Contents, Index


def open_netcdf(path: Path) -> Contents:
    """netCDF 3 by SciPy, 4 by h5netcdf. Raises ValueError for netCDF 3 that ends too early."""
    with path.open("rb") as stream:
        old = stream.read(3) == b"CDF"
    if not old:
        return _contents("netcdf", _opened_hdf5(path))
    if not _is_whole(path):
        raise ValueError(f"it ends before its arrays do, after {path.stat().st_size} bytes, or its header is wrong")
    return _contents("netcdf", _opened(path, engine="scipy"))


def _is_whole(path: Path) -> bool:
    """Whether SciPy finds all arrays of netCDF 3 in the file.

    An error of SciPy holds the file, and warns when Python ends: it goes no further than this.
    """
    try:
        netcdf_file(path).close()
    except MemoryError:
        raise
    except Exception:  # of many kinds: its bytes are taken for lengths and types
        return False
    return True


class _File(h5netcdf.File):
    """A file of h5netcdf; one whose opening failed half way ends without a traceback on stderr."""

    def __del__(self) -> None:
        if hasattr(self, "_writable"):
            self.close()


def _opened_hdf5(path: Path) -> xr.Dataset:
    file = _File(path, "r", phony_dims="access", decode_vlen_strings=True)
    try:
        return _opened(H5NetCDFStore(file))
    except BaseException:
        file.close()
        raise


def open_zarr(path: Path) -> Contents:
    """A store of version 2 or 3, as xarray writes it."""
    # the fill value of a zarr array is what was never written, not what is missing
    return _contents("zarr", _opened(path, engine="zarr", consolidated=False, use_zarr_fill_value_as_mask=False))


def _opened(place: Path | H5NetCDFStore, **options: Any) -> xr.Dataset:
    """Dates are decoded, except those of other calendars; times in seconds stay numbers."""
    try:
        return xr.open_dataset(place, cache=False, decode_timedelta=False, **options)
    except ValueError:
        return xr.open_dataset(place, cache=False, decode_times=False, **options)


def _contents(kind: str, data: xr.Dataset) -> Contents:
    arrays = tuple(_array(str(name), variable) for name, variable in data.variables.items())
    ours = "lieapp" in data.attrs
    kinds = {a.name: str(a.attributes.get("kind", "")) for a in arrays if ours}
    layout = "lieapp" if ours else ""
    return Contents(kind, arrays, plain(data.attrs), layout, kinds=kinds, names=ours, close=data.close)


def _array(name: str, variable: xr.Variable) -> Array:
    attributes = plain(variable.attrs)
    unit = attributes.get("units", variable.encoding.get("units", ""))
    return Array(
        name, variable.shape, variable.dtype.kind, lambda index: _values(variable, index),
        bytes=variable.dtype.itemsize, unit=str(unit), attributes=attributes, dims=tuple(map(str, variable.dims)),
    )  # fmt: skip


def _values(variable: xr.Variable, index: Index) -> Any:
    # a copy: SciPy maps netCDF 3 into memory and can't close what is still looked at
    return np.array(variable[index].values)


def plain(attributes: Any) -> dict[str, Attribute]:
    """Attributes as texts, numbers and lists of them; bytes and other values as text."""
    return {str(key): _plain(value) for key, value in attributes.items()}


def _plain(value: Any) -> Attribute:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, np.ndarray | list | tuple):
        items = np.asarray(value).ravel().tolist()
        return [v if isinstance(v, str | float | int) else str(_plain(v)) for v in items]
    return value if isinstance(value, str | float | int) else str(value)
