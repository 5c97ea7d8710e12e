"""Discover: the form, the command line it stands for, and the start."""

import json


def test_form_and_command_line(open_page, plugins, words):
    app = open_page("discover", plugin="warm")
    assert "lieapp discover --plugin warm" in words(app)
    app.selectbox(key="method").set_value("spectrum")
    app.number_input(key="seed").set_value(3)
    app.number_input(key="samples").set_value(12)
    app.run()
    assert "--method spectrum --seed 3 --set samples=12 --out" in words(app)


def test_start_queues_a_run_and_opens_it(open_page, plugins, runs, words):
    app = open_page("discover", plugin="warm")
    app.number_input(key="slots").set_value(6)
    next(b for b in app.button if b.label == "Start").click().run()
    assert not app.exception
    (run,) = [folder for folder in runs.iterdir() if not folder.name.startswith(".")]
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert (config["plugin"], config["slots"], config["kind"]) == ("warm", 6, "discover")
    assert "Waiting for its turn" in words(app)
    assert app.query_params["run"] in (run.name, [run.name])


def test_a_preset_changes_what_the_form_begins_with(open_page, plugins, runs, words):
    app = open_page("discover", plugin="warm")
    app.segmented_control(key="preset").set_value("paper").run()
    assert app.number_input(key="paper-samples").value == 1024
    app.number_input(key="paper-samples").set_value(16).run()
    assert "--preset paper --set samples=16 --out" in words(app)
    next(b for b in app.button if b.label == "Start").click().run()
    (run,) = [folder for folder in runs.iterdir() if not folder.name.startswith(".")]
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    expected = {"preset": "paper", "samples": 16, "backend": "weno", "stages": ["flow"]}
    assert {key: config[key] for key in expected} == expected


def test_a_plugin_that_is_not_there(open_page, plugins, words):
    assert "There is no plugin" in words(open_page("discover", plugin="nothing"))


def test_an_equation_without_data_is_refused_before_a_run_is_made(open_page, plugins, runs, words):
    text = (plugins / "warm.py").read_text(encoding="utf-8")
    (plugins / "open.py").write_text(
        text.replace('"warm"', '"open"').replace("periodic=[x]", "periodic=[]"), encoding="utf-8"
    )
    app = open_page("discover", plugin="open")
    next(b for b in app.button if b.label == "Start").click().run()
    assert "x is not periodic" in app.error[0].value and not runs.exists()


def test_a_folder_that_cannot_be_written(open_page, plugins, runs, words):
    runs.write_text("a file", encoding="utf-8")
    app = open_page("discover", plugin="warm")
    next(b for b in app.button if b.label == "Start").click().run()
    assert app.error and not app.exception
