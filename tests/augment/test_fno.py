"""The Fourier Neural Operator: what its layers compute, which symmetries it has, which grids it takes."""

import pytest
import torch

from lieapp.augment.operator_training import FNO1d, SpectralConvolution
from lieapp.errors import ConfigError


def operator(inputs=3, outputs=2, width=8, modes=5, layers=3):
    torch.manual_seed(0)
    return FNO1d(inputs, outputs, width, modes, layers)


def waves(count, points, highest=4):
    """Functions without modes above `highest`, from the same random coefficients on every grid."""
    x = torch.arange(points) / points * 2 * torch.pi
    k = torch.arange(highest + 1)[:, None]
    a, b = torch.randn(2, 6, count, highest + 1, generator=torch.Generator().manual_seed(1))
    return a @ (k * x).cos() + b @ (k * x).sin()


@pytest.mark.parametrize("points", [16, 17, 30])
def test_the_spectral_layer_is_a_matrix_on_each_of_the_lowest_modes(points):
    torch.manual_seed(0)
    layer = SpectralConvolution(4, 6).double()
    values = torch.randn(3, points, 4, dtype=torch.float64)
    low = torch.fft.rfft(values, dim=1)[:, :6]
    expected = torch.fft.irfft(torch.einsum("bmi,mio->bmo", low, torch.complex(*layer.weight)), n=points, dim=1)
    assert torch.allclose(layer(values), expected, atol=1e-12)


def test_gradients_reach_every_parameter():
    network = operator()
    network(torch.randn(4, 3, 32)).square().mean().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in network.parameters())


def test_it_commutes_with_shifts_of_the_grid():
    network, values = operator().double(), torch.randn(4, 3, 32, dtype=torch.float64)
    assert torch.allclose(network(values.roll(5, -1)), network(values).roll(5, -1), atol=1e-12)


def test_it_takes_functions_not_grids():
    # its nonlinearity makes modes that a coarse grid aliases: the difference falls with the grid, it isn't 0
    network = operator(layers=2).double()
    fine = network(waves(3, 512).double())
    errors = [(network(waves(3, n).double()) - fine[..., :: 512 // n]).abs().max() for n in (16, 32)]
    assert errors[1] < 0.1 * errors[0] < 1e-3 * fine.abs().max()


def test_units_of_the_data_don_t_matter():
    network, values = operator().double(), torch.randn(4, 3, 32, dtype=torch.float64)
    network.normalise_by(values)
    plain = network(values)
    network.normalise_by(1000 * values)
    assert torch.allclose(network(1000 * values), 1000 * plain)


def test_it_learns_a_shift_by_half_a_cell():
    network = operator(1, 1, 16, 9, 2)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    k = torch.arange(17)
    generator = torch.Generator().manual_seed(0)
    for _ in range(60):
        modes = torch.complex(*torch.randn(2, 16, 1, 17, generator=generator)) * (k < 6)
        given, wanted = (torch.fft.irfft(m, n=32) for m in (modes, modes * torch.exp(1j * torch.pi * k / 32)))
        loss = (network(given) - wanted).square().mean() / wanted.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.1


def test_more_modes_than_the_grid_has():
    with pytest.raises(ConfigError, match="modes = 5: a grid of 9 points has 4 modes"):
        operator()(torch.randn(1, 3, 9))
    assert operator()(torch.randn(1, 3, 11)).shape == (1, 2, 11)
