"""The same numbers on a CUDA device: data, spectrum, training and the whole command."""

import json
import subprocess
import sys

import pytest
import torch

from lieapp.data.simulate import simulate
from lieapp.discovery.by_spectrum import by_spectrum
from lieapp.discovery.projection import Projection, Settings
from lieapp.domains.pde import PDEDomain
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
        device: by_spectrum(domain, domain.split(data, 6), (2, 4), 1, 1, 4, (60, 20), SilentReporter())
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
