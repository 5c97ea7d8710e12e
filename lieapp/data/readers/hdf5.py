"""HDF5 files: their datasets, read by slices, with the names of dimensions where these are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py

from lieapp.arrays import Array, Attribute, Contents
from lieapp.data.readers.named import open_netcdf, plain


def open_hdf5(path: Path) -> Contents:
    """Every dataset by its path; attributes of a group are named by its path too."""
    file = h5py.File(path, "r")
    if "_NCProperties" in file.attrs:
        file.close()
        return open_netcdf(path)
    arrays: list[Array] = []
    attributes: dict[str, Attribute] = plain(file.attrs)

    def visit(name: str, node: Any) -> None:
        if isinstance(node, h5py.Dataset):
            arrays.append(_array(name, node))
        else:
            attributes.update({f"{name}/{key}": value for key, value in plain(node.attrs).items()})

    file.visititems(visit)
    return Contents("hdf5", tuple(arrays), attributes, close=file.close)


def _array(name: str, node: h5py.Dataset) -> Array:
    labels = [dim.label or (dim.keys()[0] if len(dim) else "") for dim in node.dims] if node.shape else []
    dims = tuple(labels) if all(labels) and len(set(labels)) == len(labels) else ()
    hidden = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates")
    attributes = plain({k: v for k, v in node.attrs.items() if k not in hidden})
    if labels and any(labels) and not dims:
        attributes["labels"] = labels
    return Array(
        name, node.shape or (), node.dtype.kind, node.__getitem__, bytes=node.dtype.itemsize,
        unit=str(attributes.get("units", attributes.get("unit", ""))), attributes=attributes, dims=dims,
    )  # fmt: skip
