"""Queued runs start one at a time, in order, and none is forgotten."""

import os
import subprocess
import sys
import time

from lieapp.config import DiscoverConfig
from lieapp.runs.process import runner as runner_module
from lieapp.runs.process.claim import running
from lieapp.runs.process.queue import cancel, enqueue, ensure_runner, next_queued
from lieapp.runs.process.runner import serve, work_on
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import host, own_mark

WORKER = """
import sys
from pathlib import Path
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.process.claim import running
run = RunDirectory(Path(sys.argv[1]))
others = [r.state for r in RunDirectory.list(run.path.parent)]
with running(run):
    assert "running" not in others, others
"""


def config(name: str) -> DiscoverConfig:
    return DiscoverConfig(plugin=name)


def start(run: RunDirectory) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WORKER, str(run.path)])


def wait_for(root, states: set[str], seconds: float = 20) -> list[str]:
    deadline = time.time() + seconds
    while time.time() < deadline:
        found = [run.state for run in RunDirectory.list(root)]
        if set(found) <= states:
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_one_after_another_and_the_cancelled_one_never(tmp_path):
    ids = [enqueue(tmp_path, config(name)) for name in "abc"]
    assert next_queued(tmp_path).id == ids[0]
    cancel(RunDirectory.find(tmp_path, ids[1]))
    serve(tmp_path, start)
    states = {run.id: run.state for run in RunDirectory.list(tmp_path)}
    assert [states[i] for i in ids] == ["done", "cancelled", "done"]


def test_a_second_runner_leaves_and_a_late_run_is_still_found(tmp_path, monkeypatch):
    enqueue(tmp_path, config("a"))
    looks = []

    def late(root, passed_over=()):
        found = next_queued(root, passed_over)
        looks.append(found)
        # after the last look, before the lock is free: what the comment in serve is about
        if found is None and len(looks) == 2:
            enqueue(tmp_path, config("late"))
            second = subprocess.run([sys.executable, "-c", SECOND, str(tmp_path)], timeout=20, check=False)
            assert second.returncode == 0
            assert "queued" in [run.state for run in RunDirectory.list(tmp_path)]
        return found

    monkeypatch.setattr(runner_module, "next_queued", late)
    serve(tmp_path, start)
    assert [run.state for run in RunDirectory.list(tmp_path)] == ["done", "done"]


SECOND = """
import sys
from pathlib import Path
from lieapp.runs.process.runner import serve, work_on
serve(Path(sys.argv[1]))
"""


def test_a_process_that_dies_before_it_begins_leaves_a_failed_run(tmp_path):
    enqueue(tmp_path, config("a"))
    serve(tmp_path, lambda run: subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]))
    (run,) = RunDirectory.list(tmp_path)
    error = run.status().error
    assert run.state == "failed" and error is not None and "code 7" in error["message"]


def test_a_run_begins_with_its_process_and_anew_when_it_is_resumed(tmp_path):
    first = RunDirectory.create(tmp_path, config("kdv"), "kdv")
    with running(first):
        assert not first.status().begun  # as it was made
    queued = RunDirectory.create(tmp_path, config("ks"), "ks", state="queued")
    queued.update(created=5.0)
    before = time.time()
    assert work_on(queued, start) and queued.status().created == 5.0
    begun = RunDirectory(queued.path).status().begun
    assert before <= begun <= time.time()
    for run in (first, RunDirectory(queued.path)):
        run.update(state="failed")
        with running(run):
            assert run.status().begun >= max(begun, before)


def test_a_process_that_can_t_be_started_leaves_a_failed_run(tmp_path):
    enqueue(tmp_path, config("a"))

    def refuse(run):
        raise OSError("no memory")

    serve(tmp_path, refuse)
    assert [run.state for run in RunDirectory.list(tmp_path)] == ["failed"]


def test_the_real_runner_in_the_background(tmp_path):
    """Through the command line: the plugin is unknown, which the run itself finds out and writes down."""
    ensure_runner(tmp_path)  # nothing waits: nothing happens
    assert not (tmp_path / ".runner.log").exists()
    enqueue(tmp_path, config("not-there"))
    ensure_runner(tmp_path)
    ensure_runner(tmp_path)
    assert wait_for(tmp_path, {"failed"}) == ["failed"]
    (run,) = RunDirectory.list(tmp_path)
    error = run.status().error
    assert error is not None and error["type"] == "UnknownPluginError"
    assert "there is no plugin" in (run.path / "log.txt").read_text()


def test_a_run_left_by_a_runner_ended_by_force_is_waited_for(tmp_path, monkeypatch):
    left = RunDirectory.create(tmp_path, config("left"), "left")
    left.update(state="running", by_runner=True, pid=os.getpid(), host=host(), process=own_mark())
    enqueue(tmp_path, config("next"))
    waited = []

    def wait(seconds):
        waited.append(next_queued(tmp_path))
        left.update(state="done", by_runner=False)

    monkeypatch.setattr(runner_module.time, "sleep", wait)
    serve(tmp_path, start)
    assert len(waited) == 1 and waited[0] is not None
    assert {run.state for run in RunDirectory.list(tmp_path)} == {"done"}
