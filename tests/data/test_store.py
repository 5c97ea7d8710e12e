"""Trajectories in HDF5 files."""

import errno
import math
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch
from small import T, U, X

import lieapp
from lieapp.config import DataConfig
from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.store import read_trajectories, simulate_to_file
from lieapp.errors import DataError
from lieapp.progress import SilentReporter


@pytest.fixture
def written(declare, tmp_path):
    """A file with 2 trajectories: its declaration, path and the command's document."""
    pde = declare(-U * U.diff(X) - U.diff(X, 3), keep_last=5)
    config = DataConfig(plugin="small", samples=2, seed=3, device="cpu", tolerance=1e-5)
    path = tmp_path / "small.h5"
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
    with h5py.File(written[1]) as file:
        assert set(file) == {"t", "x", "u"} and file["u"].shape == (2, 5, 32)
        assert [d.label for d in file["u"].dims] == ["sample", "t", "x"]
        assert file.attrs["equation"] == "u*u_x + u_t + u_xxx = 0" and file.attrs["lieapp"] == lieapp.__version__
        assert {"title", "steps", "points", "seconds", "error", "units", "tolerance"} <= set(file.attrs)


def test_without_an_estimate_the_document_says_so(declare, tmp_path):
    u = np.zeros((1, 9, 32))
    source = lambda samples, seed: {"t": np.linspace(0, 1, 9), "x": np.arange(32) * np.pi / 16, "u": u}  # noqa: E731
    document = simulate_to_file(
        declare(U.diff(X, 2), source=source),
        DataConfig(plugin="small", samples=1),
        tmp_path / "a.h5",
        SilentReporter(),
    )
    assert document["error"] is None and math.isnan(read_trajectories(tmp_path / "a.h5").error)


def test_a_full_disk_is_one_error_and_leaves_nothing(declare, tmp_path, monkeypatch):
    """The file that was there stays as it was, and no draft is left."""

    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as stream:
            stream.write(content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    out = tmp_path / "small.h5"
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


def replace(file: h5py.File, name: str, values: np.ndarray) -> None:
    attributes = dict(file[name].attrs)
    del file[name]
    file[name] = values
    file[name].attrs.update(attributes)


def with_nan(file: h5py.File) -> None:
    file["u"][1, 2, 3] = np.nan


DAMAGE = {
    "has no dataset 'u'; there are t, x": lambda file: file.__delitem__("u"),
    "has no dataset 't'": lambda file: file.__delitem__("t"),
    r"u has shape \(2, 32, 5\); it must be \(sample, t, x\) = \(samples, 5, 32\)": lambda file: replace(
        file, "u", np.zeros((2, 32, 5))
    ),
    "u holds NaN": with_nan,
    "has no attribute 'axes'": lambda file: file.attrs.__delitem__("axes"),
    "x has no attribute 'periodic'": lambda file: file["x"].attrs.__delitem__("periodic"),
    "the points of x aren't uniform": lambda file: replace(file, "x", np.sort(np.random.rand(32))),
    "axes are t, x": lambda file: file.attrs.__setitem__("axes", ["t", "x"]),
    "u isn't made of numbers": lambda file: replace(file, "u", np.array([b"a", b"b"])),
    "t has shape": lambda file: replace(file, "t", np.zeros((5, 1))),
}


@pytest.mark.parametrize("words", DAMAGE)
def test_damaged_files(written, words):
    path = written[1]
    with h5py.File(path, "r+") as file:
        DAMAGE[words](file)
    with pytest.raises(DataError, match=words) as caught:
        read_trajectories(path)
    assert str(path) in caught.value.message and caught.value.hint


def test_what_isn_t_hdf5(tmp_path):
    (tmp_path / "text.h5").write_text("no data")
    with pytest.raises(DataError, match="isn't an HDF5 file"):
        read_trajectories(tmp_path / "text.h5")
    with pytest.raises(DataError, match="doesn't exist"):
        read_trajectories(tmp_path / "none.h5")
    with pytest.raises(DataError, match="isn't an HDF5 file"):
        read_trajectories(tmp_path)


def test_a_folder_that_isn_t_there(declare):
    with pytest.raises(DataError, match="can't be written"):
        simulate_to_file(
            declare(U.diff(X, 2), points={T: 8, X: 8}), DataConfig(plugin="small", samples=1),
            Path("/nonexistent/a.h5"), SilentReporter(),
        )  # fmt: skip
