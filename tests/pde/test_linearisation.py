"""The linearised residual is what a difference quotient says, for all six equations and for systems."""

import sympy as sp
import torch

from lieapp.api import PDE
from lieapp.data.trajectories import Trajectories
from lieapp.domains.base import Characteristics
from lieapp.numerics.grid import Axis, Grid
from lieapp.pde.check import frechet_error
from lieapp.pde.data import SliceData, measure_scales
from lieapp.pde.domain import PDEDomain

DELTA = 1e-4
T, X = sp.symbols("t x", real=True)


class Wavy:
    """A field without any symmetry, smooth and periodic in x; differentiated by forward mode."""

    def __init__(self, coordinates: int) -> None:
        self.count = coordinates

    def __call__(self, points):
        z = [torch.sin(2 * torch.pi * points[:, 1]), points[:, 0] ** 2, points[:, -1]]
        parts = [(k + 1) * z[0] + z[1] * z[-1] + torch.cos(z[2] + k) for k in range(self.count)]
        return torch.stack(parts, 1)[None]

    def jvp(self, points, tangents):
        return torch.func.jvp(self, (points.contiguous(),), (tangents.contiguous(),))


def slices_of(domain, data, count=4):
    data = SliceData([data], domain.linearisation, measure_scales([data], domain.arguments.names), 4)
    return data, next(iter(data.batches(count, count)))


def physical(domain, data, batch):
    """Times and values of a batch."""
    p, scales, time = len(domain.evolution.jets.independent), data.scales, domain.evolution.time
    unit = torch.tensor(scales.size[p:], dtype=torch.float64).reshape(-1, *(1 for _ in data.grid.axes))
    t = scales.origin[time] + scales.size[time] * batch.points[:, time].flatten(1)[:, 0]
    return t, batch.points[:, p:] * unit, unit


def moved_in_time(domain, data, batch, delta):
    """The slices a scaled time `delta` later, to first order: u + δ F at t + δ."""
    p, time = len(domain.evolution.jets.independent), domain.evolution.time
    t, u, unit = physical(domain, data, batch)
    rate = batch.tangents[:, p:] * unit
    later = t + delta * data.scales.size[time]
    return domain.linearisation.slices(later, u + delta * rate, data.grid, data.scales)


def relative(found, truth):
    return float((found - truth).square().mean().sqrt() / truth.square().mean().sqrt())


def test_frechet_derivative_is_a_difference_quotient(short):
    domain, data = short
    assert frechet_error(domain, data) < 1e-6


def test_rate_of_a_characteristic_is_its_time_derivative_along_the_data(short):
    domain, trajectories = short
    data, batch = slices_of(domain, trajectories)
    field = Wavy(len(domain.components))
    _, q = domain.characteristic(batch, field)
    plus, minus = (
        domain.characteristic(moved_in_time(domain, data, batch, s), field)[1].value for s in (DELTA, -DELTA)
    )
    assert relative((plus - minus) / (2 * DELTA), q.rate) < 1e-5


def test_linearised_residual_is_the_residual_of_the_moved_solution(short):
    # u + εQ solves the equation up to ε M: M = (D_t(u + εQ) - F[u + εQ] - same with -ε)/(2ε)
    domain, trajectories = short
    data, batch = slices_of(domain, trajectories)
    field, p, epsilon = Wavy(len(domain.components)), len(domain.evolution.jets.independent), 1e-3
    _, q = domain.characteristic(batch, field)
    t, u, unit = physical(domain, data, batch)

    def residual(sign):
        moved = domain.linearisation.slices(t, u + sign * epsilon * unit * q.value[0], data.grid, data.scales)
        return batch.tangents[:, p:] + sign * epsilon * q.rate[0] - moved.tangents[:, p:]

    quotient = (residual(1) - residual(-1)) / (2 * epsilon)
    assert relative(domain.tangent(batch, q)[0], quotient) < 1e-5


def test_scaling_of_time_and_unknown_is_undone():
    # u_t = u_xx + x-free decay: Q = u is a symmetry whatever the units
    u = sp.Function("u")(T, X)
    pde = PDE(name="small", title="", equation=sp.Eq(u.diff(T), 3 * u.diff(X, 2)),
              region={T: (0, 7), X: (0, 5)}, points={T: 9, X: 32}, periodic=[X])  # fmt: skip
    domain = PDEDomain(pde)
    x = torch.arange(32, dtype=torch.float64) * (5 / 32)
    values = 40 + 100 * torch.sin(2 * torch.pi * x / 5).expand(2, 3, 1, 32)
    trajectories = Trajectories(
        torch.tensor([1.0, 2.0, 8.0]).double(), Grid((Axis("x", 0, 5, 32, True),)), values, ("u",)
    )
    data, batch = slices_of(domain, trajectories)
    p = 2
    q = Characteristics(batch.points[None, :, p:], batch.tangents[None, :, p:])
    assert domain.tangent(batch, q).abs().max() < 1e-10
    w = (2 * torch.pi / 5) ** 2
    shape = torch.sin(2 * torch.pi * batch.points[:, 1])
    torch.testing.assert_close(
        batch.tangents[:, 2], -7 * 3 * w * 100 / data.scales.size[2] * shape, rtol=0, atol=1e-9
    )


def test_two_components_and_two_dimensions():
    y = sp.Symbol("y", real=True)
    u, v = (sp.Function(n)(T, X, y) for n in "uv")
    equations = [
        sp.Eq(u.diff(T), v * u.diff(X) + v.diff(y, 2)),
        sp.Eq(v.diff(T), u.diff(X, y) * u - T * v + sp.cos(X)),
    ]
    pde = PDE(name="small", title="", equation=equations, region={T: (0, 2), X: (0, 2 * sp.pi), y: (0, 2 * sp.pi)},
              points={T: 8, X: 16, y: 16}, periodic=[X, y])  # fmt: skip
    domain = PDEDomain(pde)
    grid = Grid((Axis("x", 0, 2 * torch.pi, 16, True), Axis("y", 0, 2 * torch.pi, 16, True)))
    a, b = grid.mesh(torch.float64, "cpu")
    slices = [torch.stack([torch.sin(a + k) + torch.cos(b), torch.cos(a - b) + k / 5]) for k in range(3)]
    trajectories = Trajectories(torch.tensor([0.0, 1.0, 2.0]).double(), grid, torch.stack(slices)[None], ("u", "v"))
    assert frechet_error(domain, trajectories) < 1e-6
    data, batch = slices_of(domain, trajectories, 3)
    assert batch.points.shape == (3, 5, *data.grid.shape) and domain.components == ("t", "x", "y", "u", "v")
    field = Wavy(5)
    _, q = domain.characteristic(batch, field)
    assert q.value.shape == (1, 3, 2, *data.grid.shape)
    plus, minus = (
        domain.characteristic(moved_in_time(domain, data, batch, s), field)[1].value for s in (DELTA, -DELTA)
    )
    assert relative((plus - minus) / (2 * DELTA), q.rate) < 1e-5
