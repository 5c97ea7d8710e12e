"""Discover: the form, the command line it stands for, and the start."""

import json

import msgspec
import pytest
from registered import CATALOG

from lieapp.settings import load_config
from lieapp.ui.forms import address

FORMS = [
    (work, CATALOG.settings(work), plugin)
    for plugin in ("kdv", "images", "colors", "lorentz")
    for work in CATALOG.get(plugin).works()
]


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
    assert "Queued for" in words(app)
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
    expected = {"preset": "paper", "samples": 16, "stages": ["flow"]}
    assert {key: config[key] for key in expected} == expected and config["moving"]["backend"] == "weno"


@pytest.mark.parametrize("key", ["discover", "explore", "plugins"])
def test_a_plugin_that_is_not_there(open_page, plugins, words, key):
    app = open_page(key, plugin="wram")
    assert [w.value for w in app.warning] == [r"There is no plugin 'wram'\."]
    assert "warm" in [link.proto.label for link in app.get("page_link")]
    # no other's form stands in for it
    assert "lieapp" not in "".join(code.value for code in app.code) and not app.error
    next(box for box in app.selectbox if box.label == "Plugin").set_value("warm").run()
    assert not app.warning and not app.exception and "warm" in words(app)


@pytest.mark.parametrize("key", ["discover", "explore", "plugins"])
def test_a_plugin_whose_file_is_broken(open_page, plugins, words, key):
    (plugins / "broken.py").write_text("x = = 2\n", encoding="utf-8")
    app = open_page(key, plugin="broken")
    assert "broken could not be loaded: plugins/broken.py, line 1: " in words(app)
    assert next(box for box in app.selectbox if box.label == "Plugin").value is None
    assert "lieapp" not in "".join(code.value for code in app.code)


def test_an_equation_without_data_is_refused_before_a_run_is_made(open_page, plugins, runs, words):
    text = (plugins / "warm.py").read_text(encoding="utf-8")
    (plugins / "open.py").write_text(
        text.replace('"warm"', '"open"').replace("periodic=[x]", "periodic=[]"), encoding="utf-8"
    )
    app = open_page("discover", plugin="open")
    assert "x is not periodic" in app.error[0].value and not runs.exists()


def test_a_folder_that_cannot_be_written(open_page, plugins, runs, words):
    runs.write_text("a file", encoding="utf-8")
    app = open_page("discover", plugin="warm")
    next(b for b in app.button if b.label == "Start").click().run()
    assert app.error and not app.exception


def test_a_link_opens_the_form_as_it_stands(open_page, plugins, words):
    address = {"method": "spectrum", "seed": "5", "cross_check": "false", "noise": "0.01"}
    address["spectrum.degrees"] = "2, 4"
    text = words(open_page("discover", plugin="warm", **address))
    parts = (
        "--method spectrum",
        "--seed 5",
        "--set noise=0.01",
        "--set cross_check=false",
        "--set 'spectrum.degrees=[2, 4]'",
    )
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("address", [{"slots": "-4"}, {"method": "magic"}, {"seed": "x"}, {"noise": "nan"}])
def test_an_address_with_nonsense_opens_a_form_that_can_be_started(open_page, plugins, runs, address):
    app = open_page("discover", plugin="warm", **address)
    next(b for b in app.button if b.label == "Start").click().run()
    assert not app.exception
    assert app.error or len(list(runs.glob("2*"))) == 1


def test_settings_that_do_not_fit_together_are_refused_by_name(open_page, plugins, runs):
    app = open_page("discover", plugin="warm")
    app.text_input(key="spectrum.degrees").set_value("4, 2").run()
    assert "must ascend" in app.error[0].value and not runs.exists()
    app.text_input(key="spectrum.degrees").set_value("two").run()
    assert "degrees" in app.error[0].value and not app.exception


def test_pictures_have_their_own_form(open_page, plugins, runs, words):
    app = open_page("discover", plugin="images")
    assert app.number_input(key="discoverimages-slots").value == 6
    # a field is not called as the group below it
    assert app.text_input(key="discoverimages-data").label == "Data set"
    assert [e.label for e in app.expander].count("Data") == 1
    app.number_input(key="discoverimages-pictures").set_value(300).run()
    assert "lieapp discover --plugin images --set pictures=300" in words(app)
    next(b for b in app.button if b.label == "Start").click().run()
    (run,) = runs.glob("2*")
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert (config["kind"], config["domain"], config["pictures"]) == ("discover", "images", 300)


def test_a_network_can_be_trained_alone(open_page, plugins, runs, words):
    app = open_page("discover", plugin="images", command="train")
    assert "lieapp train --plugin images" in words(app)
    app.text_input(key="train-data").set_value("no such place").run()
    assert "no such place" in app.error[0].value.replace("\\", "") and not runs.exists()
    app.text_input(key="train-data").set_value("digits").run()
    next(b for b in app.button if b.label == "Start").click().run()
    (run,) = runs.glob("2*")
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert (config["kind"], config["data"]) == ("train", "digits")


