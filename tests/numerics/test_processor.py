"""Freed tensors leave their pages to the next ones; which GPU a device is."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lieapp.errors import DeviceError
from lieapp.numerics import ranks
from lieapp.numerics.processor import find_device
from lieapp.numerics.torchrun import launch

SCRIPT = """
import resource
import torch
from lieapp.numerics.processor import use_processor
use_processor(1)

def faults(rounds):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        a = torch.ones(2**20, dtype=torch.float64)
        b = a * 2
        del a, b
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(20)
print(faults(20), torch.get_num_threads())
"""
"""20 times two tensors of 8 MiB, which are 2048 pages of 4 KiB each, once the heap has grown to what they need."""


def faults(**environment: str) -> tuple[int, int]:
    path = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), **environment}
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=path)
    count, threads = found.stdout.split()
    return int(count), int(threads)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mallopt is the GNU C library's")
def test_pages_of_freed_tensors_are_used_again() -> None:
    count, threads = faults()
    assert threads == 1
    # Without use_processor the library may go either way: it sometimes sees by itself that the sizes come again.
    assert count < 2048


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the variable is the GNU C library's")
def test_an_environment_that_sets_malloc_is_left_as_it_is() -> None:
    assert faults(MALLOC_MMAP_THRESHOLD_="131072")[0] > 20 * 2048


def test_a_device_without_a_number_is_the_current_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    assert [find_device(text) for text in ("auto", "cuda", "cuda:2")] == ["cuda:0", "cuda:0", "cuda:2"]
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert [find_device(text) for text in ("auto", "cuda", "cuda:0")] == ["cuda:1", "cuda:1", "cuda:0"]
    with pytest.raises(DeviceError, match="cuda:0 to cuda:2"):
        find_device("cuda:3")
    for name, value in THIRD.items():
        monkeypatch.setenv(name, value)
    assert find_device("auto") == "cuda:2"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_device("auto") == "cpu"


THIRD = {
    "RANK": "2", "WORLD_SIZE": "3", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
}  # fmt: skip
"""What torchrun tells the third of three processes."""


def test_processes_of_torchrun_never_share_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in THIRD.items():
        monkeypatch.setenv(name, value)
    chosen: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(ranks, "_meet", lambda place, backend: None)
    monkeypatch.setattr(ranks.dist, "destroy_process_group", lambda: None)
    place = launch()
    assert place is not None
    for text in ("auto", "cuda"):
        for local in ("0", "2"):  # all say so, also one that would have a GPU
            monkeypatch.setenv("LOCAL_RANK", local)
            with pytest.raises(DeviceError, match="started 3 processes on this machine, which has 2 CUDA devices"):
                find_device(text)
    assert find_device("cpu") == "cpu"
    with ranks.together(place):
        assert chosen == []
    with ranks.together(replace(place, local=1)):
        assert chosen == [1]
