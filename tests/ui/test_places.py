"""Ids and names of files lead to runs and their files, and nowhere else."""

import pytest

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import navigation


@pytest.fixture
def run(make_run) -> RunDirectory:
    return RunDirectory(make_run("done"))


def test_a_run_and_its_files(run):
    found = navigation.find_run(run.id)
    assert found.path == run.path
    assert navigation.file_of(found, "summary.json") == run.path / "summary.json"


@pytest.mark.parametrize(
    "name", ["../status.json", "/etc/passwd", "..", ".", "", "figures/x.svg", "nothing", "a\0b"]
)
def test_what_is_no_file_of_a_run(run, name):
    assert navigation.file_of(run, name) is None


def test_links_are_not_followed(run, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}", encoding="utf-8")
    (run.path / "summary.json").unlink()
    (run.path / "summary.json").symlink_to(secret)
    assert navigation.file_of(run, "summary.json") is None
    (run.path.parent / "20260101T000000Z-x-000000").symlink_to(run.path)
    assert navigation.find_run("20260101T000000Z-x-000000") is None


def test_a_log_that_is_a_link_is_not_shown(make_run, open_page, words, tmp_path):
    failed = make_run("failed", error={"type": "X", "message": "it broke", "hint": ""})
    secret = tmp_path / "secret.txt"
    secret.write_text("password", encoding="utf-8")
    (failed / "log.txt").unlink()
    (failed / "log.txt").symlink_to(secret)
    text = words(open_page("run", run=failed.name))
    assert "it broke" in text and "password" not in text


@pytest.mark.parametrize("arguments", [[], ["--allow-writing"]], ids=["safe", "allowed"])
def test_writing_is_allowed_by_an_option_only(monkeypatch, arguments):
    monkeypatch.setattr(navigation.sys, "argv", ["app.py", *arguments])
    monkeypatch.setenv("LIEAPP_ALLOW_WRITING", "1")
    assert navigation.may_write() == bool(arguments)
