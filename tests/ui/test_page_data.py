"""Data: a file that is read, one that asks, one that can't be read, an upload; and the run that is started."""

import json
import re
import shlex
from urllib.parse import parse_qsl

import msgspec
import numpy as np
import pytest

from lieapp.config import DiscoverConfig
from lieapp.config_types import DiscoverData
from lieapp.ui.jobs import took
from lieapp.ui.uploads import kept

T, X = np.linspace(0, 1, 16), np.arange(16) * 0.1
U = np.exp(-((2 * np.pi / 1.6) ** 2) * T[:, None]) * np.sin(2 * np.pi * X / 1.6)


def button(app, label):
    return next(b for b in app.button if b.label == label)


def field(app, label):
    return next(f for f in app.text_input if f.label.startswith(label))


@pytest.fixture
def file(tmp_path):
    """A solution of the plugin `warm`, transposed and under other names."""
    np.savez(tmp_path / "heat 1.npz", tt=T, x=X[:-1], usol=U[:, :-1].T)
    return tmp_path / "heat 1.npz"


@pytest.fixture
def square(tmp_path):
    np.savez(tmp_path / "square.npz", t=T, x=X, usol=U.T)
    return tmp_path / "square.npz"


def test_a_file_is_typed_and_shown(open_page, plugins, file, words):
    app = open_page("data")
    field(app, "File").set_value("heat 1.npz")
    button(app, "Open").click().run()
    assert not app.exception and not app.error
    assert app.query_params["file"] in (str(file), [str(file)])
    assert "u: 1 trajectory of 16 t x 15 x" in words(app) and "it has the dimensions x, t" in words(app)
    assert field(app, "Which").value == "u=usol(x,t), t=tt, x=x" and app.get("plotly_chart")
    # a file doesn't say which equation it solves
    assert f"lieapp identify --data {shlex.quote(str(file))}" in [code.value for code in app.code]
    assert "Start" not in [b.label for b in app.button]


def estimated(text):
    """Seconds of the estimate on a page, which are below an hour."""
    minutes, seconds = re.search(r"Estimate: (?:(\d+) min )?(\d+) s", text).groups(default="0")
    return 60 * int(minutes) + int(seconds)


def test_the_estimate_is_that_of_the_trajectories_of_the_file(open_page, plugins, tmp_path, words):
    told = {}
    for count in (5, 500):
        np.savez(tmp_path / f"{count}.npz", t=T, x=X[:-1], u=np.arange(1, count + 1)[:, None, None] * U[:, :-1])
        told[count] = words(open_page("data", plugin="warm", file=str(tmp_path / f"{count}.npz")))
    assert "u: 500 trajectories" in told[500] and estimated(told[500]) > 60 > estimated(told[5])


@pytest.mark.parametrize("files", [(), ("a.h5",)])
def test_the_last_run_that_is_named_read_the_same_files(runs, make_run, files):
    run = make_run("done")
    config = DiscoverConfig(plugin="ckdv", data=DiscoverData(files=files))
    (run / "config.json").write_bytes(msgspec.json.encode(config))
    other = DiscoverConfig(plugin="ckdv", data=DiscoverData(files=("b.h5",)))
    assert took(config) is not None and took(other) is None


def test_a_run_is_started_and_keeps_how_the_file_is_read(open_page, plugins, runs, file, words):
    app = open_page("data", plugin="warm", file=str(file))
    field(app, "Which").set_value("u=usol(x,t), t=tt, x=0:0.1")
    button(app, "Use this mapping").click().run()
    app.text_input(key="own-data.window").set_value("t=0:0.9").run()
    line = next(code.value for code in app.code if "lieapp discover" in code.value)
    assert f"--data '{file}' --map 'u=usol(x,t), t=tt, x=0:0.1' --window t=0:0.9" in line and "--slots" not in line
    assert "Estimate: " in words(app) and "u_{t}" in words(app)
    button(app, "Start").click().run()
    (run,) = runs.glob("2*")
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    read = {"files": [str(file)], "map": "u=usol(x,t), t=tt, x=0:0.1", "window": "t=0:0.9"}
    assert {key: config["data"][key] for key in read} == read and config["slots"] == 4
    head = "discover warm · heat 1.npz · method neural · "
    assert head in words(open_page("run", run=run.name)).replace("\\", "")
    again = open_page("discover", again=run.name)
    assert line in [code.value for code in again.code]
    back = next(link.proto for link in again.get("page_link") if link.proto.label == "Look at the data")
    assert "&map=u%3Dusol" in back.query_string and back.page == "data"


