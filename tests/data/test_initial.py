"""Random initial states."""

import pytest
import sympy as sp
import torch

from lieapp.api import SumOfSines
from lieapp.data.simulate import initial_state
from lieapp.errors import PluginError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import bandwidth, resample


def grid(points: int = 64, dimensions: int = 1) -> Grid:
    return Grid(tuple(Axis(f"x{i}", -1.0, 3.0, points, periodic=True) for i in range(dimensions)))


def state(declaration, names=("u",), on=None, samples=3, seed=0):
    return initial_state(declaration, names, on or grid(), samples, torch.Generator().manual_seed(seed))


def test_only_the_declared_wavenumbers_occur():
    modes = torch.fft.rfft(state(SumOfSines(wavenumbers=(2, 5)))).abs().amax((0, 1))
    assert set(torch.nonzero(modes > 1e-10).flatten().tolist()) == {2, 5}


def test_amplitudes_are_bounded_by_their_sum():
    values = state(SumOfSines(terms=4, amplitude=0.25), samples=200)
    assert 0.3 < values.abs().max() <= 1.0


@pytest.mark.parametrize("declaration", [
    SumOfSines(), SumOfSines(rescale=(2, 3)), SumOfSines(rescale=(0, 1), shape=lambda s: sp.exp(2 * s)),
], ids=["plain", "rescaled", "shaped"])  # fmt: skip
@pytest.mark.parametrize("dimensions", [1, 2])
def test_a_sample_is_one_function_on_every_grid(declaration, dimensions):
    coarse, fine = grid(48, dimensions), grid(96, dimensions)
    values = state(declaration, on=fine)
    torch.testing.assert_close(resample(state(declaration, on=coarse), coarse, fine), values, rtol=0, atol=1e-6)
    assert torch.equal(state(declaration, on=fine, samples=1), values[:1])


def test_rescale_and_shape():
    values = state(SumOfSines(rescale=(2, 3), shape=lambda s: -s))
    assert torch.allclose(values.amin(-1), torch.tensor(-3.0).double(), atol=1e-2)
    assert torch.allclose(values.amax(-1), torch.tensor(-2.0).double(), atol=1e-2)


def test_each_unknown_may_have_its_own():
    u, v = sp.Function("u"), sp.Function("v")
    values = state({u: SumOfSines(wavenumbers=(1,)), "v": SumOfSines(wavenumbers=(7,))}, names=("u", "v"))
    assert values.shape == (3, 2, 64)
    assert bandwidth(values[:, 0], grid(), 1e-9) == (1,) and bandwidth(values[:, 1], grid(), 1e-9) == (7,)
    with pytest.raises(PluginError, match="initial state of w is None"):
        state({v: SumOfSines()}, names=("w",))
