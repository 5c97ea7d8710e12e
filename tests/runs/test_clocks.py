"""Heartbeats bear the clock of the machine that wrote them: one from the future is no sign of life."""

import os
import time

import pytest

from lieapp.config import DiscoverConfig
from lieapp.errors import ResumeError
from lieapp.runs.overview import row
from lieapp.runs.pipeline import find_resumable
from lieapp.runs.process.claim import running
from lieapp.runs.process.queue import enqueue
from lieapp.runs.process.runner import _others_work
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import STALE, host, own_mark, read_status

HOUR = 3600.0


def at_work(root, written: float, **status: object) -> RunDirectory:
    """A run whose status.json says that it is worked on, written that many seconds ago."""
    run = RunDirectory.create(root, DiscoverConfig(plugin="heat"), "heat")
    run.update(state="running", by_runner=True, pid=2**22 + 1, **status)
    moment = time.time() - written
    os.utime(run.path / "status.json", (moment, moment))
    return RunDirectory(run.path)


@pytest.mark.parametrize("ahead", [-HOUR, HOUR, 1e10])
@pytest.mark.parametrize("where", ["elsewhere", host()])
def test_a_dead_process_is_lost_whatever_the_clock_said(tmp_path, where, ahead):
    run = at_work(tmp_path, HOUR, host=where, heartbeat=time.time() + ahead)
    assert run.state == "lost"
    assert not _others_work(tmp_path), "the queue doesn't wait for it"
    error = row(run)["error"]
    if ahead > 0:
        whose = "this machine" if where == host() else "elsewhere"
        assert f"by the clock of {whose} at that time, is " in error["message"] and "--resume" in error["hint"]
        assert ("1 h 0 min ahead" in error["message"]) == (ahead == HOUR)
    else:
        assert error is None
    assert find_resumable(tmp_path, run.id, "discover", {}).id == run.id
    with running(run):
        assert RunDirectory(run.path).state == "running"
    assert RunDirectory(run.path).state == "done"


@pytest.mark.parametrize("ahead", [-HOUR, 0.0, HOUR])
def test_a_process_elsewhere_that_writes_is_alive_whatever_its_clock_says(tmp_path, ahead):
    run = at_work(tmp_path, 3.0, host="elsewhere", heartbeat=time.time() + ahead)
    assert run.state == "running" and _others_work(tmp_path)
    with pytest.raises(ResumeError, match="on elsewhere is still running it") as caught, running(run):
        pass
    assert ("by the clock of elsewhere at that time, is 1 h 0 min ahead" in str(caught.value)) == (ahead > 0)
    assert "runs cancel" in caught.value.hint and f"lost {STALE:.0f} s after" in caught.value.hint


def test_a_process_of_this_machine_is_asked_for(tmp_path):
    run = at_work(tmp_path, HOUR, host=host(), heartbeat=time.time() + HOUR)
    run.update(state="running", pid=os.getpid(), process=own_mark(), heartbeat=time.time() + HOUR)
    assert read_status(run.path / "status.json").state == "running"
    run.update(process="long ago", heartbeat=time.time() + HOUR)
    assert read_status(run.path / "status.json").state == "lost"


def test_no_run_lasts_less_than_no_time(tmp_path):
    now = time.time()
    run = RunDirectory(tmp_path / enqueue(tmp_path, DiscoverConfig(plugin="heat")))
    run.update(state="failed", created=now + HOUR, finished=now)
    assert row(run)["seconds"] == 0.0
    run.update(state="queued", finished=None)
    assert row(run)["seconds"] == 0.0
