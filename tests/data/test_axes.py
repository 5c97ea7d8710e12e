"""Axes are what they are measured to be: periodic, with or without their end, open, Chebyshev, uneven."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lieapp.data.axes import checked_points, measure, noise_level, spacing_kind
from lieapp.data.files import read
from lieapp.errors import DataError

SHARED = Path(__file__).parents[3] / "shared" / "data"
T = np.linspace(0, 1, 20)[:, None]


def periodic(modes, phases, n, ends, speed):
    """Waves of given modes on [0, 1], which move."""
    x = np.linspace(0, 1, n, endpoint=ends)
    u = sum(np.sin(2 * np.pi * k * (x - speed * T) + p) / k for k, p in zip(modes, phases, strict=True))
    return x, u


WAVES = {
    "modes": st.lists(st.integers(1, 5), min_size=3, max_size=3),
    "phases": st.lists(st.floats(0, 6.28), min_size=3, max_size=3),
    "n": st.integers(64, 200),
    "speed": st.floats(-2, 2),
}


@settings(deadline=None)
@given(**WAVES, ends=st.booleans(), noise=st.sampled_from([0.0, 0.01, 0.05]))
def test_waves_are_periodic_with_noise_too(modes, phases, n, speed, ends, noise):
    x, u = periodic(modes, phases, n, ends, speed)
    if noise and ends:
        return  # noise differs at both ends: whether it is one point can't be seen
    rng = np.random.default_rng(n)
    found = measure(x, u + noise * u.std() * rng.normal(size=u.shape))
    assert found.kind == "periodic" and found.end_stored == ends
    assert found.period == pytest.approx(1)


@settings(deadline=None)
@given(**WAVES, cut=st.floats(0.1, 0.4))
def test_a_piece_of_waves_is_open(modes, phases, n, speed, cut):
    x, u = periodic(modes, phases, 2 * n, False, speed)
    count = int((1 - cut) * 2 * n)
    if np.abs(u[:, count] - u[:, 0]).max() < 0.05:
        return  # the piece may be a period of its own
    assert measure(x[:count], u[:, :count]).kind == "open"


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_odd_and_even_continuations_are_not_periodic(noise):
    x = np.linspace(0, 1, 101)
    rng = np.random.default_rng(0).normal(size=(20, 101)) * noise
    odd = np.exp(-T) * np.sin(np.pi * x) + 0.3 * np.exp(-9 * T) * np.sin(3 * np.pi * x)
    even = np.exp(-T) * np.cos(np.pi * x) + 1
    for u in (odd, even):
        found = measure(x, u + rng)
        assert found.kind == "open" and not found.end_stored, found.reason


def test_chebyshev_and_uneven_points():
    n = 33
    lobatto, roots = -np.cos(np.pi * np.arange(n) / (n - 1)), -np.cos(np.pi * (np.arange(n) + 0.5) / n)
    for points in (3 + 2 * lobatto, 5 * roots):
        assert spacing_kind(points) == "chebyshev"
        found = measure(points, np.sin(points + T))
        assert found.kind == "chebyshev" and found.spacing is None
    assert spacing_kind(np.linspace(0, 1, n) ** 2) == "uneven"
    assert spacing_kind(np.linspace(100, 110, 1001).astype("f4").astype("f8")) == "uniform"


def test_what_the_file_says_is_believed():
    x, u = periodic([1, 2, 3], [0, 1, 2], 64, False, 1.0)
    assert measure(x, u, "open").kind == "open"
    assert measure(x[:40], u[:, :40], "periodic").period == pytest.approx(40 / 64)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_points_are_strictly_monotone_or_refused(points):
    try:
        found = checked_points(points, "x", "file")
    except DataError as error:
        assert error.hint and "x isn't ascending: point" in error.message
        assert len(set(points)) < len(points) or sorted(points) not in (points, points[::-1])
    else:
        assert list(found) in (sorted(points), sorted(points, reverse=True))


@pytest.mark.parametrize("share", [1e-4, 0.01, 0.05])
def test_noise_is_measured(share):
    _, u = periodic([1, 2, 3], [0, 1, 2], 128, False, 1.0)
    rng = np.random.default_rng(1)
    level, words = noise_level((u + share * u.std() * rng.normal(size=u.shape))[None])
    assert level == pytest.approx(share, rel=0.1) and "differences of order" in words
    assert noise_level(u[None])[0] < 1e-6


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data isn't there")
@pytest.mark.parametrize(
    ("name", "points", "period", "kept"),
    [
        ("KdV_sine", 512, 40, 512), ("burgers_sine", 256, 16, 256), ("allen_cahn", 512, 2, 512),
        ("kuramoto_sivashinsky_pysindy", 1024, 32 * np.pi, 1024), ("burgers_shock", 256, 2, 255),
    ],
)  # fmt: skip
def test_published_files_are_periodic(name, points, period, kept):
    (data,) = read(SHARED / f"{name}.mat")
    assert data.x.attrs["kind"] == "periodic" and data.x.attrs["period"] == pytest.approx(period)
    assert data.sizes["x"] == kept and ("left out" in data.attrs.get("notes", "")) == (kept < points)
    (piece,) = read(SHARED / f"{name}.mat", window=f"x={float(data.x[20])}:{float(data.x[-40])}")
    assert piece.x.attrs["kind"] == "open"
    assert measure(piece.x.values, piece.u.values[0]).kind == "open"


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data isn't there")
def test_the_published_square_file_is_asked_for():
    path = SHARED / "burgers_wsindy_square.mat"
    with pytest.raises(DataError, match=r"\(t, x\) or \(x, t\): which is right\?") as caught:
        read(path)
    assert '"u=U_exact(t,x), t=t, x=x"' in caught.value.hint
    (data,) = read(path, "u=U_exact(x,t), x=xs{1}, t=xs{2}")
    assert data.sizes == {"sample": 1, "t": 256, "x": 256} and data.x.attrs["kind"] == "open"
