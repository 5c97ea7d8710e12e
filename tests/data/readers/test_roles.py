"""Roles of arrays that need thought: vectors, walls, grids for each sample, names of the equation, mappings."""

import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS, T, U, X

from lieapp.arrays import held
from lieapp.data.files import read
from lieapp.data.grids import _turned
from lieapp.data.inspection import inspect
from lieapp.data.mapping import parse_mapping
from lieapp.data.opening import all_readers
from lieapp.errors import DataError, LieappError, UsageError

READERS = all_readers()
Y = np.arange(32) * 0.5
PLANE = np.cos(2 * np.pi * Y / 16) * U[..., None] + 1  # sample, t, x, y


def h5(path: Path, **arrays) -> Path:
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file[name.replace("__", "/")] = values
    return path


def check_plane(data: xr.Dataset, name: str, factor: float = 1.0):
    assert data[name].dims == ("sample", "t", "x", "y")
    np.testing.assert_allclose(data[name], factor * PLANE, atol=1e-6)
    assert data.x.attrs["period"] == pytest.approx(16) and data.y.attrs["period"] == pytest.approx(16)


def test_pdebench_flow(tmp_path):
    coordinates = {"x-coordinate": X, "y-coordinate": Y, "t-coordinate": np.append(T, 1.05)}
    (data,) = read(h5(tmp_path / "a.h5", density=PLANE, Vx=2 * PLANE, pressure=3 * PLANE, **coordinates))
    for name, factor in (("density", 1), ("Vx", 2), ("pressure", 3)):
        check_plane(data, name, factor)
    assert "one time more" in data.attrs["notes"]


def test_pdearena_flow(tmp_path):
    steps = {"train__dt": np.full(3, T[1]), "train__dx": np.full(3, 0.25), "train__dy": np.full(3, 0.5)}
    fields = {"train__u": PLANE, "train__vx": 2 * PLANE, "train__vy": PLANE, "train__buo_y": [1, 2, 3]}
    path = h5(tmp_path / "a.h5", **fields, **steps)
    (data,) = read(path)
    check_plane(data, "vx", 2)
    assert list(data.data_vars) == ["u", "vx", "vy"]


def test_the_well_has_vectors_tensors_and_walls(tmp_path):
    vector = np.stack([PLANE, 2 * PLANE], -1)
    tensor = np.stack([vector, 3 * vector], -2)
    path = h5(tmp_path / "a.h5", dimensions__time=T, dimensions__x=X, dimensions__y=Y, t0_fields__height=PLANE,
              t1_fields__velocity=vector, t2_fields__stress=tensor, scalars__nu=0.1)  # fmt: skip
    with h5py.File(path, "a") as file:
        file["dimensions"].attrs["spatial_dims"] = ["x", "y"]
        walls = file.create_group("boundary_conditions/y_wall")
        walls.attrs.update({"bc_type": "WALL", "associated_dims": ["y"]})
    (data,) = read(path)
    assert list(data.data_vars) == ["height", "velocity_x", "velocity_y", *(f"stress_{a}{b}" for a in ("x_", "y_")
                                                                           for b in "xy")]  # fmt: skip
    np.testing.assert_allclose(data.velocity_y, 2 * PLANE)
    np.testing.assert_allclose(data.stress_y_x, 3 * PLANE)
    assert data.x.attrs["kind"] == "periodic" and data.y.attrs["kind"] == "open"


def test_a_row_of_times_for_each_sample_and_components_are_asked_for(tmp_path):
    plane = PLANE[:, :, :16, :16]
    vector = np.stack([plane, 2 * plane], -1)
    np.savez(tmp_path / "a.npz", velocity=vector, t=np.tile(T, (3, 1)), force=vector[:, 0])
    with pytest.raises(DataError, match="velocity is 3 x 20 x 16 x 16 x 2: along with t, what are") as caught:
        read(tmp_path / "a.npz")
    assert '"velocity=velocity[..., 0](sample,t,x,y), t=t, x=0:STEP, y=0:STEP"' in caught.value.hint
    (data,) = read(tmp_path / "a.npz", "u=velocity[..., 0](sample,t,x,y), v=velocity[..., 1](sample,t,x,y), t=t, "
                   "x=0:1/2, y=0:1")  # fmt: skip
    np.testing.assert_allclose(data.v, 2 * data.u)
    assert data.sizes == {"sample": 3, "t": 20, "x": 16, "y": 16} and data.y.values[-1] == 15