def test_an_equation_has_no_network_to_train(open_page, plugins, words):
    assert "lieapp discover" in words(open_page("discover", plugin="warm", command="train"))


def test_the_queue_stands_below(open_page, plugins, make_run, words):
    make_run("running")
    make_run("queued", count=1)
    assert "Active and queued" in words(open_page("discover", plugin="warm"))


def test_training_on_moved_data(open_page, plugins, runs, words):
    app = open_page("discover", plugin="kdv", command="augment")
    text = words(app)
    assert "lieapp augment --plugin kdv" in text
    assert all(f"**{name}.**" in text for name in ("Variant", "Rollout", "NMSE", "Renew", "Pool"))
    assert "moved again" in app.number_input(key="augment-renew").help
    app.text_input(key="augment-variants").set_value("none, 20991231").run()
    assert "20991231" in app.error[0].value and not list(runs.glob("2*"))
    app.text_input(key="augment-variants").set_value("none, truth").run()
    app.text_input(key="augment-seeds").set_value("0 1").run()
    next(b for b in app.button if b.label == "Start").click().run()
    (run,) = runs.glob("2*")
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert (config["kind"], config["variants"], config["seeds"]) == ("augment", ["none", "truth"], [0, 1])


def button(app, label):
    return next(b for b in app.button if b.label == label)


def links(app):
    return {link.proto.label: link.proto for link in app.get("page_link")}


def test_what_cannot_be_started_says_so_and_has_no_start(open_page, plugins, words):
    assert not button(open_page("discover", plugin="warm"), "Start").disabled
    app = open_page("discover", plugin="warm", **{"spectrum.degrees": "4, 2", "method": "spectrum"})
    assert button(app, "Start").disabled and "must ascend" in app.error[0].value


def test_an_estimate_stands_before_the_start(open_page, plugins, words):
    assert "Estimate: " in words(open_page("discover", plugin="kdv"))
    long = words(open_page("discover", plugin="kdv", preset="paper"))
    assert " h " in long[long.index("Estimate: ") :]


def test_a_run_is_run_again_with_changes(open_page, plugins, runs, words):
    app = open_page("discover", plugin="warm", method="spectrum", cross_check="false", noise="0.01", seed="5")
    app.text_input(key="spectrum.degrees").set_value("2, 4").run()
    line = next(code.value for code in app.code if "lieapp discover" in code.value)
    button(app, "Start").click().run()
    (run,) = runs.glob("2*")
    again = open_page("discover", again=run.name)
    assert line in [code.value for code in again.code] and "--set noise=0.01" in line
    assert "no run" in words(open_page("discover", again="nothing"))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form[0].command}-{form[1].__name__}")
def test_the_address_of_settings_opens_them(open_page, plugins, form, words):
    """Every setting of every form comes back from the address."""
    work, config, plugin = form
    preset = work.presets[-1] if work.presets else None
    values = msgspec.to_builtins(load_config(config, plugin=plugin, preset=preset))
    values |= {"seed": 7} if "seed" in values else {"seeds": [7]}
    app = open_page("discover", **address(work, config, values))
    line = next(code.value for code in app.code if f"lieapp {work.command}" in code.value)
    assert not app.exception and "7" in line and (preset or "") in line
    assert line.count("--set") <= 1, line


def test_the_form_is_there_again_after_another_page(open_page, plugins, words):
    app = open_page("discover", plugin="warm", seed="5")
    app.query_params.clear()
    app.switch_page("lieapp/ui/pages/runs.py").run()
    app.switch_page("lieapp/ui/pages/discover.py").run()
    assert "--plugin warm --seed 5" in words(app)


def test_a_typed_equation_goes_straight_to_its_run(open_page, runs, words):
    app = open_page("discover", source="typed")
    assert "u_{t} + u u_{x}" in words(app)
    button(app, "Continue").click().run()
    assert not app.exception and (runs / ".typed" / "equation1.py").exists()
    assert "lieapp discover --plugin equation1 --plugins" in words(app)
    button(app, "Start").click().run()
    (run,) = runs.glob("2*")
    assert json.loads((run / "provenance.json").read_text(encoding="utf-8"))["plugins"] == [str(runs / ".typed")]


def test_a_typed_equation_does_not_take_the_name_of_a_plugin(open_page, runs):
    app = open_page("discover", source="typed")
    app.text_input(key="discover_name_equation1").set_value("kdv").run()
    button(app, "Continue").click().run()
    assert "there is already a plugin" in app.error[0].value and not (runs / ".typed").exists()
