"""Sweeps on two processes: what `lieapp sweep` answers, and what becomes of cells when something ends early."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

pytest.importorskip("distributed")

from lieapp.cli.main import run as command
from lieapp.results.sweep import Sweep
from lieapp.runs.store.directory import RunDirectory
from lieapp.sweeps import cluster, connecting, kept
from lieapp.sweeps.place import Local

GRID = '[grid]\nplugin = ["mine", "norm"]\nseed = [0, 1]\n[set]\nsamples = 150\nthreads = 1\n'


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """The address of a scheduler with two workers, which keep what isn't shared in a cache of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIEAPP_CACHE", str(tmp_path_factory.mktemp("cache")))
        with connecting.connected(Local(2)) as client:
            yield client.scheduler.address


@pytest.fixture
def sweep(write, mine, workers, capsys):
    """`lieapp sweep` on the workers: exit code and JSON."""

    def call(*arguments: str, on: str = workers):
        capsys.readouterr()
        code = command(["sweep", *arguments, "--on", on, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return call


def test_a_grid_gives_its_cells_and_a_table(sweep, write, mine):
    code, found = sweep(str(write(GRID)))
    assert code == 0 and found["sentence"] == "4 of 4 cells are done"
    keys = [{"plugin": plugin, "seed": seed} for plugin in ("mine", "norm") for seed in (0, 1)]
    runs = [cell["run"] for cell in found["cells"]]
    counts = [1, 1, 3, 3]  # the rotations of two and of three coordinates
    assert found["cells"] == [
        {"key": key, "state": "done", "run": run, "count": count}
        for key, run, count in zip(keys, runs, counts, strict=True)
    ]
    assert [(row["key"], row["cells"], row["done"], row["count"]["mean"]) for row in found["table"]] == [
        ({"plugin": "mine"}, 2, 2, 1.0), ({"plugin": "norm"}, 2, 2, 3.0)
    ]  # fmt: skip
    folder = Path(found["run"])
    assert all((folder / name).is_file() for name in ("report.html", "cells.csv", "figures/sweep.svg", "log.txt"))
    assert all(RunDirectory(Path(run)).state == "done" for run in [*runs, folder])
    assert json.loads((folder / "summary.json").read_text()) == found

    assert command(["runs", "figures", found["run"], "--json"]) == 0
    assert (folder / "figures" / "sweep.pdf").is_file()

    # nothing is missing: no worker is needed, and no run touched
    before = [os.stat(Path(run) / "status.json").st_mtime_ns for run in runs]
    code, again = sweep("grid.toml", "--resume", on="tcp://127.0.0.1:1")
    assert code == 0 and again["cells"] == found["cells"]
    # one run is gone: it alone is made again, of the plugin as it was
    for file in sorted(Path(runs[0]).rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    Path(runs[0]).rmdir()
    mine.write_text(mine.read_text().replace("y**2", "y**3"))
    mine.rename(mine.parent / "_later.py")
    code, again = sweep("--resume", found["run"])
    assert code == 0 and again["cells"] == found["cells"]
    assert [os.stat(Path(run) / "status.json").st_mtime_ns for run in runs][1:] == before[1:]

    Path(runs[3], "summary.json").write_text("{")
    code, again = sweep("--resume", found["run"], on="tcp://127.0.0.1:1")
    assert code == 1 and [cell["state"] for cell in again["cells"]] == ["done"] * 3 + ["failed"]
    assert "summary.json can't be read" in again["cells"][3]["error"]["message"]

    code, refused = sweep(str(write(GRID.replace("[0, 1]", "[0, 2]"))), "--resume")
    assert code == 2 and "has no sweep of this file" in refused["error"]["message"]


@pytest.mark.slow
def test_workers_that_share_no_folder_send_runs_back(sweep, write, monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "prove", lambda run: "what no worker reads")
    code, found = sweep(str(write(GRID)))
    assert code == 0 and [cell["count"] for cell in found["cells"]] == [1, 1, 3, 3]
    run = RunDirectory(Path(found["cells"][0]["run"]))
    assert run.summary().run == str(run.path) and (run.path / "report.html").is_file()
    assert [folder.is_relative_to(tmp_path) for folder in run.plugin_folders()] == [True]
    assert "doesn't share the folder of runs" in (Path(found["run"]) / "log.txt").read_text()


def test_workers_with_another_version_are_refused_by_name(sweep, write, monkeypatch, workers):
    real = cluster.versions()
    monkeypatch.setattr(cluster, "versions", lambda: {**real, "torch": "9.9"})
    code, found = sweep(str(write(GRID)))
    message = found["error"]["message"]
    assert code == 1 and message.count(f"has torch {real['torch']} (here 9.9)") == 2
    assert message.count("tcp://127.0.0.1:") == 2 and not list(Path("runs").glob("*-norm-*"))


def test_a_plugin_that_fails_on_workers_only_is_a_failed_cell(sweep, write, mine):
    with mine.open("a") as file:
        file.write(f"import os\nif os.getpid() != {os.getpid()}: raise RuntimeError('no licence here')\n")
    code, found = sweep(str(write(GRID)))
    assert code == 1 and found["sentence"] == "2 of 4 cells are done; 2 failed"
    first = found["cells"][0]
    assert first["state"] == "failed" and first["run"] is None
    assert "RuntimeError: no licence here" in first["error"]["message"]


def test_a_resume_runs_where_the_sweep_ran(write, monkeypatch):
    from lieapp.sweeps import sweep as module

    places = []
    monkeypatch.setattr(module, "execute", lambda run, config, place, quiet: places.append(place) or Sweep())
    write(GRID.replace('"mine", ', ""))
    for more in (["--on", "local:7"], ["--resume"], ["--resume", "--on", "local:3"]):
        assert command(["sweep", "grid.toml", *more]) == 0
    assert places == [Local(7), Local(7), Local(3)]


def test_a_scheduler_that_doesn_t_answer_is_told(sweep, write, monkeypatch):
    monkeypatch.setattr(connecting, "CONNECTING", 0.5)
    code, found = sweep(str(write(GRID)), on="tcp://127.0.0.1:1")
    assert code == 1 and "no scheduler answers" in found["error"]["message"]
    code, found = sweep("grid.toml", "--resume", on="tls://127.0.0.1:1")
    assert code == 1 and "doesn't name distributed.comm.tls.ca-file and" in found["error"]["message"]


@pytest.mark.parametrize(("says", "words"), [(b"", "no scheduler answers within 0 s."), (
    b"HTTP/1.1 400 Bad Request\r\n\r\n", "what answers there isn't a scheduler of Dask."
)])  # fmt: skip
def test_what_isn_t_a_scheduler_is_told(sweep, write, monkeypatch, says, words):
    monkeypatch.setattr(connecting, "CONNECTING", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        def answer():
            other, _ = server.accept()
            answered.append(other)
            other.sendall(says)

        answered = []
        threading.Thread(target=answer, daemon=True).start()
        began = time.monotonic()
        code, found = sweep(str(write(GRID)), on=f"tcp://127.0.0.1:{server.getsockname()[1]}")
    assert code == 1 and found["error"]["message"].endswith(words) and time.monotonic() - began < 5
    assert answered.pop().close() is None


def test_a_large_grid_is_asked_about(sweep, write):
    code, found = sweep(str(write(f"[grid]\nplugin = ['norm']\nseed = {list(range(1001))}")))
    assert code == 2 and "the grid has 1001 cells" in found["error"]["message"]
    assert "--yes" in found["error"]["hint"]


def test_a_worker_that_dask_gives_up_is_started_anew():
    called = []
    here, gone = (SimpleNamespace(is_alive=alive, close=None, loop=SimpleNamespace(add_callback=called.append))
                  for alive in (lambda: True, lambda: False))  # fmt: skip
    nannies = SimpleNamespace(workers={0: here, 1: gone}, scale=called.append)
    dead = set()
    connecting._restore(nannies, 2, dead)
    assert set(nannies.workers) == {0, 1} and called == [2]
    connecting._restore(nannies, 2, dead)
    assert set(nannies.workers) == {0} and called == [2, None, 2] and not dead


@pytest.mark.slow
def test_cells_go_on_when_workers_are_killed(sweep, write, workers):
    own = psutil.Process()
    killed = []

    def kill():
        # also one that just starts
        for pause in (2, 2, 0.5, 2):
            time.sleep(pause)
            with_hands = [one for one in own.children() if "spawn_main" in str(one.cmdline()) and one.children()]
            if with_hands:
                killed.append(with_hands[0].pid)
                with_hands[0].kill()

    killing = threading.Thread(target=kill)
    killing.start()
    code, found = sweep(str(write(GRID.replace("[0, 1]", "[0, 1, 2, 3]"))))
    killing.join()
    assert killed and code == 0 and found["sentence"] == "8 of 8 cells are done"
    # no cell has two runs
    assert len(RunDirectory.list(Path("runs"))) == 9


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_stops_the_cells_and_twice_ends_at_once(write, pytestconfig, times):
    write('[grid]\nplugin = ["ckdv"]\nseed = [0, 1, 2]\n[set]\nmethod = "spectrum"\n')
    log = open("log", "w")  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-m", "lieapp", "sweep", "grid.toml", "--on", "local:2"], stderr=log, stdout=log,
        env={**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)}, start_new_session=True,
    )  # fmt: skip
    cells = Path("runs").glob
    while not any(RunDirectory(run).status().stage for run in cells("*-ckdv-*")):
        assert process.poll() is None
        time.sleep(0.1)
    started = time.monotonic()
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.8)
    assert process.wait(60) == 130
    assert times == 1 or time.monotonic() - started < 10
    time.sleep(3)
    assert not any("lieapp.sweeps.hand" in str(one.info["cmdline"]) and str(Path.cwd()) in str(one.info["cwd"])
                   for one in psutil.process_iter(["cmdline", "cwd"]))  # fmt: skip
    states = {RunDirectory(run).state for run in cells("*-ckdv-*")}
    assert "done" not in states and (times == 2 or states == {"cancelled"})
    assert RunDirectory.list(Path("runs"))[-1].state == "cancelled" or times == 2
    assert "--resume" in Path("log").read_text()
