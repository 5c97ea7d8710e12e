"""Axes stored as meshes of u's own shape: the points are read off them, and so are the names of u's dimensions."""

import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from layouts import T, U, X

from lieapp.arrays import held
from lieapp.data.files import read
from lieapp.data.inspection import inspect
from lieapp.data.meshes import line_of
from lieapp.errors import DataError, UsageError

Y = np.arange(32) * 0.5
PLANE = np.cos(2 * np.pi * Y / 16) * U[..., None] + 1  # sample, t, x, y


def check(data, right=U[:1]):
    np.testing.assert_allclose(data.x, X)
    np.testing.assert_allclose(data.t, T)
    np.testing.assert_allclose(data.u.transpose("sample", "t", "x", ...), right)
    assert data.x.attrs["kind"] == "periodic"


@given(st.lists(st.integers(2, 5), min_size=2, max_size=4), st.data())
def test_the_line_of_a_mesh(shape, data):
    """Also in any dimensions; not of a grid that bends anywhere in the middle or at the ends."""
    d = data.draw(st.integers(0, len(shape) - 1))
    lines = [np.cumsum(np.random.default_rng(n).uniform(0.5, 1, n)) for n in shape]
    mesh = np.meshgrid(*lines, indexing="ij")[d]
    found, points = line_of(held("x", mesh))
    assert found == d
    np.testing.assert_array_equal(points.values(), lines[d])
    mesh[tuple(n - 1 for n in shape)] += 1e-3
    assert line_of(held("x", mesh)) is None
    assert line_of(held("x", np.zeros(shape))) is None


@pytest.mark.parametrize("indexing", ["ij", "xy"])
@pytest.mark.parametrize("suffix", ["npz", "mat"])
def test_meshgrid_and_ndgrid(tmp_path, indexing, suffix):
    xx, tt = np.meshgrid(X, T, indexing=indexing)
    u = U[0].T if indexing == "ij" else U[0]
    path = tmp_path / f"a.{suffix}"
    {"npz": lambda p, **a: np.savez(p, **a), "mat": lambda p, **a: scipy.io.savemat(p, a)}[suffix](
        path, X=xx, T=tt, u=u, nu=0.1
    )
    check(read(path)[0])
    check(read(path, "u=u, x=X, t=T")[0])
    reasons = {row.name: (row.role, row.reason) for row in inspect(path).result.arrays}
    role, reason = reasons["X"]
    assert role == "axis" and f"varies along its dimension {1 if indexing == 'ij' else 2} only" in reason


@pytest.mark.parametrize("turned", [False, True])
def test_meshes_tell_the_dimensions_of_a_square_array(tmp_path, turned):
    """Lengths can't: with lists the file asks which is which."""
    u = U[0, :, :20].T if turned else U[0, :, :20]
    tt, xx = np.meshgrid(T, X[:20], indexing="ij")
    meshes = {"t": tt.T, "x": xx.T} if turned else {"t": tt, "x": xx}
    np.savez(tmp_path / "a.npz", u=u, **meshes)
    (data,) = read(tmp_path / "a.npz")
    np.testing.assert_allclose(data.u[0], U[0, :, :20])
    np.savez(tmp_path / "b.npz", u=u, t=T, x=X[:20])
    with pytest.raises(DataError, match="which is right"):
        read(tmp_path / "b.npz")


def test_meshes_of_the_plane_beside_a_list_of_times(tmp_path):
    """As NumPy's own meshgrid has them: y first."""
    xx, yy = np.meshgrid(X, Y)
    np.savez(tmp_path / "a.npz", X=xx, Y=yy, t=T, u=PLANE[0])
    (data,) = read(tmp_path / "a.npz")
    np.testing.assert_allclose(data.y, Y)
    check(data, PLANE[:1])
    tt, xx, yy = np.meshgrid(T, X, Y, indexing="ij")
    np.savez(tmp_path / "b.npz", X=xx, Y=yy, T=tt, u=PLANE[0])
    check(read(tmp_path / "b.npz")[0], PLANE[:1])


def test_meshes_beside_trajectories(tmp_path):
    tt, xx = np.meshgrid(T, X, indexing="ij")
    np.savez(tmp_path / "a.npz", X=xx, T=tt, u=U)
    check(read(tmp_path / "a.npz")[0], U)


def test_a_mesh_beside_the_list_is_no_unknown(tmp_path):
    tt, xx = np.meshgrid(T, X, indexing="ij")
    np.savez(tmp_path / "a.npz", X=xx, T=tt, u=U[0], x=X, t=T)
    (data,) = read(tmp_path / "a.npz", unknowns=["u"])
    assert list(data.data_vars) == ["u"]
    check(data)


def test_a_grid_that_moves_is_no_mesh(tmp_path):
    tt, xx = np.meshgrid(T, X, indexing="ij")
    np.savez(tmp_path / "a.npz", X=xx + 0.1 * tt, T=tt, u=U[0])
    with pytest.raises(DataError, match="what are its dimensions"):
        read(tmp_path / "a.npz")
    with pytest.raises((DataError, UsageError)):
        read(tmp_path / "a.npz", "u=u(t,x), x=X, t=T")
