"""How work on a run ends: done, cancelled, failed, or lost with its process."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from lieapp.config import DiscoverConfig
from lieapp.errors import CancelledError, DataError, ResumeError, RunError
from lieapp.progress import SilentReporter
from lieapp.results.discovery import EquationResult
from lieapp.runs.process import claim
from lieapp.runs.process.claim import running
from lieapp.runs.process.queue import cancel
from lieapp.runs.process.signals import delivered, interrupted, interruptible
from lieapp.runs.store import status
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.reporter import RunReporter
from lieapp.runs.store.status import host, is_alive, own_mark, start_mark

CONFIG = DiscoverConfig(plugin="ckdv")


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(tmp_path, CONFIG, "ckdv")


def disk(run: RunDirectory) -> status.Status:
    return RunDirectory(run.path).status()


WORKER = """
import sys, time
from pathlib import Path
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.process.claim import running
with running(RunDirectory(Path(sys.argv[1]))):
    print("at work", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def worker(run):
    """A process at work on the run."""
    child = subprocess.Popen([sys.executable, "-c", WORKER, str(run.path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"at work\n"
    yield child
    child.kill()
    child.wait()
    child.stdout.close()


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")


@needs_full
def test_a_full_disk_fails_the_run_and_names_the_file(run):
    """Neither the log, which has no room either, nor a draft stands in the way of that error."""
    os.symlink("/dev/full", run.path / "log.txt")
    with pytest.raises(OSError) as caught, running(run):
        run.log("one line too many")
    assert caught.value.errno == errno.ENOSPC and caught.value.filename == str(run.path / "log.txt")
    told = disk(run).error
    assert disk(run).state == "failed" and told["type"] == "FileError" and "bug" not in told["hint"]
    assert told["message"] == f"{run.path / 'log.txt'}: No space left on device."


def test_a_full_disk_leaves_the_old_content_and_no_draft(run, monkeypatch):
    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device", source)

    run.write_summary(EquationResult(count=1))
    before = sorted(run.path.iterdir())
    with monkeypatch.context() as patched, pytest.raises(OSError) as caught:
        patched.setattr(os, "replace", full)
        run.write_summary(EquationResult(count=2))
    assert caught.value.filename == str(run.path / "summary.json")
    assert run.summary() == EquationResult(count=1) and sorted(run.path.iterdir()) == before


def test_a_disk_without_room_for_the_status_shows_the_first_error(run, monkeypatch):
    with pytest.raises(DataError, match="first"), running(run):
        monkeypatch.setattr(run, "update", lambda **changes: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        raise DataError("first")


def test_done(run):
    with running(run):
        now = disk(run)
        assert (now.state, now.pid, now.host, now.process) == ("running", os.getpid(), host(), own_mark())
    assert disk(run).state == "done" and disk(run).finished is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt, CancelledError("stop")])
def test_cancelled(run, error):
    with pytest.raises(CancelledError, match="cancelled") as caught, running(run):
        raise error
    assert caught.value.exit_code == 130 and f"--resume {run.path}" in caught.value.hint
    assert disk(run).state == "cancelled"


def test_failed_keeps_the_error_and_its_traceback(run):
    with pytest.raises(DataError), running(run):
        raise DataError("no data", hint="Find some.")
    assert disk(run).error == {"type": "DataError", "message": "no data", "hint": "Find some."}
    with pytest.raises(ZeroDivisionError), running(run):
        raise ZeroDivisionError
    error = disk(run).error
    assert error is not None and "bug" in error["hint"]
    assert "test_session.py" in (run.path / "log.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_cancel(run, worker, number):
    worker.send_signal(number)
    worker.wait(10)
    assert disk(run).state == "cancelled"


def test_a_killed_process_is_lost_after_its_heartbeat_is_old_and_can_go_on(run, worker):
    assert disk(run).state == "running"
    worker.kill()
    worker.wait()
    assert disk(run).state == "running"
    later = time.time() + status.STALE + 1
    assert status.read_status(run.path / "status.json", later).state == "lost"
    with running(run):
        assert disk(run).state == "running"
    assert disk(run).state == "done"


def test_a_living_process_is_not_lost_however_old_its_heartbeat(run, worker):
    assert status.read_status(run.path / "status.json", time.time() + 3600).state == "running"


def test_a_number_used_again_by_another_process_is_not_ours(run):
    run.update(state="running", pid=os.getpid(), host=host(), process="long ago", heartbeat=0.0)
    assert disk(run).state == "lost"
    run.update(process=own_mark(), heartbeat=0.0)
    assert disk(run).state == "running"
    run.update(host="elsewhere", heartbeat=0.0)
    # written a moment ago, by a machine whose clock is far behind
    assert disk(run).state == "running"
    os.utime(run.path / "status.json", (0, 0))
    assert disk(run).state == "lost"


def test_a_process_nobody_waited_for_counts_as_gone():
    child = subprocess.Popen([sys.executable, "-c", ""])
    mark = start_mark(child.pid)
    deadline = time.time() + 10
    while is_alive(child.pid, mark) and time.time() < deadline:
        time.sleep(0.02)
    assert not is_alive(child.pid, mark)
    child.wait()


def test_a_run_still_at_work_can_t_be_resumed(run, worker):
    with pytest.raises(ResumeError, match="is still running it"), running(run):
        pass
    assert disk(run).pid == worker.pid


def test_nor_twice_within_one_process(run):
    with running(run), pytest.raises(ResumeError), running(RunDirectory(run.path)):
        pass
    assert disk(run).state == "done"


def test_cancel_asks_the_process_and_a_waiting_run_is_withdrawn(run, tmp_path):
    with pytest.raises(CancelledError), running(run):
        report = RunReporter(SilentReporter(), run)
        report.progress(1, 10)
        assert cancel(RunDirectory(run.path)) == "running"
        report.progress(2, 10)
    assert disk(run).state == "cancelled" and disk(run).step == 1
    with pytest.raises(RunError, match="nothing to cancel"):
        cancel(run)
    # the request was obeyed and doesn't stop the next attempt
    with running(run):
        assert not run.cancel_requested
    queued = RunDirectory.create(tmp_path, CONFIG, "q", state="queued")
    assert cancel(queued) == "cancelled"


def test_a_request_that_came_before_the_start_is_obeyed(tmp_path):
    run = RunDirectory.create(tmp_path, CONFIG, "q", state="starting")
    run.request_cancel()
    with pytest.raises(CancelledError, match="before it started"), running(run):
        raise AssertionError
    assert disk(run).state == "cancelled"


def test_work_that_doesn_t_look_is_interrupted(run, monkeypatch):
    monkeypatch.setattr(claim, "GRACE", 0.1)
    monkeypatch.setattr(claim, "GLANCE", 0.05)
    started = time.monotonic()
    with pytest.raises(CancelledError), running(run):
        run.request_cancel()
        time.sleep(20)
    assert time.monotonic() - started < 10


def test_the_heartbeat_goes_on_while_nothing_is_reported(run, monkeypatch):
    monkeypatch.setattr(claim, "BEAT", 0.05)
    monkeypatch.setattr(claim, "GLANCE", 0.02)
    with running(run):
        before = disk(run).heartbeat
        time.sleep(0.5)
        assert disk(run).heartbeat > before


def test_outside_the_main_thread(run):
    def work():
        with running(run):
            pass

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert disk(run).state == "done"


def test_what_an_interrupt_breaks_is_cancelled_too(run):
    """A signal inside an import may come out as another error; it is still the user's wish to stop."""
    with pytest.raises(CancelledError), running(run):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise RecursionError("half loaded") from None
    assert disk(run).state == "cancelled"


def test_an_interrupt_is_one_of_its_block_only():
    with pytest.raises(KeyboardInterrupt), interruptible():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            assert interrupted()
    assert not interrupted() and delivered.is_set()
    with interruptible():
        assert not interrupted() and not delivered.is_set()
