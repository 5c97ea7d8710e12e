"""Data that don't solve the equation, and which term is off."""

from dataclasses import replace

import pytest
import sympy as sp
import torch

from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import noisy, thin
from lieapp.pde.domain import PDEDomain
from lieapp.pde.misfit import misfit
from lieapp.registry.catalog import load_catalog


@pytest.fixture(scope="module")
def burgers():
    domain = PDEDomain(load_catalog().get("burgers").declaration)
    return domain.evolution, domain.trajectories(4, 0, tolerance=Tolerance(1e-4))


def test_solutions_fit(burgers):
    found = misfit(*burgers)
    assert found.relative < 1e-3
    assert all(abs(a - 1) < 0.05 for _, _, a in found.factors)


@pytest.mark.parametrize("factor", [0.5, 2.0, 6.0])
def test_the_wrong_coefficient_is_named_with_the_factor_that_is_right(burgers, factor):
    """With nu' = factor nu in the equation the data ask for 1/factor of that term."""
    evolution, data = burgers
    jets = evolution.jets
    u_xx = jets.symbol(0, (0, 2))
    wrong = replace(evolution, rhs=tuple(sp.expand(f).subs(u_xx, factor * u_xx) for f in evolution.rhs))
    found = misfit(wrong, data)
    (diffusion,) = [a for _, text, a in found.factors if "u_xx" in text]
    assert diffusion == pytest.approx(1 / factor, rel=0.02) and found.fitted < 0.01 < found.relative
    assert "u_xx should be taken" in found.words() and "u*u_x should" not in found.words()


def test_data_of_something_else_fit_with_no_factors(burgers):
    evolution, data = burgers
    noise = torch.randn(
        4, 1, 1, data.grid.shape[0], generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    smooth = torch.fft.irfft(torch.fft.rfft(noise) * (torch.arange(129) < 5), n=256)
    t = data.time.reshape(1, -1, 1, 1)
    other = replace(data, values=smooth * torch.cos(3 * t) + smooth.roll(40, 3) * torch.sin(3 * t))
    found = misfit(evolution, other)
    assert found.relative > 0.3 and "no other factors" in found.words()


def test_noise_is_no_misfit_of_the_equation(burgers):
    evolution, data = burgers
    found = misfit(evolution, noisy(data, 0.01, 0))
    assert 0.01 < found.relative < 0.2 and "should be" not in found.words()


def test_times_too_far_apart_say_nothing(burgers):
    evolution, data = burgers
    assert misfit(evolution, thin(data, 1, 12)) is None
