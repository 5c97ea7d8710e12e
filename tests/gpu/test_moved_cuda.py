"""Derivatives of moved data and their gradients are the same on a CUDA device."""

import math

import pytest
import torch

from lieapp.numerics.differentiator import differentiator
from lieapp.numerics.grid import Axis, Grid

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def jets_and_gradients(name, options, device, dtype, scatter):
    g = Grid((Axis("t", 1.0, 2.0, 30), Axis("x", 0.0, 2 * math.pi, 32, periodic=True)))
    t, x = g.mesh(torch.float64, "cpu")
    noise = torch.randn(3, 2, 30, 32, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    positions = torch.stack([t + 0.05 * torch.sin(x), x + 0.2 * torch.cos(x + t)]) + scatter * noise
    values = torch.sin(positions[:, 1:]) * positions[:, :1]
    positions, values = (z.to(device, dtype).requires_grad_() for z in (positions, values))
    found = differentiator(name, g, [(0, 0), (1, 0), (0, 1), (0, 3), (1, 1)], **options).jets(positions, values)
    sum(d.square().mean() for d in found.derivatives.values()).backward()
    tensors = (*found.derivatives.values(), found.folded, positions.grad, values.grad)
    assert all(z.device.type == device for z in tensors)
    return [z.detach().cpu() for z in tensors], found.valid.cpu()


@pytest.mark.parametrize(
    ("name", "options"),
    [("weno", {}), ("weno", {"extra": 1}), ("curvilinear", {}), ("bilinear", {})],
)
def test_cuda_agrees_with_the_cpu(name, options):
    options = options if name != "curvilinear" else {"accuracy": 4}
    cpu, valid = jets_and_gradients(name, options, "cpu", torch.float64, 0.0)
    cuda, valid_there = jets_and_gradients(name, options, "cuda", torch.float64, 0.0)
    assert torch.equal(valid, valid_there)
    for expected, got in zip(cpu, cuda, strict=True):
        assert (got - expected).abs().max() <= 1e-7 * expected.abs().max()
    rough, _ = jets_and_gradients(name, options, "cuda", torch.float32, 0.0)
    for expected, got in zip(cpu, rough, strict=True):
        assert (got - expected).abs().max() <= 0.05 * expected.abs().max()


@pytest.mark.parametrize("scatter", [0.3, 30.0])
@pytest.mark.parametrize("name", ["weno", "curvilinear", "bilinear"])
def test_scattered_nodes_stay_finite_on_cuda(name, scatter):
    options = {"accuracy": 4} if name == "curvilinear" else {}
    found, _ = jets_and_gradients(name, options, "cuda", torch.float32, scatter)
    assert all(z.isfinite().all() for z in found)
