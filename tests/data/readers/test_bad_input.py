"""Bad input: each gives one error with the file, what is wrong and the next step."""

import gc
import os
import pickle
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import xarray as xr
from layouts import LAYOUTS, T, U, X

from lieapp.config_types import FileData
from lieapp.data import files
from lieapp.data.files import read
from lieapp.errors import DataError


def refused(path, words: str, **options) -> DataError:
    with pytest.raises(DataError) as caught:
        read(path, **options)
    assert words in caught.value.message, caught.value.message
    assert caught.value.hint and "\n" not in caught.value.line
    return caught.value


def saved(path: Path, **arrays) -> Path:
    np.savez(path, **arrays)
    return path


FILES = [name for name, layout in LAYOUTS.items() if layout.format not in ("zarr", "csv", "comsol", "npy")]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.6])
def test_truncated_and_empty_files(tmp_path, name, share):
    path = LAYOUTS[name].write(tmp_path / "a")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    error = refused(path, str(path))
    assert "empty" in error.message or "can't be read as" in error.message or "isn't" in error.message


def test_truncated_texts(tmp_path):
    for name in ("csv", "comsol"):
        path = LAYOUTS[name].write(tmp_path / name)
        path.write_text(path.read_text()[:3000])
        refused(path, str(path))


def test_a_truncated_array(tmp_path):
    path = LAYOUTS["npy"].write(tmp_path / "a")
    path.write_bytes(path.read_bytes()[:5000])
    refused(path, "can't be read as npy")


