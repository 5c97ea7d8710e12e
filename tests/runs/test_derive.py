"""A derivation as a run: told while it works, cancelled, started beside the queue."""

import threading
import time

import pytest
from truth_results import HEAT_FAMILY, truth_result

from lieapp.config import TruthConfig
from lieapp.document import Formula
from lieapp.errors import CancelledError
from lieapp.lie.told import sentence
from lieapp.pde.derivation import derive_in_child
from lieapp.progress import SilentReporter
from lieapp.results.base import result_of
from lieapp.results.truth import TruthResult
from lieapp.runs import short
from lieapp.runs.process import runner
from lieapp.runs.process.queue import enqueue, start_now
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.session import Session

HEAT = TruthConfig(equation=["u_t - u_xx"], independent=["t", "x"], dependent=["u"], periodic=["x"], explain=True)
SLOW = TruthConfig(
    equation=["u_t - " + " - ".join("u_" + k * "x" for k in range(2, 21))], independent=["t", "x"], dependent=["u"]
)


def test_stages_are_told_and_the_statement_is_in_the_result(tmp_path):
    stages = []

    class Listening(SilentReporter):
        def stage(self, name: str) -> None:
            stages.append(name)

    run = RunDirectory.create(tmp_path, HEAT, "truth")
    summary = short.derive(HEAT, Session(run, Listening(), HEAT))
    assert stages[0] == "deriving" and len(stages) > 1
    explained = summary.explain
    assert explained.evolution == [Formula("u_t = u_xx", "u_{t} = u_{xx}")]
    assert explained.jets == ["u_xx", "u_t"] and explained.equations[0].latex == "u_{t} - u_{xx}"
    assert summary.periodic_in == ["x"] and result_of(run.path, TruthResult) == summary
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert page.count("<section>") > 8 and "<math" in page and "Provenance" in page
    for words in ("Evolution form", "Solved in 11 steps", "Kept by a domain periodic in x"):
        assert words in page


def test_a_request_to_stop_ends_the_child_soon(tmp_path):
    run = RunDirectory.create(tmp_path, SLOW, "truth")
    threading.Timer(0.5, run.request_cancel).start()
    begun = time.monotonic()
    with pytest.raises(CancelledError, match="asked to stop"):
        short.derive(SLOW, Session(run, SilentReporter(), SLOW))
    assert time.monotonic() - begun < 15 and result_of(run.path, TruthResult) is None


def test_what_a_watch_raises_ends_the_derivation():
    def watch() -> None:
        raise CancelledError("enough")

    with pytest.raises(CancelledError, match="enough"):
        derive_in_child(SLOW, watch=watch)


def test_started_at_once_beside_a_run_that_works(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(runner, "work_on", lambda run, alone=True: seen.append((run.id, alone)))
    monkeypatch.setattr(runner, "_to_background", lambda: None)
    monkeypatch.setattr(runner.os, "dup2", lambda *_: None)
    run_id = enqueue(tmp_path, HEAT)
    monkeypatch.setattr(runner.sys, "argv", ["runner", str(tmp_path), run_id])
    assert runner.main() == 0 and seen == [(run_id, False)]


@pytest.mark.slow
def test_a_real_process_derives_it(tmp_path):
    run_id = enqueue(tmp_path, HEAT)
    start_now(tmp_path, run_id)
    run, deadline = RunDirectory(tmp_path / run_id), time.time() + 60
    while run.state in ("queued", "starting", "running") and time.time() < deadline:
        time.sleep(0.1)
    assert run.state == "done", (tmp_path / ".runner.log").read_text()
    assert result_of(run.path, TruthResult).dimension == 6


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "1 symmetry; certified"),
        ({"dimension": 2, "certified": False}, "2 symmetries; not certified"),
        ({"families": [HEAT_FAMILY] * 2}, "1 symmetry modulo 2 families; certified"),
        ({"unsolved": ["x"], "certified": False}, "1 symmetry; not certified; equations are left unsolved"),
    ],
    ids=["one", "two", "families", "unsolved"],
)
def test_the_sentence(changes, said):
    plain = {"dimension": 1, "families": [], "periodic_in": []}
    assert sentence(truth_result(**{**plain, **changes})) == said
