"""Freed tensors leave their pages to the next ones."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import resource, sys
import torch
from lieapp.numerics.processor import use_processor
if sys.argv[1] == "kept":
    use_processor(1)
torch.ones(2**20, dtype=torch.float64)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    a = torch.ones(2**20, dtype=torch.float64)
    b = a * 2
    del a, b
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, torch.get_num_threads())
"""
"""20 times two tensors of 8 MiB: 2048 pages of 4 KiB each."""


def faults(which: str, **environment: str) -> tuple[int, int]:
    path = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), **environment}
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, which], capture_output=True, text=True, check=True, env=path
    )
    count, threads = found.stdout.split()
    return int(count), int(threads)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mallopt is the GNU C library's")
def test_pages_of_freed_tensors_are_used_again() -> None:
    count, threads = faults("kept")
    assert threads == 1

    assert faults("given back")[0] > 4 * count


def test_an_environment_that_sets_malloc_is_left_as_it_is() -> None:
    assert faults("kept", MALLOC_MMAP_THRESHOLD_="131072")[0] > 20 * 2048
