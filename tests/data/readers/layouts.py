"""One small script for each layout: all write the same waves, 3 of them where a layout has samples."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.io
import xarray as xr

X = np.arange(64) * 0.25
T = np.linspace(0, 1, 20)
U = np.sin(2 * np.pi * (X - 3 * T[:, None] + np.arange(3)[:, None, None]) / 16) + 0.5  # sample, t, x


@dataclass(frozen=True)
class Layout:
    """A layout.

    Args:
        write: writes it under a name without an ending, and returns the file.
        format, layout: as read; samples: how many waves it holds.
        mapping: the one that its question shows, with numbers for STEP; empty if nothing is asked.
        period: of x; None if the file stores an open piece.
    """

    write: Callable[[Path], Path]
    format: str
    layout: str = "generic"
    samples: int = 3
    mapping: str = ""
    period: float | None = 16.0


def pinn(path: Path) -> Path:
    np.savez(path.with_suffix(".npz"), x=X[:, None], t=T[:, None], usol=U[0].T)
    return path.with_suffix(".npz")


def samples_npz(path: Path) -> Path:
    np.savez_compressed(path.with_suffix(".npz"), x=X, t=T, u=U)
    return path.with_suffix(".npz")


def pdefind(path: Path) -> Path:
    scipy.io.savemat(path.with_suffix(".mat"), {"x": X, "t": T[:, None], "usol": U[0].T + 1e-9j})
    return path.with_suffix(".mat")


def jaxpi(path: Path) -> Path:
    scipy.io.savemat(path.with_suffix(".mat"), {"x": X, "t": T, "usol": U[0], "nu": 0.1})
    return path.with_suffix(".mat")


def cells(path: Path) -> Path:
    xs, us = np.empty(2, dtype=object), np.empty(1, dtype=object)
    xs[0], xs[1], us[0] = X, T, U[0].T
    found = {"U_exact": us, "xs": xs, "x": X, "t": T, "lhs": [[1, 0, 1]], "str": "text", "polys": np.arange(7)}
    scipy.io.savemat(path.with_suffix(".mat"), found)
    return path.with_suffix(".mat")


def named(samples: bool = True) -> xr.Dataset:
    dims = ("sample", "time", "x") if samples else ("time", "x")
    return xr.Dataset({"wave": (dims, U if samples else U[0])}, {"time": T, "x": X}, {"Nu": 0.1})


def netcdf4(path: Path) -> Path:
    named().to_netcdf(path.with_suffix(".nc"), engine="h5netcdf")
    return path.with_suffix(".nc")


def netcdf3(path: Path) -> Path:
    named(samples=False).transpose("x", "time").to_netcdf(path.with_suffix(".nc"), engine="scipy")
    return path.with_suffix(".nc")


LAYOUTS = {
    "pinn": Layout(pinn, "npz", samples=1),
    "samples": Layout(samples_npz, "npz"),
    "pde-find": Layout(pdefind, "matlab", samples=1),
    "jaxpi": Layout(jaxpi, "matlab", samples=1),
    "wsindy": Layout(cells, "matlab", samples=1),
    "netcdf4": Layout(netcdf4, "netcdf"),
    "netcdf3": Layout(netcdf3, "netcdf", samples=1),
}
