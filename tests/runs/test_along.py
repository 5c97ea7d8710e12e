"""`torchrun -m lieapp`: one run and one voice; a process that dies ends all, and the run goes on from there."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from datetime import timedelta

import msgspec
import psutil
import pytest

from lieapp.cli.main import run
from lieapp.config import DiscoverConfig, Flow
from lieapp.errors import CancelledError, ConfigError, LostProcessError
from lieapp.numerics.torchrun import Launch, has_spoken, others, say_here, say_spoken, say_why, why
from lieapp.pde.kind import PDES
from lieapp.progress import SilentReporter
from lieapp.registry.catalog import load_catalog
from lieapp.runs import along
from lieapp.runs.along import Process, leading
from lieapp.runs.process.claim import running
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.status import host

PLUGIN = '''"""Advection with diffusion."""
import os
import sympy as sp
from lieapp.api import PDE, hookimpl

t, x = sp.symbols("t x", real=True)
u = sp.Function("u")(t, x)
if os.environ.get("RANK") == "1" and os.environ.get("BROKEN"):
    u = None
flowing = PDE(
    name="flowing", title="Flowing", equation=sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) / 10),
    region={t: (0, 2), x: (0, 6)}, points={t: 24, x: 24}, periodic=[x],
)

@hookimpl
def lieapp_domains():
    return [flowing]
'''
SETS = (
    "samples=3", "held_out=1", "slices=12", "held_out_slices=6", "slots=2", "projection.steps=300",
    "projection.width=8", "projection.features=5", "projection.batch=4", "cross_check=false", "finite.samples=0",
)  # fmt: skip
WORDS = ("discover", "--plugin", "flowing", "--method", "projection", *(p for s in SETS for p in ("--set", s)))


@pytest.fixture
def started(tmp_path, monkeypatch, pytestconfig):
    """Start two processes in a folder with one plugin."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "flowing.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))

    def start(*arguments, restarts=0, **variables):
        command = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
        return subprocess.Popen(
            [*command, "--max-restarts", str(restarts), "-m", "lieapp", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(tmp_path), **variables},
        )  # fmt: skip

    return start


def member(child, rank):
    """The process of that rank."""
    return next(p for p in psutil.Process(child.pid).children() if p.environ().get("RANK") == str(rank))


def steps(found):
    return [row["step"] for row in found.metrics()]


def trained_to(step, root):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        for found in RunDirectory.list(root):
            if len(steps(found)) >= step:
                return found
        time.sleep(0.05)
    raise AssertionError(f"no run reached step {step}")


@pytest.mark.slow
def test_a_process_that_dies_ends_all_and_the_run_goes_on(started, tmp_path):
    child = started(*WORDS, "--json")
    found = trained_to(20, tmp_path / "runs")
    member(child, 1).kill()
    out, err = child.communicate(timeout=120)
    told = json.loads(out)["error"]
    assert child.returncode == 1 and told["type"] == "LostProcessError"
    assert f"--resume runs/{found.id}" in told["hint"]
    assert found.state == "failed" and len(steps(found)) < 300

    child = started("discover", "--resume", found.id, "--json")
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    assert json.loads(out)["run"].endswith(found.id) and "resumed at step" in err
    assert steps(found) == list(range(1, 301)) and found.state == "done"
    assert [run.id for run in RunDirectory.list(tmp_path / "runs")] == [found.id]
    assert err.count("discovery …") == 1

    child = started("discover", "--resume", found.id, "--json")
    again, err = child.communicate(timeout=120)
    assert child.returncode == 0 and json.loads(again) == json.loads(out), err


@pytest.mark.slow
def test_an_error_of_another_process_is_told_by_the_first(started, tmp_path):
    child = started(*WORDS, "--json", BROKEN="1")
    out, err = child.communicate(timeout=120)
    told = json.loads(out)["error"]
    assert child.returncode == 1 and told["type"] == "LostProcessError", err
    assert told["message"].startswith("process 1 of 2: ") and "flowing" in told["message"]
    [found] = RunDirectory.list(tmp_path / "runs")
    assert found.state == "failed" and found.status().error == told and f"--resume runs/{found.id}" in told["hint"]


@pytest.mark.slow
def test_the_second_process_speaks_for_a_first_one_that_was_killed(started, tmp_path):
    child = started(*WORDS, "--json")
    found = trained_to(20, tmp_path / "runs")
    member(child, 0).kill()
    out, _ = child.communicate(timeout=60)
    told = json.loads(out)["error"]
    assert child.returncode == 1 and told["message"].startswith("the first of the 2 processes of torchrun ended")
    assert told["hint"] == f"Start all again with --resume runs/{found.id}."


