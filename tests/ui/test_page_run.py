"""Run: every state of a run, and addresses that lead nowhere."""

import json
import shutil
import time
from urllib.parse import parse_qs

import pytest
from safetensors.numpy import save_file

from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import at_work
from lieapp.ui.lists import FILES, snippet


def test_without_any_run(open_page, words):
    assert "There is no run yet." in words(open_page("run"))


def test_without_an_id_the_newest_opens(open_page, make_run):
    make_run("done", count=0)
    newest = make_run("done", count=1)
    assert open_page("run").query_params["run"] in (newest.name, [newest.name])


@pytest.mark.parametrize("run_id", ["nothing", "../../etc", "..", "/etc", ".truth", "a/b", "x" * 500])
def test_an_id_that_leads_nowhere(open_page, make_run, words, run_id):
    make_run("done")
    assert "There is no run" in words(open_page("run", run=run_id))


def test_queued(open_page, make_run, words):
    run = make_run("queued")
    assert "Queued for" in words(open_page("run", run=run.name))


def test_a_queue_that_nobody_works_on_can_be_started(open_page, make_run, monkeypatch):
    woken = []
    monkeypatch.setattr(at_work, "ensure_runner", woken.append)
    run = make_run("queued")
    app = open_page("run", run=run.name)
    next(b for b in app.button if b.label == "Start the queue").click().run()
    assert woken == [run.parent] and not app.exception
    make_run("running", count=1)
    assert "Start the queue" not in [b.label for b in open_page("run", run=run.name).button]


def test_starting(open_page, make_run, words):
    run = make_run("starting", stage="", step=0, total=None)
    app = open_page("run", run=run.name)
    text = words(app)
    assert "**starting**, " in text and "since the start" in text and "step 0" not in text
    assert "Curves appear with the first training steps." in text
    next(b for b in app.button if b.label == "Cancel").click().run()
    assert (run / "cancel").exists() and not app.exception


@pytest.mark.parametrize("state", ["starting", "running"])
def test_the_time_in_the_queue_is_no_work(open_page, make_run, words, state):
    """Nor is the time between the end of a run and its resumption."""
    now = time.time()
    run = make_run(state, created=now - 7200, begun=now - 300, total=None)
    text = words(open_page("run", run=run.name))
    assert "5 min " in text and "2 h" not in text


def test_running_with_curves_and_cancel(open_page, make_run, words):
    run = make_run("running")
    app = open_page("run", run=run.name)
    assert "step 12 of 60" in str(app.get("progress")[0].proto)
    assert len(app.get("plotly_chart")) == 2
    button = next(b for b in app.button if b.label == "Cancel")
    button.click().run()
    assert (run / "cancel").exists()
    assert "Asked to stop" in words(app)


def test_running_with_the_fields_of_the_moment(open_page, make_run, words, arrays):
    run = make_run("running")
    arrays = {k: v for k, v in arrays.items() if k.startswith("grid/") or k in ("learned", "scale")}
    facts = {"coordinates": ["t", "x", "u"], "stage": "projection", "step": 12}
    save_file(arrays, run / "current.safetensors", metadata={"facts": json.dumps(facts)})
    app = open_page("run", run=run.name)
    assert "Stage projection, step 12" in words(app) and len(app.get("plotly_chart")) == 2 + 4
    (run / "current.safetensors").write_bytes(b"half")
    app.run()
    assert not app.exception and len(app.get("plotly_chart")) == 2


def test_a_state_that_changed_is_drawn_anew(make_run, monkeypatch):
    def again():
        raise InterruptedError

    run = RunDirectory(make_run("running"))
    monkeypatch.setattr(at_work.st, "rerun", again)
    with pytest.raises(InterruptedError):
        at_work.watch.__wrapped__(run, "starting")


def test_place_in_the_queue(open_page, make_run, words):
    first = make_run("running", count=0, created=1.0)
    second = make_run("queued", count=1, created=2.0)
    third = make_run("queued", count=2, created=3.0)
    assert f"2 ahead, currently {first.name}" in words(open_page("run", run=third.name))
    assert f"1 ahead, currently {first.name}" in words(open_page("run", run=second.name))


VIEWS = {"Comparison": 2, "Slots": 3, "Fields": 6, "Finite size": 12, "Training": 3, "Origin": 0}
"""Each tab of a finished discovery with the number of its charts: a figure has one for each of its panels."""


def test_done(open_page, make_run, words):
    run = make_run("done")
    app = open_page("run", run=run.name)
    text = words(app)
    assert "2 candidates exact of 4 slots; 2 derived; worst cosine 0.99998" in text
    assert "candidate: falls to the floor" in text
    assert r"$2 sqrt{t + 1},partial_{x} + frac{1}{sqrt{t + 1}},partial_{u}$" in text
    # no closed form of this run leaves anything: the column would be empty
    assert "leftover" not in text
    assert [tab.label for tab in app.tabs] == list(VIEWS)
    assert len(app.get("download_button")) == 2


