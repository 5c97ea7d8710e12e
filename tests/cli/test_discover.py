"""`lieapp discover`: bad input leaves nothing, good input a run directory, and --resume only what fits."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lieapp.config import DataConfig
from lieapp.errors import SimulationError
from lieapp.results.base import decode
from lieapp.runs.store.directory import RunDirectory


def test_result_in_a_run_directory(lieapp, discovery, tmp_path):
    said = lieapp("discover", "--plugin", "ckdv", "--slots", "3", "--set", "samples=5", "--json")
    assert said.code == 0 and said.json["count"] == 1
    (run,) = RunDirectory.list(tmp_path / "runs")
    assert run.id == said.json["run"] and run.state == "done"
    assert json.loads((run.path / "summary.json").read_text()) == said.json
    assert decode(said.out.encode()) == run.summary()
    assert run.config()["slots"] == 3 and run.config()["samples"] == 5
    origin = run.provenance()["plugin"]
    assert origin["name"] == "ckdv" and origin["file"].endswith("ckdv.py") and len(origin["sha256"]) == 64
    assert "data" in (run.path / "log.txt").read_text()


def test_tables_for_people(lieapp, discovery):
    said = lieapp("discover", "--plugin", "ckdv")
    assert said.code == 0 and "space translation" in said.out and "0.999" in said.out
    assert "run runs/" in said.err
    assert lieapp("discover", "--plugin", "ckdv", "--quiet").err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "words"),
    [
        ([], 2, "ConfigError", "plugin is missing"),
        (["--plugin", "ckvd"], 2, "UnknownPluginError", "did you mean 'ckdv'"),
        (["--plugin", "ckdv", "--set", "slot=3"], 2, "ConfigError", "slot"),
        (["--plugin", "ckdv", "--slots", "0"], 2, "ConfigError", "slots is 0"),
        (["--plugin", "ckdv", "--method", "magic"], 2, "ConfigError", "expected one of flow, gradient, neural"),
        (["--plugin", "ckdv", "--set", "threads=100000"], 2, "ConfigError", "threads is 100000 (from --set"),
        (["--plugin", "ckdv", "--device", "cuda:99"], 2, "DeviceError", "cuda:99"),
        (["--plugin", "ckdv", "--device", "gpu"], 2, "ConfigError", "device"),
        (["--plugin", "ckdv", "--config", "none.toml"], 2, "ConfigError", "none.toml"),
        (["--plugin", "ckdv", "--plugins", "none"], 2, "UsageError", "no such folder"),
        (["--plugin", "ckdv", "--out", "file"], 2, "UsageError", "--out file: file is a file, not a folder"),
        (["--plugin", "ckdv", "--out", "file/runs"], 2, "UsageError", "file is a file, not a folder"),
        (["--resume", "nothing"], 2, "ResumeError", "nothing to resume"),
    ],
)
def test_bad_input_leaves_nothing(lieapp, discovery, tmp_path, arguments, code, kind, words):
    (tmp_path / "file").write_text("")
    said = lieapp("discover", *arguments, "--json")
    assert said.code == code and said.error["type"] == kind
    assert words in said.error["message"]
    assert os.listdir(tmp_path) == ["file"] and discovery == []


@pytest.mark.parametrize("command", [["discover"], ["data", "--out", "d.h5"]], ids=" ".join)
def test_an_equation_without_data_leaves_nothing(lieapp, discovery, engine, tmp_path, command):
    """It is refused before the engine is loaded and before a folder or file is made."""
    engine("lieapp.data.store", simulate_to_file=None)
    text = Path(os.environ["PYTHONPATH"], "plugins", "ckdv.py").read_text()
    (tmp_path / "open.py").write_text(text.replace('"ckdv"', '"open"').replace("periodic=[x]", "periodic=[]"))
    said = lieapp(*command, "--plugin", "open", "--plugins", "open.py", "--json")
    assert said.code == 1 and said.error["type"] == "GridError" and "periodic=[x]" in said.error["hint"]
    assert said.error["message"].startswith("open: x is not periodic; ")
    assert os.listdir(tmp_path) == ["open.py"] and discovery == []


def test_a_name_that_a_file_shares_with_a_shipped_plugin_is_warned_of(lieapp, discovery, tmp_path):
    (tmp_path / "plugins").mkdir()
    text = Path(os.environ["PYTHONPATH"], "plugins", "ckdv.py").read_text()
    (tmp_path / "plugins" / "ckdv.py").write_text(text + "\n# mine\n")
    said = lieapp("discover", "--plugin", "ckdv", "--quiet")
    (run,) = RunDirectory.list(tmp_path / "runs")
    words = "not that of plugins/ckdv.py; write another name=… there to use it"
    assert said.code == 0 and words in said.err and words in (run.path / "log.txt").read_text()
    assert run.provenance()["plugin"]["source"] == "shipped"


def test_costly_settings_are_warned_of_and_not_refused(lieapp, discovery, tmp_path):
    said = lieapp("discover", "--plugin", "ckdv", "--set", "modes=40", "--quiet")
    (run,) = RunDirectory.list(tmp_path / "runs")
    words = "warning: modes = 40 is costly for the spectrum method: 4374 fields"
    assert said.code == 0 and said.err.startswith(words) and words in (run.path / "log.txt").read_text()


def test_a_failed_run_says_why(lieapp, engine, tmp_path):
    def execute(config, declaration, session):
        raise SimulationError("NaN at t = 3.", hint="A smaller step.")

    engine("lieapp.pde.discover", execute=execute)
    assert lieapp("discover", "--plugin", "ckdv").code == 1
    (run,) = RunDirectory.list(tmp_path / "runs")
    assert run.state == "failed" and run.status().error["message"] == "NaN at t = 3."
    shown = lieapp("runs", "show", run.id)
    assert "NaN at t = 3. A smaller step." in shown.out


@pytest.fixture
def failed(lieapp, engine, tmp_path):
    """A run that failed, which can be resumed."""

    def execute(config, declaration, session):
        raise SimulationError("bad luck")

    engine("lieapp.pde.discover", execute=execute)
    lieapp("discover", "--plugin", "ckdv", "--slots", "3")
    (run,) = RunDirectory.list(tmp_path / "runs")
    return run


def test_resume_goes_on_with_the_runs_own_settings(lieapp, failed, discovery, tmp_path):
    said = lieapp("discover", "--resume", failed.id[:-3], "--slots", "3", "--json")
    assert said.code == 0 and said.json["run"] == failed.id and failed.state == "done"
    ((config, _),) = discovery
    assert config.slots == 3
    # once done, the result is given again without work
    assert lieapp("discover", "--resume", failed.id, "--json").json == said.json
    assert len(discovery) == 1 and len(RunDirectory.list(tmp_path / "runs")) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--plugin", "kdv"], "plugin = 'ckdv', not 'kdv'"), (["--slots", "4"], "slots = 3, not 4")],
)
def test_resume_of_another_plugin_or_with_other_settings(lieapp, failed, discovery, arguments, words):
    said = lieapp("discover", "--resume", failed.id, *arguments, "--json")
    assert said.code == 2 and said.error["type"] == "ResumeError" and words in said.error["message"]
    assert discovery == [] and failed.state == "failed"


def test_resume_of_another_kind(lieapp, discovery, tmp_path):
    run = RunDirectory.create(tmp_path / "runs", DataConfig(plugin="ckdv"), "ckdv")
    said = lieapp("discover", "--resume", run.id)
    assert said.code == 2 and "a run of `lieapp data`" in said.err


def test_resume_warns_of_a_changed_plugin_and_finds_its_folder_again(lieapp, engine, discovery, tmp_path):
    text = Path(os.environ["PYTHONPATH"], "plugins", "ckdv.py").read_text()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "mine.py").write_text(text.replace('"ckdv"', '"mine"'))
    lieapp("discover", "--plugin", "mine", "--plugins", "more")
    (run,) = RunDirectory.list(tmp_path / "runs")
    run.update(state="failed")
    (tmp_path / "more" / "mine.py").write_text(text.replace('"ckdv"', '"mine"') + "\n# changed\n")
    said = lieapp("discover", "--resume", run.id, "--quiet")
    assert said.code == 0 and "warning: " in said.err and "changed" in said.err


SLOW = """
import sys, time, types
fake = types.ModuleType("lieapp.pde.discover")
def execute(config, declaration, session):
    report = session.report
    report.stage("discovery")
    print("at work", file=sys.stderr, flush=True)
    time.sleep(60)