def test_grids_for_each_sample_are_datasets_of_their_own(tmp_path):
    found = read(LAYOUTS["lpsda"].write(tmp_path / "a"))
    assert len(found) == 3
    assert [d.x.attrs["period"] for d in found] == pytest.approx([16, 17.6, 19.2])
    assert [float(d.t[-1]) for d in found] == pytest.approx([1, 1 / 1.1, 1 / 1.2])
    assert sum(d.sizes["sample"] for d in read(tmp_path / "a.h5", samples=2)) == 2


def test_groups_of_different_length_are_datasets_of_their_own(tmp_path):
    arrays = {}
    for i, n in enumerate((20, 14, 20)):
        arrays |= {f"000{i}__data": U[i, :n, :, None], f"000{i}__grid__x": X, f"000{i}__grid__t": T[:n]}
    found = read(h5(tmp_path / "a.h5", **arrays))
    assert [dict(d.sizes) for d in found] == [{"sample": 2, "t": 20, "x": 64}, {"sample": 1, "t": 14, "x": 64}]


def test_a_group_for_each_seed_in_the_plane(tmp_path):
    arrays = {f"000{i}__data": PLANE[i, ..., None] for i in range(3)}
    for i in range(3):
        arrays |= {f"000{i}__grid__x": X, f"000{i}__grid__y": Y, f"000{i}__grid__t": T}
    (data,) = read(h5(tmp_path / "a.h5", **arrays))
    check_plane(data, "u")


def test_several_files_are_several_datasets(tmp_path):
    paths = [LAYOUTS["pinn"].write(tmp_path / name) for name in "ab"]
    assert len(read(paths)) == 2 and len(read(paths, samples=1)) == 1


def test_dates_count_from_the_first_in_a_stated_unit(tmp_path):
    days = np.datetime64("2020-01-01") + np.arange(20) * np.timedelta64(1, "D")
    data = xr.Dataset({"h": (("time", "lat", "lon"), PLANE[0].transpose(0, 2, 1)[:, ::-1])},
                      {"time": days.astype("datetime64[ns]"), "lon": X, "lat": Y[::-1]})  # fmt: skip
    data.lon.attrs["units"] = "degrees"
    data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    (found,) = read(tmp_path / "a.nc")
    assert found.t.attrs["units"] == "days" and found.t.attrs["since"].startswith("2020-01-01")
    np.testing.assert_allclose(found.t, np.arange(20))
    np.testing.assert_allclose(found.u[0], PLANE[0])
    assert found.x.attrs["units"] == "degrees" and "descends" in found.attrs["notes"]


def test_unknowns_of_the_equation_are_chosen_by_name_or_asked_for(tmp_path):
    np.savez(tmp_path / "a.npz", rho=U, p=2 * U, x=X, t=T)
    (data,) = read(tmp_path / "a.npz", unknowns=["p"])
    np.testing.assert_allclose(data.p, 2 * U)
    with pytest.raises(DataError, match=r"unknowns rho, p; which of them is u\?") as caught:
        read(tmp_path / "a.npz", unknowns=["u"])
    shown = caught.value.hint.split('"')[1]
    np.testing.assert_allclose(read(tmp_path / "a.npz", shown, unknowns=["u"])[0].u, U)
    with pytest.raises(DataError, match="unknowns u, v, w, the file has rho, p only"):
        read(tmp_path / "a.npz", unknowns=["u", "v", "w"])
    with pytest.raises(DataError, match="variables t, x, y, the file has t, x"):
        read(tmp_path / "a.npz", variables=["t", "x", "y"])


