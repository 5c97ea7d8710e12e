"""Scalar features: derivatives along tangents against forward mode, periodicity, and what a basis can express."""

from types import SimpleNamespace

import pytest
import torch
from small_solutions import ARGUMENTS

from lieapp.domains.spread import EveryComponent
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.beside import Beside, extended
from lieapp.methods.fields import Combination
from lieapp.methods.network import FeatureNetwork


def features(kind):
    torch.manual_seed(3)
    if kind == "network":
        return FeatureNetwork(ARGUMENTS, width=8, features=5, modes=2).double()
    if kind == "beside":
        return Beside(
            features("network"), TensorBasis(ARGUMENTS, Degrees(modes=1, chebyshev=2, unknowns=1))
        )
    return TensorBasis(ARGUMENTS, Degrees(modes=2, chebyshev=5, unknowns=2))


@pytest.fixture(params=["network", "basis", "beside"])
def feature(request):
    return features(request.param)


def points(seed):
    return torch.rand(4, 3, 7, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_rates_are_the_derivative_along_the_tangent(feature):
    z, dz = points(0), points(1)
    values, rates = feature.jvp(z, dz)
    ahead, behind = (feature.at(z + step * dz) for step in (1e-5, -1e-5))
    assert values.shape == (feature.count, 4, 7)
    torch.testing.assert_close(values, feature.at(z))
    torch.testing.assert_close(rates, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-6)


def test_the_network_s_own_backward_passes():
    network = features("network")
    weights = torch.rand(network.count, 4, 7, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    leaves = [points(0).requires_grad_(), points(1).requires_grad_(), *network.parameters()]

    def total(value, rate):
        return (weights * value + weights.square() * rate).sum()

    found = torch.autograd.grad(total(*network.jvp(*leaves[:2])), leaves)
    for leaf, slope in zip(leaves, found, strict=True):
        index, step = (0,) * leaf.ndim, torch.zeros_like(leaf)
        step[index] = 1e-5
        with torch.no_grad():
            leaf += step
            ahead = total(*network.jvp(*leaves[:2]))
            leaf -= 2 * step
            behind = total(*network.jvp(*leaves[:2]))
            leaf += step
        assert float(slope[index]) == pytest.approx(float(ahead - behind) / 2e-5, rel=1e-5, abs=1e-8)
    own, kept = (
        torch.autograd.grad((weights * f(leaves[0])).sum(), [leaves[0], *network.parameters()])
        for f in (network.at, network._values)
    )
    assert all(torch.equal(a, b) for a, b in zip(own, kept, strict=True))


def test_features_repeat_after_one_period(feature):
    z = points(0)
    shifted = z.clone()
    shifted[:, 1] += 1.0
    torch.testing.assert_close(feature.jvp(z, z)[0], feature.jvp(shifted, z)[0])


def test_the_first_feature_is_the_constant(feature):
    values, rates = feature.jvp(points(0), points(1))
    torch.testing.assert_close(values[0], torch.ones_like(values[0]))
    torch.testing.assert_close(rates[0], torch.zeros_like(rates[0]))


def test_a_basis_holds_its_own_polynomials():
    z = points(0)
    h = TensorBasis(ARGUMENTS, Degrees(1, 3, 2)).jvp(z, z)[0].flatten(1).T
    target = (z[:, 0] ** 3 * z[:, 2] ** 2 * torch.cos(2 * torch.pi * z[:, 1]) + z[:, 2]).flatten()
    solution = torch.linalg.lstsq(h, target[:, None]).solution
    torch.testing.assert_close((h @ solution)[:, 0], target)


def test_every_component_in_the_order_of_combinations(feature):
    z, dz = points(0), points(1)
    stack = EveryComponent(feature, 3).jvp(z, dz)
    identity = torch.eye(3 * feature.count, dtype=torch.float64).reshape(-1, feature.count, 3)
    for ours, theirs in zip(stack, Combination(feature, identity).jvp(z, dz), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_functions_beside_a_network_come_after_its_features_and_count_as_0_where_they_are_not_finite():
    class Roots:
        count = 1

        def at(self, z):
            return z[None, :, 0].sqrt()

        def jvp(self, z, dz):
            return self.at(z), dz[None, :, 0] / (2 * self.at(z))

    network, z = features("network"), points(0)
    z[0, 0] = -1.0
    values, rates = Beside(network, Roots()).jvp(z, points(1))
    torch.testing.assert_close(values[:-1], network.at(z))
    torch.testing.assert_close(values[-1, 1:], z[1:, 0].sqrt())
    assert torch.equal(values[-1, 0], torch.zeros(7).double()) and torch.equal(rates[-1, 0], values[-1, 0])


class OfTime:
    """exp(-3 t), t exp(-2000 t): at slices 1/63 apart the second one is next to nothing but starts at slope 1."""

    count = 2

    def at(self, points):
        t = points[:, 0]
        return torch.stack([torch.exp(-3 * t), t * torch.exp(-2000 * t)])

    def jvp(self, points, tangents):
        t, dt = points[:, 0], tangents[:, 0]
        return self.at(points), torch.stack([-3 * torch.exp(-3 * t), (1 - 2000 * t) * torch.exp(-2000 * t)]) * dt


def test_functions_that_the_data_do_not_resolve_bring_nothing():
    """What is left of each combination, of norm 1, is within round-off of the others' rates: no rate is huge."""
    basis = TensorBasis(ARGUMENTS, Degrees(modes=1, chebyshev=2, unknowns=1))
    z, dz = points(0).repeat(16, 1, 1), torch.zeros(64, 3, 7, dtype=torch.float64)
    z[:, 0], dz[:, 0] = torch.linspace(0, 1, 64, dtype=torch.float64)[:, None], 1.0
    z[:, 1:] = torch.rand(64, 2, 7, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    ones = torch.ones_like(z[:, 0])
    batch = SimpleNamespace(points=z, tangents=dz, weight=ones, lines=[], pairs=None, sample=None)
    made = extended(basis, OfTime(), basis.up_to(1), [batch])
    assert made.count == basis.count + 1
    values, rates = (h.flatten(1) for h in made.jvp(z, dz))
    torch.testing.assert_close(values @ values.T / values.shape[1], torch.eye(made.count, dtype=torch.float64))
    assert float(rates.square().mean(1).sqrt().max()) < 1e3
    exponential = OfTime().at(z)[:1].flatten(1)
    left = exponential - (exponential @ values.T) @ values / values.shape[1]
    assert float(left.norm()) < 1e-10 * float(exponential.norm())