@pytest.mark.slow
def test_torchrun_may_start_all_anew(started, tmp_path):
    child = started(*WORDS, "--json", restarts=1)
    first = trained_to(20, tmp_path / "runs")
    member(child, 1).kill()
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    second = next(run for run in RunDirectory.list(tmp_path / "runs") if run.id != first.id)
    assert first.state in ("failed", "cancelled") and second.state == "done" and f'"run": "runs/{second.id}"' in out


@pytest.mark.slow
def test_an_interrupt_is_told_once_and_all_end(started, tmp_path):
    child = started(*WORDS)
    found = trained_to(20, tmp_path / "runs")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and errors[0].startswith(f"error: {found.id}: cancelled"), err
    assert found.state == "cancelled" and not out


def test_a_process_that_waits_for_the_others_ends_when_it_is_asked_to(started, tmp_path):
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True, timeout=timedelta(seconds=60))
    told = ONE | {"RANK": "1", "LOCAL_RANK": "1", "MASTER_PORT": str(store.port)}
    waiting = subprocess.Popen(
        [sys.executable, "-m", "lieapp", *WORDS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **told, "TORCHELASTIC_USE_AGENT_STORE": "True"},
    )  # fmt: skip
    store.get("lieapp.0/here.1")  # waits until it is there
    waiting.terminate()
    out, err = waiting.communicate(timeout=15)
    assert waiting.returncode and not out and not err and not (tmp_path / "runs").exists()


ONE = {
    "RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("truth", "--plugin", "kdv"), "`lieapp truth` runs on one process; torchrun started 2."),
        (("discover", "--plugin", "kdv", "--method", "spectrum"), "the method spectrum runs on one process"),
        (("discover", "--plugin", "kdv", "--laws"), "sought = laws runs on one process"),
        (("discover", "--plugin", "kdv", "--set", "moving.solver=dopri5"), "a flow by solver = dopri5"),
        (("discover", "--plugin", "kdv", "--device", "cuda:0"), "device cuda:0: "),
        (("discover", "--plugin", "images"), "`lieapp discover` of images runs on one process"),
    ],
)
def test_what_runs_on_one_process_says_so(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    for name, value in ONE.items():
        monkeypatch.setenv(name, value)
    assert run(words) == 2
    assert told in capsys.readouterr().err and not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("discover", "--plugin", "kdv", "--set", "projection.batch=3"), "projection.batch = 3"),
        # that of the second stage, which begins minutes later
        (("discover", "--plugin", "kdv"), "flow.batch = 2"),
        (("discover", "--plugin", "kdv", "--set", "method=gradient", "--set", "batch=1"), "gradient.batch = 1"),
        (("augment", "--plugin", "kdv", "--set", "batch=3"), "batch = 3"),
    ],
)
def test_a_batch_that_is_too_small_is_refused_at_the_start(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    for name, value in (ONE | {"WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "4"}).items():
        monkeypatch.setenv(name, value)
    assert run(words) == 2
    said = capsys.readouterr().err
    assert f"error: {told}: torchrun started 4 processes, and each needs a piece of every batch.\n" in said
    assert f"Set {told.partition(' ')[0]} to 4 or more" in said and not (tmp_path / "runs").exists()


def test_a_stage_without_epochs_needs_no_batch():
    work = next(work for work in PDES.works if work.command == "discover")
    assert work.batches(DiscoverConfig(plugin="kdv")) == {"projection.batch": 24, "flow.batch": 2}
    assert work.batches(DiscoverConfig(plugin="kdv", flow=Flow(epochs=0))) == {"projection.batch": 24}
    assert work.batches(DiscoverConfig(plugin="kdv", method="spectrum")) == {}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"RANK": None}, "variable RANK isn't set"),
        ({"RANK": "2"}, "variable RANK is 2; it must be from 0 to 1"),
        ({"WORLD_SIZE": "many"}, "variable WORLD_SIZE is 'many'"),
        ({"MASTER_ADDR": None}, "variable MASTER_ADDR isn't set"),
    ],
)
def test_a_broken_environment_is_named(monkeypatch, capsys, changed, told):
    for name, value in (ONE | changed).items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    assert run(("discover", "--plugin", "kdv")) == 2
    assert told in capsys.readouterr().err


