"""A run whose folder is removed while it works ends with one error that names the folder."""

import shutil

import pytest

from lieapp.cli.main import as_lieapp_error
from lieapp.config import DiscoverConfig
from lieapp.errors import BudgetError, CancelledError, RunError
from lieapp.results.check import CheckResult
from lieapp.runs.process.claim import running
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.files import write_atomic


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(tmp_path, DiscoverConfig(plugin="ckdv"), "ckdv")


STEPS = {
    "a log": lambda run: run.log("further"),
    "a metric": lambda run: run.metric(step=1),
    "a status": lambda run: run.update(stage="data"),
    "what is known of it": lambda run: run.add_provenance(device="cpu"),
    "its settings": lambda run: run.config(),
    "a look whether it shall stop": lambda run: run.check_cancel(),
    "a result": lambda run: run.write_summary(CheckResult(plugin=None, sentence="", ok=True, checks=[])),
    "nothing more": lambda run: None,
}


@pytest.mark.parametrize("step", STEPS)
def test_whatever_it_does_next(run, step):
    with pytest.raises(RunError, match="somebody removed this folder") as caught, running(run):
        shutil.rmtree(run.path)
        STEPS[step](run)
    assert str(run.path) in caught.value.message and caught.value.hint
    assert as_lieapp_error(caught.value) is caught.value and not run.path.exists()


def test_a_folder_inside_it(run):
    with pytest.raises(RunError, match="somebody removed this folder") as caught, running(run):
        write_atomic(run.path / "checkpoint" / "data.safetensors", b"")
    assert str(run.path / "checkpoint") in caught.value.message
    assert run.state == "failed"


def test_other_errors_stay_what_they_are(run):
    with pytest.raises(BudgetError, match="too slow"), running(run):
        shutil.rmtree(run.path)
        raise BudgetError("too slow", hint="Raise --budget.")


def test_a_file_elsewhere_is_not_the_run(run, tmp_path):
    with pytest.raises(FileNotFoundError), running(run):
        (tmp_path / "elsewhere" / "file").read_bytes()


def test_a_cancelled_one_keeps_its_exit_code(run):
    with pytest.raises(CancelledError, match="nothing is kept") as caught, running(run):
        shutil.rmtree(run.path)
        raise KeyboardInterrupt
    assert caught.value.exit_code == 130
