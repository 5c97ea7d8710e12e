"""The process that executes cells: the runs that it makes are those that commands make."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from lieapp.runs.store.directory import RunDirectory
from lieapp.sweeps.carried import FOLDER, folders_in
from lieapp.sweeps.hands import Hand, HandLostError
from lieapp.sweeps.kept import read_cells
from lieapp.sweeps.messages import Setup, Task

GRID = '[grid]\nplugin = ["mine"]\nseed = [0, 1, 2]\n[set]\nsamples = 150\nthreads = 1\n'


@pytest.fixture
def hand(mine, begun, tmp_path):
    """A process for the cells of a small sweep, and these as tasks."""
    run, _ = begun(GRID)
    folders = [str(folder) for folder in folders_in(run.path / FOLDER)]
    held = Hand(Setup(folders, ["lieapp", "sweep", "grid.toml"], str(tmp_path)), run.path)
    tasks = [
        Task(plan.run, str(run.path.parent), "discover", plan.plugin, plan.sha256, plan.config, run.id)
        for plan in read_cells(run)
    ]
    yield held, tasks
    held.end()


def test_a_cell_uses_memory_as_a_command_does(tmp_path, monkeypatch):
    """What Dask's workers are told about memory isn't meant for cells."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.setenv("LIEAPP_KEPT", "1")
    held = Hand(Setup([], ["lieapp", "sweep"], str(tmp_path)), tmp_path)
    environment, until, entries = Path(f"/proc/{held._process.pid}/environ"), time.monotonic() + 60, b""
    try:
        while not entries and time.monotonic() < until:  # the kernel shows none until the process has its memory
            entries = environment.read_bytes()
    finally:
        held.end()
    names = [entry.split(b"=")[0] for entry in entries.split(b"\0")]
    assert b"MALLOC_TRIM_THRESHOLD_" not in names and b"LIEAPP_KEPT" in names


TAKING = """
import sys
from types import SimpleNamespace as Fake

names = sys.argv[1:]
cuda = Fake(is_available=lambda: bool(names), device_count=lambda: len(names), set_device=print)
cuda.get_device_properties = lambda number: Fake(uuid=names[number])
sys.modules["torch"] = Fake(cuda=cuda)

from lieapp.sweeps.hand import take_gpu

take_gpu()
take_gpu()
print("ready", flush=True)
sys.stdin.read()
"""
"""A process that takes a GPU of those that are named, and keeps it until its input ends."""


@pytest.fixture
def take(tmp_path):
    """Start a process that sees these GPUs: the process, and the number of the one that it took."""
    processes = []

    def taken(*names: str):
        process = subprocess.Popen(
            [sys.executable, "-c", TAKING, *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        processes.append(process)
        lines = [*iter(process.stdout.readline, "ready\n")]
        return process, *map(int, lines)

    yield taken
    for process in processes:
        process.communicate()


def test_processes_of_a_host_take_gpus_in_turn(take):
    """Those that no other has first; where all are taken, several share each."""
    first, number = take("a", "b")
    assert number == 0
    assert [take("a", "b")[1] for _ in range(4)] == [1, 0, 1, 0]
    first.kill()
    first.wait()
    assert take("a", "b")[1] == 0, "what a process had is free again when it ends"


def test_a_gpu_is_the_same_one_in_any_order_of_visible_ones(take):
    """Dask-CUDA lists the GPUs for each worker from its own on; a job may see a single one."""
    assert [take(*names)[1] for names in ("abc", "bca", "cab")] == [0, 0, 0]
    assert take("b")[1] == 0
    assert take("b", "a")[1] == 1
    assert len(take()) == 1


def the_same(run, other):
    """Whether two results are the same but for the run's name and its times."""
    found = []
    for one in (run, other):
        document = json.loads((one.path / "summary.json").read_text())
        found.append({key: value for key, value in document.items() if key not in ("run", "seconds")})
    return found[0] == found[1]


def test_a_cell_is_the_run_made_by_hand(hand, tmp_path):
    import lieapp

    held, tasks = hand
    assert [held.ask(task).state for task in tasks[:2]] == ["done", "done"]
    runs = [RunDirectory(tmp_path / "runs" / task.run) for task in tasks]
    assert runs[0].state == "done" and not the_same(runs[0], runs[1]) and not runs[2].path.exists()
    assert runs[0].provenance()["sweep"] == tasks[0].sweep
    assert runs[0].provenance()["device_used"] == "cpu"
    assert runs[0].provenance()["command"] == ["lieapp", "sweep", "grid.toml"]
    # the seconds of the second run begin with it
    assert runs[1].summary().seconds["start"] < 2
    by_hand = lieapp.discover("mine", seed=1, samples=150, threads=1, out=tmp_path / "hand", quiet=True)
    assert the_same(runs[1], by_hand.directory) and runs[1].config() == by_hand.directory.config()
    # what is done isn't done again
    before = (runs[1].path / "log.txt").read_text()
    assert held.ask(tasks[1]).state == "done" and (runs[1].path / "log.txt").read_text() == before


def test_what_is_wrong_with_a_cell_is_its_answer(hand):
    held, tasks = hand
    other = held.ask(msgspec.structs.replace(tasks[0], sha256="0" * 64))
    assert other.state == "failed" and "00000000 where the sweep began" in other.error.message
    unknown = held.ask(msgspec.structs.replace(tasks[0], plugin="nothing"))
    assert unknown.error.type == "UnknownPluginError" and "nothing" in unknown.error.message
    assert held.ask(tasks[0]).state == "done"


def test_a_cell_waits_for_whoever_still_works_on_its_run(hand, tmp_path):
    held, tasks = hand
    assert held.ask(tasks[0]).state == "done"
    run = RunDirectory(tmp_path / "runs" / tasks[0].run)
    run.update(state="cancelled")
    with run.locked() as free:
        assert free
        answers = []
        asking = threading.Thread(target=lambda: answers.append(held.ask(tasks[0])), daemon=True)
        asking.start()
        time.sleep(1.5)
        assert answers == [] and run.state == "cancelled"
    asking.join(60)
    assert [answer.state for answer in answers] == ["done"]


def test_a_process_that_is_killed_is_told(hand):
    held, tasks = hand
    os.kill(held._process.pid, signal.SIGKILL)
    with pytest.raises(HandLostError, match=r"ended by signal 9; .*workers\.log has what it said"):
        held.ask(tasks[0])
