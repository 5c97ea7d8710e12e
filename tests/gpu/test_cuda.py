"""The same numbers on a CUDA device: data, spectrum, training and the whole command."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace

import pytest
import torch
from small_solutions import ARGUMENTS, Formulas, formulas, small

from lieapp.data.simulate import simulate
from lieapp.methods.by_spectrum import by_spectrum
from lieapp.methods.descent import Descent, Plan, Weights
from lieapp.methods.fields import Scaled
from lieapp.methods.flow import Flow, Solver, orbit
from lieapp.methods.loop import Alone
from lieapp.methods.losses import FiniteScore
from lieapp.methods.network import GeneratorNetwork
from lieapp.methods.projection import Projection, Settings
from lieapp.pde.domain import PDEDomain
from lieapp.pde.finite import judge_finite
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


@pytest.fixture(scope="module")
def trajectories():
    declaration = load_catalog().get("ckdv").declaration
    return {
        device: simulate(declaration, 8, torch.Generator().manual_seed(0), device) for device in ("cpu", "cuda")
    }


def test_data_agree(trajectories):
    cpu, cuda = trajectories["cpu"], trajectories["cuda"]
    assert cuda.values.device.type == "cuda" and cuda.values.dtype == torch.float64
    torch.testing.assert_close(cuda.values.cpu(), cpu.values, rtol=1e-8, atol=1e-9)


def test_spectrum_agrees(trajectories):
    domain = PDEDomain(load_catalog().get("ckdv").declaration)
    found = {
        device: by_spectrum(domain, domain.split(data, 6), (2, 4), 1, 1, 4, (60, 20), Alone())
        for device, data in trajectories.items()
    }
    assert found["cuda"].fields.coefficients.device.type == "cuda"
    cpu, cuda = (torch.tensor(found[device].levels[-1].eta) for device in ("cpu", "cuda"))
    torch.testing.assert_close(cuda[1:], cpu[1:], rtol=1e-3, atol=1e-9)
    assert cuda[0] < 1e-9


def test_training_runs_and_its_state_comes_back(trajectories):
    domain = PDEDomain(load_catalog().get("ckdv").declaration)
    settings = Settings(slots=2, steps=10, width=16, features=8, modes=1, batch=8, rate=1e-2, floor=1e-4)
    data = domain.split(trajectories["cuda"], 6)
    first = Projection(domain, data.draft, settings, 0, "cuda")
    rows = [first.step() for _ in range(5)]
    second = Projection(domain, data.draft, settings, 0, "cuda")
    second.load(first.state())
    assert second.step()["loss"] == pytest.approx(first.step()["loss"], rel=1e-6)
    assert rows[-1]["loss"] < rows[0]["loss"] + 5


def test_the_command(tmp_path):
    command = [sys.executable, "-m", "lieapp", "discover", "--plugin", "ckdv", "--device", "cuda:0"]
    found = subprocess.run([*command, "--out", str(tmp_path), "--json"], capture_output=True, text=True, check=True)
    summary = json.loads(found.stdout)
    print(summary["seconds"], summary["generators"], [row["cosine"] for row in summary["truth"]])
    assert summary["count"] == 2
    assert min(row["cosine"] for row in summary["truth"]) > 0.999


def test_processes_of_a_sweep_share_the_gpus(tmp_path):
    """Two processes at a time: the second takes another GPU, or the only one too."""
    code = (
        "import sys; from lieapp.numerics.processor import find_device; from lieapp.sweeps.hand import take_gpu; "
        "take_gpu(); print(find_device('auto'), flush=True); sys.stdin.read()"
    )
    with ExitStack() as ending:
        found = []
        for _ in range(2):
            process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "TMPDIR": str(tmp_path)},
            )  # fmt: skip
            ending.callback(process.communicate)
            found.append(process.stdout.readline().strip())
    assert found == ["cuda:0", f"cuda:{min(1, torch.cuda.device_count() - 1)}"]


def network(device, slots=3):
    torch.manual_seed(0)
    return GeneratorNetwork(ARGUMENTS, 3, slots, 16, 8).double().to(device)


def on(device, name, backend, **options):
    """Small solutions on a device."""
    made = small(name)
    made = replace(made, trajectories=made.trajectories.to(device))
    return made.using(backend, **options)


def agree(cuda, cpu, tolerance):
    assert cuda.device.type == "cuda"
    scale = float(cpu.detach().abs().max())
    torch.testing.assert_close(cuda.detach().cpu(), cpu.detach(), rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("solver", [Solver(), Solver(adjoint=True), Solver("dopri5")], ids=lambda s: f"{s}")
def test_flow_and_its_gradients_agree(solver):
    points = torch.rand(3, 2, 3, 8, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    s, found = torch.tensor([0.35, -0.1, 0.2], dtype=torch.float64), {}
    for device in ("cpu", "cuda"):
        fields, here = network(device), points.to(device).requires_grad_()
        moved = Flow(Scaled(fields, torch.tensor([1.0, 2.0, 0.5]).double().to(device)), solver)(here, s.to(device))
        moved.square().sum().backward()
        path = orbit(fields, points.to(device), torch.tensor([-0.3, 0.0, 0.25]).double().to(device))
        slopes = torch.cat([p.grad.flatten() for p in fields.parameters()])
        found[device] = (moved, here.grad, slopes, path)
    for cuda, cpu in zip(found["cuda"], found["cpu"], strict=True):
        agree(cuda, cpu, 1e-9 if solver.name == "rk4" else 1e-5)


def shaken(points):
    """A field that is no symmetry of anything."""
    t, x, u = points.unbind(1)
    w = 2 * torch.pi * x
    return torch.stack([0.5 + 0.3 * torch.sin(w), 0.4 + 0.3 * torch.cos(w) * t + 0.3 * u, torch.sin(w + t) * u], 1)[
        None
    ]


@pytest.mark.parametrize(
    ("backend", "options"),
    [("curvilinear", {"accuracy": 4}), ("weno", {}), ("weno", {"extra": 1}), ("bilinear", {})],
)
def test_residual_of_moved_data_agrees(backend, options):
    found = {}
    for device in ("cpu", "cuda"):
        made = on(device, "kdv", backend, **options)
        batch = made.whole(samples=2)
        moved = made.domain.act(Flow(Formulas(shaken)), batch, torch.tensor([0.1]).double().to(device))
        residual = made.domain.residual(moved)
        validity = made.domain.validity(batch, moved, power=2)
        found[device] = (residual.value, residual.valid.double(), validity.score, validity.share, validity.folded)
    assert found["cpu"][2].min() > 1e-3
    for cuda, cpu in zip(found["cuda"], found["cpu"], strict=True):
        agree(cuda, cpu, 1e-6)


def test_a_step_of_descent_agrees_and_resumes():
    plan = Plan(steps=2, batch=2, weights=Weights(), tau=2.0, rate=lambda n: 1e-2, sobolev_from=0)

    def descent(device, seed=3):
        made = on(device, "kdv", "curvilinear", accuracy=4)
        score = FiniteScore(made.domain, 0.2, Solver(), plain=False)
        return Descent(made.patches(17), network(device), score, plan, seed)

    cpu, cuda = descent("cpu"), descent("cuda")
    rows = [d.step() for d in (cpu, cuda)]
    for key in ("loss", "symmetry", "orthonormality", "lipschitz", "sobolev", "validity", "s"):
        assert rows[1][key] == pytest.approx(rows[0][key], rel=1e-6)
    again = descent("cuda", seed=9)
    again.load(cuda.state())
    assert again.step()["loss"] == pytest.approx(cuda.step()["loss"], rel=1e-9)


def test_fields_judged_at_finite_size_agree():
    found = {}
    for device in ("cpu", "cuda"):
        made = on(device, "kdv", "weno")
        fields = formulas(made, ("0", "t", "1"), ("0", "0", "u"))
        reach = torch.tensor([1.0, 2.0], dtype=torch.float64)
        batches = list(made.patches().batches(1))
        found[device] = judge_finite(made.domain, fields, reach, batches, [-0.1, 0.1], 0.05, SilentReporter())
    for name in ("defect", "share", "folded"):
        torch.testing.assert_close(getattr(found["cuda"], name), getattr(found["cpu"], name), rtol=1e-4, atol=1e-7)
