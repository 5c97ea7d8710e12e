"""Run directories: whole or not at all, readable whatever state they are in."""

import errno
import os
import threading
import time
from pathlib import Path

import pytest

from lieapp.config import DataConfig, DiscoverConfig
from lieapp.document import Formula
from lieapp.errors import RunError, file_error
from lieapp.results.base import Result
from lieapp.results.discovery import DerivedField, EquationResult, Subspace
from lieapp.runs.overview import comparison, row
from lieapp.runs.store.directory import RunDirectory, check_readable

CONFIG = DiscoverConfig(plugin="ckdv", slots=3)


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(tmp_path, CONFIG, "ckdv")


def test_a_new_run_has_config_provenance_and_status(run):
    assert run.config()["slots"] == 3 and run.config()["kind"] == "discover"
    assert run.config_as(DiscoverConfig) == CONFIG
    assert {"python", "lieapp", "sympy", "torch"} <= set(run.provenance()["versions"])
    assert run.state == "starting"
    stamp, name, hash6 = run.id.split("-")
    assert len(stamp) == 16 and name == "ckdv" and len(hash6) == 6
    assert sorted(f.name for f in run.path.iterdir()) == ["config.json", "provenance.json", "status.json"]


def test_many_at_the_same_moment_don_t_collide(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1e9)
    threads = [threading.Thread(target=RunDirectory.create, args=(tmp_path, CONFIG, "a")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(RunDirectory.list(tmp_path)) == 8
    assert not [f for f in tmp_path.iterdir() if f.name.startswith(".draft")]


def test_a_root_that_can_t_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="can't be created here") as caught:
        RunDirectory.create(tmp_path / "file" / "runs", CONFIG, "a")
    assert "--out" in caught.value.hint


def test_find_by_id_beginning_and_path(tmp_path, run):
    for text in (run.id, run.id[:-2], str(run.path)):
        assert RunDirectory.find(tmp_path, text).id == run.id
    RunDirectory.create(tmp_path, CONFIG, "ckdv")
    with pytest.raises(RunError, match="matches 2 runs"):
        RunDirectory.find(tmp_path, run.id[:4])
    for text in ("", "nothing"):
        with pytest.raises(RunError, match="no run"):
            RunDirectory.find(tmp_path, text)


@pytest.mark.parametrize("content", [b"", b'{"state": "runn', b"[1]", b"\xff\xfe", b'{"state": 3}', None])
def test_half_written_folders_are_unreadable_and_never_fail(tmp_path, run, content):
    for name in ("status.json", "config.json", "provenance.json", "summary.json"):
        if content is not None:
            (run.path / name).write_bytes(content)
        elif name != "config.json":
            (run.path / name).unlink(missing_ok=True)
    (tmp_path / "something else").mkdir()
    (tmp_path / "a file").write_text("")
    (found,) = RunDirectory.list(tmp_path)
    assert found.state == "unreadable"
    assert row(found)["state"] == "unreadable"
    nothing = {"state": 3} if content == b'{"state": 3}' else {}
    assert found.provenance() == nothing
    if content is None or nothing:
        # of a kind that nobody knows, without anything that all results have
        assert found.summary() == (Result() if nothing else None)
        assert comparison([found, found])["differ"] == {}
    else:
        for read in (found.summary, lambda: comparison([found, found])):
            with pytest.raises(RunError, match=r"summary\.json can't be read"):
                read()


def test_seconds_of_a_finished_run_are_those_it_worked(run):
    run.update(state="done", finished=run.status().created + 1000)
    assert row(run)["seconds"] == 1000
    run.write_summary(EquationResult(seconds={"start": 1.0, "total": 12.5}))
    assert row(run)["seconds"] == 12.5


@pytest.mark.parametrize("closed", ["run", "config.json"])
def test_a_run_that_may_not_be_read_hides_no_other(tmp_path, run, monkeypatch, closed):
    other = RunDirectory.create(tmp_path, CONFIG, "zeta")
    path = run.path / "config.json"
    forbid(monkeypatch, "read_bytes", path if closed == "config.json" else run.path)
    forbid(monkeypatch, "is_file", None if closed == "config.json" else run.path)
    rows = [row(found) for found in RunDirectory.list(tmp_path)]
    assert sorted(one["run"] for one in rows) == sorted((run.id, other.id))
    states = {one["run"]: one["state"] for one in rows}
    assert states == {run.id: "unreadable", other.id: other.state}
    (told,) = (one["error"] for one in rows if one["run"] == run.id)
    assert "config.json can't be read: Permission denied" in told["message"]
    assert "permission to read" in told["hint"]
    assert RunDirectory.find(tmp_path, other.id).id == other.id
    assert RunDirectory.find(tmp_path, str(run.path)).path == run.path


def test_a_folder_of_runs_that_may_not_be_read(tmp_path, monkeypatch):
    forbid(monkeypatch, "iterdir", tmp_path)
    with pytest.raises(RunError, match="the folder of runs can't be read: Permission denied") as caught:
        check_readable(tmp_path)
    assert "read" in caught.value.hint and RunDirectory.list(tmp_path) == []


def forbid(monkeypatch, method, place):
    """Let a method of paths fail in a folder or on a file as without permission, which root always has."""
    real = getattr(Path, method)

    def refuse(path, *arguments, **more):
        if place is not None and (path == place or place in path.parents):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *arguments, **more)

    monkeypatch.setattr(Path, method, refuse)


