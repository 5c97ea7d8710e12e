"""Slices of noisy data: no mode of noise is kept, in whichever part of the trajectories."""

import math

import pytest
import torch
from small_solutions import declaration

from lieapp.data.trajectories import Trajectories
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.domain import PDEDomain


@pytest.mark.parametrize("loud", [0, 1])
def test_noise_is_judged_beside_the_largest_mode_of_each_part(loud):
    """One wave, five times as high in one of both parts: what noise is beside it says little of the other part."""
    domain = PDEDomain(declaration("kdv"))
    axis = Axis("x", 0.0, 1.0, 256, periodic=True)
    wave = torch.sin(2 * math.pi * axis.coordinates())
    heights = torch.tensor([5.0, 1.0] if loud == 0 else [1.0, 5.0]).repeat_interleave(4).double()
    generator = torch.Generator().manual_seed(loud)
    noise = torch.randn(8, 16, 1, 256, generator=generator, dtype=torch.float64)
    values = heights.reshape(-1, 1, 1, 1) * wave + 0.05 * noise
    everything = Trajectories(torch.linspace(0, 1, 16).double(), Grid((axis,)), values, ("u",))
    data = domain.split(everything, 4)
    assert data.train.kept == data.held_out.kept == (1,)