def test_parts_of_complex_values(tmp_path):
    np.savez(tmp_path / "a.npz", psi=U * (1 + 2j), x=X, t=T)
    with pytest.raises(DataError, match="psi is complex, with an imaginary part up to 3") as caught:
        read(tmp_path / "a.npz")
    assert "psi.real(sample,t,x)" in caught.value.hint
    (data,) = read(tmp_path / "a.npz", "u=psi.real(sample,t,x), v=psi.imag(sample,t,x), t=t, x=x", ["u", "v"])
    np.testing.assert_allclose(data.v, 2 * data.u)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("u", "isn't of the form name=array"),
        ("u=usol(x,t), u=usol", "u is given twice"),
        ("u=usol(x,t, x=x", "can't be read"),
        ("u=usol(x,x), x=x", "name each dimension once"),
        ("u=usol(x,t), x=x, t=0:-1", "the step is -1"),
        ("u=usol(x,t), x=x, t=0:a", "isn't a number"),
        ("u=usol[a](x,t), x=x", "neither a whole number nor a slice"),
        ("u=usoll(x,t), x=x, t=t", "did you mean 'usol'?"),
        ("u=usol(x,t), x=x", "t has no points"),
        ("u=usol(t,x), x=x, t=t", "t has 20 points, usol (64 x 20) has 64 along it"),
        ("u=usol(sample,x,t), x=x, t=t", "has 3 dimensions, the array has 64 x 20"),
        ("u=usol[70](x,t), x=x, t=t", "its index doesn't fit"),
        ("u=usol(p,q), p=x, q=x[:20]", "which of p, q is the evolution variable"),
        ("x=x, t=t", "an unknown and its axes must be given"),
        ("u=usol(x,t), v=usol(x,t), x=x, t=t", "v isn't an unknown of the equation"),
        ("v=usol(x,t), x=x, t=t", "u of the equation isn't in it"),
        ("u=usol(x), x=x, t=t", "has 1 dimensions"),
        ("u=usol, x=usol, t=t", "x isn't an unknown of the equation"),
    ],
)
def test_mappings_that_can_not_be_used(tmp_path, mapping, words):
    path = LAYOUTS["pinn"].write(tmp_path / "a")
    with pytest.raises((UsageError, DataError)) as caught:
        read(path, mapping, unknowns=["u"])
    assert words in caught.value.message and caught.value.hint


def test_a_mapping_is_read_as_it_is_written():
    found = parse_mapping("u=t1_fields/v[..., 0, 1:-1].real(sample,t,x), x=xs{1}, t = -1:1/19")
    assert found["u"].array == "t1_fields/v" and found["u"].dims == ("sample", "t", "x")
    assert found["u"].index == (Ellipsis, 0, slice(1, -1)) and found["u"].part == "real"
    assert found["x"].array == "xs{1}" and found["t"].start == -1 and found["t"].step == 1 / 19


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"every": "q=2"}, "there is no axis 'q'"),
        ({"every": "x"}, "isn't of the form name=value"),
        ({"every": "x=0"}, "a whole number above 0"),
        ({"every": "x=3"}, "periodic with 64 points, which 3 doesn't divide"),
        ({"every": "t=4"}, "t has 5 points left; at least 8"),
        ({"window": "t=3:1"}, "isn't an interval"),
        ({"window": "t=1"}, "isn't an interval"),
        ({"window": "t=a:1"}, "isn't a number"),
        ({"window": "t=5:"}, "t has 0 points left"),
    ],
)
def test_parts_that_can_not_be_taken(tmp_path, options, words):
    with pytest.raises(LieappError) as caught:
        read(LAYOUTS["pinn"].write(tmp_path / "a"), **options)
    assert words in caught.value.message and caught.value.hint


def test_a_window_of_a_periodic_axis_is_open(tmp_path):
    (data,) = read(LAYOUTS["pinn"].write(tmp_path / "a"), window="x=:8")
    assert data.x.attrs == {"kind": "open"} and data.sizes["x"] == 33