@pytest.mark.parametrize("view", VIEWS)
def test_an_address_opens_its_tab_and_no_other(open_page, make_run, view):
    run = make_run("done")
    assert len(open_page("run", run=run.name, view=view).get("plotly_chart")) == VIEWS[view]


def test_an_address_opens_slot_and_s(open_page, make_run, words):
    run = make_run("done", at_size=True)
    app = open_page("run", run=run.name, view="Slots", slot="2", s="-0.4")
    assert app.select_slider(key="s").value == -0.4
    text = words(app)
    assert "η = 0.00021: candidate" in text and "space translation, inner product 0.800" not in text
    assert "Defect at s = -0.4: **0.00044 (43 % of nodes)**" in text


def test_the_slider_moves_the_solution(open_page, make_run, words):
    run = make_run("done", at_size=True)
    app = open_page("run", run=run.name, view="Slots")
    moved = app.get("plotly_chart")[1].proto.SerializeToString()
    app.select_slider(key="s").set_value(0.4).run()
    assert not app.exception
    assert app.get("plotly_chart")[1].proto.SerializeToString() != moved
    assert "slot=1&s=0.4" in words(app)
    app.select_slider(key="s").set_value(0.0).run()
    assert "0, unmoved" in words(app)


def test_a_slot_that_was_not_judged_at_finite_size(open_page, make_run, words):
    run = make_run("done")
    assert "no residual" in words(open_page("run", run=run.name, view="Slots"))


@pytest.mark.parametrize(
    "address", [{"slot": "99"}, {"slot": "x"}, {"s": "7"}, {"view": "Nothing"}, {"s": "a" * 500}]
)
def test_an_address_with_nonsense_opens_the_beginning(open_page, make_run, address):
    run = make_run("done")
    app = open_page("run", **{"run": run.name, "view": "Slots", **address})
    assert not app.error and app.get("plotly_chart")


def test_slots_without_pictures(open_page, make_run, words):
    run = make_run("done")
    (run / "fields.safetensors").write_bytes(b"half a fi")
    assert "fields.safetensors is missing" in words(open_page("run", run=run.name, view="Slots"))


def test_done_with_fields_judged_at_finite_size(open_page, make_run, words):
    run = make_run("done", at_size=True)
    app = open_page("run", run=run.name, view="Finite size")
    # numbers aren't broken at their blanks
    text = words(app).replace("\u00a0", " ")
    assert "| slot | s = −0.4 | s = −0.2 | s = 0.2 | s = 0.4 | holds |" in text
    assert "| 2 | 0.00044 (43 % of nodes) | 0.0003 | 0.00025 | 0.00033 | yes |" in text
    assert "| 4 | 0.37 | 0.38 | 0.41 | 0.62 | no |" in text
    assert len(app.get("plotly_chart")) == 12 + 1 + 9
    assert len(app.get("download_button")) == 3


def test_done_without_finite_size_has_no_such_heading(open_page, make_run, words):
    run = make_run("done")
    assert "At finite size" not in words(open_page("run", run=run.name, view="Finite size"))


def test_done_without_the_moved_data(open_page, make_run, words):
    run = make_run("done", at_size=True)
    (run / "finite.safetensors").unlink()
    text = words(open_page("run", run=run.name, view="Finite size"))
    assert "At finite size" in text and "has no finite.safetensors" in text


def test_done_without_results(open_page, make_run, words):
    run = make_run("done")
    for name in ("summary.json", "fields.safetensors"):
        (run / name).unlink()
    assert "has no summary" in words(open_page("run", run=run.name))


@pytest.mark.parametrize("content", ["{", '{"result": "discovery", "count": "two"}', '{"result": 3}'])
def test_done_with_results_that_cannot_be_read(open_page, make_run, words, content):
    run = make_run("done")
    (run / "summary.json").write_text(content, encoding="utf-8")
    text = words(open_page("run", run=run.name))
    assert "summary.json can't be read" in text and "run it again" in text
    assert "unreadable" in words(open_page("home")) and "can't be read" in words(open_page("runs"))


def test_failed_shows_error_and_hint(open_page, make_run, words):
    error = {"type": "SimulationError", "message": "ckdv: u is NaN at t = 3.", "hint": "Take a finer grid."}
    run = make_run("failed", error=error)
    app = open_page("run", run=run.name)
    text = words(app)
    assert "SimulationError" in text and "u is NaN at t = 3." in text and "Take a finer grid." in text
    # the error, its hint, the button, what was measured, and last the log, folded
    kinds = [part.type for part in app.main.children.values()]
    assert kinds[2:] == [
        "error", "markdown", "flex_container", "caption", "caption", "code", "subheader", "flex_container",
        "expander",
    ]  # fmt: skip
    (log,) = app.expander
    assert (log.label, log.proto.expanded, "stage discovery" in log.code[0].value) == ("Log", False, True)


