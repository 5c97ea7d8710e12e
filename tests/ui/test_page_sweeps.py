"""Sweeps on pages: the form of a grid, what starts, and the cells of a sweep in every state."""

import json

import pytest

pytest.importorskip("distributed")

from lieapp.results.discovery import EquationResult, Subspace
from lieapp.results.sweep import Cell, Sweep
from lieapp.runs.store.directory import RunDirectory
from lieapp.sweeps.kept import read_cells
from lieapp.sweeps.spec import SweepConfig, parse_sweep
from lieapp.ui import jobs

GRID = '[grid]\nplugin = ["norm"]\nslots = [2, 3]\nseed = [0, 1]\n'


@pytest.fixture
def sweep(runs):
    """A queued sweep of four cells."""
    return RunDirectory(runs / jobs.start_sweep(parse_sweep(GRID.replace("slots", "samples"), "two", "local:1")))


def begin(sweep, cell, **status):
    """The run of a cell as its worker left it."""
    plan = read_cells(sweep)[cell]
    config = json.loads(bytes(plan.config))
    folder = sweep.path.parent / plan.run
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "status.json").write_text(json.dumps({"stage": "discovery", "heartbeat": 1e9, **status}))
    return plan.run


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def test_the_form_starts_a_sweep_with_its_cells_checked(open_page, runs, words):
    app = open_page("discover", source="grid")
    app.text_area[0].set_value('[grid]\nplugin = ["norm"]\nseed = [0, 1, 2]\n').run()
    app.number_input[0].set_value(3).run()
    assert "The grid has 3 runs." in words(app) and "lieapp sweep grid.toml --on local:3" in words(app)
    press(app, "Start")
    (run,) = RunDirectory.list(runs)
    assert run.state == "queued" and run.config_as(SweepConfig).on == "local:3"
    assert [plan.key["seed"] for plan in read_cells(run)] == [0, 1, 2]
    assert "Queued for" in words(app)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[grid", "grid: Expected ']'"),
        ("[grid]\nseed = 3", "grid.seed is 3: expected a list of values"),
        ('[grid]\nplugin = ["nrom"]', "cell plugin=nrom: there is no plugin 'nrom'"),
        ('plugins = ["/tmp"]\n[grid]\nplugin = ["norm"]', "loads no folders of plugin files that a page names"),
        (f"[grid]\nplugin = ['norm']\nseed = {list(range(1001))}", "the grid has 1001 cells, more than 1000"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_starts(open_page, runs, words, text, told):
    app = open_page("discover", source="grid")
    app.text_area[0].set_value(text).run()
    start = next(button for button in app.button if button.label == "Start")
    if not start.disabled:
        press(app, "Start")
    assert told in words(app) and RunDirectory.list(runs) == []


def test_a_sweep_at_work_shows_its_cells(open_page, sweep, words):
    sweep.update(state="running", pid=None, stage="cells", step=2, total=4, heartbeat=4e9)
    done = begin(sweep, 0, state="done")
    begin(sweep, 1, state="failed")
    # of another machine
    late = begin(sweep, 2, state="running", host="far", step=5, total=9, heartbeat=sweep.status().heartbeat)
    app = open_page("run", run=sweep.id)
    text = words(app)
    assert "2 of 4 ended" in str(app.get("progress")[0].proto)
    assert "**1** done · **1** failed · **1** running · **1** waiting, of 4 cells" in text
    assert "discovery, step 5 of 9" in text and "Curves" not in text and "Sweep two" in text
    labels = {link.proto.label.replace("\\", ""): link.proto.query_string for link in app.get("page_link")}
    assert late in labels["plugin=norm, samples=3, seed=0"]
    assert f"| norm | 2 | [0: done](run?run={done})" in text and "1: waiting |" in text
    press(app, "Cancel")
    assert sweep.cancel_requested and "Asked to stop" in words(app)


def test_a_sweep_that_ended_early_opens_its_file_again(open_page, sweep, words):
    begin(sweep, 0, state="done")
    sweep.update(state="cancelled")
    app = open_page("run", run=sweep.id)
    assert "**1** done · **3** not begun, of 4 cells" in words(app)
    assert f"lieapp sweep --resume {sweep.id}" in words(app)
    rows = [link.proto.label for link in open_page("runs", kind="sweep").get("page_link")]
    assert "**Sweep two**" in rows and "**norm**" not in rows
    form = open_page("discover", source="grid", **{"from": sweep.id})
    assert parse_sweep(form.text_area[0].value, "two", "local:1") == sweep.config_as(SweepConfig)
    (sweep.path / "checkpoint" / "cells.json").unlink()
    assert "cells.json can't be read" in words(open_page("run", run=sweep.id))


@pytest.mark.parametrize("state", ["cancelled", "failed", "lost"])
def test_a_sweep_that_ended_early_shows_what_its_cells_found(open_page, sweep, words, state):
    sweep.update(state=state)
    assert "cells are done" not in words(open_page("run", run=sweep.id))
    for cell, angle in ((0, 0.25), (1, 0.75)):
        done = RunDirectory(sweep.path.parent / begin(sweep, cell, state="done"))
        done.write_summary(EquationResult(count=2, subspace=Subspace(angle=angle)))
    begin(sweep, 2, state="cancelled", error={"type": "CancelledError", "message": "asked to", "hint": ""})
    # of an earlier sitting
    sweep.write_summary(Sweep(sentence="0 of 4 cells are done"))
    text = " ".join(words(open_page("run", run=sweep.id)).split())
    assert "2 of 4 cells are done; 1 cancelled, 1 missing" in text and "0 of 4" not in text
    assert "| norm | 2 | 2/2 | 2 | 0.5 ± 0.35 (0.25 to 0.75) |" in text


def test_a_sweep_with_failed_cells_does_the_rest(open_page, sweep, words):
    cells = [Cell(key={"seed": 0}, state="done"), Cell(key={"seed": 1}, state="failed")]
    sweep.write_summary(Sweep(cells=cells, sentence="1 of 2 cells are done; 1 failed"))
    sweep.update(state="done")
    press(app := open_page("run", run=sweep.id), "Do what is missing")
    assert sweep.state == "queued" and "Queued for" in words(app)
    sweep.write_summary(Sweep(cells=cells[:1], sentence="1 of 1 cells are done"))
    sweep.update(state="done")
    assert "Do what is missing" not in [button.label for button in open_page("run", run=sweep.id).button]


def test_a_sweep_that_is_done_leads_to_its_cells_and_their_table(open_page, sweep, words):
    done = begin(sweep, 3, state="done")
    sweep.write_summary(Sweep(cells=[Cell(key={"seed": 1}, state="done")], sentence="1 of 4 cells are done"))
    (sweep.path / "cells.csv").write_text("seed\n1\n")
    sweep.update(state="done")
    app = open_page("run", run=sweep.id)
    assert f"[1: done](run?run={done})" in words(app) and "**1** done · **3** not begun, of 4 cells" in words(app)
    assert "CSV" in [button.proto.label for button in app.get("download_button")]
