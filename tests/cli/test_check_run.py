"""`lieapp check --out` keeps a self-check as a run, which --resume takes up."""

import json
from types import SimpleNamespace

import pytest

from lieapp.config import CheckConfig
from lieapp.results.base import result_of
from lieapp.results.check import CheckResult
from lieapp.runs.store.directory import RunDirectory


@pytest.fixture
def checks(engine):
    """Stand-ins for the checks of a plugin; what they say can be changed."""
    rows = [SimpleNamespace(name="equation", ok=True, detail=""), SimpleNamespace(name="data", ok=True, detail="")]
    engine("lieapp.pde.check", check=lambda entry, report: rows)
    return rows


def test_a_run_with_the_result(lieapp, checks, tmp_path):
    said = lieapp("check", "--plugin", "ckdv", "--out", "there", "--json")
    (run,) = RunDirectory.list(tmp_path / "there")
    assert said.code == 0 and run.state == "done"
    assert json.loads((run.path / "summary.json").read_text(encoding="utf-8")) == said.json
    assert said.json["sentence"] == "all 2 checks passed" and said.json["run"] == run.id
    assert run.config() == {"plugin": "ckdv", "kind": "check"}
    assert lieapp("check", "--resume", run.id, "--out", "there", "--json").json == said.json


def test_a_failed_check_is_a_finished_run(lieapp, checks, tmp_path):
    checks[1].ok = False
    said = lieapp("check", "--plugin", "ckdv", "--out", "there", "--json")
    (run,) = RunDirectory.list(tmp_path / "there")
    assert said.code == 1 and run.state == "done" and not said.json["ok"]
    assert said.json["sentence"] == "failed: data"


def test_a_queued_check_is_worked_on(lieapp, checks, tmp_path):
    run = RunDirectory.create(tmp_path / "there", CheckConfig(plugin="ckdv"), "ckdv", state="queued")
    assert lieapp("check", "--resume", str(run.path), "--quiet").code == 0
    assert run.state == "done" and result_of(run.path, CheckResult).ok


def test_what_can_t_be_meant(lieapp, checks, tmp_path):
    assert lieapp("check", "--plugin", "all", "--out", "there").code == 2
    assert lieapp("check", "--plugin", "nothing", "--out", "there").code == 2
    assert lieapp("check", "--resume", "nothing").code == 2
    assert not (tmp_path / "there").exists()