@pytest.mark.parametrize(
    ("code", "words"), [("ENOSPC", "Free disk space"), ("EACCES", "permission to read"), ("EIO", "another place")]
)
def test_what_to_do_depends_on_what_the_system_said(code, words):
    number = getattr(errno, code)
    told = file_error(OSError(number, os.strerror(number), "config.json"))
    assert told.message == f"config.json: {os.strerror(number)}." and words in told.hint


def test_no_folder_no_runs(tmp_path):
    assert RunDirectory.list(tmp_path / "none") == []


def test_metrics_leave_out_a_half_line_and_forget_later_steps(run):
    for step in range(4):
        run.metric(step=step, loss=float("nan") if step == 0 else 1.0, eta=[0.5])
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 4, "lo')
    assert [line["step"] for line in run.metrics()] == [0, 1, 2, 3]
    assert run.metrics()[0]["loss"] is None
    run.keep_metrics(1)
    run.metric(step=2)
    assert [line["step"] for line in run.metrics()] == [0, 1, 2]


def test_readers_never_see_half_a_status(run):
    stop = threading.Event()
    seen = set()

    def read():
        while not stop.is_set():
            seen.add(RunDirectory(run.path).state)

    thread = threading.Thread(target=read)
    thread.start()
    for step in range(300):
        run.update(state="running", step=step, stage="x" * (step % 50), pid=1)
    stop.set()
    thread.join()
    assert seen <= {"starting", "running"}


def test_comparison_shows_results_and_settings_that_differ(tmp_path):
    runs = [
        RunDirectory.create(tmp_path, CONFIG, "a"),
        RunDirectory.create(tmp_path, DiscoverConfig(plugin="ckdv", slots=5), "b"),
        RunDirectory.create(tmp_path, DataConfig(plugin="ckdv"), "c"),
    ]
    known = [DerivedField(name="a", field={}, cosine=cosine, shown=Formula("a", "a")) for cosine in (0.9, 1.0)]
    runs[0].write_summary(
        EquationResult(count=2, truth=known, subspace=Subspace(angle=0.1), seconds={"total": 3.0})
    )
    runs[1].write_summary(Result())
    document = comparison(runs[:2])
    assert document["differ"] == {"slots": [3, 5]}
    assert document["runs"][0]["cosines"] == [0.9, 1.0] and document["runs"][0]["angle"] == 0.1
    assert document["runs"][1]["cosines"] is None
    assert comparison(runs)["differ"]["kind"] == ["discover", "discover", "data"]
