"""The benchmark of a GPU: what it does without one, within its time, and each of its parts once on the CPU."""

import json
import subprocess
import sys

import pytest
import torch
from gpu import CASES, alone, main


@pytest.fixture
def call(monkeypatch, tmp_path):
    """The script as a command on a machine with a GPU that takes half of the CPU's time; its table."""

    def measured(name, size, device, threads):
        card = {"card": "a card"} if device == "cuda" else {}
        seconds = [1.0, 3.0, 2.0] if device == "cuda" else [4.0]
        return {"case": name, "size": size, "device": device, "seconds": seconds, "memory": 1.5, **card}

    monkeypatch.setattr("gpu.alone", measured)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)

    def command(*options):
        monkeypatch.setattr(sys, "argv", ["gpu.py", *options, "--out", str(tmp_path / "gpu.md")])
        main()
        return (tmp_path / "gpu.md").read_text()

    return command


def test_both_devices_stand_side_by_side(call, tmp_path):
    text = call("--only", "weno", "paper")
    assert "GPU: a card, CUDA" in text
    assert "| step of the paper preset, kdv | batch 4 | 4 (4–4) | 2 (1–3) | 2.0 | 1.50 |" in text
    rows = json.loads((tmp_path / "gpu.json").read_text())["rows"]
    assert [(row["case"], row["size"], row["device"]) for row in rows] == [
        (case, CASES[case].sizes[place], device)
        for place in (0, 1) for case in ("weno", "paper") for device in ("cuda", "cpu")
    ]  # fmt: skip


def test_nothing_begins_after_the_time_is_over(call, tmp_path):
    with pytest.raises(FileNotFoundError):
        call("--seconds", "0")


def test_without_a_gpu_it_is_said(call, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="no CUDA device here; --cpu measures the CPU alone"):
        call()
    text = call("--cpu", "--only", "data", "--sizes", "1")
    assert "| simulation, kdv | trajectories 64 | 4 (4–4) | not measured |  |  |" in text and "GPU:" not in text


def test_a_row_that_fails_or_takes_too_long_says_so(monkeypatch):
    def failing(command, **options):
        return subprocess.CompletedProcess(command, 1, "", "Traceback\nOutOfMemoryError: of 80 GiB")

    def slow(command, timeout, **options):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", failing)
    assert alone("weno", 4, "cuda", 1)["error"] == "OutOfMemoryError: of 80 GiB"
    monkeypatch.setattr(subprocess, "run", slow)
    assert alone("weno", 4, "cuda", 1)["error"] == "not done in 80 s"


SMALL = {"weno": 1, "weno64": 1, "spectrum": 4, "data": 2, "resnet": 2, "paper": 1}
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in SMALL if not name.startswith("weno")]


@pytest.mark.parametrize("name", ["weno", "weno64", *SLOW])
def test_each_part_can_be_called_again(name):
    assert set(SMALL) == set(CASES)
    work = CASES[name].prepare(SMALL[name], "cpu")
    work()
    work()
