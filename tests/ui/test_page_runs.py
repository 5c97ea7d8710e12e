"""Runs: the list, in sheets; what is looked for, named and deleted."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from lieapp.errors import RunError
from lieapp.runs.overview import row
from lieapp.runs.store.directory import RunDirectory
from lieapp.runs.store.label import delete, label_of, write_label


def test_empty(open_page, words):
    assert "No runs yet" in words(open_page("runs"))


def test_states_side_by_side(open_page, make_run, words):
    for count, state in enumerate(("queued", "running", "done", "failed", "cancelled", "lost")):
        make_run(state, count=count)
    app = open_page("runs")
    text = words(app)
    assert "6 in" in text and "page 1 of 1" in text
    for word in ("queued", "running", "done", "failed", "cancelled", "lost"):
        assert word in text


def test_sheets(open_page, make_run, words):
    for count in range(25):
        make_run("queued", count=count)
    assert "page 2 of 2" in words(open_page("runs", sheet="2"))
    assert "page 2 of 2" in words(open_page("runs", sheet="99"))
    assert "page 1 of 2" in words(open_page("runs", sheet="-1"))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ({"state": "failed"}, "1 of 3"),
        ({"kind": "discover"}, "3 in"),
        ({"kind": "truth"}, "0 of 3"),
        ({"text": "Baseline"}, "1 of 3"),
        ({"text": "ckdv", "state": "done"}, "2 of 3"),
        ({"text": "x" * 500, "state": "nonsense"}, "0 of 3"),
    ],
)
def test_runs_that_are_looked_for(open_page, make_run, words, address, found):
    first, _, _ = (RunDirectory(make_run(state, count=n)) for n, state in enumerate(("done", "failed", "done")))
    write_label(first, "the baseline", "")
    assert found in words(open_page("runs", **address))


def test_a_name_and_a_note_stand_in_the_list_and_on_the_page(open_page, make_run, words):
    run = RunDirectory(make_run("done"))
    write_label(run, " my *best*\nrun ", "seed 0\nsee [a](http://b)")
    assert json.loads((run.path / "label.json").read_text(encoding="utf-8"))["name"] == "my *best* run"
    listed, shown = open_page("runs"), open_page("run", run=run.id)
    assert r"**my \*best\* run**" in [link.proto.label for link in listed.get("page_link")]
    assert "my *best* run" in words(shown)
    assert all("see [a](http://b)" in words(app) for app in (listed, shown))
    assert (row(run)["name"], row(run)["note"]) == ("my *best* run", "seed 0\nsee [a](http://b)")
    (run.path / "label.json").write_text("{", encoding="utf-8")
    assert label_of(run).name == "" and not open_page("runs").exception


def _edit(path: str) -> None:
    from pathlib import Path

    from lieapp.runs.store.directory import RunDirectory
    from lieapp.ui.lists import edit

    if Path(path).exists():
        edit(RunDirectory(Path(path)))


def test_a_run_is_named_in_a_dialog_and_deleted_after_a_second_question(make_run):
    run = make_run("done")
    app = AppTest.from_function(_edit, args=(str(run),), default_timeout=20).run()
    assert next(b for b in app.button if b.label == "Delete for good").disabled
    app.text_input[0].set_value("first")
    app.text_area[0].set_value("good").run()
    next(b for b in app.button if b.label == "Save").click().run()
    assert (label_of(RunDirectory(run)).name, label_of(RunDirectory(run)).note) == ("first", "good")
    app.checkbox[0].check().run()
    next(b for b in app.button if b.label == "Delete for good").click().run()
    assert not run.exists() and list(run.parent.iterdir()) == []


@pytest.mark.parametrize("state", ["queued", "starting", "running"])
def test_a_run_at_work_is_not_deleted(make_run, state):
    run = make_run(state)
    app = AppTest.from_function(_edit, args=(str(run),), default_timeout=20).run()
    assert app.checkbox[0].disabled
    with pytest.raises(RunError, match=f"is {state}; it can't be deleted"):
        delete(RunDirectory(run))
    assert run.exists()
