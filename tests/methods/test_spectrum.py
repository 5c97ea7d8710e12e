"""The eigenproblem: derived generators at the floor, nothing else near it, and what may not change the answer."""

import pytest
import torch
from smooth_data import declaration, smooth_slices, true_fields

from lieapp.compare.subspace import cosines
from lieapp.domains.spread import EveryComponent, Features
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.fields import Combination, Joined
from lieapp.methods.loop import Alone
from lieapp.methods.result import judge
from lieapp.methods.spectrum import factors, spectrum
from lieapp.pde.domain import PDEDomain


def test_the_lowest_fields_span_the_true_generators(equation):
    name, domain, data = equation
    found = by_spectrum(domain, data, (6, 10), 1, 1, 4, (150, 30), Alone())
    true = true_fields(name, domain, data.scales)
    judgement = judge(domain, Joined(found.fields, true), data.held_out.batches(30, 8))
    count = len(judgement.eta) - 4
    span, truth = list(range(count)), list(range(4, 4 + count))
    assert min(cosines(judgement.gram, span, truth)) > 0.9999
    assert judgement.eta[truth].max() < 1e-8
    # one more field is no symmetry
    assert judgement.eta[count] > 1e-2


def test_eta_does_not_depend_on_the_size_of_a_field(kdv):
    domain, data = kdv
    basis = TensorBasis(domain.arguments, Degrees(1, 2, 1))
    c = torch.randn(1, basis.count, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    both = Joined(Combination(basis, c), Combination(basis, 1e6 * c))
    eta = judge(domain, both, data.held_out.batches(20, 8)).eta
    torch.testing.assert_close(eta[0], eta[1])


def test_streaming_gives_what_one_batch_gives(kdv):
    domain, data = kdv
    basis = EveryComponent(TensorBasis(domain.arguments, Degrees(1, 2, 1)), 3)
    eta = [spectrum(factors(domain, basis, data.train.batches(64, size))).eta for size in (4, 64)]
    torch.testing.assert_close(eta[0][3:20], eta[1][3:20], rtol=1e-6, atol=0)


def test_dependent_directions_are_dropped_and_counted(kdv):
    domain, data = kdv
    basis = TensorBasis(domain.arguments, Degrees(1, 2, 1))
    twice = EveryComponent(_Doubled(basis), 3)
    found = spectrum(factors(domain, twice, data.train.batches(64, 16)))
    assert found.dropped == 3 * basis.count


def test_nearly_dependent_features_hide_no_symmetry(kdv):
    """A direction of size 1e-7 stays in the span: the constant would else be known only up to its residual."""
    domain, data = kdv
    features = _WithAShadow(TensorBasis(domain.arguments, Degrees(1, 2, 1)))
    found = spectrum(factors(domain, EveryComponent(features, 3), data.train.batches(64, 16)))
    assert found.dropped == 0
    assert found.eta[:3].max() < 1e-8


@pytest.mark.parametrize(("samples", "gap"), [(1, False), (8, True)])
def test_false_kernel_of_one_trajectory(samples, gap):
    """With one slice the field f (d_x + u_x d_u) is tangent to the data and passes; many slices refute it."""
    domain = PDEDomain(declaration("kdv"))
    slices = smooth_slices(domain, samples + 1, seed=2)
    if samples == 1:
        # one function of x at all times: a steady state
        slices = type(slices)(slices.time, slices.grid, slices.values[:, :1].expand_as(slices.values), ("u",))
    data = domain.split(slices, samples)
    basis = EveryComponent(TensorBasis(domain.arguments, Degrees(4, 2, 3)), 3)
    found = spectrum(factors(domain, basis, data.train.batches(64, 16)))
    assert (int((found.eta < 1e-3).sum()) == 3) == gap


class _Doubled(Features):
    def __init__(self, features):
        self.features, self.count = features, 2 * features.count

    def jvp(self, points, tangents):
        return tuple(torch.cat([h, h]) for h in self.features.jvp(points, tangents))


class _WithAShadow(Features):
    """One feature more, the constant with a little of a wave added that no other feature has."""

    def __init__(self, features):
        self.features, self.count = features, features.count + 1

    def jvp(self, points, tangents):
        h, dh = self.features.jvp(points, tangents)
        wave = torch.cos(6 * torch.pi * points[None, :, 1])
        return torch.cat([h, h[:1] + 1e-7 * wave]), torch.cat([dh, torch.zeros_like(dh[:1])])
