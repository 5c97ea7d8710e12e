"""Plugins: where they come from, self-check on demand, broken files, and a form that makes a new one."""

import json
import sys
from types import SimpleNamespace

import pytest

from lieapp.results.check import CheckRow
from lieapp.runs.short import checked
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import jobs


def press(app, label):
    return next(b for b in app.button if b.label == label).click().run()


def formulas(app) -> str:
    return "\n".join(str(element.value) for element in app.markdown)


def test_equation_and_origin(open_page, plugins, words):
    app = open_page("plugins", plugin="warm")
    assert r"$\displaystyle u_{t} - u_{xx} = 0$" in formulas(app)
    assert r"$\displaystyle u_{t} = u_{xx}$" in formulas(app)
    text = words(app)
    assert "warm.py" in text and "lieapp_domains" in text and "Warm *bar*" in text
    assert "PDE(name=" in text


def test_an_address_of_no_plugin(open_page, plugins, words):
    assert "There is no plugin" in words(open_page("plugins", plugin="../../etc/passwd"))


def test_broken_file_with_its_line(open_page, plugins, words):
    (plugins / "broken.py").write_text("import sympy as sp\nx = = 2\n", encoding="utf-8")
    text = words(open_page("plugins"))
    assert "broken.py, line 2 was not loaded" in text.replace("*", "")
    assert ">    2  x = = 2" in text
    assert "Equation" in text


def test_what_a_plugin_says_is_no_markdown(open_page, plugins):
    text = (plugins / "warm.py").read_text(encoding="utf-8")
    evil = text.replace("Warm *bar*", "<script>x</script> ![a](http://h/p.png) [b](http://h)")
    (plugins / "warm.py").write_text(evil, encoding="utf-8")
    app = open_page("plugins", plugin="warm")
    shown = app.header[0].value
    assert r"\<script\>" in shown and r"\!\[a\]\(http" in shown
    assert not any(getattr(element.proto, "allow_html", False) for element in app.markdown)


def check_result(name, ok, detail):
    rows = [CheckRow(plugin="warm", name=name, ok=ok, detail=detail)]
    return checked(rows, SimpleNamespace(name="warm", title="Warm"))


def test_check_starts_a_run_at_once(open_page, plugins, runs, monkeypatch):
    started = []
    monkeypatch.setattr(jobs, "start_now", lambda root, run_id: started.append(run_id))
    app = press(open_page("plugins", plugin="warm"), "Check")
    (run,) = RunDirectory.list(runs)
    assert started == [run.id] and run.config() == {"plugin": "warm", "kind": "check"}
    assert "Queued for" in app.info[0].value


@pytest.mark.parametrize("ok", [True, False], ids=["holds", "fails"])
def test_checks_of_exactly_this_file(open_page, plugins, make_background, words, ok):
    make_background("check", "done", summary=check_result("data", ok, "NaN *at* t = 3"))
    app = open_page("plugins", plugin="warm")
    said = (app.success if ok else app.error)[0].value.replace("\\", "")
    assert said == ("all 1 checks passed" if ok else "failed: data")
    assert f"| data | {'ok' if ok else 'FAILED'} | NaN *at* t = 3 |" in words(app)
    # another content is another plugin
    file = plugins / "warm.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert "NaN" not in words(open_page("plugins", plugin="warm"))


@pytest.mark.parametrize(
    ("state", "said"),
    [("failed", "it broke"), ("cancelled", "Cancelled on request"), ("lost", "died without an error")],
)
def test_a_check_without_a_result(open_page, plugins, make_background, words, state, said):
    make_background("check", state, error={"type": "X", "message": "it broke", "hint": "mend it"})
    app = open_page("plugins", plugin="warm")
    assert said in words(app)
    assert "Check again" in [b.label for b in app.button]


def test_a_check_at_work_can_be_cancelled(open_page, plugins, make_background):
    run = make_background("check", "running")
    app = press(open_page("plugins", plugin="warm"), "Cancel")
    assert run.cancel_requested and "Cancel" not in [b.label for b in app.button]


def test_a_new_file_is_shown_and_offered(open_page, plugins, words):
    app = open_page("plugins", view="New plugin")
    assert "equation=sp.Eq(u.diff(t) + u*u.diff(x) + u.diff(x, 3), 0)" in app.code[0].value
    assert app.get("download_button") and "--allow-writing" in words(app)
    assert "Write into plugins/" not in [b.label for b in app.button]
    app.text_input(key="new_name_my_equation").set_value("No!").run()
    assert "lower-case letters" in words(app) and not app.get("download_button")


def test_a_new_file_is_written_only_where_that_is_allowed(open_page, plugins, monkeypatch):
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--allow-writing"])
    app = open_page("plugins", view="New plugin")
    monkeypatch.setattr(sys, "argv", sys.argv[:-1])
    press(app, "Write into plugins/")
    assert not (plugins / "my_equation.py").exists()
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--allow-writing"])
    press(open_page("plugins", view="New plugin"), "Write into plugins/")
    assert 'name="my_equation"' in (plugins / "my_equation.py").read_text(encoding="utf-8")


def test_without_plugins(open_page, runs, words, monkeypatch):
    from lieapp.registry import loader

    monkeypatch.setattr(loader, "places", lambda folders: iter(()))
    monkeypatch.setattr(loader, "entry_points", lambda group: ())
    assert "No plugin was found." in words(open_page("plugins"))


def test_a_check_that_does_not_begin(open_page, plugins, runs, words):
    runs.write_text("a file", encoding="utf-8")
    app = press(open_page("plugins", plugin="warm"), "Check")
    assert app.error and not app.exception


def test_results_of_another_hand_are_escaped(open_page, plugins, make_background):
    row = {"plugin": "warm", "name": "<b>", "ok": True, "detail": "![a](http://h/p.png) $x$ | `c`"}
    run = make_background("check", "done", summary=check_result(*list(row.values())[1:]))
    assert json.loads((run.path / "summary.json").read_text(encoding="utf-8"))["checks"] == [row]
    shown = "\n".join(str(e.value) for e in open_page("plugins", plugin="warm").markdown)
    assert r"\!\[a\]" in shown and r"\$x\$" in shown and r"\| \`c\`" in shown