@pytest.mark.parametrize(
    ("state", "error", "main"),
    [
        ("failed", "ConfigError", "Change settings"),
        ("failed", "SimulationError", "Change settings"),
        ("failed", "FileError", "Resume"),
        ("cancelled", "CancelledError", "Resume"),
        ("lost", None, "Resume"),
    ],
)
def test_resume_is_no_advice_where_it_fails_again(open_page, make_run, state, error, main):
    run = make_run(state, error=error and {"type": error, "message": "m", "hint": "h"})
    app = open_page("run", run=run.name)
    assert [b.label for b in app.button if b.proto.type == "primary"] == [main]


@pytest.mark.parametrize(("state", "said"), [("lost", "died without an error"), ("cancelled", "was cancelled")])
def test_resume_puts_it_back_in_the_queue(open_page, make_run, words, state, said):
    run = make_run(state)
    (run / "cancel").touch()
    app = open_page("run", run=run.name)
    text = words(app)
    assert "No training steps" not in text and len(app.get("plotly_chart")) == 2
    assert said in text and f"lieapp discover --resume {run.name}" in text
    next(b for b in app.button if b.label == "Resume").click().run()
    assert json.loads((run / "status.json").read_text(encoding="utf-8"))["state"] == "queued"
    assert not (run / "cancel").exists()
    assert "Queued for" in words(app)


def test_unreadable_status(open_page, make_run, words):
    run = make_run("done")
    (run / "status.json").write_text("{", encoding="utf-8")
    assert "can't be read" in words(open_page("run", run=run.name))


def test_a_run_deleted_under_the_page(open_page, make_run, words):
    run = make_run("running")
    app = open_page("run", run=run.name)
    shutil.rmtree(run)
    app.run()
    assert not app.exception
    assert "There is no run" in words(app)


def test_text_of_a_run_is_no_markdown(open_page, make_run):
    error = {"type": "X", "message": "u*u_x*u ![a](http://x/y.png) <b>", "hint": ""}
    run = make_run("failed", error=error)
    shown = open_page("run", run=run.name).error[0].value
    assert r"u\*u\_x\*u" in shown and r"\!\[a\]" in shown and r"\<b\>" in shown


def steps(app):
    return {link.proto.label: link.proto.query_string for link in app.get("page_link")}


def test_what_can_be_done_next(open_page, make_run):
    run = make_run("done")
    found = steps(open_page("run", run=run.name))
    assert found["Run again with changes"] == f"again={run.name}" and found["Compare with…"] == f"runs={run.name}"
    assert found["Derive"] == "plugin=ckdv" and f"none%2C+truth%2C+{run.name}" in found["Train on moved data"]
    assert "Derive" not in steps(open_page("run", run=make_run("running", count=1).name))


def test_a_run_on_files_leads_to_a_training_on_them(open_page, make_run, tmp_path):
    run = make_run("done")
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    files = [str(tmp_path / "a, b.nc"), str(tmp_path / "c.nc")]
    config["data"] = {"files": files, "map": "u=usol", "extend": 3, "parameter": ["nu:0.1"]}
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")
    address = {k: v[0] for k, v in parse_qs(steps(open_page("run", run=run.name))["Train on moved data"]).items()}
    app = open_page("discover", **address)
    shown = {key: app.text_input(key=f"augment-data.{key}").value for key in ("files", "map", "parameter")}
    assert shown == {"files": f'"{files[0]}", {files[1]}', "map": "u=usol", "parameter": "nu:0.1"}
    look = {key: value[0] for key, value in parse_qs(steps(app)["Look at the data"]).items()}
    assert look == {"plugin": "ckdv", "file": shown["files"], "map": "u=usol", "own-data.parameter": "nu:0.1"}
    # that there is no such file is said by the form
    assert "doesn't exist" in app.error[0].value


def test_a_typed_derivation_leads_to_its_discovery(open_page, make_background, words):
    typed = {"equation": ["u_t = 2*u_xx"], "independent": ["t", "x"], "dependent": ["u"], "periodic": ["x"]}
    run = make_background("truth", "done", typed=typed)
    assert steps(open_page("run", run=run.id))["Discover in data"] == f"source=typed&from={run.id}"
    app = open_page("discover", source="typed", **{"from": run.id})
    assert "u_{t} - 2 u_{xx} = 0" in words(app)


def test_a_download_says_what_is_in_it(open_page, make_run, words):
    run = RunDirectory(make_run("done"))
    text = words(open_page("run", run=run.id))
    assert f"run = lieapp.open_run('{run.path}')" in text
    assert 'fields = load_file("lieapp-ckdv-abc000-fields.safetensors")' in text
    compile(snippet(run, FILES), "snippet", "exec")