@pytest.mark.parametrize("suffix", [".mat", ".npz", ".h5", ".nc", ".npy"])
def test_not_the_format_that_the_name_says(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_text("just text, and more of it")
    refused(path, "as its name says: it begins with b'just tex'")


def test_the_content_decides_not_the_name(tmp_path):
    path = LAYOUTS["samples"].write(tmp_path / "a").rename(tmp_path / "a.mat")
    (data,) = read(path)
    assert data.attrs["format"] == "npz" and "the name ends with .mat" in data.attrs["notes"]


def test_an_unknown_format(tmp_path):
    (tmp_path / "a.xyz").write_text("abc")
    assert "lieapp_readers" in refused(tmp_path / "a.xyz", "no reader knows this format").hint
    refused(tmp_path, "is a folder, not a file")
    refused(tmp_path / "none.npz", "doesn't exist")


def test_what_isn_t_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    refused(tmp_path / "pipe.nc", "pipe.nc is a pipe or a device, not a file")
    (tmp_path / "loop.nc").symlink_to("loop.nc")
    there, none = FileData(files=(str(tmp_path / "loop.nc"), "a\0b")).resolved().files
    refused(there, "loop.nc can't be read: Too many levels of symbolic links")
    refused(none, "can't be read: embedded null byte")


LOCK = "import h5py, sys; f = h5py.File(sys.argv[1], 'r+'); print('open', flush=True); sys.stdin.read()"


def test_locked_by_a_writer(tmp_path):
    path = LAYOUTS["hdf5"].write(tmp_path / "a")
    writer = subprocess.Popen(
        [sys.executable, "-c", LOCK, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout.readline() == "open\n"
        assert "Wait" in refused(path, "is in use by another program").hint
    finally:
        writer.communicate("")
    assert len(read(path)) == 1


class Bomb:
    """Unpickled, it leaves a file behind."""

    def __init__(self, place: Path):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def test_pickles_are_never_opened(tmp_path):
    bombs = np.empty(3, dtype=object)
    bombs[:] = [Bomb(tmp_path / f"boom{i}") for i in range(3)]
    path = saved(tmp_path / "a.npz", u=bombs, usol=U[0, :3], t=T[:3])
    refused(saved(tmp_path / "o.npz", u=bombs, x=X), "u has objects instead of numbers, which aren't opened")
    with pytest.raises(DataError, match="u is an array of objects, a pickle, which isn't opened"):
        read(path, "u=usol(t,x), x=0:1, t=u")
    np.save(tmp_path / "b.npy", bombs, allow_pickle=True)
    refused(tmp_path / "b.npy", "can't be read as npy")
    (tmp_path / "c.npz").write_bytes(pickle.dumps(bombs[0]))
    refused(tmp_path / "c.npz", "isn't npz, as its name says")
    (tmp_path / "d.mat").write_bytes(pickle.dumps(bombs[0]))
    refused(tmp_path / "d.mat", "isn't matlab")
    assert not list(tmp_path.glob("boom*"))


def test_cells_that_are_not_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,x,u\n0,0,1\n0,1,two\n")
    refused(path, "row 3: 'two' isn't a number")
    path.write_text("t,x,u\n0,0,1\n0,1\n")
    refused(path, "row 3: 2 cells instead of 3")
    path.write_text("t,x,u\n0,0,1\n0,1,2\n1,0,3\n")
    refused(path, "3 rows don't fill a grid of 2 t x 2 x")
    path.write_text("t,x,u\n0,0,1\n0,0,2\n1,0,3\n1,0,3\n")
    refused(path, "2 points are there twice")


def test_missing_values_tell_the_share_and_what_is_left(tmp_path):
    u = U.copy()
    u[0, 15:, 3] = np.nan
    error = refused(saved(tmp_path / "a.npz", u=u, x=X, t=T), "0.0013 of the values")
    assert "--window t=0:0.736842105" in error.hint
    (data,) = read(tmp_path / "a.npz", window="t=0:0.736842105")
    assert data.sizes["t"] == 15
    u = U.copy()
    u[2, ::5, 3] = np.inf
    hint = refused(saved(tmp_path / "b.npz", u=u, x=X, t=T), "in 4 of 20 times of 1 of 3 samples").hint
    assert "--samples 2 keeps those without" in hint
    assert read(tmp_path / "b.npz", samples=2)[0].sizes["sample"] == 2


def test_one_time_and_few_points(tmp_path):
    refused(saved(tmp_path / "a.npz", u=U[:, :1], x=X, t=T[:1]), "t is one time only")
    mapping = "u=u(sample,t,x), t=t, x=x"
    for n, times in enumerate((T[:1], T[0], T[None, :1])):
        file = saved(tmp_path / f"t{n}.npz", u=U[:, :1], x=X, t=times)
        refused(file, "t has one time only", mapping=mapping)
    flat = saved(tmp_path / "flat.npz", u=U[0, :1], x=X, t=T[:1])
    refused(flat, "no array has a time and an axis of space")
    refused(flat, "t is one time only")
    data = xr.Dataset({"u": (("time", "x"), U[0, :1])}, {"time": T[:1], "x": X})
    data.to_netcdf(tmp_path / "a.nc")
    refused(tmp_path / "a.nc", "t has one time only")
    refused(saved(tmp_path / "b.npz", u=U[:, :6, ::4], x=X[::4], t=T[:6]), "t has 6 points; at least 8 are needed")
    refused(saved(tmp_path / "c.npz", u=U[:, :, :7], x=X[:7], t=T), "x has 7 points; at least 8 are needed")


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (T[::-1], "t descends from 1 to 0"),
        (np.where(np.arange(20) == 4, T[3], T), "t isn't ascending: point 4 is 0.157895, twice"),
        (np.where(np.arange(20) == 4, T[2] + 0.01, T), "before"),
        (np.where(np.arange(20) == 4, np.nan, T), "t has 1 points that aren't finite"),
        (T * 0, "t isn't ascending"),
    ],
)
def test_times_that_can_not_be_used(tmp_path, times, words):
    refused(saved(tmp_path / "a.npz", u=U, x=X, t=times), words)


def test_times_of_two_units(tmp_path):
    for unit, name in (("s", "a"), ("h", "b")):
        data = xr.Dataset({"u": (("time", "x"), U[0])}, {"time": T, "x": X})
        data.x.attrs["units"] = unit
        data.to_netcdf(tmp_path / f"{name}.nc")
    refused([tmp_path / "a.nc", tmp_path / "b.nc"], "x is in s in")
    saved(tmp_path / "c.npz", p=U, q=U, x=X, t=T)
    refused([tmp_path / "a.nc", tmp_path / "c.npz"], "x is in s in")


def test_files_of_different_kinds(tmp_path):
    a, b = (saved(tmp_path / f"{n}.npz", **{n: U, "v": U, "x": X, "t": T}) for n in "ab")
    refused([a, b], "has the unknowns a, v")


def test_a_time_more_than_the_data(tmp_path):
    path = saved(tmp_path / "a.npz", u=U, x=X, t=np.append(T, 1.05))
    hint = refused(path, "t has 21 entries, one more than u").hint
    (data,) = read(path, hint.split('"')[1])
    np.testing.assert_allclose(data.t, T)


def test_more_than_fits_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST", 8 * 1000)
    path = saved(tmp_path / "a.npz", u=np.tile(U, (1, 1, 8)), x=np.arange(512) * 0.25, t=T)
    error = refused(path, "would be loaded; the most is")
    assert "--every x=4 --samples " in error.hint


def test_10_to_the_9_points_are_refused_before_anything_is_read(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("u", shape=(10**6, 1000), chunks=(1000, 1000), dtype="f8")
        file["t"], file["x"] = np.arange(10**6) * 0.1, np.arange(1000) * 0.1
    error = refused(tmp_path / "a.h5", "7.45 GiB would be loaded; the most is 0.5 GiB")
    assert "--every t=16" in error.hint


def test_a_file_that_changes_while_it_is_read(tmp_path):
    path = LAYOUTS["hdf5"].write(tmp_path / "a")

    class Touches:
        def progress(self, step, total, text=""):
            os.utime(path, ns=(1, 1))

        stage = line = warn = lambda self, text: None

    refused(path, "changed while it was read", report=Touches())


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_text_that_is_not_utf8(tmp_path, name):
    """In a table and in one of COMSOL's, in the head and below: the byte and its place, no words of a decoder."""
    head = b"t,x,u\n" if name == "a.csv" else b"% X u (m) @ t=0 u (m) @ t=1\n"
    for content in (head + b"0,1,\xe9\n" * 4000, b"% by Andr\xe9\n" + head + b"0 1 2\n"):
        file = tmp_path / name
        file.write_bytes(content)
        error = refused(file, "it isn't text in UTF-8: byte 0xe9 at position")
        assert "codec" not in error.message and "UTF-8" in error.hint


def test_a_damaged_netcdf_file_leaves_no_traceback(tmp_path, monkeypatch):
    t, x = np.linspace(0, 1, 24), np.arange(32) / 32
    file, ignored = tmp_path / "a.nc", []
    xr.Dataset({"u": (("t", "x"), np.outer(t, x))}, {"t": t, "x": x}).to_netcdf(file, engine="h5netcdf")
    content = file.read_bytes()
    # h5netcdf looks at it half way through its opening
    file.write_bytes(content.replace(b"_NCProperties", b"\xa0NCProperties"))
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    with pytest.raises(DataError, match=r"can't be read as"):
        read(file)
    gc.collect()
    assert not ignored


def test_netcdf_3_that_ends_too_early_is_one_error(tmp_path):
    t, x = np.linspace(0, 1, 24), np.arange(32) / 32
    data = xr.Dataset({"u": (("sample", "t", "x"), np.ones((9, 24, 32)))}, {"t": t, "x": x})
    data.to_netcdf(tmp_path / "a.nc", engine="scipy", unlimited_dims=["sample"])
    content = (tmp_path / "a.nc").read_bytes()
    cut = tmp_path / "cut.nc"
    # in the header, among the arrays, and in the last value
    for n in (8, 150, 300, len(content) // 2, len(content) - 1):
        cut.write_bytes(content[:n])
        refused(cut, f"{cut} can't be read as netcdf: it ends before its arrays do, after {n} bytes")
    command = [sys.executable, "-m", "lieapp", "inspect", str(cut)]
    # SciPy warned when Python ended
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
    assert [line.partition(":")[0] for line in told] == ["error", "hint"]


@pytest.mark.parametrize("inside", [False, True])
def test_a_matlab_file_with_an_unknown_type_of_values(tmp_path, inside):
    numbers = np.arange(12.0).reshape(3, 4)
    scipy.io.savemat(tmp_path / "a.mat", {"u": {"v": numbers} if inside else numbers})
    content = (tmp_path / "a.mat").read_bytes()
    tag = (9).to_bytes(4, "little") + (96).to_bytes(4, "little")
    assert content.count(tag) == 1
    # SciPy's reader crashes at this type, and takes the process along
    (tmp_path / "a.mat").write_bytes(content.replace(tag, (200).to_bytes(4, "little") + tag[4:]))
    refused(tmp_path / "a.mat", "has a part of type 200")