def test_a_square_file_asks_and_is_answered(open_page, plugins, square, words):
    app = open_page("data", plugin="warm", file=str(square))
    assert "which is right?" in app.warning[0].value and "Start" not in [b.label for b in app.button]
    assert field(app, "Which").value == "u=usol(t,x), t=t, x=x"
    field(app, "Which").set_value("u=usol(x,t), t=t, x=x")
    button(app, "Use this mapping").click().run()
    assert not app.warning and not app.error and not button(app, "Start").disabled
    # a suggestion counts once it is taken
    app = open_page("data", plugin="warm", file=str(square))
    button(app, "Use this mapping").click().run()
    assert not app.warning and "--map 'u=usol(t,x), t=t, x=x'" in words(app)


def test_a_mapping_that_is_wrong_can_be_corrected(open_page, plugins, file):
    app = open_page("data", plugin="warm", file=str(file), map="u=vsol(x,t)")
    assert "no array 'vsol'" in app.error[0].value and field(app, "Which").value == "u=vsol(x,t)"
    field(app, "Which").set_value("")
    button(app, "Use this mapping").click().run()
    assert not app.error and "map" not in app.query_params


def test_a_file_that_cannot_be_read(open_page, plugins, tmp_path, words):
    (tmp_path / "notes.mat").write_text("not data", encoding="utf-8")
    app = open_page("data", plugin="warm", file=str(tmp_path / "notes.mat"))
    assert "as its name says" in app.error[0].value and "damaged" in words(app)
    assert "Start" not in [b.label for b in app.button] and len(app.error) == 1
    for name in ("nowhere.mat", "x" * 3000, "\x00", 'a"b,\rc', "../../<script>"):
        assert len(open_page("data", file=name).error) == 1


def test_an_equation_of_other_variables(open_page, plugins, file, words):
    app = open_page("data", plugin="lambda_omega", file=str(file))
    assert "the equation has the variables t, x, y, the file has" in app.error[0].value
    # the file is shown all the same
    assert button(app, "Start").disabled and "1 trajectory" in words(app)
    assert "no plugin" in words(open_page("data", plugin="wram", file=str(file)))


def test_parameters_are_asked_for_where_there_are_some(open_page, plugins, file, words):
    app = open_page("data", plugin="warm", file=str(file))
    assert "Parameters" not in [f.label for f in app.text_input]
    app = open_page("data", plugin="burgers", **{"file": str(file), "own-data.parameter": "mu:1"})
    assert "has no parameter 'mu'" in app.error[0].value


def test_an_upload_is_kept_under_its_hash(open_page, plugins, runs, file):
    app = open_page("data", plugin="warm")
    app.file_uploader[0].upload(file.name, file.read_bytes()).run()
    (copy,) = (runs / ".data").iterdir()
    assert copy.read_bytes() == file.read_bytes() and copy.name.startswith("heat_1-") and copy.suffix == ".npz"
    assert not app.error and not button(app, "Start").disabled
    assert app.query_params["file"] in (str(copy), [str(copy)])
    # another file can be typed while the upload is still there
    field(app, "File").set_value("nowhere.npz")
    button(app, "Open").click().run()
    assert "nowhere.npz doesn't exist" in app.error[0].value.replace("\\", "")


@pytest.mark.parametrize("name", ["../../a.npz", "..", "", "é/\x00b c.mat", "x" * 400 + ".npz", ".hidden"])
def test_the_name_of_an_upload_leads_nowhere(runs, name):
    place = kept(name, b"1")
    assert place == kept(name, b"1") and place.parent == runs / ".data" and place.read_bytes() == b"1"


def test_an_upload_that_cannot_be_written(open_page, plugins, runs, file):
    runs.write_text("a file", encoding="utf-8")
    app = open_page("data")
    app.file_uploader[0].upload(file.name, file.read_bytes()).run()
    assert len(app.error) == 1


def test_the_page_is_there_again_after_another_one(open_page, plugins, file):
    app = open_page("data", plugin="warm", **{"file": str(file), "own-data.window": "t=0:0.9"})
    app.query_params.clear()
    app.switch_page("lieapp/ui/pages/runs.py").run()
    app.switch_page("lieapp/ui/pages/data.py").run()
    assert app.text_input(key="own-data.window").value == "t=0:0.9"


def test_an_equation_that_is_typed_comes_back_to_the_file(open_page, plugins, file, words):
    links = [link.proto for link in open_page("data", file=str(file)).get("page_link")]
    link = next(link for link in links if link.label == "Type another one")
    app = open_page(link.page, **dict(parse_qsl(link.query_string)))
    button(app, "Continue").click().run()
    assert not app.exception and app.title[0].value == "Data" and "u: 1 trajectory" in words(app)
    assert "--plugin equation1" in words(app) and not button(app, "Start").disabled
