"""The false kernel: fields tangent to the data move them along themselves and prove nothing.

With few trajectories f(x, t)(d_x + u_x d_u) can be written down without knowing the equation, since u_x is a
function of x and t; with many it can't, and only symmetries are left.
"""

from dataclasses import replace

import pytest
import torch

from lieapp.data.simulate import simulate
from lieapp.data.stepping import Tolerance
from lieapp.data.trajectories import Trajectories
from lieapp.domains.formulas import FixedFields
from lieapp.domains.spread import EveryComponent
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.spectrum import factors, measured, spectrum
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import PDEDomain
from lieapp.registry.catalog import load_catalog

SMALL = 1e-2


@pytest.fixture(scope="module")
def ckdv():
    """The domain, and 13 trajectories on the first third of its window."""
    pde = load_catalog().get("ckdv").declaration
    t, x = pde.region
    pde = replace(pde, region={**pde.region, t: (0, 30)}, points={t: 24, x: 128}, keep_last=None)
    return PDEDomain(pde), simulate(pde, 13, torch.Generator().manual_seed(0), tolerance=Tolerance(1e-5))


def slices(domain, data):
    return SliceData([data], domain.linearisation, measure_scales([data], domain.arguments.names), 3)


def basis_factors(domain, data, count=64):
    basis = TensorBasis(domain.arguments, Degrees(modes=2, chebyshev=4, unknowns=1))
    return factors(domain, EveryComponent(basis, len(domain.components)), slices(domain, data).batches(count, 16))


def test_one_trajectory_lets_anything_pass_and_many_don_t(ckdv):
    domain, data = ckdv
    one = spectrum(basis_factors(domain, data.select(slice(0, 1))))
    many = spectrum(basis_factors(domain, data.select(slice(0, 12))))
    false, true = int((one.eta < SMALL).sum()) + one.tangent, int((many.eta < SMALL).sum()) + many.tangent
    assert false > 10, f"one trajectory: η {one.eta[:12].tolist()}"
    assert 1 <= true <= 2, f"twelve trajectories: η {many.eta[:4].tolist()}"
    # x-translation is exact with any data
    assert one.eta[0] < 1e-9 and many.eta[0] < 1e-9


def test_another_trajectory_unmasks_what_passed(ckdv):
    domain, data = ckdv
    one = spectrum(basis_factors(domain, data.select(slice(0, 1))))
    passed = one.coefficients[one.eta < SMALL]
    judged = measured(basis_factors(domain, data.select(slice(12, 13)), 24), passed)
    assert int((judged.eta > SMALL).sum()) >= len(passed) - 2
    assert judged.eta.median() > 10 * one.eta[one.eta < SMALL].median()


def heat_data(domain, amplitudes):
    """Exact solutions Σ aₖ exp(-κ²k²t) sin(κ k x), κ = 2π/32, one for each row of amplitudes."""
    grid, t = Grid((Axis("x", 0, 32, 64, True),)), torch.linspace(0, 10, 11, dtype=torch.float64)
    x, kappa = grid.mesh(torch.float64, "cpu")[0], 2 * torch.pi / 32
    modes = [torch.exp(-((kappa * k) ** 2) * t)[:, None] * torch.sin(kappa * k * x) for k in (1, 2)]
    values = torch.stack([a * modes[0] + b * modes[1] for a, b in amplitudes])
    return Trajectories(t, grid, values[:, :, None], domain.evolution.jets.dependent)


def test_a_tangent_field_is_recognised_on_its_own_trajectory_and_refuted_by_others():
    domain, kappa = PDEDomain(load_catalog().get("heat").declaration), 2 * torch.pi / 32
    own, others = heat_data(domain, [(1.0, 0.0)]), heat_data(domain, [(1.0, 0.0), (0.3, 1.0), (-0.5, 0.4)])

    def tangent_to_own(scales):
        """(2 + sin 2πx)(d_x + u_x d_u) with the u_x of the one trajectory."""
        window, period, size = scales.size

        def field(z):
            t, x = window * z[:, 0], period * z[:, 1]
            u_x = kappa * torch.exp(-(kappa**2) * t) * torch.cos(kappa * x)
            f = 2 + torch.sin(2 * torch.pi * z[:, 1])
            return torch.stack([torch.zeros_like(f), f / period, f * u_x / size], 1)[None]

        return FixedFields(field)

    results = []
    for data in (own, others):
        supply = slices(domain, data)
        found = factors(domain, tangent_to_own(supply.scales), supply.batches(33, 11))
        results.append(measured(found, torch.eye(1, dtype=torch.float64)))
    assert results[0].tangent == 1 and len(results[0].eta) == 0
    assert results[1].tangent == 0 and results[1].eta[0] > 0.1
