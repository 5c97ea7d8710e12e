"""Trajectories in netCDF files."""

import errno
import math
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from small import T, U, X

import lieapp
from lieapp.config import DataConfig
from lieapp.data.files import read
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.store import read_trajectories, simulate_to_file, write_trajectories
from lieapp.data.trajectories import Trajectories
from lieapp.errors import DataError
from lieapp.numerics.grid import Axis, Grid
from lieapp.progress import SilentReporter


@pytest.fixture
def written(declare, tmp_path):
    """A file with 2 trajectories: its declaration, path and the command's document."""
    pde = declare(-U * U.diff(X) - U.diff(X, 3), keep_last=5)
    config = DataConfig(plugin="small", samples=2, seed=3, device="cpu", tolerance=1e-5)
    path = tmp_path / "small.nc"
    return pde, path, simulate_to_file(pde, config, path, SilentReporter())


def test_what_is_written_is_read_again(written):
    pde, path, document = written
    data = read_trajectories(path)
    made = simulate(pde, 2, torch.Generator().manual_seed(3), tolerance=Tolerance(1e-5))
    assert torch.equal(data.values, made.values) and torch.equal(data.time, made.time)
    assert data.grid == made.grid and data.unknowns == ("u",) and data.error == made.error
    assert data.facts["seed"] == 3 and data.facts["plugin"] == "small"
    assert document["shape"] == [2, 5, 32] and document["axes"] == ["sample", "t", "x"]
    assert 0 < document["error"] < 1e-5 and document["samples"] == 2


def test_the_file_explains_itself(written):
    with xr.open_dataset(written[1]) as file:
        assert set(file.coords) == {"t", "x"} and set(file.data_vars) == {"u"}
        assert dict(file.u.sizes) == {"sample": 2, "t": 5, "x": 32}
        assert file.attrs["equation"] == "u*u_x + u_t + u_xxx = 0" and file.attrs["lieapp"] == lieapp.__version__
        assert {"title", "steps", "points", "seconds", "error", "tolerance"} <= set(file.attrs)


def test_without_an_estimate_the_document_says_so(declare, tmp_path):
    u = np.zeros((1, 9, 32))
    source = lambda samples, seed: {"t": np.linspace(0, 1, 9), "x": np.arange(32) * np.pi / 16, "u": u}  # noqa: E731
    document = simulate_to_file(
        declare(U.diff(X, 2), source=source),
        DataConfig(plugin="small", samples=1),
        tmp_path / "a.nc",
        SilentReporter(),
    )
    assert document["error"] is None and math.isnan(read_trajectories(tmp_path / "a.nc").error)


def test_a_full_disk_is_one_error_and_leaves_nothing(declare, tmp_path, monkeypatch):
    """The file that was there stays as it was, and no draft is left."""

    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as stream:
            stream.write(content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    out = tmp_path / "small.nc"
    out.write_text("before")
    with pytest.raises(DataError) as caught:
        simulate_to_file(
            declare(-U * U.diff(X) - U.diff(X, 3), keep_last=5),
            DataConfig(plugin="small", samples=1, device="cpu"),
            out,
            SilentReporter(),
        )
    assert caught.value.message == f"{out} can't be written: No space left on device."
    assert "Free disk space" in caught.value.hint and caught.value.exit_code == 1
    assert list(tmp_path.iterdir()) == [out] and out.read_text() == "before"


def test_the_file_is_read_back_to_the_last_bit_by_everything(written):
    _, path, _ = written
    made = read_trajectories(path)
    (data,) = read(path)
    assert data.attrs["layout"] == "lieapp" and data.x.attrs["kind"] == "periodic"
    assert data.x.attrs["period"] == 2 * np.pi and data.u.dims == ("sample", "t", "x")
    with xr.open_dataset(path) as opened:
        for name in ("u", "t", "x"):
            assert np.array_equal(opened[name].values, data[name].values)
        assert np.array_equal(opened.u.values, made.values[:, :, 0].numpy())
    moved = path.rename(path.with_suffix(".h5"))
    assert np.array_equal(read(moved)[0].u.values, data.u.values)


def test_names_of_the_equation_stay(tmp_path):
    axis = Axis("z", -1.0, 3.0, 16, periodic=True)
    values = torch.randn(2, 9, 2, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    data = Trajectories(torch.linspace(0, 1, 9, dtype=torch.float64), Grid((axis,)), values, ("h", "v"), "s")
    write_trajectories(data, tmp_path / "a.nc", {"plugin": "waves"})
    found = read_trajectories(tmp_path / "a.nc")
    assert torch.equal(found.values, values) and found.grid == data.grid
    assert found.unknowns == ("h", "v") and found.time_name == "s" and found.facts["plugin"] == "waves"


def test_other_grids_are_told(tmp_path):
    uneven = np.linspace(0, 1, 16) ** 2
    u = np.random.default_rng(0).normal(size=(20, 16))
    np.savez(tmp_path / "a.npz", u=u, x=uneven, t=np.arange(20.0))
    with pytest.raises(DataError, match="the points of x are uneven") as caught:
        read_trajectories(tmp_path / "a.npz")
    assert caught.value.hint
    rows = np.linspace(0, 1, 20) * np.array([[1], [2]])
    np.savez(tmp_path / "b.npz", u=np.stack([u, u]), x=np.arange(16.0), t=rows)
    with pytest.raises(DataError, match="on 2 grids"):
        read_trajectories(tmp_path / "b.npz")


def test_a_folder_that_isn_t_there(declare):
    with pytest.raises(DataError, match="can't be written"):
        simulate_to_file(
            declare(U.diff(X, 2), points={T: 8, X: 8}), DataConfig(plugin="small", samples=1),
            Path("/nonexistent/a.nc"), SilentReporter(),
        )  # fmt: skip
