"""Plugins: equation, truth on demand, broken files."""

import json
import os
import time

import pytest

from lieapp.ui import truths


def _place(runs, plugins):
    from lieapp.registry.catalog import load_catalog

    return truths.place(runs, "warm", load_catalog().get("warm").sha256)


def test_equation_and_origin(open_page, plugins, words):
    app = open_page("plugins", plugin="warm")
    formulas = [str(element.value) for element in app.latex]
    assert any("u_{t}" in latex and "= 0" in latex for latex in formulas)
    assert any("u_{t} = u_{xx}" in latex for latex in formulas)
    text = words(app)
    assert "warm.py" in text and "lieapp_domains" in text and "Warm *bar*" in text


def test_broken_file_with_its_line(open_page, plugins, words):
    (plugins / "broken.py").write_text("import sympy as sp\nx = = 2\n", encoding="utf-8")
    text = words(open_page("plugins"))
    assert "broken.py, line 2 was not loaded" in text.replace("*", "")
    assert ">    2  x = = 2" in text
    assert "Equation" in text


def test_derive_starts_a_process(open_page, plugins, runs, monkeypatch):
    started = []
    monkeypatch.setattr(truths, "start", lambda folder, name: started.append((folder, name)))
    app = open_page("plugins", plugin="warm")
    next(b for b in app.button if b.label == "Derive").click().run()
    assert started == [(_place(runs, plugins), "warm")]


def _child(folder, **record):
    folder.mkdir(parents=True)
    content = {"pid": os.getpid(), "mark": "", "started": time.time(), **record}
    (folder / "child.json").write_text(json.dumps(content), encoding="utf-8")


def test_truth_while_it_is_derived(open_page, plugins, runs):
    _child(_place(runs, plugins))
    (_place(runs, plugins) / "answer.json").touch()
    app = open_page("plugins", plugin="warm")
    assert "deriving" in str(app.get("progress")[0].proto)


def test_truth_when_it_is_there(open_page, plugins, runs, words):
    folder = _place(runs, plugins)
    _child(folder, pid=2**22 + 1)
    truth = {
        "dimension": 6,
        "infinite": True,
        "generators": [{"t": "2*t", "x": "x", "u": "0"}],
        "families": [
            {
                "functions": {"alpha": ["t", "x"]},
                "conditions": ["alpha_t - alpha_xx"],
                "field": {"t": "0", "x": "0", "u": "alpha(t, x)"},
            }
        ],
        "unsolved": [],
        "assumed_nonzero": ["nu"],
        "certified": False,
        "periodic": [],
        "seconds": 1.2,
    }
    (folder / "answer.json").write_text(json.dumps(truth), encoding="utf-8")
    text = words(open_page("plugins", plugin="warm"))
    assert "Dimension **6** modulo the families" in text and "Kept by a domain periodic in x" in text
    assert "$2,t,partial_{t} + x,partial_{x}$" in text and "alpha_{xx}" in text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            {"error": {"type": "BudgetError", "message": "warm: not derived.", "hint": "Longer."}},
            "warm: not derived.",
        ),
        (None, "ended without an answer"),
    ],
)
def test_truth_that_failed(open_page, plugins, runs, words, answer, said):
    folder = _place(runs, plugins)
    _child(folder, pid=2**22 + 1)
    (folder / "answer.json").write_text("" if answer is None else json.dumps(answer), encoding="utf-8")
    assert said in words(open_page("plugins", plugin="warm"))


@pytest.mark.slow
def test_truth_of_a_plugin_in_a_real_process(plugins, runs):
    folder = _place(runs, plugins)
    truths.start(folder, "warm")
    deadline = time.time() + 60
    while truths.read(folder).state == "running" and time.time() < deadline:
        time.sleep(0.2)
    found = truths.read(folder)
    assert found.state == "done", found
    assert found.truth["dimension"] == 6
