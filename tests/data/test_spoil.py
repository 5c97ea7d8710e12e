"""Data made thinner and noisy on purpose."""

import pytest
import torch

from lieapp.data.trajectories import Trajectories, noisy, thin
from lieapp.errors import GridError
from lieapp.numerics.grid import Axis, Grid


@pytest.fixture
def waves() -> Trajectories:
    grid = Grid((Axis("x", 0.0, 2.0, 32, periodic=True),))
    t = torch.linspace(0, 1, 40, dtype=torch.float64)
    x = grid.mesh(torch.float64, "cpu")[0]
    wave = torch.sin(torch.pi * (x[None] - t[:, None]))
    values = torch.stack([wave, 5 + 0.1 * wave], 1)[None].repeat(3, 1, 1, 1)
    return Trajectories(t, grid, values, ("u", "v"))


def test_thinning_keeps_the_values_at_the_nodes_that_stay(waves):
    thinned = thin(waves, 4, 2)
    assert thinned.grid.shape == (8,) and len(thinned.time) == 20
    x = thinned.grid.mesh(torch.float64, "cpu")[0]
    expected = torch.sin(torch.pi * (x[None] - thinned.time[:, None]))
    assert torch.allclose(thinned.values[0, :, 0], expected, atol=1e-14)
    assert thin(waves) is waves


@pytest.mark.parametrize(("points", "times", "word"), [(5, 1, "divide"), (8, 1, "at least"), (1, 8, "at least")])
def test_what_can_t_be_thinned(waves, points, times, word):
    with pytest.raises(GridError, match=word) as caught:
        thin(waves, points, times)
    assert caught.value.hint


def test_noise_has_the_size_that_was_asked_for_in_each_unknown(waves):
    made = noisy(waves, 0.05, seed=3)
    added = made.values - waves.values
    own = waves.values.std(dim=(0, 1, 3))
    assert torch.allclose(added.std(dim=(0, 1, 3)) / own, torch.full((2,), 0.05, dtype=own.dtype), rtol=0.05)
    assert torch.equal(noisy(waves, 0.05, seed=3).values, made.values)
    assert not torch.equal(noisy(waves, 0.05, seed=4).values, made.values)