@pytest.fixture
def second(monkeypatch):
    """Be the second of two processes, with the settings of the first one at hand; what it says when it ends."""
    for name, value in (ONE | {"RANK": "1", "LOCAL_RANK": "1"}).items():
        monkeypatch.setenv(name, value)
    said = []
    monkeypatch.setattr(along, "GRACE", 0.0)
    monkeypatch.setattr(along, "say_why", lambda place, message, hint: said.append((message, hint)))

    def ends(error, alive=True, spoken=False):
        def follow(place, orders):
            first = along.Process(host(), os.getpid() if alive else 2**30, "")
            orders.append(along.Order({}, [], "runs/that", first))
            raise error

        monkeypatch.setattr(along, "_follow", follow)
        monkeypatch.setattr(along, "has_spoken", lambda place: spoken)
        return run(("discover", "--plugin", "kdv"))

    return ends, said


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "there"), "there: No space left", "Free disk space"),
        (ConfigError("batch = 1.", hint="Set batch to 2."), "batch = 1.", "Set batch to 2."),
        (ZeroDivisionError("by zero"), "by zero", "This is a bug in lieapp"),
    ],
)
def test_another_process_leaves_word_of_any_error(second, capsys, error, message, hint):
    ends, said = second
    assert ends(error) == 1
    [told] = said
    assert told[0].startswith(message) and told[1].startswith(hint)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("error", [LostProcessError("one ended."), KeyboardInterrupt()])
def test_another_process_speaks_only_for_a_first_one_that_is_gone(second, capsys, error):
    ends, said = second
    assert ends(error) == 1 and ends(error, alive=False, spoken=True) == 1
    assert capsys.readouterr() == ("", "")
    assert ends(error, alive=False) == 1 and said == []
    assert "hint: Start all again with --resume runs/that." in capsys.readouterr().err


def test_another_process_is_interrupted_in_silence(second, capsys, monkeypatch):
    def interrupted(place):
        raise KeyboardInterrupt

    monkeypatch.setattr(along, "follow", interrupted)
    assert run(("discover", "--plugin", "kdv")) == 130
    assert capsys.readouterr() == ("", "")


def test_all_processes_compute_on_the_kind_of_device_that_the_first_one_has(monkeypatch):
    for found, kind in (("cuda:0", "cuda"), ("cpu", "cpu")):
        monkeypatch.setattr(along, "find_device", lambda text, found=found: found)
        assert along._ordered(DiscoverConfig(plugin="kdv"))["device"] == kind
        assert along._ordered(DiscoverConfig(plugin="kdv", device="cpu"))["device"] == "cpu"


def test_where_torchrun_is_gone_nobody_waits_for_it(capfd):
    gone = Launch(1, 2, 1, 2, "127.0.0.1", 9)
    began = time.monotonic()
    say_why(gone, "an error", "what to do")
    assert has_spoken(gone) and why(gone) is None and time.monotonic() - began < 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("process", ["killed", "there", "ended", "elsewhere"])
def test_an_interrupt_by_torchrun_because_another_process_was_killed_says_so(tmp_path, monkeypatch, process):
    told = {"killed": Process(host(), 2**30, ""), "there": Process.own(), "elsewhere": Process("other", 2**30, "")}
    left = [msgspec.json.encode(told[process]).decode()] if process in told else []
    monkeypatch.setattr("lieapp.numerics.ranks.together", lambda place: nullcontext())
    monkeypatch.setattr("lieapp.numerics.ranks.agreed", lambda value: value)
    monkeypatch.setattr(along, "launch", lambda: Launch(0, 2, 0, 2, "127.0.0.1", 9))
    for name, gives in (("why", None), ("say_spoken", None), ("others", left)):
        monkeypatch.setattr(along, name, lambda place, gives=gives: gives)
    monkeypatch.setattr(along, "_led", [])
    found = RunDirectory.create(tmp_path, DiscoverConfig(plugin="kdv"), "kdv")
    lost = process == "killed"
    led = leading(found, DiscoverConfig(plugin="kdv"), load_catalog(), SilentReporter())
    with pytest.raises(LostProcessError if lost else CancelledError) as caught, running(found), led:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    assert f"--resume {found.path}" in caught.value.hint and found.state == ("failed" if lost else "cancelled")


def test_word_is_left_in_torchruns_store():
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True)
    second = Launch(1, 2, 1, 2, "127.0.0.1", store.port)
    assert why(second) is None and not has_spoken(second)
    say_why(second, "its disk is full.", "Free disk space.")
    assert why(second) == ("process 1 of 2: its disk is full.", "Free disk space.")
    say_spoken(second)
    assert has_spoken(second)
    first = Launch(0, 2, 0, 2, "127.0.0.1", store.port)
    say_here(second, "it")
    assert others(first) == ["it"] and others(second) == []
    say_here(second, "")
    assert others(first) == []
