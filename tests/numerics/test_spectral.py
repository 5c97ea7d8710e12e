"""Fourier derivatives, resampling and padded products on periodic axes of one and two dimensions."""

import math

import pytest
import torch

from lieapp.errors import GridError
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.sizes import fast_size
from lieapp.numerics.spectral import (
    SpectralDifferentiator,
    bandwidth,
    low_pass,
    noise_floor,
    padded_points,
    resample,
    to_modes,
    to_values,
)


def axis(points: int, left: float = 1.0, right: float = 4.0, name: str = "x") -> Axis:
    return Axis(name, left, right, points, periodic=True)


def random_function(grid: Grid, modes: int, seed: int = 0) -> torch.Tensor:
    """Two functions with all modes up to `modes` along each axis, the same on every grid."""
    generator, total = torch.Generator().manual_seed(seed), 0.0
    mesh = grid.mesh(torch.float64, "cpu")
    for _ in range(12):
        k = torch.randint(-modes, modes + 1, (len(mesh),), generator=generator)
        amplitude, phase = torch.rand(2, 2, generator=generator, dtype=torch.float64)
        angle = sum(
            2 * math.pi * int(n) * (x - a.left) / a.length for n, x, a in zip(k, mesh, grid.axes, strict=True)
        )
        column = (...,) + (None,) * len(mesh)
        total = total + amplitude[column] * torch.cos(angle + 6 * phase[column])
    return total


@pytest.mark.parametrize("points", [32, 33])
def test_derivatives_of_exp_sin_are_spectrally_exact(points):
    grid = Grid((axis(points),))
    (x,) = grid.mesh(torch.float64, "cpu")
    w = 2 * math.pi / 3
    s, c = torch.sin(w * x), torch.cos(w * x)
    u = torch.exp(s)
    found = SpectralDifferentiator(grid).derivatives(u, [(0,), (1,), (2,), (3,)])
    exact = {0: u, 1: w * c * u, 2: w**2 * (c**2 - s) * u, 3: w**3 * c * (c**2 - 3 * s - 1) * u}
    for order, truth in exact.items():
        torch.testing.assert_close(found[(order,)], truth, rtol=0, atol=1e-10)


def test_mixed_derivatives_in_two_dimensions():
    grid = Grid((axis(24, name="x"), axis(20, 0.0, 2.0, name="y")))
    x, y = grid.mesh(torch.float64, "cpu")
    a, b = 2 * math.pi / 3, math.pi
    u = torch.sin(a * x) * torch.cos(2 * b * y) + torch.sin(b * y)
    found = SpectralDifferentiator(grid).derivatives(u, [(1, 2), (0, 1)])
    torch.testing.assert_close(
        found[1, 2], -a * (2 * b) ** 2 * torch.cos(a * x) * torch.cos(2 * b * y), rtol=0, atol=1e-10
    )
    truth = -2 * b * torch.sin(a * x) * torch.sin(2 * b * y) + b * torch.cos(b * y)
    torch.testing.assert_close(found[0, 1], truth, rtol=0, atol=1e-11)


def test_odd_derivative_of_the_nyquist_mode_is_zero():
    grid = Grid((axis(8),))
    u = torch.tensor([1.0, -1.0] * 4, dtype=torch.float64)
    found = SpectralDifferentiator(grid).derivatives(u, [(1,), (2,)])
    assert found[(1,)].abs().max() < 1e-12
    torch.testing.assert_close(found[(2,)], -((2 * math.pi * 4 / 3) ** 2) * u)


@pytest.mark.parametrize("shape", [(16,), (17,), (16, 18), (15, 16)])
@pytest.mark.parametrize("factor", [1, 1.5, 2])
def test_resample_there_and_back(shape, factor):
    grid = Grid(tuple(axis(n, name=f"x{i}") for i, n in enumerate(shape)))
    fine = grid.refined(tuple(int(factor * n) for n in shape))
    u = random_function(grid, 7)
    there = resample(u, grid, fine)
    torch.testing.assert_close(there, random_function(fine, 7), rtol=0, atol=1e-12)
    torch.testing.assert_close(resample(there, fine, grid), u, rtol=0, atol=1e-12)


def test_resample_keeps_values_at_shared_points_also_with_a_nyquist_mode():
    grid = Grid((axis(16),))
    u = torch.randn(3, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    fine = resample(u, grid, grid.refined((48,)))
    torch.testing.assert_close(fine[:, ::3], u, rtol=0, atol=1e-12)


def test_low_pass_keeps_low_modes_and_drops_the_others():
    grid = Grid((axis(32),))
    low, high = random_function(grid, 4, seed=1), to_values(to_modes(random_function(grid, 12), grid), grid)
    high = high - low_pass(high, grid, (4,))
    torch.testing.assert_close(low_pass(low + high, grid, (4,)), low, rtol=0, atol=1e-12)
    once = low_pass(high + low, grid, (6,))
    torch.testing.assert_close(low_pass(once, grid, (6,)), once, rtol=0, atol=1e-13)
    assert bandwidth(low, grid, 1e-12) == (4,)


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_padded_products_don_t_alias(degree):
    grid, cut = Grid((axis(32),)), 9
    u = random_function(grid, cut)
    padded = grid.refined((padded_points(grid.axes[0], cut, degree),))
    fine = grid.refined((256,))
    product = resample(u, grid, padded) ** degree
    torch.testing.assert_close(
        resample(product, padded, fine), resample(u, grid, fine) ** degree, rtol=0, atol=1e-9
    )
    # and on the grid itself they do
    aliased = resample(u**degree, grid, fine) - resample(u, grid, fine) ** degree
    assert aliased.abs().max() > 1e-2


def test_fast_sizes_are_the_least_smooth_even_numbers():
    def smooth(n: int) -> bool:
        for p in (2, 3, 5):
            while n % p == 0:
                n //= p
        return n == 1

    for least in range(2, 700):
        assert fast_size(least) == next(n for n in range(least + least % 2, 4 * least + 4, 2) if smooth(n))


def test_an_axis_that_isn_t_periodic_has_no_modes():
    with pytest.raises(GridError, match="axis y is not periodic"):
        Axis("y", 0, 1, 16).wavenumbers(torch.float64, "cpu")


def test_grid_leaves_out_the_right_end_where_periodic():
    assert axis(6).coordinates().tolist() == [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
    assert Axis("t", 1, 4, 7).coordinates().tolist() == [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]


@pytest.mark.parametrize("share", [1e-3, 1e-2, 5e-2])
@pytest.mark.parametrize("shape", [(128,), (32, 48)])
def test_noise_is_found_and_no_mode_of_it_is_kept(share, shape):
    grid = Grid(tuple(Axis(name, 0.0, 1.0, n, periodic=True) for name, n in zip("xy", shape, strict=False)))
    smooth = random_function(grid, 3)[:1].repeat(50, *[1] * len(shape))
    noise = torch.randn(smooth.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    values = smooth + share * smooth.std() * noise
    floor = noise_floor(values, grid)
    assert floor > 0 and max(bandwidth(values, grid, floor)) <= 3


def test_a_spectrum_that_falls_to_the_last_mode_is_no_noise():
    """The modes of 1/(1.2 - cos x) fall by a constant factor; the last is far from round-off."""
    grid = Grid((axis(32, 0.0, 2 * math.pi),))
    x = grid.mesh(torch.float64, "cpu")[0]
    assert noise_floor((1 / (1.2 - torch.cos(x)))[None], grid) == 0
    assert noise_floor(torch.zeros(1, 32, dtype=torch.float64), grid) == 0
