"""One small script for each layout: all write the same waves, 3 of them where a layout has samples."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
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


def matlab73(path: Path) -> Path:
    """As MATLAB writes it: 512 bytes of its own in front, axes reversed, complex numbers as pairs."""
    path = path.with_suffix(".mat")
    u = np.zeros(U[0].shape, dtype=[("real", "f8"), ("imag", "f8")])
    u["real"] = U[0]
    with h5py.File(path, "w", userblock_size=512) as file:
        file["usol"], file["x"], file["t"] = u, X[:, None], T[None]
        file["xs"] = np.array([[file["x"].ref], [file["t"].ref]], dtype=h5py.ref_dtype)
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512))
    return path


def zarr(path: Path) -> Path:
    named().to_zarr(path.with_suffix(".zarr"), zarr_format=2, consolidated=False)
    return path.with_suffix(".zarr")


def npy(path: Path) -> Path:
    np.save(path.with_suffix(".npy"), U)
    return path.with_suffix(".npy")


def apebench(path: Path) -> Path:
    path.with_suffix(".json").write_text(json.dumps({"info": {"dt": 1 / 19, "domain_extent": 16.0}}))
    np.save(path.with_name(f"{path.name}_train.npy"), U[:, :, None].astype("f4"))
    return path.with_name(f"{path.name}_train.npy")


def table(path: Path) -> Path:
    rows = [f"{T[i]};{X[k]};{U[0, i, k]}" for k in range(64) for i in range(20)]
    path.with_suffix(".csv").write_text("\n".join(["t;x;height", *rows]))
    return path.with_suffix(".csv")


def comsol(path: Path) -> Path:
    lines = ["% Model: waves.mph", "% X  " + "  ".join(f"u (1) @ t={t!r}" for t in T.tolist())]
    lines += ["  ".join(map(repr, [x, *row])) for x, row in zip(X.tolist(), U[0].T.tolist(), strict=True)]
    path.with_suffix(".txt").write_text("\n".join(lines))
    return path.with_suffix(".txt")


def hdf5(fill: Callable[[h5py.File], None]) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        with h5py.File(path.with_suffix(".h5"), "w") as file:
            fill(file)
        return path.with_suffix(".h5")

    return write


@hdf5
def generic(file: h5py.File) -> None:
    file["results/u"], file["grid/x"], file["grid/t"] = U, X, T


@hdf5
def seed_repository(file: h5py.File) -> None:
    file["train/pde_20-64"] = U


@hdf5
def lpsda(file: h5py.File) -> None:
    stretched = 1 + 0.1 * np.arange(3)[:, None]
    file["train/pde_20-64"], file["train/x"], file["train/t"] = U, X * stretched, T / stretched
    file["train/dx"], file["train/dt"] = X[1] * stretched[:, 0], T[1] / stretched[:, 0]


@hdf5
def mp_pde(file: h5py.File) -> None:
    file["train/pde_20-32"], file["train/pde_20-64"], file["train/alpha"] = U[:, :, ::2], U, np.ones(3)
    file["train/pde_20-64"].attrs.update({"nt": 20, "tmin": 0.0, "tmax": 1.0, "dx": 0.25, "x": X})


@hdf5
def pdearena(file: h5py.File) -> None:
    file["valid/pde_20-64"] = U[:, :, None].astype("f4")
    file["valid/dt"], file["valid/dx"] = np.full(3, 1 / 19), np.full(3, 0.25)


@hdf5
def pdebench(file: h5py.File) -> None:
    file["tensor"], file["x-coordinate"] = U.astype("f4"), X.astype("f4")
    file["t-coordinate"] = np.arange(21, dtype="f4") / 19
    file.attrs["Nu"] = 0.01


@hdf5
def pdebench_early(file: h5py.File) -> None:
    file["tensor"], file["x-coordinate"], file["t-coordinate"] = U[None], X, np.arange(21) / 19


@hdf5
def seeds(file: h5py.File) -> None:
    for i, u in enumerate(U):
        group = file.create_group(f"{i:04}")
        group.create_dataset("data", data=u[..., None].astype("f4"), compression="lzf")
        group["grid/x"], group["grid/t"] = X, T
        group.attrs["config"] = "D: 0.1"


@hdf5
def well(file: h5py.File) -> None:
    file.attrs.update({"dataset_name": "waves", "grid_type": "cartesian", "n_trajectories": 3})
    file["dimensions/time"], file["dimensions/x"] = T, X
    file["dimensions"].attrs["spatial_dims"] = ["x"]
    file["t0_fields/height"] = U.astype("f4")
    file["t0_fields/height"].attrs.update({"dim_varying": [True], "sample_varying": True, "time_varying": True})
    file["t0_fields/ground"] = np.zeros((3, 64))
    file["t0_fields/ground"].attrs.update({"dim_varying": [True], "sample_varying": True, "time_varying": False})
    file["scalars/speed"] = 3.0
    file.create_group("boundary_conditions/x_periodic").attrs["bc_type"] = "PERIODIC"


@hdf5
def dedalus(file: h5py.File) -> None:
    file["scales/sim_time"], file["scales/iteration"], file["scales/x_hash_1f"] = T, np.arange(20), X
    file["tasks/height"] = U[0]
    dims = file["tasks/height"].dims
    dims[0].label, dims[1].label = "t", "x"
    for name, dim in (("sim_time", dims[0]), ("iteration", dims[0]), ("x_hash_1f", dims[1])):
        file[f"scales/{name}"].make_scale(name)
        dim.attach_scale(file[f"scales/{name}"])


STEPS = "t=0:1/19, x=0:0.25"

LAYOUTS = {
    "pinn": Layout(pinn, "npz", samples=1),
    "samples": Layout(samples_npz, "npz"),
    "pde-find": Layout(pdefind, "matlab", samples=1),
    "jaxpi": Layout(jaxpi, "matlab", samples=1),
    "wsindy": Layout(cells, "matlab", samples=1),
    "netcdf4": Layout(netcdf4, "netcdf"),
    "netcdf3": Layout(netcdf3, "netcdf", samples=1),
    "matlab73": Layout(matlab73, "matlab73", samples=1),
    "zarr": Layout(zarr, "zarr"),
    "npy": Layout(npy, "npy", mapping=f"u=waves(sample,t,x), {STEPS}"),
    "apebench": Layout(apebench, "npy", "apebench"),
    "csv": Layout(table, "csv", samples=1),
    "comsol": Layout(comsol, "comsol", samples=1),
    "hdf5": Layout(generic, "hdf5"),
    "seed repository": Layout(seed_repository, "hdf5", "solvers", mapping=f"u=pde_20-64(sample,t,x), {STEPS}"),
    "lpsda": Layout(lpsda, "hdf5", "solvers"),
    "mp-pde": Layout(mp_pde, "hdf5", "solvers"),
    "pdearena": Layout(pdearena, "hdf5", "solvers"),
    "pdebench": Layout(pdebench, "hdf5", "pdebench"),
    "pdebench-early": Layout(pdebench_early, "hdf5", "pdebench"),
    "seeds": Layout(seeds, "hdf5", "groups"),
    "well": Layout(well, "hdf5", "well"),
    "dedalus": Layout(dedalus, "hdf5", "dedalus", samples=1),
}
