"""Data that a plugin brings itself."""

import numpy as np
import pytest
import torch
from small import U, X

from lieapp.data.simulate import simulate
from lieapp.errors import DataError, GridError, PluginError

GRID = np.arange(16) * (2 * np.pi / 16)
TIME = np.linspace(0, 1, 9)


def given(**changes):
    """A source with some arrays exchanged; None leaves one out."""
    u = np.sin(GRID) * np.exp(-TIME)[:, None] * np.ones((2, 1, 1))
    arrays = {"t": TIME, "x": GRID, "u": u, **changes}
    return lambda samples, seed: {k: v for k, v in arrays.items() if v is not None}


def load(declare, **changes):
    return simulate(declare(U.diff(X, 2), source=given(**changes)), 2, torch.Generator().manual_seed(7))


def test_arrays_become_trajectories(declare):
    data = load(declare)
    assert data.values.shape == (2, 9, 1, 16) and data.time.tolist() == TIME.tolist() and np.isnan(data.error)
    axis = data.grid.axes[0]
    assert axis.periodic and axis.left == 0 and axis.right == pytest.approx(2 * np.pi)


def test_single_precision_is_read_as_double(declare):
    assert load(declare, u=given()(2, 0)["u"].astype(np.float32)).values.dtype == torch.float64


def test_the_source_gets_samples_and_seed(declare):
    seen = []

    def source(samples, seed):
        seen.append((samples, seed))
        return given()(samples, seed)

    simulate(declare(U.diff(X, 2), source=source), 2, torch.Generator().manual_seed(7))
    assert seen == [(2, 7)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"u": None}, "no array named u"),
        ({"x": None, "t": None}, "no array named t, x"),
        ({"u": np.zeros((2, 16, 9))}, r"shape \(2, 16, 9\); it must be \(samples, t, x\) = \(samples, 9, 16\)"),
        ({"u": np.zeros((9, 16))}, r"shape \(9, 16\)"),
        ({"u": np.full((2, 9, 16), np.nan)}, "NaN or infinite"),
        ({"u": np.full((2, 9, 16), "a")}, "isn't an array of real numbers"),
        ({"u": 1j * np.ones((2, 9, 16))}, "isn't an array of real numbers"),
        ({"t": TIME[None]}, "one-dimensional"),
        ({"t": np.where(TIME > 0.5, np.nan, TIME)}, "NaN or infinite"),
        ({"u": np.zeros((0, 9, 16))}, "gave 0 samples of u; 2 were asked for"),
    ],
)
def test_unusable_arrays(declare, changes, words):
    with pytest.raises(DataError, match=words) as caught:
        load(declare, **changes)
    assert caught.value.hint


@pytest.mark.parametrize("points", [GRID**2, np.zeros(16), GRID[::-1]], ids=["stretched", "constant", "falling"])
def test_a_grid_must_be_uniform_and_ascending(declare, points):
    with pytest.raises(GridError, match="grid in x that isn't uniform"):
        load(declare, x=points)


def test_times_must_ascend(declare):
    with pytest.raises(DataError, match="t must ascend"):
        load(declare, t=TIME[::-1])


def test_a_period_that_isn_t_the_region_s(declare):
    with pytest.raises(GridError, match=r"covers x from 0 to 3\.1"):
        load(declare, x=GRID / 2)


def test_what_isn_t_a_mapping(declare):
    with pytest.raises(DataError, match="must return a mapping"):
        simulate(declare(U.diff(X, 2), source=lambda samples, seed: [1]), 2, torch.Generator())


def test_a_source_that_raises(declare):
    with pytest.raises(PluginError, match="source raised ZeroDivisionError"):
        simulate(declare(U.diff(X, 2), source=lambda samples, seed: 1 / 0), 2, torch.Generator())
