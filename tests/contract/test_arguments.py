"""A field may depend on more than it moves: the engine on a domain whose fields are one component Q(t, x, u).

u_t = u_xx + u log u, with x periodic. D_t Q = D_x² Q + (log u + 1) Q for a function Q(t, x, u) has the solutions
c u exp(t) alone: by the powers of u_x, Q = A u + B with A_x = 0, then B = 0 by log u, and A_t = A. A slice needn't
be one of a solution, so data are random functions of x at random times.
"""

import math
from dataclasses import dataclass

import pytest
import sympy as sp
import torch

from lieapp.augment.learned import Learned, content_of, read_learned
from lieapp.compare.closed_form.forms import closed_forms
from lieapp.compare.closed_form.measure import measure
from lieapp.compare.outcome import compare
from lieapp.domains.base import Arguments, Characteristics, Data, Domain, EvolvingBatch, Fields
from lieapp.domains.formulas import FixedFields
from lieapp.domains.solutions import Scales
from lieapp.equations.parsing import parse_system
from lieapp.methods.basis import Degrees, TensorBasis
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.fields import values
from lieapp.methods.loop import Alone
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import Projection, Settings, by_projection

NODES = 24
UNSCALED = Scales((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@dataclass(frozen=True)
class Lines:
    """u(x) at single times, with its change in time."""

    points: torch.Tensor
    tangents: torch.Tensor
    sample: torch.Tensor | None = None
    pairs = None
    lines = ()

    @property
    def weight(self):
        return torch.ones_like(self.points[:, 0])


def along_x(values, order):
    k = 2j * math.pi * torch.fft.rfftfreq(NODES, 1 / NODES, dtype=torch.float64)
    return torch.fft.irfft(k**order * torch.fft.rfft(values), n=NODES)


class Growing:
    """The equation, of whose fields the component of u is all there is."""

    name = "growing"
    arguments = Arguments(("t", "x", "u"), (False, True, False), (False, False, True))
    components = ("u",)
    stages = ("spectrum", "projection")
    homogeneous = False

    def truth(self, budget=None):
        return None

    def reference(self):
        return ()

    def characteristic(self, batch, fields):
        v, dv = fields.jvp(batch.points, batch.tangents)
        return v, Characteristics(v, dv)

    def tangent(self, batch, q):
        u = batch.points[:, 2:]
        return q.rate - along_x(q.value, 2) - (u.log() + 1) * q.value


class Lot:
    """Slices that are drawn once."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        x = (torch.arange(NODES, dtype=torch.float64) / NODES).expand(count, -1)
        t, size, phase, level = torch.rand(4, count, 1, generator=generator, dtype=torch.float64)
        u = 0.7 + level + 0.4 * size * torch.sin(2 * math.pi * (x + phase))
        self.points = torch.stack([t.expand(-1, NODES), x, u], 1)
        change = along_x(u, 2) + u * u.log()
        self.tangents = torch.stack([torch.ones_like(u), torch.zeros_like(u), change], 1)

    @property
    def trajectories(self):
        return len(self.points)

    def take(self, which):
        return Lines(self.points[which], self.tangents[which], which)

    def draw(self, size, generator, step=0):
        return self.take(torch.randint(len(self.points), (size,), generator=generator))

    def batches(self, count, size):
        return map(self.take, torch.arange(min(count, len(self.points))).split(size))


class Lots:
    train, held_out = Lot(48, 0), Lot(24, 1)




TRUTH = FixedFields(lambda z: (z[:, 2:] * torch.exp(z[:, :1]))[None])
DOMAIN, SLICES = Growing(), (48, 24)


def test_it_is_a_domain():
    assert isinstance(DOMAIN, Domain) and isinstance(Lots.train, Data)
    assert isinstance(next(Lots.train.batches(1, 1)), EvolvingBatch) and isinstance(TRUTH, Fields)
    assert DOMAIN.arguments.places(DOMAIN.components) == [2]


@pytest.fixture(scope="module")
def by_basis():
    return by_spectrum(DOMAIN, Lots, (2, 4, 6), 1, 2, 3, SLICES, Alone())


def test_the_spectrum_holds_the_one_field(by_basis):
    batch = next(Lots.held_out.batches(4, 4))
    assert values(by_basis.fields, batch.points).shape == (3, 4, 1, NODES)
    first = by_basis.sequence(0)
    # exp(t) by Chebyshev polynomials of degree 2, 4, 6
    assert first[0] > 50 * first[1] > 5000 * first[2] and first[2] < 1e-5
    assert by_basis.levels[-1].eta[1] > 0.1
    outcome = compare(DOMAIN, Lots.held_out.batches(24, 8), by_basis, None, (TRUTH, 1))
    assert outcome.exact == [0] and outcome.angle < 1e-6 and float(outcome.eta[3]) < 1e-10


def test_a_projection_learns_it():
    settings = Settings(slots=1, steps=300, width=16, features=8, modes=1, batch=12, rate=1e-2, floor=1e-6)
    training = Projection(DOMAIN, Lots.train, settings, 0)
    found = by_projection(DOMAIN, Lots, training, [], SLICES, Alone())
    assert training.fields.coefficients.shape == (1, training.network.count, 1)
    assert found.levels[-1].eta[0] < 0.05 < 4 * found.levels[-1].eta[0] < found.levels[0].eta[0]
    outcome = compare(DOMAIN, Lots.held_out.batches(24, 8), found, None, (TRUTH, 1))
    assert float(outcome.inner[0].abs()) > 0.999


def test_it_is_written_down_and_proved(by_basis):
    system = parse_system(["u_t = u_xx + u*log(u)"], ["t", "x"], ["u"])
    t, _, u = system.jets.coordinates
    functions = [sp.S.One, t, u, sp.exp(t), t * u, u * sp.exp(t), sp.log(u)]
    measured = measure(
        DOMAIN, functions, system.jets.coordinates, UNSCALED, by_basis.fields, lambda: Lots.held_out.batches(24, 8)
    )
    assert measured.gram.shape == (7, 7)
    (form,) = closed_forms(system, measured, [0])
    assert form.proved and form.field.components == {"t": 0, "x": 0, "u": u * sp.exp(t)}


def test_networks_have_as_many_outputs_as_there_are_components():
    network = GeneratorNetwork(DOMAIN.arguments, 1, 3, 8, 4).double()
    points = Lots.train.points[:5]
    found, rates = network.jvp(points, torch.zeros_like(points))
    assert found.shape == rates.shape == (3, 5, 1, NODES)
    torch.testing.assert_close(network.each(points.expand(3, -1, -1, -1)), found)


@pytest.mark.parametrize("components", [("u",), ("t", "x", "u")])
def test_a_file_keeps_both_lists(tmp_path, components):
    fields = GeneratorNetwork(DOMAIN.arguments, len(components), 2, 8, 4)
    file = tmp_path / "learned.safetensors"
    file.write_bytes(content_of(Learned(fields, DOMAIN.arguments.names, components, UNSCALED)))
    # files written before the lists were two have one
    assert (b"components" in file.read_bytes()) == (len(components) == 1)
    found = read_learned(file)
    assert (found.arguments, found.components) == (DOMAIN.arguments.names, components)
    points = Lots.train.points[:5].float()
    with torch.no_grad():  # bit equality on one code path: fields of a file ask for no gradients
        assert torch.equal(values(found.fields, points), values(fields, points))


def test_features_are_those_of_the_arguments():
    assert TensorBasis(DOMAIN.arguments, Degrees(1, 2, 2)).count == 27