fake.execute = execute
sys.modules["lieapp.pde.discover"] = fake
from lieapp.cli.main import main
main()
"""


def test_ctrl_c_leaves_a_cancelled_run_and_130(lieapp, tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, "discover", "--plugin", "ckdv", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    while child.stderr.readline() != "at work\n":
        assert child.poll() is None
    running = lieapp("runs", "list", "--json").json["runs"]
    assert [(run["state"], run["stage"]) for run in running] == [("running", "discovery")]
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert child.returncode == 130 and json.loads(out)["error"]["type"] == "CancelledError"
    assert "Traceback" not in err
    (run,) = RunDirectory.list(tmp_path / "runs")
    assert run.state == "cancelled"


def test_runs_cancel_reaches_a_process_at_work(lieapp, tmp_path):
    patient = SLOW.replace("time.sleep(60)", "[(time.sleep(.02), report.progress(i, 3000)) for i in range(3000)]")
    with subprocess.Popen([sys.executable, "-c", patient, "discover", "--plugin", "ckdv", "--quiet"]) as child:
        deadline = time.time() + 30
        while not [r for r in RunDirectory.list(tmp_path / "runs") if r.status().stage == "discovery"]:
            assert child.poll() is None and time.time() < deadline
            time.sleep(0.05)
        (run,) = RunDirectory.list(tmp_path / "runs")
        said = lieapp("runs", "cancel", run.id)
        # by the time it is asked for its state, a quick process has already stopped
        assert said.code == 0 and said.out in (f"{run.id}: asked to stop\n", f"{run.id}: cancelled\n")
        assert child.wait(20) == 130
    assert run.state == "cancelled"
    assert lieapp("runs", "cancel", run.id).code == 1


@pytest.mark.parametrize(
    ("setting", "code", "said"),
    [("patch_time=1000", 2, "a patch of 1000 nodes along t"), ("every_time=20", 1, "7 times would be left")],
)
def test_what_leaves_too_little_is_refused_before_a_run_is_made(lieapp, tmp_path, setting, code, said):
    found = lieapp("discover", "--plugin", "kdv", "--set", setting, "--json")
    assert found.code == code and said in found.error["message"]
    assert not (tmp_path / "runs").exists()