def test_units_calendars_and_numbers_of_samples(tmp_path):
    data = xr.Dataset({"u": (("member", "time", "x"), U)}, {"member": [5, 7, 9], "time": T, "x": X})
    data.time.attrs["units"] = "seconds"
    data.to_netcdf(tmp_path / "a.nc")
    (found,) = read(tmp_path / "a.nc")
    assert found.t.attrs["units"] == "seconds" and found.t.values[-1] == 1
    result = inspect(tmp_path / "a.nc").result
    assert {row.name: row.role for row in result.arrays} == {"u": "unknown", "member": "sample", "time": "axis",
                                                             "x": "axis"}  # fmt: skip
    data.time.attrs.update({"units": "days since 2000-01-01", "calendar": "noleap"})
    data.to_netcdf(tmp_path / "b.nc")
    (found,) = read(tmp_path / "b.nc")
    assert found.t.attrs["units"] == "days" and found.t.values[-1] == 1


def test_small_whole_numbers_are_times_too(tmp_path):
    np.savez(tmp_path / "a.npz", u=(100 * U).astype("i2"), x=X, t=np.arange(0, 200, 10, dtype="u1"))
    (data,) = read(tmp_path / "a.npz")
    assert data.t.values[-1] == 190 and data.u.dtype == np.float64


ends, steps = (st.none() | st.integers(0, 4), st.none() | st.integers(5, 9)), st.none() | st.integers(1, 3)
slices = st.builds(slice, *ends, steps)


@settings(deadline=None)
@given(st.tuples(*[slices | st.integers(-4, 4)] * 3), st.tuples(*[slices] * 3))
def test_a_part_of_an_array_is_what_numpy_gives(key, index):
    values = np.arange(9 * 7 * 5).reshape(9, 7, 5)
    array = held("a", values, dims=("s", "t", "x")).part(key)
    expected = values[key]
    assert array.shape == expected.shape and len(array.dims) == expected.ndim
    np.testing.assert_array_equal(array.values(), expected)
    index = index[: expected.ndim]
    np.testing.assert_array_equal(array.load(index), expected[index])


@settings(deadline=None)
@given(st.integers(8, 30), slices)
def test_parts_of_descending_axes_are_turned(n, part):
    values = np.arange(n)
    np.testing.assert_array_equal(values[::-1][_turned(part, n)][::-1], values[part])


@pytest.mark.slow
def test_a_file_of_4_gb_is_read_in_little_memory(tmp_path):
    """The chunks that are written hold waves; the others cost no disk, and are read as zeros."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        u = file.create_dataset("tensor", (2600, 201, 1024), "f8", chunks=(1, 201, 1024))
        x, t = np.arange(1024) / 1024, np.arange(201) / 201
        for i in range(0, 2600, 100):
            u[i] = np.sin(2 * np.pi * (x - t[:, None]))
        file["x-coordinate"], file["t-coordinate"] = x, np.append(t, 1)
    code = (
        # the peak that getrusage tells begins with that of the process that starts this one
        "import re, sys; from lieapp.data.files import read; (d,) = read(sys.argv[1], every='t=2,x=8');"
        "print(d.nbytes, re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.h5")], capture_output=True, text=True)
    loaded, peak = map(int, done.stdout.split())
    assert loaded > 2**28 and peak * 1024 < 2**30


NAMES = st.sampled_from(["u", "usol", "x", "t", "y", "tt", "sample", "v", "lon", "component", "T", "p"])
SHAPES = st.lists(st.sampled_from([1, 2, 8, 9, 12]), max_size=4).map(tuple)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(NAMES, st.tuples(SHAPES, st.sampled_from(["f8", "c16", "i4", "U2", "?"])), min_size=1))
def test_any_arrays_give_datasets_or_one_error_whose_mapping_can_be_read(tmp_path_factory, arrays):
    values = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("any") / "a.npz"
    np.savez(path, **{name: values.normal(size=shape).astype(kind) for name, (shape, kind) in arrays.items()})
    try:
        read(path, readers=READERS)
    except LieappError as error:
        assert error.hint
        for shown in re.findall('--map "(.+?)"', error.hint):
            parse_mapping(shown.replace("STEP", "1"))
