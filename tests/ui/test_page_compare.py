"""Compare: runs chosen by the address or by hand, of every state, of several plugins, deleted ones."""

import json
import shutil

import pytest

from lieapp.results.base import read_result
from lieapp.results.discovery import ClosedForm
from lieapp.runs.store.directory import RunDirectory


def test_empty(open_page, words):
    assert "There is no run yet." in words(open_page("compare"))


def test_nothing_chosen(open_page, make_run, words):
    make_run("done")
    assert "Choose two or more runs" in words(open_page("compare"))


@pytest.fixture
def two(make_run):
    """Two finished runs that differ in seed and angle."""
    first, second = make_run("done", count=0), make_run("done", count=1)
    config = json.loads((second / "config.json").read_text(encoding="utf-8"))
    (second / "config.json").write_text(json.dumps({**config, "seed": 7}), encoding="utf-8")
    found = read_result(second)
    found.subspace.angle = 0.5
    found.truth[1].cosine = 0.9
    found.formulas = [
        ClosedForm(field=row.field, verdict="exact", proved=place == 0, eta=0.0, shown=row.shown)
        for place, row in enumerate(found.truth)
    ]
    RunDirectory(second).write_summary(found)
    return first, second


def test_two_runs(open_page, two, words):
    first, second = two
    app = open_page("compare", runs=[first.name, second.name])
    text = words(app)
    assert f"[run&nbsp;1](run?run={first.name}) | ckdv | neural | done | 2 | 0.99998 | 0.002" in text
    assert "0.90000 | 0.5" in text
    assert "| seed | 0 | 7 |" in text and "| slots |" not in text
    field = r"$2 sqrt{t + 1},partial_{x} + frac{1}{sqrt{t + 1}},partial_{u}$"
    assert f"| 2 | generator 2 | {field} | 0.99998 | 0.90000 |" in text
    assert "Closed forms" in text and "| run 2 | $partial_{x}$ |" in text
    assert len(app.get("plotly_chart")) == 3


def test_runs_are_chosen_by_hand(open_page, two, words):
    app = open_page("compare")
    app.multiselect(key="chosen").set_value([run.name for run in two]).run()
    assert not app.exception and "| seed | 0 | 7 |" in words(app)


def test_states_without_a_result(open_page, make_run, words):
    runs = [make_run(state, count=k) for k, state in enumerate(("queued", "failed", "done", "lost"))]
    app = open_page("compare", runs=[run.name for run in runs])
    text = words(app)
    assert all(word in text for word in ("queued", "failed", "lost")) and len(app.get("plotly_chart")) == 3
    assert "These runs have the same settings." in text


def test_other_generators_are_not_put_in_one_table(open_page, two, words):
    first, second = two
    found = read_result(second)
    found.truth[0].name = "time translation"
    RunDirectory(second).write_summary(found)
    assert "have different derived generators" in words(open_page("compare", runs=[first.name, second.name]))


def test_a_result_that_cannot_be_read_hides_no_other(open_page, two, words):
    first, second = two
    (second / "summary.json").write_text('{"result": "discovery", "count": "two"}', encoding="utf-8")
    app = open_page("compare", runs=[first.name, second.name])
    text = words(app)
    assert f"{second.name}/summary.json can't be read" in text and "| ckdv | neural | done | 2 | 0.99998 |" in text


def test_a_run_that_was_deleted(open_page, two, words):
    first, second = two
    app = open_page("compare", runs=[first.name, second.name])
    shutil.rmtree(second)
    app.run()
    assert not app.exception
    address = open_page("compare", runs=[first.name, second.name])
    assert f"Not found: {second.name}" in words(address) and first.name in words(address)


@pytest.mark.parametrize("run_id", ["../../etc", "<b>", "x" * 500])
def test_an_id_that_leads_nowhere(open_page, two, words, run_id):
    app = open_page("compare", runs=[run_id])
    assert "Not found" in words(app) and not app.get("plotly_chart")


def test_pictures_show_what_they_have(open_page, make_run, made, words):
    run, result = make_run("done"), made.pictures()
    for row, angle in zip(result.generators, (0.05, 0.3), strict=True):
        row.angle, row.nearest.name, row.nearest.cosine = angle, "rotation", 0.99991
    result.subspace.angle = None
    RunDirectory(run).write_summary(result)
    app = open_page("compare", runs=[run.name, make_run("queued", count=1).name])
    text = words(app)
    # no column of dashes
    assert "| state | accuracy | slots turn features by (rad) | slot 1 is nearest to | time |" in text
    assert "| 87.8\u00a0% | 0.050\u00a0to\u00a00.300 | rotation\u00a00.99991 |" in text
    assert "| 2 | 0.300 rad, rotation 0.99991 | – |" in text and "worst cosine" not in text
    assert len(app.get("plotly_chart")) == 1


def test_all_runs_are_not_offered_at_once(open_page, make_run):
    make_run("done")
    assert open_page("compare").multiselect(key="chosen").proto.select_all == 0
