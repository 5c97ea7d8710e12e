"""NaN in files: left out where that is asked for, as little as does, and told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import T, U, X

from lieapp.data.files import read
from lieapp.data.missing import kept
from lieapp.errors import DataError


def saved(path, u, **arrays):
    np.savez(path, u=u, x=X, t=T, **arrays)
    return path


@given(st.integers(0, 2**30), st.integers(1, 6), st.integers(1, 9), st.floats(0, 1))
def test_what_is_kept_has_no_holes_and_nothing_can_be_put_back(seed, samples, times, share):
    holes = np.random.default_rng(seed).random((samples, times)) < share
    rows, columns = kept(holes)
    assert not holes[np.ix_(rows, columns)].any()
    if rows.any() and columns.any():
        assert all(holes[i, columns].any() for i in np.flatnonzero(~rows))
        assert all(holes[rows, k].any() for k in np.flatnonzero(~columns))
    if not holes.any():
        assert rows.all() and columns.all()


def test_times_are_left_out_where_asked(tmp_path):
    u = U.copy()
    u[0, 5, 3], u[:, 17] = np.nan, -np.inf
    path = saved(tmp_path / "a.npz", u)
    with pytest.raises(DataError, match="NaN or infinite") as said:
        read(path)
    assert "--drop-nan leaves out 2 of 20 times (the others are then uneven)" in said.value.hint
    (data,) = read(path, drop_nan=True)
    rest = [k for k in range(20) if k not in (5, 17)]
    np.testing.assert_array_equal(data.u, U[:, rest])
    np.testing.assert_array_equal(data.t, T[rest])
    assert data.t.attrs["kind"] == "uneven" and data.x.attrs["kind"] == "periodic"
    assert "hold NaN or infinite values: 2 of 20 times" in data.attrs["notes"]


def test_a_trajectory_that_broke_off_is_left_out_whole(tmp_path):
    u = U.copy()
    u[1, 8:] = np.nan
    (data,) = read(saved(tmp_path / "a.npz", u), drop_nan=True)
    np.testing.assert_array_equal(data.u, U[[0, 2]])
    assert data.t.attrs["kind"] == "open" and "1 of 3 trajectories" in data.attrs["notes"]


def test_times_at_the_ends_leave_even_ones(tmp_path):
    u = U.copy()
    u[:, :2] = u[:, 16:] = np.nan
    (data,) = read(saved(tmp_path / "a.npz", u), drop_nan=True)
    np.testing.assert_array_equal(data.t, T[2:16])
    assert data.t.attrs["kind"] == "open"


def test_unknowns_are_left_out_together(tmp_path):
    v = U.copy()
    v[0, 4, 0] = np.nan
    np.savez(tmp_path / "a.npz", p=U, q=v, x=X, t=T)
    (data,) = read(tmp_path / "a.npz", drop_nan=True)
    assert data.sizes["t"] == 19 and np.isfinite(data.p).all() and np.isfinite(data.q).all()


def test_nothing_is_said_of_whole_files(tmp_path):
    path = saved(tmp_path / "a.npz", U)
    (data,) = read(path, drop_nan=True)
    assert data.identical(read(path)[0])


def test_a_place_that_is_never_known_is_told(tmp_path):
    u = U.copy()
    u[:, :, 63] = np.nan
    with pytest.raises(DataError, match="at least 8 times are needed") as said:
        read(saved(tmp_path / "a.npz", u), drop_nan=True)
    assert "--window x=" in said.value.hint
    (data,) = read(tmp_path / "a.npz", window="x=0:15.5", drop_nan=True)
    assert data.sizes == {"sample": 3, "t": 20, "x": 63}
