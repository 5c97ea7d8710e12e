"""Interpolation between nodes: exact on polynomials, on nodes, and of the order of its width."""

import math

import numpy as np
import pytest
import torch

from lieapp.augment.resample import REFINED, WIDTH, at_places, rows, stencil
from lieapp.numerics.grid import Axis, Grid
from lieapp.numerics.spectral import resample

PLACES = torch.cat([torch.rand(50, generator=torch.Generator().manual_seed(0)) * 15, torch.arange(16.0)]).double()
PLACES = PLACES.clamp(0, 15)


@pytest.mark.parametrize("width", [2, 4, 8, 10])
def test_polynomials_below_the_width_are_exact_also_at_the_ends(width):
    nodes, weights = stencil(PLACES, 16, width)
    for degree in range(width):
        found = (((nodes.double() - 7.5) / 8) ** degree * weights).sum(-1)
        torch.testing.assert_close(found, ((PLACES - 7.5) / 8) ** degree, rtol=0, atol=1e-13)


@pytest.mark.parametrize("periodic", [False, True])
def test_on_nodes_the_weights_are_exactly_one_and_zero(periodic):
    where = torch.arange(12.0, dtype=torch.float64)
    nodes, weights = stencil(where, 12, 6, periodic)
    assert set(weights.flatten().tolist()) <= {0.0, 1.0}
    assert torch.equal((nodes * weights).sum(-1), where)


def test_a_periodic_line_goes_on_past_its_seam():
    values = torch.cos(2 * torch.pi * torch.arange(64, dtype=torch.float64) / 64)
    place = torch.tensor([-0.3, 63.7, 127.7, 0.2, 64.2], dtype=torch.float64)
    nodes, weights = stencil(place, 64, 8, periodic=True)
    torch.testing.assert_close(
        (values[nodes] * weights).sum(-1), torch.cos(2 * torch.pi * place / 64), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("width", [4, 6, 8])
def test_the_order_is_the_width(width):
    errors = []
    counts = (16, 24, 32)
    for n in counts:
        t = torch.linspace(0, 1, n, dtype=torch.float64)
        place = torch.linspace(0, n - 1, 301, dtype=torch.float64)[None]
        found = rows(place, n, width) @ torch.exp(torch.sin(3 * t))
        errors.append(float((found - torch.exp(torch.sin(3 * place / (n - 1)))).abs().max()))
    slope = np.polyfit(np.log([1 / (n - 1) for n in counts]), np.log(errors), 1)[0]
    assert slope > width - 1, (slope, errors)


def test_between_the_nodes_of_a_plane():
    i, j = torch.meshgrid(torch.arange(12.0).double(), torch.arange(32.0).double(), indexing="ij")

    def function(time, x):
        return time**3 / 100 + torch.sin(2 * torch.pi * x / 32)

    generator = torch.Generator().manual_seed(1)
    time = 11 * torch.rand(2, 40, dtype=torch.float64, generator=generator)
    x = 64 * torch.rand(2, 40, dtype=torch.float64, generator=generator) - 16
    values = torch.stack([function(i, j), 2 * function(i, j)])[:, None]
    found = at_places(values, time, x, (4, 10))
    torch.testing.assert_close(found[0, 0], function(time[0], x[0]), rtol=0, atol=1e-8)
    torch.testing.assert_close(found[1, 0], 2 * function(time[1], x[1]), rtol=0, atol=1e-8)


@pytest.mark.parametrize("mode", [16, 24, 31])
def test_on_a_finer_grid_every_mode_is_interpolated(mode):
    """The largest error of the middle of a stencil is (kh/2)^w / sqrt(pi w/2) for a wave of small kh."""
    axis = Axis("x", 0.0, 1.0, 64, True)
    values = torch.cos(2 * torch.pi * mode * axis.coordinates())
    fine = resample(values, Grid((axis,)), Grid((axis.refined(REFINED * 64),)))
    place = 64 * torch.rand(500, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    nodes, weights = stencil(REFINED * place, REFINED * 64, WIDTH, periodic=True)
    error = (fine[nodes] * weights).sum(-1) - torch.cos(2 * torch.pi * mode * place / 64)
    predicted = (math.pi * mode / (REFINED * 64)) ** WIDTH / math.sqrt(math.pi * WIDTH / 2)
    assert 0.8 < float(error.abs().max()) / predicted < 1.02
